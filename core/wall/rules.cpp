#include "core/wall/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

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
    {"columns", &Rules::columns, 3, 11, false},       {"rows", &Rules::rows, 3, 11, false},
    {"players", &Rules::players, 2, 4, false},        {"walls", &Rules::walls, 0, 31, false},
    {"max_plies", &Rules::max_plies, 1, 10000, true}, {"repetition", &Rules::repetition, 2, 10, true},
};

constexpr std::string_view kThirdPawnDiagonal = "third_pawn_diagonal";

std::string range(const NumberRule& rule) {
  return fmt::format("{}{} to {}", rule.zero_too ? "0 or " : "", rule.least, rule.most);
}

void check_range(const NumberRule& rule, int value) {
  if ((value < rule.least || value > rule.most) && !(rule.zero_too && value == 0)) {
    throw UserError(fmt::format("rule '{}' is {}; it must be {}", rule.name, value, range(rule)));
  }
}

Preset preset(std::string id, std::string title, int size, int players, int walls) {
  return {std::move(title), {.id = std::move(id), .columns = size, .rows = size, .players = players, .walls = walls}};
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {
      preset("quoridor", "Quoridor for two", 9, 2, 10),
      preset("quoridor4", "Quoridor for four", 9, 4, 5),
      preset("quoridor-kid", "Quoridor Kid for two", 7, 2, 8),
      preset("quoridor-kid4", "Quoridor Kid for four", 7, 4, 4),
  };
  return all;
}

void check(const Rules& rules) {
  for (const NumberRule& rule : kNumberRules) check_range(rule, rules.*rule.member);
  if (rules.players > 2 && rules.rows != rules.columns) {
    throw UserError(fmt::format("{} players need a square board, not {}x{}", rules.players, rules.columns, rules.rows));
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
  if (name == kThirdPawnDiagonal) {
    if (value != "true" && value != "false") {
      throw UserError(fmt::format("rule '{}' is '{}'; it must be true or false", name, value));
    }
    rules.third_pawn_diagonal = value == "true";
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
  parameters.emplace_back(kThirdPawnDiagonal, rules.third_pawn_diagonal ? "true" : "false");
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
  if (rules.third_pawn_diagonal != base.third_pawn_diagonal) {
    parts.push_back(fmt::format("{}={}", kThirdPawnDiagonal, rules.third_pawn_diagonal));
  }
  return parts.empty() ? rules.id : fmt::format("{}:{}", rules.id, fmt::join(parts, ","));
}

}  // namespace koridor::wall
