// The rules of a family as tables: what each is called, which values it may have, how it is set from text and printed.
// A family's rules.cpp holds one RuleTable and adds what does not fit in (Go's komi and rulesets).
//
// `Rules` is the family's struct of parameters; it has `columns`, `rows` and `max_plies`, and its namespace has
// effective_max_plies(rules).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/terminal.h"

namespace koridor {

// A rule that is a whole number.
template <class Rules>
struct NumberRule {
  std::string_view name;
  int Rules::*member;
  int least;
  int most;
  bool zero_too = false;  // 0 stands for "default" or "off" and is allowed below `least`

  std::string range() const { return fmt::format("{}{} to {}", zero_too ? "0 or " : "", least, most); }
  bool allows(int value) const { return (value >= least && value <= most) || (zero_too && value == 0); }
  bool is_size() const { return member == &Rules::columns || member == &Rules::rows; }
};

// A rule that is one of a few words; `number` is the place of the present word among them.
template <class Rules>
struct WordRule {
  std::string_view name;
  std::span<const std::string_view> words;
  int (*number)(const Rules&);
  void (*set)(Rules&, int);

  std::string_view word(const Rules& rules) const { return words[static_cast<std::size_t>(number(rules))]; }
};

inline constexpr std::array<std::string_view, 2> kFalseOrTrue = {"false", "true"};

namespace detail {
template <class Rules, class Value>
Rules owner_of(Value Rules::*);
}

// The rule kept in this member, a bool or an enum; `words` are in the order of its values.
template <auto kMember, class Rules = decltype(detail::owner_of(kMember))>
constexpr WordRule<Rules> word_rule(std::string_view name, std::span<const std::string_view> words) {
  return {name, words, [](const Rules& rules) { return static_cast<int>(rules.*kMember); },
          [](Rules& rules, int number) {
            rules.*kMember = static_cast<std::remove_reference_t<decltype(rules.*kMember)>>(number);
          }};
}

template <class Rules>
struct RuleTable {
  std::span<const NumberRule<Rules>> numbers;
  std::span<const WordRule<Rules>> words;

  // Throws UserError, naming the rule and its range, where a number is out of range.
  void check(const Rules& rules) const {
    for (const NumberRule<Rules>& rule : numbers) check(rule, rules.*rule.member);
  }

  // Sets the rule of this name from text; false where the table has none. Throws UserError for a malformed value or one
  // out of range.
  bool set(Rules& rules, std::string_view name, std::string_view value) const {
    if (const auto rule = std::ranges::find(numbers, name, &NumberRule<Rules>::name); rule != numbers.end()) {
      int number = 0;
      const char* const end = value.data() + value.size();
      const auto [rest, error] = std::from_chars(value.data(), end, number);
      if (error != std::errc() || rest != end) {
        throw UserError(
            fmt::format("rule '{}' is '{}'; it must be a whole number, {}", name, printable(value), rule->range()));
      }
      check(*rule, number);
      rules.*rule->member = number;
      return true;
    }
    if (const auto rule = std::ranges::find(words, name, &WordRule<Rules>::name); rule != words.end()) {
      const auto found = std::ranges::find(rule->words, value);
      if (found == rule->words.end()) {
        const bool flag = rule->words.data() == kFalseOrTrue.data();
        throw UserError(fmt::format("rule '{}' is '{}'; it must be {}", name, printable(value),
                                    flag ? "true or false" : fmt::format("{}", fmt::join(rule->words, " or "))));
      }
      rule->set(rules, static_cast<int>(found - rule->words.begin()));
      return true;
    }
    return false;
  }

  // Every rule as name and value, numbers first; max_plies has its effective value.
  std::vector<std::pair<std::string, std::string>> parameters(const Rules& rules) const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const NumberRule<Rules>& rule : numbers) {
      const int value = rule.member == &Rules::max_plies ? effective_max_plies(rules) : rules.*rule.member;
      all.emplace_back(rule.name, std::to_string(value));
    }
    for (const WordRule<Rules>& rule : words) all.emplace_back(rule.name, rule.word(rules));
    return all;
  }

  // The word rules in which two differ, as settings of the first ("ko=simple").
  std::vector<std::string> word_differences(const Rules& rules, const Rules& base) const {
    std::vector<std::string> settings;
    for (const WordRule<Rules>& rule : words) {
      if (rule.number(rules) != rule.number(base)) {
        settings.push_back(fmt::format("{}={}", rule.name, rule.word(rules)));
      }
    }
    return settings;
  }

 private:
  static void check(const NumberRule<Rules>& rule, int value) {
    if (rule.allows(value)) return;
    throw UserError(fmt::format("rule '{}' is {}; it must be {}", rule.name, value, rule.range()));
  }
};

// The canonical variant string: the id, the size where it is not the base's, then the settings.
template <class Rules>
std::string variant_text(std::string_view id, const Rules& rules, const Rules& base,
                         const std::vector<std::string>& settings) {
  std::vector<std::string> parts;
  if (rules.columns != base.columns || rules.rows != base.rows) {
    parts.push_back(fmt::format("{}x{}", rules.columns, rules.rows));
  }
  parts.insert(parts.end(), settings.begin(), settings.end());
  return parts.empty() ? std::string(id) : fmt::format("{}:{}", id, fmt::join(parts, ","));
}

}  // namespace koridor
