// One network in training on one GPU (on any device of LibTorch, so that tests run it on the CPU): whole batches, with
// parameters, gradients, optimiser and average on the device. A learner (learner.h) has one where the configuration
// says so.
//
// The host never waits for the step it has just started: a batch is copied into pinned memory and from there while the
// device computes the step before, and a step's numbers are read when the next one is under way.
//
// More than one GPU is not built; the seam is between backward pass and optimiser, where the gradients are one flat
// tensor.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "train/learner/device_optimizer.h"
#include "train/learner/learner.h"
#include "train/learner/losses.h"
#include "train/learner/net.h"

namespace koridor {

// The device that the word (models/network/device.h) means here; of several GPUs the first. Throws UserError.
torch::Device training_device(const std::string& name);

class DeviceTrainer {
 public:
  DeviceTrainer(const NetworkConfig& network, const NetworkSignature& signature, const TrainingConfig& training,
                torch::Device device, Arithmetic arithmetic);

  // With a fresh optimiser.
  void set_weights(const Weights& weights);
  // Net::fit_statistics, then as set_weights().
  void fit_statistics(const TrainingBatch& batch);

  // Starts a step. Returns the numbers of the one before it; of the first one, its own.
  StepResult step(const TrainingBatch& batch, double learning_rate);

  // The state but for arithmetic and needs_fitting, which are the learner's.
  LearnerState state() const;
  void restore(const LearnerState& state);
  std::int64_t steps() const { return steps_; }

  // With the running statistics, of the network or of its average; on the CPU.
  NetOutput predict(const TrainingBatch& batch, bool average);

  // Seconds of a forward and backward pass on tensors that are on the device. The network is left as it was.
  double time_bare_pass(const TrainingBatch& batch, int passes);

 private:
  struct OnDevice {
    torch::Tensor planes, scalars;
    Truths truths;
  };
  // A step under way: its batch in pinned memory, and where its numbers will be.
  struct Flight {
    std::vector<torch::Tensor> host;  // planes, scalars, legal and the targets
    torch::Tensor numbers;            // loss, norm and the loss of each head; pinned
    std::optional<c10::Event> done;
    bool under_way = false;
  };

  torch::Tensor copied(const std::vector<float>& values, std::vector<std::int64_t> shape, torch::Tensor& host) const;
  OnDevice upload(const TrainingBatch& batch, Flight& flight) const;
  Losses pass(const OnDevice& batch);
  StepResult finish(Flight& flight);

  TrainingConfig training_;
  std::vector<Objective> objectives_;
  torch::Device device_;
  Arithmetic arithmetic_;
  Net net_;
  std::optional<DeviceOptimizer> optimizer_;
  torch::Tensor average_statistics_;
  std::int64_t steps_ = 0;     // finite ones, as far as they are known
  std::uint64_t started_ = 0;  // steps, ever
  std::array<Flight, 2> flights_;
};

}  // namespace koridor
