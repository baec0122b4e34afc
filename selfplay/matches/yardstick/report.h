// Where a model's strength is lost: its policy alone, its value alone and searches of more and more visits, by the
// phase of the game and by precision, and what the positions that the longest search loses have in common.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "core/search/config.h"
#include "selfplay/matches/yardstick/figures.h"
#include "selfplay/matches/yardstick/measure.h"
#include "selfplay/matches/yardstick/phases.h"
#include "selfplay/matches/yardstick/set.h"

namespace koridor {

struct StrengthRow {
  enum class Kind { policy, value, search };
  std::string precision;  // "f32"
  Kind kind = Kind::search;
  int visits = 0;  // of a search; 0 of the others
  YardstickFigures all;
  std::vector<YardstickFigures> phases;  // as StrengthReport::phases
  std::vector<bool> kept;                // by position

  std::string name() const;  // "policy", "value", "64 visits"
};

// One way in which strength is lost.
struct StrengthLoss {
  std::string name;     // "value"
  double share = 0;     // of all positions, in [0, 1]; below 0: it gains
  std::string meaning;  // what it is, a part of a sentence
};

struct StrengthReport {
  std::vector<Phase> phases;
  std::vector<StrengthRow> rows;     // by precision, the policy first and then the value, then by visits, rising
  LossCauses causes;                 // of the longest search in the first precision
  std::vector<StrengthLoss> losses;  // the largest first
  std::vector<std::string> words;    // sentences that say what the figures say, the largest loss last
};

// Visits of the searches, where nothing else is said.
inline constexpr int kReportVisits[] = {16, 64, 400, 1600};

// Throws UserError for a player that has no model, and for one whose text says by itself how long it searches. There is
// at least one number in `visits`.
void check_report(const WrittenPlayer& model, std::span<const int> visits);

// Measures a model at "@f32" and, where it is calibrated, at "@int8"; one that is written with a precision at that
// alone. `visits` rise. Throws UserError as check_report does. Where `stop` was set meanwhile the report is worth
// nothing.
StrengthReport report_strength(const YardstickSet& set, const WrittenPlayer& model, std::span<const int> visits,
                               const YardstickOptions& options, const std::atomic<bool>& stop);

// The losses and the words that follow from the rest of the report.
void explain(const YardstickSet& set, StrengthReport& report);

}  // namespace koridor
