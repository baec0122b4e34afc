#include "selfplay/shards/game_record.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koridor {

void GameRecord::clear(std::uint32_t new_number, int new_variant) {
  number = new_number;
  variant = new_variant;
  simulations = 0;
  evaluations = 0;
  states.clear();
  actions.clear();
  players.clear();
  kinds.clear();
  values.clear();
  policy_counts.clear();
  depths.clear();
  largest_depths.clear();
  surprises.clear();
  policy_actions.clear();
  policy_probabilities.clear();
}

std::size_t GameRecord::memory_bytes() const {
  const auto bytes = [](const auto& rows) { return rows.capacity() * sizeof(rows[0]); };
  return sizeof(*this) + bytes(states) + bytes(actions) + bytes(players) + bytes(kinds) + bytes(values) +
         bytes(policy_counts) + bytes(depths) + bytes(largest_depths) + bytes(surprises) + bytes(policy_actions) +
         bytes(policy_probabilities);
}

void GameRecord::add_search(double depth, int largest_depth, double surprise) {
  const auto stored = [](double exact) {
    constexpr double kMost = std::numeric_limits<std::uint16_t>::max();
    return static_cast<std::uint16_t>(std::clamp(std::round(exact), 0.0, kMost));
  };
  depths.push_back(stored(kDepthUnits * depth));
  largest_depths.push_back(stored(largest_depth));
  surprises.push_back(stored(kSurpriseUnits * surprise));
}

void GameRecord::add_policy(std::span<const PolicyEntry> policy) {
  const std::size_t first = policy_actions.size();
  std::size_t largest = first;
  int total = 0;
  for (const PolicyEntry& entry : policy) {
    const int units = static_cast<int>(std::lround(entry.probability * static_cast<float>(kProbabilityUnits)));
    if (units <= 0) continue;
    policy_actions.push_back(static_cast<std::uint16_t>(index(entry.action)));
    policy_probabilities.push_back(static_cast<std::uint16_t>(units));
    if (units > policy_probabilities[largest]) largest = policy_probabilities.size() - 1;
    total += units;
  }
  // Rounding errors are at most half a unit per entry, and the largest entry takes them.
  if (policy_actions.size() > first) {
    policy_probabilities[largest] =
        static_cast<std::uint16_t>(policy_probabilities[largest] + kProbabilityUnits - total);
  }
  policy_counts.push_back(static_cast<std::uint16_t>(policy_actions.size() - first));
}

void append_game(const GameRecord& record, ShardData& data) {
  const auto players = static_cast<std::ptrdiff_t>(data.info.players);
  const auto append = [](auto& rows, const auto& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  data.game_number.push_back(record.number);
  data.game_first_ply.push_back(static_cast<std::uint32_t>(data.plies()));
  data.game_plies.push_back(static_cast<std::uint16_t>(record.plies()));
  data.game_end.push_back(static_cast<std::uint8_t>(record.end));
  data.game_simulations.push_back(record.simulations);
  data.game_evaluations.push_back(record.evaluations);
  data.game_model.push_back(record.model);
  data.game_outcome.insert(data.game_outcome.end(), record.outcome.begin(), record.outcome.begin() + players);
  data.game_auxiliary.insert(data.game_auxiliary.end(), record.auxiliary.begin(), record.auxiliary.begin() + players);

  append(data.ply_state, record.states);
  append(data.ply_action, record.actions);
  append(data.ply_player, record.players);
  for (const PlyKind kind : record.kinds) data.ply_kind.push_back(static_cast<std::uint8_t>(kind));
  for (const Values& values : record.values) {
    data.ply_value.insert(data.ply_value.end(), values.begin(), values.begin() + players);
  }
  auto first = static_cast<std::uint32_t>(data.policy_action.size());
  for (const std::uint16_t count : record.policy_counts) {
    data.policy_first.push_back(first);
    first += count;
  }
  append(data.policy_count, record.policy_counts);
  append(data.ply_depth, record.depths);
  append(data.ply_largest_depth, record.largest_depths);
  append(data.ply_surprise, record.surprises);
  append(data.policy_action, record.policy_actions);
  append(data.policy_probability, record.policy_probabilities);
}

}  // namespace koridor
