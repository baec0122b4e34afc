// Ratings of a run's generations: matches against earlier generations and fixed baselines, Elo from all of them.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// A line of the table of a run: a generation, or a baseline.
struct RatedPlayer {
  std::string name;     // "gen-0003", "greedy"
  int generation = -1;  // -1: a baseline
  double elo = 0.0;     // relative to the last of rating.baselines, which has 0
  double error = 0.0;   // half of the 95% confidence interval, in Elo
  int games = 0;
  std::map<std::string, double> score;  // against each baseline, in [0, 1]; the mean over run.games
};

class Ratings {
 public:
  Ratings(const RunDirectory& run, const Config& config) : run_(run), config_(config) {}

  bool due(int generation) const;  // of those `rating.every` asks for, and not rated yet

  // Plays the matches of `generation` and writes them to run.rating(generation). `progress(done, total)` is called now
  // and then; stops early, writing nothing, when `stop` is set; false then.
  bool rate(int generation, const std::function<void(int done, int total)>& progress, const std::atomic<bool>& stop);

  // Every rated player, best estimates from all match files, generations first. Also written to run.elo().
  std::vector<RatedPlayer> table() const;

  // The table as text for a person.
  std::string table_text() const;

 private:
  RunDirectory run_;
  Config config_;
};

}  // namespace koridor
