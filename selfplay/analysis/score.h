// The points that a network expects at the end of a game of Go. It predicts each player's share of the area when all is
// played out and dead stones are off (the head `auxiliary`, train/targets/auxiliary.h); komi and, under territory
// scoring, the stones placed make points of that.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/go/game.h"
#include "models/network/evaluator.h"
#include "selfplay/analysis/task.h"

namespace koridor {

// `black`: black's share of the area in [0, 1], as predicted for a position that is not over.
inline ExpectedScore expected_score(const go::GoGame& game, const go::State& state, double black) {
  const go::Rules& rules = game.rules();
  const double area = rules.columns * rules.rows;
  double lead = (2.0 * black - 1.0) * area - rules.half_points_of_komi / 2.0;
  if (rules.scoring == go::Scoring::territory) {
    lead -= static_cast<double>(state.placed[0]) - static_cast<double>(state.placed[1]);
    // Who is to move places the next stone: half a stone for it, so that turns make no difference.
    if (state.phase == go::Phase::main) lead -= state.player == 0 ? 0.5 : -0.5;
  }
  return {.lead = lead, .deviation = 2.0 * std::sqrt(area * black * (1.0 - black))};
}

// Of each position; exact where the game is over.
inline std::vector<ExpectedScore> expected_scores(const go::GoGame& game, const Features& features,
                                                  Evaluator& evaluator,
                                                  std::span<const Position<go::GoGame>> positions) {
  const EncodingShape& shape = evaluator.shape();
  const auto most = std::min(static_cast<std::size_t>(evaluator.max_batch()), positions.size());
  const auto plane_floats = static_cast<std::size_t>(shape.plane_floats());
  const auto scalar_floats = static_cast<std::size_t>(shape.scalars);
  std::vector<float> planes(most * plane_floats);
  std::vector<float> scalars(most * scalar_floats);
  std::vector<float> policy(most * static_cast<std::size_t>(shape.policy_size()));
  std::vector<float> value(most * static_cast<std::size_t>(shape.value_size()));
  std::vector<float> shares(most * 2);
  std::vector<ExpectedScore> scores(positions.size());
  for (std::size_t first = 0; first < positions.size(); first += most) {
    const std::size_t count = std::min(most, positions.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      game.encode(positions[first + i].state, features, 0, planes.data() + i * plane_floats,
                  scalars.data() + i * scalar_floats);
    }
    evaluator.evaluate({static_cast<int>(count), std::span(planes).first(count * plane_floats),
                        std::span(scalars).first(count * scalar_floats)},
                       {policy, value, shares});
    for (std::size_t i = 0; i < count; ++i) {
      const Position<go::GoGame>& position = positions[first + i];
      if (game.outcome(position.state, position.history).over()) {
        scores[first + i] = {.lead = game.half_points(position.state) / 2.0};
        continue;
      }
      // Each player's share is predicted by itself; the two need not sum to 1.
      const double mover = (1.0 + static_cast<double>(shares[2 * i]) - static_cast<double>(shares[2 * i + 1])) / 2.0;
      scores[first + i] = expected_score(game, position.state, position.state.player == 0 ? mover : 1.0 - mover);
    }
  }
  return scores;
}

}  // namespace koridor
