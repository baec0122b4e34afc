// Games of Go that are decided: one player wins though it passes from now on (pass_alive.h).
#include <algorithm>
#include <array>
#include <span>

#include "core/go/game.h"
#include "core/go/pass_alive.h"

namespace koridor::go {
namespace {

// Whether twice the player's sure lead in points of area is more than `needed`; what costs least is asked first.
template <class Points>
bool surely_leads(const Side<Points>& side, bool suicide, int area, int needed) {
  // Each stone counts two points at most, and so does each eye, which holds an empty point beside own stones.
  const int stones = side.own.count();
  const auto may_lead = [&](const Points& eyes) { return 2 * (2 * (stones + eyes.count()) - area) > needed; };
  if (!may_lead(side.own.neighbours() & side.empty)) return false;
  const Points regions = close_regions(side, suicide);
  if (!may_lead(regions & side.empty)) return false;
  return 2 * sure_lead(pass_alive(side, regions, suicide), area) > needed;
}

}  // namespace

// Passing is always legal, and while one player passes the other one cannot bring a position back without suicide:
// each of its moves adds a stone and nothing of its own is captured. So under simple ko no position can occur for the
// third time, and draw the game, that has not already occurred twice; nor the present one at all, nor after a pass the
// one before that pass, since a second pass ends the phase, nor in CLEANUP those stones in MAIN.
std::optional<KnownValue> GoGame::known_value(const State& state, const History& history, NoKnowledge&, bool) const {
  if (!decides_) return std::nullopt;
  // Black's half points that no stone on the board changes any more. A stone placed later costs its owner nothing or a
  // point, and the winner places none.
  int extra = -rules_.half_points_of_komi;
  if (rules_.scoring == Scoring::territory) extra -= 2 * (state.placed[0] - state.placed[1]);
  const int winner = with_points(*geometry_, [&]<class Points>() {
    const auto wins = [&](int player) {
      const Side<Points> side = side_of<Points>(*geometry_, state.stones, player);
      return surely_leads(side, rules_.suicide, geometry_->area(), player == 0 ? -extra : extra);
    };
    return wins(0) ? 0 : wins(1) ? 1 : -1;
  });
  if (winner < 0) return std::nullopt;
  if (rules_.ko == Ko::simple) {
    const auto key_of = [&](std::uint8_t player, Phase phase) {
      State same = state;
      same.player = player;
      same.phase = phase;
      return repetition_key(same);
    };
    const std::uint8_t mover = state.player;
    const std::uint8_t other = mover ^ 1;
    const std::array over = {key_of(mover, state.phase), key_of(state.passes > 0 ? other : mover, state.phase),
                             key_of(0, Phase::main), key_of(1, Phase::main)};
    const auto gone = std::span(over).first(state.phase == Phase::main ? 2 : 4);
    const auto came_twice = [&](std::uint64_t key) {
      return history.may_hold(key, 2) && history.count(key, history.size()) >= 2 &&
             std::ranges::find(gone, key) == gone.end();
    };
    if (std::ranges::any_of(history.keys(), came_twice)) return std::nullopt;
  }
  return KnownValue{
      .values = Outcome::won_by(winner).values, .plies = max_plies_ - state.ply, .exact = false, .best = pass()};
}

}  // namespace koridor::go
