#include "core/go/count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/go/board.h"
#include "core/go/free_play.h"

namespace koridor::go {
namespace {

// The share of plies at which a playout takes or saves a chain where it can. The other plies keep it from playing the
// same sequence of forced moves every time.
constexpr double kForcingShare = 0.9;

// From which share of the playouts a chain's points are the other colour's. In a seki whoever moves first dies, so that
// a share near a half says nothing.
constexpr float kDeadShare = 0.6f;

int colour_at(const GoGame& game, const State& state, Action action) {
  if (action == game.geometry().pass()) return -1;
  const int point = game.geometry().point[static_cast<std::size_t>(index(action))];
  return state.has_stone(0, point) ? 0 : state.has_stone(1, point) ? 1 : -1;
}

// A point that takes a chain in atari or saves an own one, each with equal chance; kNoAction where there is none.
Action forcing_action(const GoGame& game, const Position<GoGame>& position, Random& random) {
  const State& state = position.state;
  const PointWords forcing = with_points(game.geometry(), [&]<class Points>() {
    const Side<Points> side = side_of<Points>(game.geometry(), state.stones, state.player);
    const Points taking = chains_in_atari(side.other, side.empty).neighbours() & side.empty;
    return as_actions(game.geometry(), taking | saving_points(side, side.empty));
  });
  if (std::ranges::all_of(forcing, [](std::uint64_t word) { return word == 0; })) return kNoAction;
  ActionMask actions;
  game.legal_actions(state, position.history, actions);
  for (int i = 0; i < ActionMask::kWords; ++i) {
    actions.word(i) &= i < kMaxWords ? forcing[static_cast<std::size_t>(i)] : 0;
  }
  return actions.empty() ? kNoAction : actions.nth(random.below(actions.count()));
}

Action playout_action(const GoGame& game, const Position<GoGame>& position, Random& random) {
  const Action forcing = random.chance(kForcingShare) ? forcing_action(game, position, random) : kNoAction;
  return forcing == kNoAction ? game.random_playout_action(position.state, position.history, random) : forcing;
}

}  // namespace

std::vector<float> owners_by_playouts(const GoGame& game, const State& state, int playouts, Random& random) {
  std::vector<float> sum(static_cast<std::size_t>(game.geometry().area()));
  std::vector<float> owners(sum.size());
  Position<GoGame> walk(game);
  State start = state;
  start.passes = 0;
  start.ply = 0;
  if (game.outcome(start, walk.history).over()) {  // for want of stones
    game.ownership(state, 0, sum);
    return sum;
  }
  for (int i = 0; i < playouts; ++i) {
    walk.state = start;
    walk.history.clear();
    if (i % 2 == 1) hand_to(game, walk, state.player ^ 1);
    while (!game.outcome(walk.state, walk.history).over()) {
      walk.apply(game, playout_action(game, walk, random));
    }
    game.ownership(walk.state, 0, owners);
    for (std::size_t point = 0; point < sum.size(); ++point) sum[point] += owners[point];
  }
  for (float& share : sum) share /= static_cast<float>(playouts);
  return sum;
}

std::vector<float> owners_by_playouts(const GoGame& game, const State& state) {
  constexpr int kPlayouts = 400;
  Random random(1);
  return owners_by_playouts(game, state, kPlayouts, random);
}

std::vector<Action> chain_at(const GoGame& game, const State& state, Action action) {
  const int colour = colour_at(game, state, action);
  std::vector<Action> chain;
  if (colour < 0) return chain;
  const Geometry& geometry = game.geometry();
  with_points(geometry, [&]<class Points>() {
    const Points stones = Points::load(state.stones[static_cast<std::size_t>(colour)]);
    const Points seed = Points::of(geometry.point[static_cast<std::size_t>(index(action))]);
    for_each_point(connected(seed, stones), [&](int point) {
      chain.push_back(Action{static_cast<std::uint16_t>(geometry.action[static_cast<std::size_t>(point)])});
    });
  });
  return chain;
}

std::vector<Action> likely_dead(const GoGame& game, const State& state) {
  const std::vector<float> owners = owners_by_playouts(game, state);
  std::vector<Action> dead;
  for (int i = 0; i < game.geometry().area(); ++i) {
    const Action action{static_cast<std::uint16_t>(i)};
    const std::vector<Action> chain = chain_at(game, state, action);
    if (chain.empty() || chain.front() != action) continue;
    float black = 0;
    for (const Action stone : chain) black += owners[static_cast<std::size_t>(index(stone))];
    black /= static_cast<float>(chain.size());
    const float others = colour_at(game, state, action) == 0 ? 1 - black : black;
    if (others > kDeadShare) dead.insert(dead.end(), chain.begin(), chain.end());
  }
  std::ranges::sort(dead);
  return dead;
}

State without_stones(const GoGame& game, State state, std::span<const Action> dead) {
  for (const Action action : dead) {
    const int colour = colour_at(game, state, action);
    if (colour < 0) continue;
    const int point = game.geometry().point[static_cast<std::size_t>(index(action))];
    state.stones[static_cast<std::size_t>(colour)][static_cast<std::size_t>(point >> 6)] &=
        ~(std::uint64_t{1} << (point & 63));
    ++state.prisoners[static_cast<std::size_t>(colour ^ 1)];
  }
  return state;
}

std::string count_result(const GoGame& game, const State& state) {
  const int half_points = game.half_points(state);
  if (half_points == 0) return "0";
  return fmt::format("{}+{}", half_points > 0 ? "B" : "W", komi_text(std::abs(half_points)));
}

}  // namespace koridor::go
