#include "core/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"

namespace koridor {
namespace {

// What follows from the games that AnyGame lists.
template <class AnyGame>
struct Families;
template <class... Games>
struct Families<std::variant<Games...>> {
  using AnyRules = std::variant<typename Games::Rules...>;

  static std::vector<Registration<AnyRules>> registrations() {
    std::vector<Registration<AnyRules>> all;
    const auto add = [&](const auto& family) {
      for (const auto& [id, title, example, rules] : family) all.push_back({id, title, example, rules});
    };
    (add(Games::registrations()), ...);
    return all;
  }

  template <class Rules>
  static AnyGame make(const Rules& rules) {
    std::optional<AnyGame> made;
    ((std::is_same_v<Rules, typename Games::Rules> ? void(made.emplace(make_one<Games>(rules))) : void()), ...);
    return *made;
  }

 private:
  template <class Game, class Rules>
  static AnyGame make_one(const Rules& rules) {
    if constexpr (std::is_same_v<Rules, typename Game::Rules>) {
      return Game(rules);
    } else {
      throw std::logic_error("not this game's rules");
    }
  }
};
using Known = Families<AnyGame>;

const std::vector<Registration<Known::AnyRules>>& registered() {
  static const auto all = Known::registrations();
  return all;
}

std::vector<std::string> known_ids() {
  std::vector<std::string> ids;
  for (const auto& game : registered()) ids.push_back(game.id);
  return ids;
}

// "5x5" into columns and rows, or nothing.
std::optional<std::pair<std::string_view, std::string_view>> split_size(std::string_view part) {
  const std::size_t cross = part.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto all_digits = [](std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); };
  const std::string_view columns = part.substr(0, cross);
  const std::string_view rows = part.substr(cross + 1);
  if (!all_digits(columns) || !all_digits(rows)) return std::nullopt;
  return std::pair(columns, rows);
}

// What stands before and behind the first '='; the whole and nothing where there is none.
std::pair<std::string_view, std::string_view> split_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, {}};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Applies "rule=value"; false where the text has no such form.
template <class Rules>
bool apply_setting(Rules& rules, std::string_view text) {
  const auto [name, value] = split_setting(text);
  const auto in_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  if (name.size() == text.size() || name.empty() || !std::all_of(name.begin(), name.end(), in_name)) return false;
  set_rule(rules, name, value);
  return true;
}

// Applies one part of a variant: a size, "rule=value", or a word of the family's own. Returns the names of the rules
// that it sets; none where it is none of these.
template <class Rules>
std::vector<std::string_view> apply_part(Rules& rules, std::string_view part) {
  if (const auto size = split_size(part)) {
    set_rule(rules, "columns", size->first);
    set_rule(rules, "rows", size->second);
    return {"columns", "rows"};
  }
  if constexpr (requires { set_word(rules, part); }) {
    if (set_word(rules, part)) return {"rules"};
  }
  if (!apply_setting(rules, part)) return {};
  return {split_setting(part).first};
}

// A rule that a text has set, and the value; none for a size or a ruleset's name.
struct Said {
  std::string_view rule;
  std::string_view value;
};

// Sees to it that the last part leaves what was said before it, where it sets other rules than its own: a ruleset
// stands before the rules that it would undo, and a handicap, which brings a komi along, leaves one that was given.
template <class Rules>
void leave_earlier(Rules& rules, std::string_view text, std::string_view rule, const std::vector<Said>& earlier) {
  constexpr std::string_view kLeft[] = {"columns", "rows", "handicap", "max_plies", "rules"};
  for (const Said& said : earlier) {
    if (rule == "handicap" && said.rule == "komi") set_rule(rules, said.rule, said.value);
    if (rule == "rules" && std::find(std::begin(kLeft), std::end(kLeft), said.rule) == std::end(kLeft)) {
      throw UserError(fmt::format("{} would undo {}={} before it; write the ruleset first", text, said.rule,
                                  printable(said.value)));
    }
  }
}

// Applies what stands behind the colon of a variant, and adds it to `said`. Throws UserError for what is no rule, and
// for a rule set twice.
template <class Rules>
void apply_parts(Rules& rules, std::string_view variant, std::string_view rest, const std::string& example,
                 std::vector<Said>& said) {
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string_view part = rest.substr(0, comma);
    if (more) rest.remove_prefix(comma + 1);
    const std::string here = fmt::format("game '{}': '{}'", printable(variant), printable(part));
    const std::vector<std::string_view> names = apply_part(rules, part);
    if (names.empty()) {
      throw UserError(fmt::format("{} is neither a size nor a rule; write it like {}:5x5,{}", here,
                                  variant.substr(0, variant.find(':')), example));
    }
    for (const std::string_view name : names) {
      if (std::ranges::find(said, name, &Said::rule) != said.end()) {
        throw UserError(fmt::format("{} sets rule '{}' a second time; set it once", here, name));
      }
    }
    leave_earlier(rules, here, names.front(), said);
    for (const std::string_view name : names) said.push_back({name, split_setting(part).second});
  }
}

}  // namespace

AnyGame parse_game(std::string_view variant, std::span<const std::string> settings) {
  const std::size_t colon = variant.find(':');
  const std::string_view id = variant.substr(0, colon);
  const auto& games = registered();
  const auto game = std::find_if(games.begin(), games.end(), [&](const auto& candidate) { return candidate.id == id; });
  if (game == games.end()) throw UserError(unknown_word("game", id, known_ids()));
  return std::visit(
      [&](auto rules) {
        std::vector<Said> said;
        if (colon != std::string_view::npos)
          apply_parts(rules, variant, variant.substr(colon + 1), game->example, said);
        for (const std::string& setting : settings) {
          if (!apply_setting(rules, setting)) {
            throw UserError(fmt::format("'{}' sets no rule of a game; write it as rule=value, like {}",
                                        printable(setting), game->example));
          }
          const auto [name, value] = split_setting(setting);
          leave_earlier(rules, fmt::format("'{}'", printable(setting)), name, said);
          said.push_back({name, value});
        }
        return Known::make(rules);
      },
      game->rules);
}

std::vector<GameInfo> registered_games() {
  std::vector<GameInfo> games;
  for (const auto& game : registered()) {
    games.push_back(
        {game.id, game.title, std::visit([](const auto& rules) { return variant_name(rules); }, game.rules)});
  }
  return games;
}

std::vector<std::pair<std::string, std::string>> rule_parameters(const AnyGame& game) {
  return std::visit([](const auto& known) { return rule_parameters(known.rules()); }, game);
}

AnyGame without_repetition(const AnyGame& game) {
  const bool has_one =
      std::ranges::any_of(rule_parameters(game), [](const auto& rule) { return rule.first == "repetition"; });
  const std::vector<std::string> none = {"repetition=0"};
  return has_one ? parse_game(name_of(game), none) : game;
}

bool same_but_for_repetition(const AnyGame& a, const AnyGame& b) {
  return name_of(without_repetition(a)) == name_of(without_repetition(b));
}

EncodingNames encoding_names(const AnyGame& game, const Features& features) {
  return std::visit(
      [&](const auto& known) {
        if constexpr (requires { known.encoding_names(features); }) {
          return known.encoding_names(features);
        } else {
          const EncodingShape shape = known.encoding(features);
          EncodingNames names;
          for (int i = 0; i < shape.planes; ++i) names.planes.push_back(fmt::format("plane.{}", i));
          for (int i = 0; i < shape.scalars; ++i) names.scalars.push_back(fmt::format("scalar.{}", i));
          return names;
        }
      },
      game);
}

std::string name_of(const AnyGame& game) {
  return std::visit([](const auto& known) { return known.name(); }, game);
}

int players_of(const AnyGame& game) {
  return std::visit([](const auto& known) { return known.players(); }, game);
}

}  // namespace koridor
