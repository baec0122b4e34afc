#include "core/saved_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <vector>

#include "core/base/text.h"
#include "core/go/sgf.h"

namespace koridor {
namespace {

constexpr std::size_t kLongestMargin = 20;  // bytes

// "1-0", "1/2-1/2", "0-0-1-0", "0-1/3-1/3-1/3".
std::string points_text(int players, const Outcome& outcome) {
  std::vector<std::string> points;
  for (int seat = 0; seat < players; ++seat) {
    const float share = outcome.values[static_cast<std::size_t>(seat)];
    if (share <= 0 || share >= 1) {
      points.emplace_back(share <= 0 ? "0" : "1");
    } else {
      points.push_back(fmt::format("1/{:.0f}", 1 / share));
    }
  }
  return fmt::format("{}", fmt::join(points, "-"));
}

// The points of a seat: 0, 1 or 1/N, N at most the number of players; negative for what is none.
double points_of(std::string_view text, int players) {
  if (text == "0" || text == "1") return text == "1" ? 1 : 0;
  if (text.size() != 3 || !text.starts_with("1/")) return -1;
  const int share = text[2] - '0';
  return share >= 2 && share <= players ? 1.0 / share : -1;
}

// Points for each player that are one point together.
std::optional<Outcome> read_points(std::string_view text, int players) {
  Outcome outcome{Outcome::Kind::draw, -1, {}};
  double sum = 0;
  int seats = 0;
  for (bool more = true; more; ++seats) {
    const std::size_t end = text.find('-');
    more = end != std::string_view::npos;
    const double points = points_of(text.substr(0, end), players);
    if (points < 0 || seats == players) return std::nullopt;
    outcome.values[static_cast<std::size_t>(seats)] = static_cast<float>(points);
    if (points == 1) outcome = Outcome::won_by(seats);
    sum += points;
    if (more) text.remove_prefix(end + 1);
  }
  if (seats != players || std::abs(sum - 1) > 1e-9) return std::nullopt;
  return outcome;
}

// What stands behind "b+" and "w+": nothing, a margin, or how else the game was decided.
bool is_margin(std::string_view text) {
  static constexpr std::string_view kWords[] = {"", "r", "resign", "t", "time", "f", "forfeit"};
  if (std::ranges::find(kWords, text) != std::end(kWords)) return true;
  const auto digits = std::ranges::count_if(text, is_digit);
  const auto points = std::ranges::count(text, '.');
  return text.size() <= kLongestMargin && digits > 0 && points <= 1 && digits + points == std::ssize(text);
}

// The forms that SGF has for RE. Some programs write them in small letters.
std::optional<Outcome> read_sgf_result(std::string_view text) {
  const std::string result = lower_case(text);
  if (result == "0" || result == "draw") return Outcome::drawn(2);
  if (result == "void" || result == "?") return Outcome{};
  if (!result.starts_with("b+") && !result.starts_with("w+")) return std::nullopt;
  if (!is_margin(std::string_view(result).substr(2))) return std::nullopt;
  return Outcome::won_by(result.front() == 'b' ? 0 : 1);
}

}  // namespace

std::string result_of(const AnyGame& any, std::span<const Action> actions, const std::optional<go::State>& start) {
  return std::visit(
      [&]<Game G>(const G& game) -> std::string {
        Position<G> position(game);
        if constexpr (std::is_same_v<G, go::GoGame>) position.state = start.value_or(position.state);
        for (const Action action : actions) position.apply(game, action);
        if constexpr (std::is_same_v<G, go::GoGame>) {
          return go::sgf_result(game, position);
        } else {
          const Outcome outcome = game.outcome(position.state, position.history);
          return outcome.over() ? points_text(game.players(), outcome) : "";
        }
      },
      any);
}

std::string decided_result(const AnyGame& any, const Outcome& outcome, std::string_view letter) {
  if (std::holds_alternative<go::GoGame>(any)) {
    if (outcome.kind == Outcome::Kind::draw) return "0";
    return fmt::format("{}+{}", outcome.winner == 0 ? "B" : "W", letter);
  }
  return points_text(players_of(any), outcome);
}

std::string resignation_result(const AnyGame& any, int seat) {
  return std::visit(
      [&]<Game G>(const G& game) -> std::string {
        if constexpr (std::is_same_v<G, go::GoGame>) {
          return seat == 0 ? "W+R" : "B+R";
        } else {
          return points_text(game.players(), Outcome::won_by(1 - seat));
        }
      },
      any);
}

std::optional<Outcome> read_result(const AnyGame& game, std::string_view result) {
  return std::holds_alternative<go::GoGame>(game) ? read_sgf_result(result) : read_points(result, players_of(game));
}

}  // namespace koridor
