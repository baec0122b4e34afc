// Ratings of a run's generations: matches against earlier generations and the baselines, and Elo from all matches.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor {

// A line of a run's table of ratings: a generation or a baseline.
struct RatedPlayer {
  std::string name;     // "gen-0003", "greedy"
  int generation = -1;  // -1: a baseline
  double elo = 0.0;     // relative to the last of rating.baselines, which has 0
  double error = 0.0;   // half the width of the 95% confidence interval, in Elo
  int games = 0;
  std::map<std::string, double> score;  // against each baseline, in [0, 1]: the mean over the boards of run.games
};

class Ratings {
 public:
  Ratings(const RunDirectory& run, const Config& config) : run_(run), config_(config) {}

  // Whether rating.every asks for the generation, and it is not rated yet. A file of results that is damaged counts as
  // none: a line on standard error names it.
  bool due(int generation) const;

  // Plays the matches of `generation`, calling `progress(done, total)` now and then, and writes the results to
  // run.rating(generation). Where `stop` is set it ends early, writes nothing and returns false.
  bool rate(int generation, const std::function<void(int done, int total)>& progress, const std::atomic<bool>& stop);

  // Every rated player, generations first, with the ratings from all match files. Throws UserError that names a file
  // that is damaged.
  std::vector<RatedPlayer> table() const;

  // Writes the table to run.elo() where it does not say the same already.
  void save_table() const;

  // The table as text.
  std::string table_text() const;

 private:
  RunDirectory run_;
  Config config_;
};

}  // namespace koridor
