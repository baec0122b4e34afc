#include "core/wall/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/error.h"
#include "core/rule_table.h"

namespace koridor::wall {
namespace {

constexpr NumberRule<Rules> kNumberRules[] = {
    {"columns", &Rules::columns, 3, 11},
    {"rows", &Rules::rows, 3, 14},
    {"players", &Rules::players, 2, 4},
    {"pawns", &Rules::pawns, 1, 2},
    {"walls", &Rules::walls, 0, 31},
    {"win_pawns", &Rules::win_pawns, 1, 2},
    {"max_plies", &Rules::max_plies, 1, 10000, true},
    {"repetition", &Rules::repetition, 2, 10, true},
};

constexpr std::array<std::string_view, 3> kSteps = {"orthogonal", "diagonal", "double"};
constexpr std::array<std::string_view, 2> kDiagonalSteps = {"either", "both"};
constexpr std::array<std::string_view, 2> kGoals = {"line", "starts"};
constexpr WordRule<Rules> kWordRules[] = {
    word_rule<&Rules::third_pawn_diagonal>("third_pawn_diagonal", kFalseOrTrue),
    word_rule<&Rules::jumps>("jumps", kFalseOrTrue),
    word_rule<&Rules::walls_by_kind>("walls_by_kind", kFalseOrTrue),
    word_rule<&Rules::wall_after_move>("wall_after_move", kFalseOrTrue),
    word_rule<&Rules::step>("step", kSteps),
    word_rule<&Rules::diagonal_step>("diagonal_step", kDiagonalSteps),
    word_rule<&Rules::goal>("goal", kGoals),
};

constexpr RuleTable<Rules> kRules = {kNumberRules, kWordRules};

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
      {"Pinko Pallino: steps in 8 directions",
       {.id = "pinko-pallino", .columns = 11, .rows = 11, .walls = 21, .jumps = false, .step = Step::diagonal}},
      {"Blockade: two pawns, a wall each turn",
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
  kRules.check(rules);
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
  if (kRules.set(rules, name, value)) return;
  std::vector<std::string> names;
  for (const auto& [known, _] : rule_parameters(rules)) names.push_back(known);
  throw UserError(unknown_word("rule", name, names));
}

std::vector<std::pair<std::string, std::string>> rule_parameters(const Rules& rules) {
  return kRules.parameters(rules);
}

std::string variant_name(const Rules& rules) {
  const auto found = std::find_if(presets().begin(), presets().end(),
                                  [&](const Preset& candidate) { return candidate.rules.id == rules.id; });
  const Rules base = found == presets().end() ? Rules{.id = rules.id} : found->rules;
  std::vector<std::string> settings;
  for (const NumberRule<Rules>& rule : kNumberRules) {
    if (!rule.is_size() && rules.*rule.member != base.*rule.member) {
      settings.push_back(fmt::format("{}={}", rule.name, rules.*rule.member));
    }
  }
  std::ranges::copy(kRules.word_differences(rules, base), std::back_inserter(settings));
  return variant_text(rules.id, rules, base, settings);
}

}  // namespace koridor::wall
