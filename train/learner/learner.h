// One network in training: steps on batches, its average for export, its whole state for checkpoints. This header
// includes nothing of LibTorch.
//
// On the CPU a batch is cut into equal parts, TrainingConfig::parts of them, or one per thread of kLeastPart positions
// or more. A thread runs forward and backward pass of a part alone, normalising over that part, and the gradients are
// added in the order of the parts. The threads meet once per step, not once per operation, which for small networks is
// faster on a quiet machine and far faster beside other work. A fixed number of parts gives the same network to the
// last bit on any number of threads. On a GPU (TrainingConfig::device) the batch stays whole, and device_trainer.h does
// all the work there.
//
// Several processes (ranks.h) learn a batch together: each gets its part of it (TrainingBatch::whole), the gradients
// are added between backward pass and optimiser, and every process makes the same step. TrainingConfig::parts then
// counts the parts of the whole batch, so that a step is the same on one process and on several where the batch divides
// by it, but for the order in which more than two parts are added.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/learner/optimizer.h"
#include "train/learner/parameters.h"
#include "train/learner/quality.h"
#include "train/learner/ranks.h"
#include "train/learner/replay_window.h"

namespace koridor {

struct StepResult {
  float loss = 0;             // the weighted sum
  float gradient_norm = 0;    // before clipping; where it is not finite, the step was skipped
  std::vector<float> each{};  // the loss of each head, unweighted
  PredictionQuality quality{};
  int board = 0;  // of the batch

  // Calls visit(number) for what adds up over the parts of a batch, in a fixed order.
  template <class Visit>
  void for_each_sum(Visit&& visit) {
    visit(loss);
    for (float& of_head : each) visit(of_head);
    quality.for_each_sum(visit);
  }
};

inline constexpr int kLeastPart = 64;

enum class Arithmetic : std::uint8_t { f32, bf16 };

// All that a continued training needs to go on as if it had never stopped.
struct LearnerState {
  Weights weights;                        // of the network as trained
  std::vector<float> average_statistics;  // of the exported network, whose parameters are optimizer.average
  OptimizerState optimizer;
  Arithmetic arithmetic = Arithmetic::f32;
  bool arithmetic_chosen = false;
  bool needs_fitting = false;
};

// A network, and how it learns.
struct NetworkTraining {
  NetworkConfig network;
  NetworkSignature signature;
  TrainingConfig training;
};

class Learner {
 public:
  // A random network, trained by `threads` threads on the targets of its signature's heads, and together with the other
  // processes of `ranks` where it is not null; then step() waits for them. Throws UserError where a batch has more
  // parts than positions, and where it or its parts cannot be shared by so many.
  Learner(const NetworkTraining& task, std::uint64_t seed, int threads, Ranks* ranks = nullptr);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Starts from a model's weights with a fresh optimiser, before the first step. Heads that the model lacks stay as
  // they are, and so do blocks and channels, which change nothing until they learn (import_model()). Throws UserError
  // that names `where` unless the model has the same inputs, a network that grows_into() this one, and heads of the
  // same names that are alike.
  void start_from(const Model& model, const std::string& where);

  // Makes one step. The first step times f32 and bf16 on its batch, where the configuration and the CPU allow bf16, and
  // keeps the faster. On a GPU the step is only started, and the returned numbers are those of the step before, so that
  // the GPU never waits for the host: nothing where none is under way, as at first. Where another process is lost it
  // throws RankLost, and no step is made.
  std::optional<StepResult> step(const TrainingBatch& batch, double learning_rate);
  // Waits for the step that was only started and returns its numbers; nothing where there is none, as on a CPU.
  std::optional<StepResult> finish_step();

  // The averaged network, with normalisation folded into the convolutions.
  Model exported(const ModelInfo& info) const;

  // The predictions of LibTorch in f32 with the running statistics, of the network as trained or of the average: for
  // each head [size, head_size()], logits for the policy, and numbers after the activation for the other heads.
  std::vector<std::vector<float>> predict(const TrainingBatch& batch, bool average);

  // The losses of a batch as predict() sees it; nothing is learned from it.
  StepResult measure(const TrainingBatch& batch, bool average);

  // What the network learns, in the order of its heads.
  const std::vector<Objective>& objectives() const;

  LearnerState state() const;
  // Throws UserError that names `where` unless the sizes are this network's.
  void restore(const LearnerState& state, const std::string& where);

  // Of the weights: processes that train one network have the same.
  std::uint64_t checksum() const;

  Arithmetic arithmetic() const;
  // Whether it goes on in bf16 on a CPU that would emulate it, many times slower, or in spite of training.bf16.
  bool unsuited_arithmetic() const;
  // The next step finds out again which is the faster; all processes that train one network must do so.
  void choose_arithmetic_again();
  std::int64_t steps() const;  // of the optimiser
  std::string device() const;  // "cpu", "cuda:0"
  int gpu() const;             // the number of its GPU on this machine; -1: it trains on the CPU

  // For the bench: the seconds per batch of a forward and backward pass on fixed tensors, and nothing else.
  double time_bare_pass(const TrainingBatch& batch, int passes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koridor
