// AdamW, Muon and SGD over one contiguous buffer of parameters, together with the running average of the weights, which
// is exported. A step uses no LibTorch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "train/learner/muon.h"
#include "train/learner/thread_group.h"
#include "train/run/config.h"

namespace koridor {

enum class OptimizerKind : std::uint8_t { adamw, sgd, muon };
OptimizerKind parse_optimizer(const std::string& name);  // throws UserError that lists the names

// The constants of AdamW.
inline constexpr double kBeta1 = 0.9;
inline constexpr double kBeta2 = 0.999;
inline constexpr double kEpsilon = 1e-8;

// The state that a checkpoint keeps; arrays are [parameters].
struct OptimizerState {
  std::int64_t steps = 0;
  std::vector<float> first;    // AdamW, Muon: mean of gradients; SGD: velocity
  std::vector<float> second;   // AdamW: mean of squared gradients; Muon: also, 0 in its matrices; SGD: empty
  std::vector<float> average;  // exported parameters
  bool settled = false;        // the average began with a trained network
};

class Optimizer {
 public:
  // The average starts at `parameters`; only the first `decayed` parameters decay. `matrices` rise in offset, lie among
  // these, and matter to Muon only.
  Optimizer(const TrainingConfig& config, std::span<const float> parameters, std::size_t decayed,
            std::vector<HiddenMatrix> matrices = {});

  // Makes one step: clips the gradients to the configuration's global norm, moves `parameters`, updates the average and
  // zeroes `gradients`. Returns the norm before clipping; where it is not finite, only the gradients have changed.
  //   AdamW (Loshchilov and Hutter 2019): beta 0.9 and 0.999, epsilon 1e-8, decay decoupled: w -= rate * decay * w.
  //   SGD: v = momentum * v + g + decay * w;  w -= rate * v.
  //   Muon (muon.h) for the matrices, AdamW for the rest.
  // Where `threads` are given they share the matrices of Muon; the result is the same to the bit.
  double step(std::span<float> parameters, std::span<float> gradients, double learning_rate,
              ThreadGroup* threads = nullptr);

  // The decay of the average at step t: the configuration's, or (1 + t) / (10 + t) while that is smaller, so that the
  // random start is soon forgotten. One that is settled has the configuration's from the first step: else the average
  // of nearly nothing but the newest weights, at a rate that has just risen, would take the trained network's place.
  float average_decay() const;
  // The parameters are those of a trained network.
  void settle_average() { state_.settled = true; }

  const OptimizerState& state() const { return state_; }
  void restore(OptimizerState state) { state_ = std::move(state); }

 private:
  float decay_of(float rate) const;
  void step_adamw(std::span<float> parameters, std::span<const float> gradients, float rate, float clip);
  void step_muon(std::span<float> parameters, std::span<float> gradients, float rate, float clip, ThreadGroup* threads);
  void step_matrix(const HiddenMatrix& matrix, std::span<float> parameters, std::span<float> gradients, float rate,
                   float clip);
  void step_sgd(std::span<float> parameters, std::span<const float> gradients, float rate, float clip);

  TrainingConfig config_;
  OptimizerKind kind_;
  std::size_t decayed_;
  std::vector<HiddenMatrix> matrices_;
  OptimizerState state_;
};

// average = decay * average + (1 - decay) * values
void move_average(std::span<float> average, std::span<const float> values, float decay);

// The learning rate: a cosine from config.learning_rate to final_learning_rate while the run's `progress` goes from 0
// to 1, times a linear warm-up over the first warmup_steps steps of the run.
double learning_rate(const TrainingConfig& config, double progress, std::int64_t steps_so_far);

}  // namespace koridor
