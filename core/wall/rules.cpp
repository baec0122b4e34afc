#include "core/wall/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "core/error.h"

namespace koridor::wall {
namespace {

// A rule that is a whole number.
struct NumberRule {
  std::string_view name;
  int Rules::*member;
  int least;
  int most;
  bool zero_too;  // 0 stands for "default" or "off" and is allowed below `least`
};

constexpr NumberRule kNumberRules[] = {
    {"columns", &Rules::columns, 3, 11, false},       {"rows", &Rules::rows, 3, 14, false},
    {"players", &Rules::players, 2, 4, false},        {"pawns", &Rules::pawns, 1, 2, false},
    {"walls", &Rules::walls, 0, 31, false},           {"win_pawns", &Rules::win_pawns, 1, 2, false},
    {"max_plies", &Rules::max_plies, 1, 10000, true}, {"repetition", &Rules::repetition, 2, 10, true},
};

// A rule that is one of a few words; `number` is the place of the word that holds.
struct WordRule {
  std::string_view name;
  std::span<const std::string_view> words;
  int (*number)(const Rules&);
  void (*set)(Rules&, int);
};

constexpr std::array<std::string_view, 2> kNoOrYes = {"false", "true"};
constexpr std::array<std::string_view, 3> kSteps = {"orthogonal", "diagonal", "double"};
constexpr std::array<std::string_view, 2> kDiagonalSteps = {"either", "both"};
constexpr std::array<std::string_view, 2> kGoals = {"line", "starts"};

template <auto kMember>
constexpr WordRule word_rule(std::string_view name, std::span<const std::string_view> words) {
  return {name, words, [](const Rules& rules) { return static_cast<int>(rules.*kMember); },
          [](Rules& rules, int number) {
            rules.*kMember = static_cast<std::remove_reference_t<decltype(rules.*kMember)>>(number);
          }};
}

constexpr WordRule kWordRules[] = {
    word_rule<&Rules::third_pawn_diagonal>("third_pawn_diagonal", kNoOrYes),
    word_rule<&Rules::jumps>("jumps", kNoOrYes),
    word_rule<&Rules::walls_by_kind>("walls_by_kind", kNoOrYes),
    word_rule<&Rules::wall_after_move>("wall_after_move", kNoOrYes),
    word_rule<&Rules::step>("step", kSteps),
    word_rule<&Rules::diagonal_step>("diagonal_step", kDiagonalSteps),
    word_rule<&Rules::goal>("goal", kGoals),
};

std::string range(const NumberRule& rule) {
  return fmt::format("{}{} to {}", rule.zero_too ? "0 or " : "", rule.least, rule.most);
}

void check_range(const NumberRule& rule, int value) {
  if ((value < rule.least || value > rule.most) && !(rule.zero_too && value == 0)) {
    throw UserError(fmt::format("rule '{}' is {}; it must be {}", rule.name, value, range(rule)));
  }
}

std::string_view word(const WordRule& rule, const Rules& rules) {
  return rule.words[static_cast<std::size_t>(rule.number(rules))];
}

Preset quoridor(std::string id, std::string title, int size, int players, int walls) {
  return {std::move(title), {.id = std::move(id), .columns = size, .rows = size, .players = players, .walls = walls}};
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      quoridor("quoridor", "Quoridor for two", 9, 2, 10),
      quoridor("quoridor4", "Quoridor for four", 9, 4, 5),
      quoridor("quoridor-kid", "Quoridor Kid for two", 7, 2, 8),
      quoridor("quoridor-kid4", "Quoridor Kid for four", 7, 4, 4),
      {"Pinko Pallino: pawns step in 8 directions",
       {.id = "pinko-pallino", .columns = 11, .rows = 11, .walls = 21, .jumps = false, .step = Step::diagonal}},
      {"Blockade: two pawns each, every turn a move and a wall",
       {.id = "blockade",
        .columns = 11,
        .rows = 14,
        .pawns = 2,
        .walls = 9,
        .jumps = false,
        .walls_by_kind = true,
        .wall_after_move = true,
        .step = Step::twice,
        .goal = Goal::starts}},
  };
  return all;
}

void check(const Rules& rules) {
  for (const NumberRule& rule : kNumberRules) check_range(rule, rules.*rule.member);
  if (rules.players > 2 && rules.rows != rules.columns) {
    throw UserError(fmt::format("{} players need a square board, not {}x{}", rules.players, rules.columns, rules.rows));
  }
  if (rules.win_pawns > rules.pawns) {
    throw UserError(fmt::format("rule 'win_pawns' is {}, but a player has only {} (rule 'pawns')", rules.win_pawns,
                                rules.pawns == 1 ? "1 pawn" : fmt::format("{} pawns", rules.pawns)));
  }
  if (rules.jumps && rules.step == Step::twice) {
    throw UserError("rule 'jumps' must be false with step=double, which passes over pawns in its own way");
  }
}

int effective_max_plies(const Rules& rules) {
  return rules.max_plies == 0 ? 4 * rules.columns * rules.rows : rules.max_plies;
}

void set_rule(Rules& rules, std::string_view name, std::string_view value) {
  for (const NumberRule& rule : kNumberRules) {
    if (rule.name != name) continue;
    int number = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || rest != end) {
      throw UserError(fmt::format("rule '{}' is '{}'; it must be a whole number, {}", name, value, range(rule)));
    }
    check_range(rule, number);
    rules.*rule.member = number;
    return;
  }
  for (const WordRule& rule : kWordRules) {
    if (rule.name != name) continue;
    const auto found = std::ranges::find(rule.words, value);
    if (found == rule.words.end()) {
      const bool flag = rule.words.data() == kNoOrYes.data();
      throw UserError(fmt::format("rule '{}' is '{}'; it must be {}", name, value,
                                  flag ? "true or false" : fmt::format("{}", fmt::join(rule.words, " or "))));
    }
    rule.set(rules, static_cast<int>(found - rule.words.begin()));
    return;
  }
  std::vector<std::string> names;
  for (const auto& [known, _] : rule_parameters(rules)) names.push_back(known);
  const std::string near = nearest(name, names);
  throw UserError(fmt::format("unknown rule '{}'; {}the rules are {}", name,
                              near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(names, ", ")));
}

std::vector<std::pair<std::string, std::string>> rule_parameters(const Rules& rules) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const NumberRule& rule : kNumberRules) {
    const int value = rule.member == &Rules::max_plies ? effective_max_plies(rules) : rules.*rule.member;
    parameters.emplace_back(rule.name, std::to_string(value));
  }
  for (const WordRule& rule : kWordRules) parameters.emplace_back(rule.name, word(rule, rules));
  return parameters;
}

std::string variant_name(const Rules& rules) {
  const auto found = std::find_if(presets().begin(), presets().end(),
                                  [&](const Preset& candidate) { return candidate.rules.id == rules.id; });
  const Rules base = found == presets().end() ? Rules{.id = rules.id} : found->rules;
  std::vector<std::string> parts;
  if (rules.columns != base.columns || rules.rows != base.rows) {
    parts.push_back(fmt::format("{}x{}", rules.columns, rules.rows));
  }
  for (const NumberRule& rule : kNumberRules) {
    const bool size = rule.member == &Rules::columns || rule.member == &Rules::rows;
    if (!size && rules.*rule.member != base.*rule.member) {
      parts.push_back(fmt::format("{}={}", rule.name, rules.*rule.member));
    }
  }
  for (const WordRule& rule : kWordRules) {
    if (rule.number(rules) != rule.number(base)) parts.push_back(fmt::format("{}={}", rule.name, word(rule, rules)));
  }
  return parts.empty() ? rules.id : fmt::format("{}:{}", rules.id, fmt::join(parts, ","));
}

}  // namespace koridor::wall
