// What training a run and training on given shards have in common.
#pragma once

#include <memory>
#include <string>

#include "train/learner/learner.h"
#include "train/learner/replay_window.h"
#include "train/learner/steps.h"
#include "train/run/config.h"
#include "train/run/loss_report.h"

namespace koridor {

// What messages begin with: the program's name, or the command that took this program's place.
extern std::string trainer_name;

// One line on standard error.
void warn(const std::string& line);

// Warns of each target with a weight that no game of the configuration has: its head is computed and learns nothing.
void warn_of_idle_heads(const Config& config);

// The threads to train with: `threads`, else the configuration's, else all cores.
int threads_of(const Config& config, int threads);

// The network of the configuration, and how it learns.
NetworkTraining network_training(const Config& config);

// Gives the learner the weights of a model file (Learner::start_from), with the rules that all of its games had in
// common folded into its bias (models/network/learned_rules.h). Throws UserError where the model is of another family or
// encoding than the configuration's games, or its network does not grow into the configuration's.
void start_from_file(Learner& learner, const Config& config, const std::string& path);

// A new learner: random, or from training.start_from. `ranks` as in Learner.
std::unique_ptr<Learner> new_learner(const Config& config, int threads, Ranks* ranks = nullptr);

LossReport report_of(const StepFigures& figures, const Learner& learner);

// The average of the learner's weights as a model of the configuration's (first) game, calibrated for int8 on positions
// of the window. Where there are none it has the calibration of training.start_from, if that is of the same board,
// or, where the network is larger, one that is measured on the positions of that.
struct ModelOrigin {
  std::string config_hash;
  int generation;
};
Model export_for_play(const Learner& learner, const Config& config, const ModelOrigin& origin,
                      const ReplayWindow& window);

// Throws UserError where that average says of a position what is no probability, so that nobody could play with it.
void require_no_overflow(const Learner& learner, const Config& config, const ModelOrigin& origin);

}  // namespace koridor
