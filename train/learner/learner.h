// One network in training: steps on batches, its average for export, its whole state for checkpoints. The door to
// LibTorch: what includes this header needs none of it.
//
// A batch is cut into equal parts, one a thread; each thread runs forward and backward pass of its part alone, and the
// gradients are added. Threads meet once a step, not once an operation, which on small networks is faster on a quiet
// machine and far faster beside other work. Normalisation is over a part (of kLeastPart positions or more).
// On a GPU (TrainingConfig::device) the batch stays whole, and all is done there: device_trainer.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "train/learner/optimizer.h"
#include "train/learner/parameters.h"
#include "train/learner/replay_window.h"

namespace koridor {

struct StepResult {
  float loss = 0;             // the weighted sum
  float gradient_norm = 0;    // before clipping; not finite: the step was skipped
  std::vector<float> each{};  // the loss of each head, unweighted
};

inline constexpr int kLeastPart = 64;

enum class Arithmetic : std::uint8_t { f32, bf16 };

// All that a continued training needs to go on as if never stopped.
struct LearnerState {
  Weights weights;                        // as trained
  std::vector<float> average_statistics;  // of the exported network; its parameters are optimizer.average
  OptimizerState optimizer;
  Arithmetic arithmetic = Arithmetic::f32;
  bool arithmetic_chosen = false;
  bool needs_fitting = false;
};

class Learner {
 public:
  // A random network, trained by `threads` threads on the targets of its signature's heads.
  Learner(const NetworkConfig& network, const NetworkSignature& signature, const TrainingConfig& training,
          std::uint64_t seed, int threads);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  // Starts from a model's weights with a fresh optimiser; heads that the model lacks stay as they are. Throws UserError
  // that names `where` unless network and inputs are equal.
  void start_from(const Model& model, const std::string& where);

  // One step; the first one times f32 against bf16 on this batch where the configuration and the CPU allow bf16, and
  // keeps the faster. On a GPU the numbers returned are those of the step before (of the first step, its own), so that
  // the GPU never waits for the host.
  StepResult step(const TrainingBatch& batch, double learning_rate);

  // The averaged network, normalisation folded.
  Model exported(const ModelInfo& info) const;

  // What LibTorch says of encoded positions in f32 with the running statistics (of the network as trained, or of the
  // average): for each head [size, head_size()]; the policy's logits, the numbers of the others.
  std::vector<std::vector<float>> predict(const TrainingBatch& batch, bool average);

  // What it learns, in the order of its heads.
  const std::vector<Objective>& objectives() const;

  LearnerState state() const;
  // Throws UserError that names `where` where the sizes are not this network's.
  void restore(const LearnerState& state, const std::string& where);

  Arithmetic arithmetic() const;
  std::int64_t steps() const;  // of the optimiser
  std::string device() const;  // "cpu", "cuda:0"

  // For the bench: forward and backward pass on fixed tensors and nothing else, in seconds a batch.
  double time_bare_pass(const TrainingBatch& batch, int passes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koridor
