#include "core/search/pace.h"

#include <algorithm>
#include <cmath>

namespace koridor {
namespace {

// The next actions get more than an equal share: many games end early, and the early actions decide more of them. On
// 5x5 at 0.3 s a game, a simulation taking 1 ms, 1.6 times the share was 14 Elo better than an equal one.
constexpr double kEagerness = 1.6;
constexpr double kMostTimesIdeal = 3;
constexpr double kMostOfRest = 0.4;  // of what has to last for several actions

// The time of one action, of which nothing can be saved. The margin grows with it: a loaded machine keeps a thread
// waiting, and what it has been seen to do comes on top (SearchWatch).
double single(double seconds, double margin) {
  return without_margin(seconds, std::max(margin, std::min(0.1 * seconds, 0.05)));
}

// All of it is for one action.
TimeBudget whole(double time) {
  return {.ideal = time, .most = time, .kept = false};
}

// A time that has to last for `actions` actions, and `each`, which comes back with every one of them.
TimeBudget share(double time, double actions, double each) {
  const double eagerness = kEagerness - (kEagerness - 1) / actions;
  const double ideal = std::min(eagerness * time / actions + each, time);
  const double most = actions <= 1 ? time : std::max(kMostOfRest * time, ideal);
  return {.ideal = ideal, .most = std::min(kMostTimesIdeal * ideal, most), .kept = true};
}

// The margin of each action of a session: at most half of what the session has for it. It is the same for all of them,
// so that the last ones still have theirs, whatever was taken before.
double margin_in_session(const TimeControl& control, double margin) {
  return std::min(margin, control.main / (2.0 * control.session));
}

TimeBudget without_move_limit(const GameClock& clock, double ahead, double margin) {
  const TimeControl& control = clock.control();
  const double main = clock.main_left();
  if (std::isinf(main)) return {};
  // What comes after the search costs every action of a session or period some time; of a game's, some stays untouched.
  if (control.period <= 0) {
    const int to_go = clock.moves_to_go();
    const double actions = to_go > 0 ? std::min<double>(to_go, ahead) : ahead;
    const double reserve = to_go > 0 ? to_go * margin_in_session(control, margin) : margin * std::min(3.0, actions);
    const double each = std::max(control.increment - margin, 0.0);
    return share(std::max(main - reserve, 0.0), actions, each);
  }
  if (control.stones > 0) {
    const double stones = clock.stones_left();
    const double period = clock.period_left();
    if (main <= 0 && stones <= 1) return whole(single(period, margin));
    if (main <= 0) return share(without_margin(period, stones * margin), std::min(stones, ahead), 0);
    const double each = without_margin(period / control.stones, margin);
    TimeBudget budget = share(main, ahead, each);
    budget.most = std::min(budget.most, without_margin(main + each, margin));
    return budget;
  }
  // A period that is not used up comes back: in byo-yomi an action takes one, and further ones are for mishaps.
  const double period = single(clock.period_left(), margin);
  if (main <= 0) return whole(period);
  TimeBudget budget = share(main + period, ahead, period);
  budget.most = std::min(budget.most, main + period);
  return budget;
}

}  // namespace

double without_margin(double seconds, double margin) {
  return std::max({seconds - margin, seconds / 2, 0.0});
}

TimeBudget time_budget(const GameClock& clock, double ahead, double margin) {
  TimeBudget budget = without_move_limit(clock, std::max(ahead, 1.0), margin);
  if (clock.control().move > 0) {
    const double move = single(clock.control().move, margin);
    budget.ideal = std::min(budget.ideal, move);
    budget.most = std::min(budget.most, move);
  }
  return budget;
}

}  // namespace koridor
