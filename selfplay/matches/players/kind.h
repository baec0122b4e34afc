// What the files of the kinds of players share. Each of these files holds
//   a class template that derives from Player<G>,
//   a struct NAMEPlayerKind with describe(), which players.cpp lists, and
//   template PlayerKind describe_kind<NAMEPlayerKind>();
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/error.h"
#include "core/base/number.h"
#include "selfplay/matches/player.h"
#include "selfplay/matches/players.h"

namespace koridor {

template <class Kind>
PlayerKind describe_kind() {
  return Kind::describe();
}

// A factory of Kind<G>(game, arguments...) for the game that `any` holds.
template <template <Game> class Kind, class... Arguments>
PlayerFactory factory_of(const AnyGame& any, const Arguments&... arguments) {
  return [&any, arguments...] {
    return std::visit(
        [&]<Game G>(const G& game) -> AnyPlayer {
          return std::unique_ptr<Player<G>>(std::make_unique<Kind<G>>(game, arguments...));
        },
        any);
  };
}

// A player that needs no preparation and no model.
template <template <Game> class Kind, class... Arguments>
MatchPlayer simple_player(const Arguments&... arguments) {
  return {.name = {}, .prepare = [arguments...](const AnyGame& game, const std::atomic<bool>&) {
            return factory_of<Kind>(game, arguments...);
          }};
}

// The number after the colon, in [1, largest]. Throws UserError for anything else, which calls the number `what`.
inline int number_behind_colon(const PlayerRequest& request, const char* what, int largest) {
  if (const auto number = read_number<int>(request.detail.value_or(""), 1, largest)) return *number;
  throw UserError(fmt::format("player \"{}\": the {} must be a number from 1 to {}", request.text, what, largest));
}

// The option's value where it is given.
inline const std::string* find_option(const PlayerRequest& request, std::string_view key) {
  const auto found = std::ranges::find(request.options, key, &PlayerOption::key);
  return found == request.options.end() ? nullptr : &found->value;
}

// The number of the option `key`, or `otherwise` where it is not given. Throws UserError for anything but a number in
// [low, high].
template <class Number>
Number number_option(const PlayerRequest& request, std::string_view key, Number low, Number high, Number otherwise) {
  const std::string* text = find_option(request, key);
  if (text == nullptr) return otherwise;
  if (const auto number = read_number<Number>(*text, low, high)) return *number;
  throw UserError(
      fmt::format("player \"{}\": {}={}: {} must be a number from {} to {}", request.text, key, *text, key, low, high));
}

inline constexpr int kMaxPlayerVisits = 1'000'000;

// What the options visits, >= `fewest`, and seconds say. Seconds alone leave the visits open.
inline Strength timed_strength(const PlayerRequest& request, int fewest) {
  Strength strength{.visits = request.visits};
  strength.seconds = number_option(request, "seconds", TimeControl::kShortest, TimeControl::kLongest, 0.0);
  if (strength.seconds > 0) strength.visits = Strength::kEndless;
  strength.visits = number_option(request, "visits", fewest, kMaxPlayerVisits, strength.visits);
  return strength;
}

// Throws UserError where something stands after the colon.
inline void require_no_detail(const PlayerRequest& request) {
  if (!request.detail) return;
  throw UserError(fmt::format("player \"{}\": nothing is known to stand behind the colon; write {}", request.text,
                              request.text.substr(0, request.text.find(':'))));
}

}  // namespace koridor
