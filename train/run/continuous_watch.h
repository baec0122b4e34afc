// What the loop sees of a run whose self-play and training go on at once: when each model appeared, and how fast the
// games went that it was made of. The loop may be busy with matches meanwhile, so this is asked beside them as well.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "train/run/run_directory.h"

namespace koridor {

class ContinuousWatch {
 public:
  // `now`: seconds of the run's work. The models that are there have been there since then.
  ContinuousWatch(const RunDirectory& run, double now);

  // Looks for newer models; returns the generation of the newest. Not from two threads at once.
  int look(double now);

  // When the generation's model appeared, in seconds of the run's work.
  double seconds_of(int generation) const;
  // What self-play did between the model before and this one: positions_per_second and evaluations_per_second, of all
  // workers and with the time that they waited, cache_hit_share of the run's own worker, waited_seconds (for models, on
  // the average of the workers). Empty where some of it was not seen.
  nlohmann::json speeds_of(int generation) const;

 private:
  struct Seen {
    double seconds = 0;
    nlohmann::json speeds = nlohmann::json::object();
  };

  nlohmann::json speeds(int generation, double seconds);
  void add_waits(nlohmann::json& speeds);

  RunDirectory run_;
  int newest_ = 0;
  int first_whole_ = 0;  // of this generation and later ones no game was there at first
  double began_ = 0;
  double last_ = 0;  // when the newest model appeared
  std::map<int, Seen> seen_;
  std::map<std::filesystem::path, double> waited_;  // seconds by worker, when the newest model appeared
};

}  // namespace koridor
