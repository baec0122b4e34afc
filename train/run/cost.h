// What a run has cost, counted in work and not in seconds, so that a busy machine changes nothing:
//
//   cost = evaluations * multiply-adds of the network / rate of the network
//        + simulations                                / rate of the tree
//        + trained samples * 3 * multiply-adds        / rate of the training
//
// in core-seconds of a reference core, whose rates are constants. All counts follow from the configuration and the
// seed, whatever the number of threads. An evaluation is a prediction that a search asked for: how many of them the
// caches answer depends on how the games fall to threads, and so on the load. Matches are not counted.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"
#include "train/run/selfplay_figures.h"

namespace koridor {

// Of one core, per second.
struct CostRates {
  double network;   // multiply-adds of the network in self-play
  double tree;      // simulations without the network
  double training;  // multiply-adds of forward and backward passes
};

// What `koridor bench` measured for the network of 4 blocks x 32 channels (1,970,288 multiply-adds) on 5x5 on a core of
// an AMD EPYC (Zen 4), bench/FIGURES.md: 85,000 int8 evaluations, 3.5 million simulations and 9,200 samples per second.
// They never change, since costs of different times could not be compared then.
inline constexpr CostRates kReferenceRates{.network = 1.67e11, .tree = 3.5e6, .training = 5.4e10};

// A training step computes a forward pass and a backward pass, which takes twice as much.
inline constexpr double kPassesPerSample = 3;

struct Work {
  double evaluated = 0;    // multiply-adds of evaluations
  double simulations = 0;  // of searches, with the positions that opponents looked at
  double trained = 0;      // multiply-adds of passes
};

// In core-seconds.
double cost_of(const Work& work, const CostRates& rates = kReferenceRates);

inline constexpr double kMostCost = 1e15;  // core-seconds

// The core-seconds of a text such as "600", "10m", "2h" or "1.5d", above 0 and at most kMostCost. Throws UserError for
// any other.
double read_cost(const std::string& text, const std::string& where);

// The multiply-adds of an evaluation on each board of the run.
std::vector<double> multiply_adds_of(const Config& config);

// The games of one generation by board, and the samples of the training on them. A step is on one board: boards are
// taken to have samples in proportion to the full searches of these games, which differs a little from what the window
// holds of them. Throws UserError where the games do not say what they took, as those of older versions.
Work work_of(const Config& config, std::span<const SelfplayFigures> boards, double samples);

// The cost of the generations of a run, from its files of metrics, or where one is damaged or does not say what its
// games took, from these. Each file is read once.
class RunCost {
 public:
  RunCost(const RunDirectory& run, const Config& config) : run_(run), config_(config) {}

  // Of everything up to the model of `generation`, which is there. Throws UserError that names the file where one is
  // missing, damaged or silent, and its games are too.
  double until(int generation);

 private:
  Work of_generation(int generation) const;
  Work of_games(int generation, const UserError& failure) const;

  RunDirectory run_;
  Config config_;
  std::vector<double> until_{0.0};  // by generation
};

}  // namespace koridor
