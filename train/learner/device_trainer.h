// One network in training on one GPU: whole batches, with parameters, gradients, optimiser and average on the device. A
// learner (learner.h) has a DeviceTrainer where TrainingConfig::device asks for a GPU. It works on any device of
// LibTorch, and the tests run it on the CPU.
//
// Alone, the host never waits for the step that it has just started: the next batch is copied through pinned memory
// while the device computes, and a step's numbers are read when the next step is under way.
//
// Several GPUs have a process each (ranks.h). Their gradients and statistics, which are flat tensors, are added up on
// the GPUs by NCCL, or on their hosts where the build has no NCCL or processes share a GPU. Each host waits for that
// sum in every step.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "train/learner/device_optimizer.h"
#include "train/learner/learner.h"
#include "train/learner/losses.h"
#include "train/learner/net.h"

namespace koridor {

// The device that `name` (models/network/device.h) means on this machine; of several GPUs the number `local`, and the
// first ones again where there are fewer. Throws UserError where there is no such device.
torch::Device training_device(const std::string& name, int local = 0);

class DeviceTrainer {
 public:
  DeviceTrainer(const NetworkTraining& task, torch::Device device, Arithmetic arithmetic, Ranks* ranks = nullptr);

  // Takes the weights and starts with a fresh optimiser.
  void set_weights(const Weights& weights);
  // Calls Net::fit_statistics and starts with a fresh optimiser.
  void fit_statistics(const TrainingBatch& batch);

  // Starts a step. Returns the numbers of the step before it, if that is still under way.
  std::optional<StepResult> step(const TrainingBatch& batch, double learning_rate);
  // Waits for the step under way and returns its numbers; nothing where there is none.
  std::optional<StepResult> finish_step();

  Weights weights() const;
  // The state without arithmetic and needs_fitting, which belong to the learner.
  LearnerState state() const;
  void restore(const LearnerState& state);
  void settle_average() { optimizer_->settle_average(); }  // as in Optimizer; not before the weights
  std::int64_t steps() const { return steps_; }

  // The predictions of the network, or of its average, with the running statistics; the result is on the CPU.
  NetOutput predict(const TrainingBatch& batch, bool average);

  // Seconds per forward and backward pass on tensors that are on the device. The network does not change.
  double time_bare_pass(const TrainingBatch& batch, int passes);

 private:
  struct OnDevice {
    torch::Tensor planes, scalars;
    Truths truths;
  };
  // A step under way.
  struct Flight {
    std::vector<torch::Tensor> host;  // its batch in pinned memory: planes, scalars, legal and the targets
    torch::Tensor numbers;            // its results in pinned memory: loss, the loss of each head, and the norm
    NetOutput output;                 // its policy and value in pinned memory
    int board = 0;                    // its board
    std::optional<c10::Event> done;
    bool under_way = false;
  };

  torch::Tensor copied(const std::vector<float>& values, std::vector<std::int64_t> shape, torch::Tensor& host) const;
  OnDevice upload(const TrainingBatch& batch, Flight& flight) const;
  // The gradients count as `share` of those of the whole batch. Puts the network's output into `output` unless it is
  // null.
  Losses pass(const OnDevice& batch, float share = 1.0f, NetOutput* output = nullptr);
  // Adds up gradients, statistics (their mean) and losses of all processes. Where one is lost, the statistics are again
  // those before the pass.
  void add_up_ranks(torch::Tensor& losses, const torch::Tensor& statistics_before);
  std::optional<StepResult> finish(Flight& flight);  // nothing where it is not under way

  TrainingConfig training_;
  std::vector<Objective> objectives_;
  torch::Device device_;
  Arithmetic arithmetic_;
  Ranks* ranks_;  // null: this process trains alone
  Net net_;
  std::optional<DeviceOptimizer> optimizer_;
  torch::Tensor average_statistics_;
  std::int64_t steps_ = 0;     // steps with finite gradients, as far as they are known
  std::uint64_t started_ = 0;  // all steps that were started
  std::array<Flight, 2> flights_;
};

}  // namespace koridor
