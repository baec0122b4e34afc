#include "cli/analysis/go_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/words.h"

namespace koridor::cli {
namespace {

using go::Ko;
using go::Rules;
using go::Scoring;
using nlohmann::json;

// What white gets for black's handicap stones.
enum class Bonus { none, stones, stones_but_one };

struct RuleChoice {
  Rules rules;
  Bonus bonus = Bonus::none;
};

struct NamedRules {
  std::string_view name;
  Ko ko;
  Scoring scoring;
  bool suicide;
  Bonus bonus;
  int half_points_of_komi;
};

// The names that reviews and front ends use. Not all of them mean what the rulesets of `koridor games` with the same
// name do: "chinese" there has the superko of the rules' text, here the ko that is played.
constexpr NamedRules kNamed[] = {
    {"tromp-taylor", Ko::positional, Scoring::area, true, Bonus::none, 15},
    {"chinese", Ko::simple, Scoring::area, false, Bonus::stones, 15},
    {"chinese-ogs", Ko::positional, Scoring::area, false, Bonus::stones, 15},
    {"chinese-kgs", Ko::positional, Scoring::area, false, Bonus::stones, 15},
    {"japanese", Ko::simple, Scoring::territory, false, Bonus::none, 13},
    {"korean", Ko::simple, Scoring::territory, false, Bonus::none, 13},
    {"aga", Ko::situational, Scoring::area, false, Bonus::stones_but_one, 15},
    {"bga", Ko::situational, Scoring::area, false, Bonus::stones_but_one, 15},
    {"new-zealand", Ko::situational, Scoring::area, true, Bonus::none, 15},
};

RuleChoice named_rules(const std::string& given) {
  std::string name = lower_case(given);
  std::ranges::replace_if(
      name, [](char letter) { return letter == '_' || letter == ' '; }, '-');
  RuleChoice choice;
  const auto found = std::ranges::find(kNamed, name, &NamedRules::name);
  if (found != std::end(kNamed)) {
    choice.rules.ko = found->ko;
    choice.rules.scoring = found->scoring;
    choice.rules.suicide = found->suicide;
    choice.rules.half_points_of_komi = found->half_points_of_komi;
    choice.bonus = found->bonus;
    return choice;
  }
  if (go::set_word(choice.rules, name)) return choice;
  std::vector<std::string> names;
  for (const NamedRules& known : kNamed) names.emplace_back(known.name);
  for (const std::string& known : go::ruleset_names()) {
    if (std::ranges::find(names, known) == names.end()) names.push_back(known);
  }
  throw FieldError("rules", unknown_word("ruleset", printable(shortened(given, 40)), names));
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

// A word of the rules object, in upper case as it is documented.
std::string rule_word(Fields& object, const std::string& name) {
  std::string word = object.text(name).value_or("");
  std::ranges::transform(word, word.begin(), [](unsigned char letter) {
    return static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
  });
  return word;
}

RuleChoice rules_of_object(const json& given, std::vector<FieldWarning>& warnings) {
  RuleChoice choice;
  Fields object(given);
  const std::string ko = rule_word(object, "ko");
  if (ko == "SIMPLE") {
    choice.rules.ko = Ko::simple;
  } else if (ko == "SITUATIONAL" || ko == "SPIGHT") {
    choice.rules.ko = Ko::situational;
  } else if (ko != "POSITIONAL" && !ko.empty()) {
    throw FieldError("rules", "ko must be \"SIMPLE\", \"POSITIONAL\" or \"SITUATIONAL\"");
  }
  if (ko == "SPIGHT") warnings.push_back({"rules", "ko SPIGHT is not known here: SITUATIONAL is used"});
  const std::string scoring = rule_word(object, "scoring");
  if (scoring == "TERRITORY") {
    choice.rules.scoring = Scoring::territory;
  } else if (scoring != "AREA" && !scoring.empty()) {
    throw FieldError("rules", "scoring must be \"AREA\" or \"TERRITORY\"");
  }
  choice.rules.suicide = object.truth("suicide");
  choice.rules.half_points_of_komi = choice.rules.scoring == Scoring::territory ? 13 : 15;
  if (const json* komi = object.find("komi")) choice.rules.half_points_of_komi = parse_komi(*komi, "rules");
  if (const json* bonus = object.find("whiteHandicapBonus")) choice.bonus = parse_bonus(*bonus, "rules");
  const std::string tax = rule_word(object, "tax");
  if (tax == "ALL" || (tax == "SEKI" && choice.rules.scoring == Scoring::area)) {
    warnings.push_back({"rules", "tax " + tax + " is not known here: NONE is used"});
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
      if (!word.starts_with('{')) return named_rules(word);
      const json object = json::parse(word, nullptr, false);
      if (object.is_object()) return rules_of_object(object, warnings);
    }
  } catch (const FieldError& error) {
    if (error.field == "rules") throw;
    throw FieldError("rules", error.field + " " + error.what());
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
    const int colour = colour_of(entry[0].get<std::string>());
    const auto point = parse_point(game, entry[1].get<std::string>());
    if (colour < 0 || !point || *point == game.geometry().pass()) refuse();
    const int columns = game.rules().columns;
    stones[static_cast<std::size_t>(colour)].emplace_back(index(*point) / columns, index(*point) % columns);
  }
  return stones;
}

// The colour that plays first: that of the first move, or what the query says.
int first_player(Fields& fields) {
  const auto given = fields.text("initialPlayer");
  const int colour = given ? colour_of(*given) : 0;
  if (colour < 0) throw FieldError("initialPlayer", "must be \"B\" or \"W\"");
  const json* const moves = fields.find("moves");
  if (moves == nullptr || !moves->is_array() || moves->empty()) return colour;
  const json& first = moves->front();
  const bool pair = first.is_array() && !first.empty() && first[0].is_string();
  const int mover = pair ? colour_of(first[0].get<std::string>()) : -1;
  return mover < 0 ? colour : mover;
}

}  // namespace

int colour_of(std::string_view text) {
  const std::string word = lower_case(text);
  return word == "b" || word == "black" ? 0 : word == "w" || word == "white" ? 1 : -1;
}

std::optional<Action> parse_point(const go::GoGame& game, std::string_view text) {
  const Interpretation said = game.interpret({}, text, Notation::standard);
  if (said.action != kNoAction) return said.action;
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  int column = -1;
  int row = -1;
  const char* const end = text.data() + text.size() - 1;
  const auto [comma, column_error] = std::from_chars(text.data() + 1, end, column);
  if (column_error != std::errc() || comma == end || *comma != ',') return std::nullopt;
  const auto [rest, row_error] = std::from_chars(comma + 1, end, row);
  if (row_error != std::errc() || rest != end) return std::nullopt;
  const Rules& rules = game.rules();
  if (column < 0 || column >= rules.columns || row < 0 || row >= rules.rows) return std::nullopt;
  return Action{static_cast<std::uint16_t>(row * rules.columns + column)};
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
  return {.game = game, .start = *start};
}

}  // namespace koridor::cli
