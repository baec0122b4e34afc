// How long a search thinks at a clock: how much time an action should get, and whether the choice so far is sure enough
// to stop, or so unsure that it gets more.
#pragma once

#include <algorithm>
#include <limits>

#include "core/game.h"
#include "core/search/clock.h"

namespace koridor {

// A time less a margin, at least half of it: of a time shorter than twice the margin half is used.
double without_margin(double seconds, double margin);

// Seconds that a search at a clock may take.
struct TimeBudget {
  double ideal = std::numeric_limits<double>::infinity();  // for a choice as sure as most
  double most = std::numeric_limits<double>::infinity();   // the player may lose on time after them
  bool kept = false;                                       // what is not used of them is left for later actions
};

// The budget of the action to be played now. `ahead`: how many actions the player expects to play yet, this one
// included, >= 1. `margin`: seconds that pass between the end of the search and the moment when the action counts as
// played (the way through a protocol, another process's turn on the core). The time of one action, of which nothing can
// be saved, has the same margin whether it is a limit per action, a period of byo-yomi or the last stone of one. A
// session or period that has less than twice the margin for each of its actions leaves half of its time.
TimeBudget time_budget(const GameClock& clock, double ahead, double margin);

// How many actions the player to move expects to play yet, this one included. Games end on average after about a fifth
// of the plies that cap them by default, which are four for each square or point (Quoridor 5x5 and 9x9, Go 9x9). The
// longer a game has become, the longer it may yet be: a third of its plies are expected to follow.
template <Game G>
double actions_ahead(const G& game, const typename G::State& state) {
  const double usual = game.max_plies() / 5.0;
  const double ply = game.ply(state);
  const double plies = std::min(std::max({usual - ply, ply / 3, usual / 4}), game.max_plies() - ply);
  return std::max(plies / game.players(), 1.0);
}

// A search's choice so far.
struct ChoiceSoFar {
  Action best = kNoAction;
  // At least so many more simulations come before another action can be chosen (of PUCT with lower bounds, before
  // another is the most visited); infinite where there is nothing else to choose.
  double lead = 0;
  double certainty = 0.5;  // in [0, 1]: PUCT's share of the best action's visits that the second does not have
};

// The stop rule of a search at a clock. It stops where there is nothing else to choose. A time that cannot be saved,
// such as a fixed one per action, it uses up, since what it finds serves the next action's search, too. Where time can
// be saved, it also stops where nothing that may still happen changes the choice, and it asks for
//
//     ideal * (0.9 + 0.9 * changed + 0.2 * (1 - certainty)),     at most `most`
//
// with `changed` the time of the last change of the best action as a share of the time so far: from 0.9 times the ideal
// time where the choice has been clear from the beginning to twice where it has just changed. (0.6, 1.2 and 0.6, which
// let the choice decide more, were 5 Elo worse; on 5x5 at 0.3 s a game, a simulation taking 1 ms.)
class Pacer {
 public:
  void start(const TimeBudget& budget) {
    budget_ = budget;
    best_ = kNoAction;
    changed_ = 0;
  }

  // Whether time that is not used is left for later actions.
  bool keeps_time() const { return budget_.kept; }

  // Whether the search should end now, after so many seconds > 0 and simulations.
  bool enough(double seconds, int simulations, const ChoiceSoFar& choice) {
    if (choice.best != best_) {
      best_ = choice.best;
      changed_ = seconds;
    }
    if (choice.lead == std::numeric_limits<double>::infinity()) return true;
    if (!budget_.kept) return seconds >= budget_.most;
    const double end = wanted(seconds, choice);
    if (seconds >= end) return true;
    return simulations >= kFewest && kTrust * choice.lead > simulations / seconds * (end - seconds);
  }

 private:
  static constexpr int kFewest = 8;       // simulations that say how many more there can be
  static constexpr double kTrust = 0.75;  // they may become quicker

  double wanted(double seconds, const ChoiceSoFar& choice) const {
    const double factor = 0.9 + 0.9 * changed_ / seconds + 0.2 * (1.0 - choice.certainty);
    return std::min(budget_.ideal * factor, budget_.most);
  }

  TimeBudget budget_;
  Action best_ = kNoAction;
  double changed_ = 0;  // seconds when the best action changed last
};

}  // namespace koridor
