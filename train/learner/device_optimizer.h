// The steps of optimizer.h on a device: the same arithmetic by LibTorch's operations on the same flat arrays, so that
// neither parameters nor gradients leave a GPU and the host does not wait for it.
#pragma once

#include "train/learner/optimizer.h"
#include "train/learner/torch_compat.h"

namespace koridor {

class DeviceOptimizer {
 public:
  // All tensors are float32 [parameters] on one device. The rest is as in Optimizer.
  DeviceOptimizer(const TrainingConfig& config, const torch::Tensor& parameters, std::size_t decayed,
                  std::vector<HiddenMatrix> matrices = {});

  // As Optimizer::step(); also moves `average_statistics` towards `statistics` with the decay of the average of the
  // parameters. Returns the gradient's norm before clipping, a scalar on the device; where it is not finite, only the
  // gradients have changed.
  torch::Tensor step(const torch::Tensor& parameters, const torch::Tensor& gradients, double learning_rate,
                     const torch::Tensor& statistics, const torch::Tensor& average_statistics);

  // Both wait for the device.
  OptimizerState state() const;
  void restore(const OptimizerState& state);
  const torch::Tensor& average() const { return average_; }
  void settle_average() { settled_ = true; }  // as in Optimizer

 private:
  void step_adamw(const torch::Tensor& parameters, const torch::Tensor& gradients, double rate);
  void step_sgd(const torch::Tensor& parameters, const torch::Tensor& gradients, double rate);

  TrainingConfig config_;
  OptimizerKind kind_;
  std::int64_t decayed_;
  bool settled_ = false;
  std::vector<std::vector<HiddenMatrix>> matrices_;  // Muon: in groups of one shape and share
  torch::Tensor steps_;                              // scalar: the number of steps with finite gradients so far
  torch::Tensor taken_;                              // scalar: 1 where this step's gradients are finite, else 0
  torch::Tensor first_, second_, average_;
  // The weight of a gradient in the two means: scalars, or [parameters] where some are Muon's.
  torch::Tensor first_weight_, second_weight_;
};

// Copies to and from the device; both wait for it.
torch::Tensor to_device(std::span<const float> values, torch::Device device);
std::vector<float> to_host(const torch::Tensor& values);

}  // namespace koridor
