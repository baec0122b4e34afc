#include "train/learner/hold_out.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/random.h"

namespace koridor {
namespace {

constexpr std::uint64_t kStream = 0x686F6C646F757421u;
constexpr int kBatch = 256;

// Appends rows [first, first + count) of `columns` entries; nothing where the shard does not have them.
template <class T>
void append(std::vector<T>& out, const std::vector<T>& rows, std::size_t first, std::size_t count,
            std::size_t columns = 1) {
  if (rows.empty()) return;
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first * columns);
  out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(count * columns));
}

void append_game(const ShardData& from, std::size_t game, ShardData& to) {
  const auto players = static_cast<std::size_t>(from.info.players);
  const std::size_t first = from.game_first_ply[game];
  const std::size_t plies = from.game_plies[game];
  to.game_number.push_back(from.game_number[game]);
  to.game_first_ply.push_back(static_cast<std::uint32_t>(to.plies()));
  to.game_plies.push_back(from.game_plies[game]);
  to.game_end.push_back(from.game_end[game]);
  if (!from.game_simulations.empty()) {
    to.game_simulations.push_back(from.game_simulations[game]);
    to.game_evaluations.push_back(from.game_evaluations[game]);
  }
  if (!from.game_model.empty()) to.game_model.push_back(from.game_model[game]);
  append(to.game_outcome, from.game_outcome, game, 1, players);
  append(to.game_auxiliary, from.game_auxiliary, game, 1, players);
  append(to.ply_state, from.ply_state, first, plies, static_cast<std::size_t>(from.info.state_bytes));
  append(to.ply_action, from.ply_action, first, plies);
  append(to.ply_player, from.ply_player, first, plies);
  append(to.ply_kind, from.ply_kind, first, plies);
  append(to.ply_value, from.ply_value, first, plies, players);
  append(to.policy_count, from.policy_count, first, plies);
  append(to.ply_depth, from.ply_depth, first, plies);
  append(to.ply_largest_depth, from.ply_largest_depth, first, plies);
  append(to.ply_surprise, from.ply_surprise, first, plies);
  for (std::size_t ply = first; ply < first + plies; ++ply) {
    to.policy_first.push_back(static_cast<std::uint32_t>(to.policy_action.size()));
    append(to.policy_action, from.policy_action, from.policy_first[ply], from.policy_count[ply]);
    append(to.policy_probability, from.policy_probability, from.policy_first[ply], from.policy_count[ply]);
  }
}

}  // namespace

bool held_out(int generation, std::uint32_t game_number, double share) {
  const std::uint64_t drawn = mix64(mix64(kStream ^ static_cast<std::uint64_t>(generation)) ^ game_number);
  return std::ldexp(static_cast<double>(drawn >> 11), -53) < share;
}

std::pair<ShardData, ShardData> split_games(const ShardData& shard, double share) {
  std::pair<ShardData, ShardData> parts;
  parts.first.info = parts.second.info = shard.info;
  for (std::size_t game = 0; game < shard.games(); ++game) {
    const bool held = held_out(shard.info.generation, shard.game_number[game], share);
    append_game(shard, game, held ? parts.second : parts.first);
  }
  return parts;
}

StepFigures measure_all(Learner& learner, const ReplayWindow& window, int boards) {
  StepFigures figures;
  TrainingBatch batch;
  for (int board = 0; board < boards; ++board) {
    const std::size_t positions = window.positions(board);
    for (std::size_t first = 0; first < positions; first += kBatch) {
      const auto size = static_cast<int>(std::min<std::size_t>(kBatch, positions - first));
      window.read(board, first, size, batch);
      figures.add_weighted(learner.measure(batch, true), batch.size);
    }
  }
  return figures;
}

StepFigures measure_some(Learner& learner, const ReplayWindow& window, std::size_t positions) {
  StepFigures figures;
  TrainingBatch batch;
  Random random(kStream);
  for (std::size_t drawn = 0; drawn < positions; drawn += kBatch) {
    const auto size = static_cast<int>(std::min<std::size_t>(kBatch, positions - drawn));
    window.sample(size, random, batch);
    figures.add_weighted(learner.measure(batch, true), batch.size);
  }
  return figures;
}

}  // namespace koridor
