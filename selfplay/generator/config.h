// What can be set about self-play. Read from the [selfplay] section of a configuration.
#pragma once

#include "core/base/setting.h"
#include "models/evaluation.h"

namespace koridor {

struct SelfplayConfig {
  int games = 512;                     // per generation
  int first_games = 0;                 // generation 0's, whose network knows nothing; 0: as the others
  int slots = 0;                       // games in flight in each thread, and the batch; 0: measured (choose_slots.h)
  int visits = 128;                    // full searches
  int cheap_visits = 24;               // the others (playout-cap randomisation, Wu 2019)
  double full_share = 0.25;            // probability that a ply's search is full, in [0, 1]
  double opening_plies = 0.04;         // mean number of raw-policy plies at the start, in units of the board's area
  double opening_temperature = 1.0;    // of the raw policy in the opening
  double temperature = 0.8;            // of the visit counts at the first ply ...
  double temperature_end = 0.2;        // ... falling towards this ...
  double temperature_half_life = 0.0;  // ... with this half-life in plies; 0: the board's longer side
  double repetition_share = 0.0;       // share of games played with the threefold-repetition rule on
  double shard_seconds = 10;           // a shard is closed after so long at the latest
  Evaluation evaluation{};             // of positions: backend, precision, device, cache_mebibytes
};

void describe_settings(SelfplayConfig& config, SettingList& list);

}  // namespace koridor
