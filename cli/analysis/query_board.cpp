#include "cli/analysis/query_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/terminal.h"
#include "core/colours.h"
#include "core/go/named_rules.h"
#include "core/words.h"

namespace koridor::cli {
namespace {

using go::Rules;
using go::Scoring;
using nlohmann::json;

// What white gets for black's handicap stones.
enum class Bonus { none, stones, stones_but_one };

struct RuleChoice {
  Rules rules;
  Bonus bonus = Bonus::none;
};

// What white gets by the rules of this name, where a query does not say it.
Bonus usual_bonus(const std::string& name) {
  if (name.starts_with("chinese")) return Bonus::stones;
  return name == "aga" || name == "bga" ? Bonus::stones_but_one : Bonus::none;
}

int usual_komi(const Rules& rules) {
  return rules.scoring == Scoring::territory ? 13 : 15;
}

// Rulesets with a rule that we do not have, and the nearest that we do.
struct NearRules {
  std::string_view name;
  std::string_view near;
};
constexpr std::array kNearRules = {NearRules{"stone-scoring", "chinese"}, NearRules{"aga-button", "aga"}};

RuleChoice named_rules(const std::string& given, std::vector<FieldWarning>& warnings) {
  std::string name = lower_case(shortened(given, 40));
  std::ranges::replace_if(
      name, [](char letter) { return letter == '_' || letter == ' '; }, '-');
  if (const auto* known = std::ranges::find(kNearRules, name, &NearRules::name); known != kNearRules.end()) {
    warnings.push_back({"rules", fmt::format("{} is not known here: {} is used", name, known->near)});
    name = known->near;
  }
  RuleChoice choice{.rules = go::with_named_rules({}, name), .bonus = usual_bonus(name)};
  choice.rules.half_points_of_komi = usual_komi(choice.rules);
  return choice;
}

Bonus parse_bonus(const json& value, const std::string& field) {
  const std::string word = value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "";
  if (word == "0") return Bonus::none;
  if (word == "N") return Bonus::stones;
  if (word == "N-1") return Bonus::stones_but_one;
  throw FieldError(field, "whiteHandicapBonus must be \"0\", \"N\" or \"N-1\"");
}

int parse_komi(const json& value, const std::string& field) {
  constexpr double kMost = 150;
  const double komi = value.is_number() ? value.get<double>() : NAN;
  if (!(std::abs(komi) <= kMost) || 2 * komi != std::floor(2 * komi)) {
    throw FieldError(field, "komi must be a whole or half number from -150 to 150");
  }
  return static_cast<int>(2 * komi);
}

RuleChoice rules_of_object(const json& given, std::vector<FieldWarning>& warnings) {
  Fields object(given);
  RuleChoice choice;
  choice.rules.suicide = object.truth("suicide");
  for (const std::string name : {"ko", "scoring"}) {
    std::string word = object.text(name).value_or("");
    if (lower_case(word) == "spight") {
      warnings.push_back({"rules", "ko SPIGHT is not known here: SITUATIONAL is used"});
      word = "SITUATIONAL";
    }
    if (!word.empty()) choice.rules = go::with_rule(choice.rules, name, word);
  }
  choice.rules.half_points_of_komi = usual_komi(choice.rules);
  if (const json* komi = object.find("komi")) choice.rules.half_points_of_komi = parse_komi(*komi, "rules");
  if (const json* bonus = object.find("whiteHandicapBonus")) choice.bonus = parse_bonus(*bonus, "rules");
  const std::string tax = lower_case(object.text("tax").value_or("none"));
  if (tax != "none" && (tax != "seki" || choice.rules.scoring == Scoring::area)) {
    warnings.push_back({"rules", "tax " + in_quotes(tax) + " is not known here: NONE is used"});
  }
  if (object.truth("hasButton")) warnings.push_back({"rules", "hasButton is not known here: false is used"});
  object.find("friendlyPassOk");
  for (const std::string& name : object.unknown()) warnings.push_back({"rules", "unknown rule " + in_quotes(name)});
  return choice;
}

RuleChoice parse_rules(const json& given, std::vector<FieldWarning>& warnings) {
  try {
    if (given.is_object()) return rules_of_object(given, warnings);
    if (given.is_string()) {
      const auto word = given.get<std::string>();
      if (!word.starts_with('{')) return named_rules(word, warnings);
      const json object = json::parse(word, nullptr, false);
      if (object.is_object()) return rules_of_object(object, warnings);
    }
  } catch (const FieldError& error) {
    if (error.field == "rules") throw;
    throw FieldError("rules", error.field + " " + error.what());
  } catch (const UserError& error) {
    throw FieldError("rules", error.what());
  }
  throw FieldError("rules", "must be a ruleset's name or an object such as {\"ko\":\"SIMPLE\",\"scoring\":\"AREA\"}");
}

// The stones of both colours, as (row, column) from the top left.
using Stones = std::array<std::vector<std::pair<int, int>>, 2>;

Stones parse_stones(const json* given, const go::GoGame& game) {
  Stones stones;
  if (given == nullptr) return stones;
  const auto refuse = [] [[noreturn]] () {
    throw FieldError("initialStones", "must be a list of pairs such as [\"B\",\"Q4\"] of points of the board");
  };
  if (!given->is_array()) refuse();
  for (const json& entry : *given) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_string()) refuse();
    const auto colour = parse_colour(entry[0].get<std::string>());
    const auto point = parse_point(game, entry[1].get<std::string>());
    if (!colour || !point || *point == game.geometry().pass()) refuse();
    const int columns = game.rules().columns;
    stones[static_cast<std::size_t>(*colour)].emplace_back(index(*point) / columns, index(*point) % columns);
  }
  return stones;
}

// The colour that plays first: that of the first move, or what the query says.
int first_player(Fields& fields) {
  const auto given = fields.text("initialPlayer");
  const auto colour = given ? parse_colour(*given) : Colour::black;
  if (!colour) throw FieldError("initialPlayer", "must be \"B\" or \"W\"");
  const json* const moves = fields.find("moves");
  if (moves == nullptr || !moves->is_array() || moves->empty()) return static_cast<int>(*colour);
  const json& first = moves->front();
  const bool pair = first.is_array() && !first.empty() && first[0].is_string();
  const auto mover = pair ? parse_colour(first[0].get<std::string>()) : std::nullopt;
  return static_cast<int>(mover.value_or(*colour));
}

}  // namespace

std::optional<Action> parse_point(const go::GoGame& game, std::string_view text) {
  const Interpretation said = game.interpret({}, text, Notation::standard);
  if (said.action != kNoAction) return said.action;
  if (text.size() < 3 || !text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  const std::string_view inside = text.substr(1, text.size() - 2);
  const std::size_t comma = std::min(inside.find(','), inside.size() - 1);
  const auto column = read_number<int>(inside.substr(0, comma), 0, game.rules().columns - 1);
  const auto row = read_number<int>(inside.substr(comma + 1), 0, game.rules().rows - 1);
  if (!column || !row) return std::nullopt;
  return Action{static_cast<std::uint16_t>(*row * game.rules().columns + *column)};
}

GameLine parse_go_board(Fields& fields, std::vector<FieldWarning>& warnings) {
  const auto side = [&](const std::string& name) {
    return Fields::whole(fields.require(name, "the board's size, from 1 to 19"), name, 1, go::kMaxSide);
  };
  const int columns = side("boardXSize");
  const int rows = side("boardYSize");
  RuleChoice choice = parse_rules(fields.require("rules", "a ruleset's name or an object"), warnings);
  choice.rules.columns = columns;
  choice.rules.rows = rows;
  if (const json* bonus = fields.find("whiteHandicapBonus")) choice.bonus = parse_bonus(*bonus, "whiteHandicapBonus");
  if (const json* komi = fields.find("komi")) choice.rules.half_points_of_komi = parse_komi(*komi, "komi");

  const Stones stones = parse_stones(fields.find("initialStones"), go::GoGame(choice.rules));
  const auto handicap = static_cast<int>(stones[1].empty() && stones[0].size() > 1 ? stones[0].size() : 0);
  if (handicap > 0 && choice.bonus != Bonus::none) {
    choice.rules.half_points_of_komi += 2 * (handicap - (choice.bonus == Bonus::stones_but_one ? 1 : 0));
  }
  const go::GoGame game(choice.rules);
  const auto start = game.setup_state(stones[0], stones[1], first_player(fields));
  if (!start) {
    throw FieldError("initialStones", "two stones are on one point, or a chain has no liberty");
  }
  Position<go::GoGame> position(game);
  position.state = *start;
  return {.game = game, .start = position};
}

}  // namespace koridor::cli
