// How true what a network is taught is: the results of self-play's games and the values of its searches, beside what a
// solver proves of the same positions. docs/yardsticks.md has the formulas and an example.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/registry.h"
#include "core/solve/solver.h"
#include "selfplay/matches/yardstick/set.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// Searches of one kind, and how many of them played an action that threw away the proven value.
struct PlayedCount {
  int plies = 0;
  int thrown = 0;
  double share() const { return plies == 0 ? 0 : static_cast<double>(thrown) / plies; }
};

// Of the positions of a phase that are learned from, or of all.
struct TargetFigures {
  std::string phase;
  int right = 0;             // whose game ended with the proven points of the mover
  double result_brier = 0;   // mean square of the mover's points of the game - its proven points, in [0, 1]
  double value_brier = 0;    // the same of the points that the search expected
  double best_share = 0;     // the share of the search's value in the mixture with the least error, in [0, 1]
  double mixture_brier = 0;  // that error
  PlayedCount full{};        // of full searches
  PlayedCount cheap{};       // of cheap ones

  int positions() const { return full.plies; }  // that are learned from; the figures above are of these
};

// Judges the games of shards. Positions are judged where a search chose the action; those of full searches are learned
// from.
class TargetTruth {
 public:
  // `solver` is that of `game`.
  TargetTruth(const AnyGame& game, AnySolver solver);

  // The shard must be of the game, and its games must be playable by the rules. Throws UserError that names the game
  // where an action is not legal.
  void add(const ShardData& shard);

  // Of each phase (phases.h), and last of all positions ("all").
  std::vector<TargetFigures> figures() const;

 private:
  struct Judged {
    PlyKind kind;
    bool thrown;
    float proven, result, value;  // the mover's points
  };
  TargetFigures figures_of(const std::string& phase, const std::vector<std::size_t>& which) const;

  AnyGame game_;
  AnySolver solver_;
  std::vector<YardstickPosition> positions_;  // for their phases: no more than their actions
  std::vector<Judged> judged_;                // beside them
};

}  // namespace koridor
