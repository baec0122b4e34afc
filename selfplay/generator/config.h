// The settings of self-play: the section [selfplay] of a configuration. Each key's meaning, unit and range are in
// describe_settings().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/setting.h"
#include "models/evaluation.h"

namespace koridor {

struct SelfplayConfig {
  int games = 512;
  int first_games = 0;
  int slots = 0;
  int visits = 128;
  int cheap_visits = 24;
  double progressive_share = 1.0;
  int progressive_generations = 8;
  double full_share = 0.25;
  double known_share = 1.0;
  double opening_plies = 0.04;
  double opening_temperature = 1.0;
  double temperature = 0.8;
  double temperature_end = 0.2;
  double temperature_half_life = 0.0;
  double repetition_share = 0.0;
  std::vector<std::string> opponents;
  double opponent_share = 0.25;
  double shard_seconds = 10;
  Evaluation evaluation{};  // backend, precision, device, cache_mebibytes
};

inline constexpr int kLargestSlots = 1024;  // the largest value of `slots`

void describe_settings(SelfplayConfig& config, SettingList& list);

// The simulations of the searches of a generation's games, at least 1: `visits` and `cheap_visits`, times
// progressive_share^(1 - generation / progressive_generations) where the generation is below `progressive_generations`.
// Few at first and more later is progressive simulation (Wu et al. 2023, MiniZero).
struct SearchVisits {
  int full = 0;
  int cheap = 0;
};
SearchVisits visits_in(const SelfplayConfig& config, std::uint32_t generation);

}  // namespace koridor
