// What is said of a player's answers on a set of positions (set.h). docs/yardsticks.md has the formulas.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/search/report.h"
#include "selfplay/matches/interval.h"
#include "selfplay/matches/yardstick/set.h"

namespace koridor {

// What a player expects of an action.
struct ExpectedPoints {
  Action action = kNoAction;
  float points = 0;  // of the player who plays it, in [0, 1]
};

// What a player does and thinks in one position.
struct YardstickAnswer {
  Action action = kNoAction;                 // none: it has no answer, or was not asked
  std::string fault{};                       // why it has none: Forfeit::text()
  std::optional<float> value{};              // the points it expects, in [0, 1]
  std::vector<PolicyEntry> policy{};         // what it thinks of the actions, sorted by action, sum 1; empty: nothing
  std::vector<ActionStatistics> searched{};  // what its search found out; empty: it does not search
  std::vector<ExpectedPoints> expected{};    // of every action that does not end the game, by a network alone
};

// Values beside what came of them, as a reliability curve shows them: those in one tenth of [0, 1].
struct ReliabilityBin {
  int count = 0;
  double predicted = 0;  // their mean; 0 in an empty bin
  double observed = 0;   // mean points proven
  // Half the width of the 95% interval of `observed`: by how positions vary, since the actions of one position win and
  // lose together, and no less than Wilson's for single actions.
  double error95 = 0;
};

// How good values are. In a proven set they are what a network expects of every action (`expected`): the positions
// themselves would not do, since there is nothing to lose in a lost one, and so nearly all of them are won. In a set
// with a reference they are the values of the positions, beside its own.
struct ValueFigures {
  int count = 0;                 // of values
  double brier = 0;              // mean square of expected - proven points, in [0, 1]
  double calibration_error = 0;  // mean over the values of |observed - predicted| of their bin, in [0, 1]
  std::array<ReliabilityBin, 10> bins{};
};

struct PolicyFigures {
  int positions = 0;         // with a policy
  double cross_entropy = 0;  // mean of -sum target * log(policy), in nats
  double floor = 0;          // the least there is: the mean entropy of the targets
  double mass = 0;           // mean share of the policy on actions that keep the value, in [0, 1]
};

struct YardstickFigures {
  int positions = 0;
  int kept = 0;         // whose answer keeps the value, or is the reference's
  double regret = 0;    // mean of the position's proven points - those of the answer, in [0, 1]; of proven sets only
  int unanswered = 0;   // of the positions, which count as lost
  std::string fault{};  // why the first of these has no answer
  std::optional<ValueFigures> value{};
  std::optional<PolicyFigures> policy{};

  double share() const { return positions == 0 ? 0 : static_cast<double>(kept) / positions; }
  Interval interval() const { return wilson_interval(share(), positions); }  // 95%
};

// The figures of all positions; answers[i] is that of set.positions[i].
YardstickFigures figures_of(const YardstickSet& set, std::span<const YardstickAnswer> answers);
// Those of the positions with these indices.
YardstickFigures figures_of(const YardstickSet& set, std::span<const YardstickAnswer> answers,
                            std::span<const std::size_t> which);

// Why a search did not keep the value: each position that it lost counts once.
struct LossCauses {
  int unseen = 0;     // no action that keeps the value had a visit
  int misjudged = 0;  // one had, and seemed no better than the action chosen
  int outvoted = 0;   // one had and seemed better, and the rule chose by other things as well: prior, visits
  int total() const { return unseen + misjudged + outvoted; }
};
LossCauses causes_of(const YardstickSet& set, std::span<const YardstickAnswer> answers);

}  // namespace koridor
