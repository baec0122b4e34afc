#include "core/go/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "core/base/error.h"
#include "core/rule_table.h"

namespace koridor::go {
namespace {

constexpr int kMostHalfPoints = 800;
constexpr int kHandicapHalfPoints = 1;  // komi 0.5

constexpr NumberRule<Rules> kNumberRules[] = {
    {"columns", &Rules::columns, 1, kMaxSide},
    {"rows", &Rules::rows, 1, kMaxSide},
    {"handicap", &Rules::handicap, 0, 9},
    {"max_plies", &Rules::max_plies, 0, 10000},
};

constexpr std::array<std::string_view, 3> kKos = {"simple", "positional", "situational"};
constexpr std::array<std::string_view, 2> kSuicides = {"forbidden", "allowed"};
constexpr std::array<std::string_view, 2> kScorings = {"area", "territory"};
constexpr std::array<std::string_view, 2> kSupplies = {"unlimited", "half"};
constexpr WordRule<Rules> kWordRules[] = {
    word_rule<&Rules::ko>("ko", kKos),
    word_rule<&Rules::suicide>("suicide", kSuicides),
    word_rule<&Rules::scoring>("scoring", kScorings),
    word_rule<&Rules::must_save_atari>("must_save_atari", kFalseOrTrue),
    word_rule<&Rules::limited_supply>("stone_supply", kSupplies),
};

constexpr RuleTable<Rules> kRules = {kNumberRules, kWordRules};

struct Ruleset {
  std::string name;
  Rules rules;
};

const std::vector<Ruleset>& rulesets() {
  static const std::vector<Ruleset> all = [] {
    Rules tromp_taylor;
    Rules chinese = tromp_taylor;
    chinese.suicide = false;
    Rules japanese = chinese;
    japanese.ko = Ko::simple;
    japanese.scoring = Scoring::territory;
    japanese.half_points_of_komi = 13;
    Rules leaflet_strict = japanese;
    leaflet_strict.must_save_atari = true;
    leaflet_strict.limited_supply = true;
    return std::vector<Ruleset>{{"tromp-taylor", tromp_taylor},
                                {"chinese", chinese},
                                {"japanese", japanese},
                                {"leaflet", japanese},
                                {"leaflet-strict", leaflet_strict}};
  }();
  return all;
}

// The ruleset's rules on the board, with the handicap and the length of `rules`.
Rules with_ruleset(const Rules& rules, const Ruleset& ruleset) {
  Rules result = ruleset.rules;
  result.columns = rules.columns;
  result.rows = rules.rows;
  result.handicap = rules.handicap;
  result.max_plies = rules.max_plies;
  if (result.handicap > 0) result.half_points_of_komi = kHandicapHalfPoints;
  return result;
}

// What `rules` have other than the ruleset, as the words of a variant.
std::vector<std::string> differences(const Rules& rules, const Ruleset& ruleset) {
  const Rules base = with_ruleset(rules, ruleset);
  std::vector<std::string> settings = kRules.word_differences(rules, base);
  if (rules.half_points_of_komi != base.half_points_of_komi) {
    settings.push_back(fmt::format("komi={}", komi_text(rules.half_points_of_komi)));
  }
  return settings;
}

// The ruleset that says most of `rules`.
const Ruleset& nearest_ruleset(const Rules& rules) {
  return *std::ranges::min_element(rulesets(), std::ranges::less{},
                                   [&](const Ruleset& candidate) { return differences(rules, candidate).size(); });
}

// Twice the number "7.5", "-3", "0.5"; nothing for other text.
std::optional<int> parse_komi(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  bool half = false;
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    const std::string_view fraction = text.substr(dot + 1);
    const std::size_t digits = fraction.find_first_not_of('0', 1);
    if (fraction.empty() || digits != std::string_view::npos || (fraction[0] != '0' && fraction[0] != '5')) return {};
    half = fraction[0] == '5';
    text = text.substr(0, dot);
  }
  int whole = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || rest != text.data() + text.size() || text.starts_with('-') || whole > kMostHalfPoints) {
    return std::nullopt;
  }
  const int halves = 2 * whole + (half ? 1 : 0);
  if (halves > kMostHalfPoints) return std::nullopt;
  return negative ? -halves : halves;
}

}  // namespace

std::vector<std::string> ruleset_names() {
  std::vector<std::string> names;
  for (const Ruleset& ruleset : rulesets()) names.push_back(ruleset.name);
  return names;
}

std::string komi_text(int half_points) {
  const int size = std::abs(half_points);
  return fmt::format("{}{}{}", half_points < 0 ? "-" : "", size / 2, size % 2 != 0 ? ".5" : "");
}

int effective_max_plies(const Rules& rules) {
  return rules.max_plies == 0 ? 4 * rules.columns * rules.rows : rules.max_plies;
}

std::pair<int, int> supplies(const Rules& rules) {
  const int half = rules.columns * rules.rows / 2;
  return {half + 1, half};
}

int most_handicap(int columns, int rows) {
  if (std::min(columns, rows) < 7) return 0;
  const auto has_middle = [](int side) { return side % 2 == 1 && side >= 9; };
  return has_middle(columns) && has_middle(rows) ? 9 : 4;
}

std::vector<std::pair<int, int>> handicap_points(const Rules& rules) {
  if (rules.handicap == 0 || rules.handicap > most_handicap(rules.columns, rules.rows)) return {};
  const auto line = [](int side) { return side > 12 ? 3 : 2; };  // from the edge, counted from 0
  const int left = line(rules.columns);
  const int right = rules.columns - 1 - left;
  const int middle_column = rules.columns / 2;
  const int top = line(rules.rows);
  const int bottom = rules.rows - 1 - top;
  const int middle_row = rules.rows / 2;
  std::vector<std::pair<int, int>> points = {{bottom, left},       {top, right},           {top, left},
                                             {bottom, right},      {middle_row, left},     {middle_row, right},
                                             {top, middle_column}, {bottom, middle_column}};
  const bool centre = rules.handicap == 5 || rules.handicap == 7 || rules.handicap == 9;
  points.resize(static_cast<std::size_t>(rules.handicap - (centre ? 1 : 0)));
  if (centre) points.emplace_back(middle_row, middle_column);
  return points;
}

void check(const Rules& rules) {
  kRules.check(rules);
  if (std::abs(rules.half_points_of_komi) > kMostHalfPoints) {
    throw UserError(fmt::format("rule 'komi' is {}; it must be -400 to 400", komi_text(rules.half_points_of_komi)));
  }
  if (rules.handicap > most_handicap(rules.columns, rules.rows)) {
    throw UserError(fmt::format("rule 'handicap' is {}, but a board of {}x{} has fixed places for {}", rules.handicap,
                                rules.columns, rules.rows, most_handicap(rules.columns, rules.rows)));
  }
}

bool set_word(Rules& rules, std::string_view word) {
  for (const Ruleset& ruleset : rulesets()) {
    if (ruleset.name != word) continue;
    rules = with_ruleset(rules, ruleset);
    return true;
  }
  return false;
}

void set_rule(Rules& rules, std::string_view name, std::string_view value) {
  const bool had_handicap = rules.handicap > 0;
  if (kRules.set(rules, name, value)) {
    if (name != "handicap") return;
    if (rules.handicap > 0) {
      rules.half_points_of_komi = kHandicapHalfPoints;
    } else if (had_handicap && rules.half_points_of_komi == kHandicapHalfPoints) {
      rules.half_points_of_komi = nearest_ruleset(rules).rules.half_points_of_komi;
    }
    return;
  }
  if (name == "komi") {
    const auto halves = parse_komi(value);
    if (!halves) {
      throw UserError(fmt::format("rule 'komi' is '{}'; it must be a whole or half number, -400 to 400", value));
    }
    rules.half_points_of_komi = *halves;
    return;
  }
  if (name == "rules") {
    if (!set_word(rules, value)) throw UserError(unknown_word("ruleset", value, ruleset_names()));
    return;
  }
  std::vector<std::string> names;
  for (const auto& [known, _] : rule_parameters(rules)) names.push_back(known);
  names.emplace_back("rules");
  throw UserError(unknown_word("rule", name, names));
}

std::vector<std::pair<std::string, std::string>> rule_parameters(const Rules& rules) {
  auto parameters = kRules.parameters(rules);
  parameters.emplace_back("komi", komi_text(rules.half_points_of_komi));
  return parameters;
}

std::string variant_name(const Rules& rules) {
  const Ruleset& ruleset = nearest_ruleset(rules);
  std::vector<std::string> settings;
  if (&ruleset != &rulesets().front()) settings.push_back(ruleset.name);
  if (rules.handicap != 0) settings.push_back(fmt::format("handicap={}", rules.handicap));
  std::ranges::copy(differences(rules, ruleset), std::back_inserter(settings));
  if (rules.max_plies != 0) settings.push_back(fmt::format("max_plies={}", rules.max_plies));
  return variant_text(kId, rules, Rules{}, settings);
}

}  // namespace koridor::go
