#include "core/go/count.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/go/board.h"

namespace koridor::go {
namespace {

constexpr float kDeadShare = 0.7f;

int colour_at(const GoGame& game, const State& state, Action action) {
  if (action == game.geometry().pass()) return -1;
  const int point = game.geometry().point[static_cast<std::size_t>(index(action))];
  return state.has_stone(0, point) ? 0 : state.has_stone(1, point) ? 1 : -1;
}

}  // namespace

std::vector<float> owners_by_playouts(const GoGame& game, const Position<GoGame>& position, int playouts,
                                      Random& random) {
  std::vector<float> sum(static_cast<std::size_t>(game.geometry().area()));
  std::vector<float> owners(sum.size());
  Position<GoGame> start = position;
  start.state.passes = 0;
  for (int i = 0; i < playouts; ++i) {
    Position<GoGame> walk = start;
    while (!game.outcome(walk.state, walk.history).over()) {
      walk.apply(game, game.random_playout_action(walk.state, walk.history, random));
    }
    game.ownership(walk.state, 0, owners);
    for (std::size_t point = 0; point < sum.size(); ++point) sum[point] += owners[point];
  }
  for (float& share : sum) share /= static_cast<float>(std::max(playouts, 1));
  return sum;
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

std::vector<Action> likely_dead(const GoGame& game, const State& state, std::span<const float> owners) {
  std::vector<Action> dead;
  for (int i = 0; i < game.geometry().area(); ++i) {
    const Action action{static_cast<std::uint16_t>(i)};
    const std::vector<Action> chain = chain_at(game, state, action);
    if (chain.empty() || chain.front() != action) continue;
    float black = 0;
    for (const Action stone : chain) black += owners[static_cast<std::size_t>(index(stone))];
    black /= static_cast<float>(chain.size());
    const float others = colour_at(game, state, action) == 0 ? 1 - black : black;
    if (others >= kDeadShare) dead.insert(dead.end(), chain.begin(), chain.end());
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
