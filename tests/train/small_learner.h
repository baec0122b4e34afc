// A small network in training, and what it computes, for tests of the learner.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/registry.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "models/network/network.h"
#include "tests/numbers.h"
#include "train/learner/learner.h"
#include "train/learner/random_shard.h"
#include "train/learner/replay_window.h"
#include "train/run/config.h"
#include "train/targets/targets.h"

namespace koridor {

inline const AnyGame& learned_game() {
  static const AnyGame value = parse_game("quoridor:5x5,walls=2");
  return value;
}

inline NetworkConfig small_network() {
  NetworkConfig network;
  network.blocks = 2;
  network.channels = 8;
  network.policy_channels = 8;
  network.value_channels = 8;
  network.value_hidden = 16;
  return network;
}

inline TrainingConfig quick_training() {
  TrainingConfig training;
  training.learning_rate = 0.01;
  training.warmup_steps = 1;
  training.bf16 = false;
  training.device = "cpu";  // device_trainer_test.cpp tests GPUs
  training.ema = 0.9;
  return training;
}

// Positions of random games.
inline TrainingBatch batch_of(const AnyGame& of, int size, std::uint64_t seed) {
  ReplayWindow window({of}, Features{}, TrainingConfig{}, "");
  window.add("made up", random_shard(of, 10, seed));
  Random random(seed);
  TrainingBatch batch;
  window.sample(size, random, batch);
  return batch;
}

inline std::unique_ptr<Learner> small_learner(const TrainingBatch& batch, std::uint64_t seed = 1, int threads = 1) {
  return std::make_unique<Learner>(
      NetworkTraining{small_network(), training_signature({}, batch.shape), quick_training()}, seed, threads);
}

inline ModelInfo small_model_info() {
  ModelInfo value;
  value.family = "wall";
  value.game = "quoridor:5x5,walls=2";
  return value;
}

// What the heads that self-play reads say of each position of a batch.
struct HeadResults {
  std::vector<float> policy, value, auxiliary;
};

inline HeadResults libtorch_results(Learner& learner, const TrainingBatch& batch, bool average) {
  const std::vector<std::vector<float>> heads = learner.predict(batch, average);
  return {heads[0], heads[1], heads[2]};
}

inline HeadResults evaluator_results(const Model& model, const TrainingBatch& batch) {
  const auto evaluator = make_evaluator(model, batch.shape, {.backend = "eigen"}, batch.size, "test");
  HeadResults results{std::vector<float>(std::size_t(batch.size) * batch.shape.policy_size()),
                      std::vector<float>(std::size_t(batch.size) * batch.shape.value_size()),
                      std::vector<float>(std::size_t(batch.size) * batch.shape.players)};
  evaluator->evaluate({batch.size, batch.planes, batch.scalars}, {results.policy, results.value, results.auxiliary});
  return results;
}

inline void expect_close(const HeadResults& a, const HeadResults& b, float tolerance) {
  EXPECT_LT(test::largest_difference(a.policy, b.policy), tolerance);
  EXPECT_LT(test::largest_difference(a.value, b.value), tolerance);
  EXPECT_LT(test::largest_difference(a.auxiliary, b.auxiliary), tolerance);
}

// A learner whose normalisation has non-trivial scales, shifts and statistics.
inline std::unique_ptr<Learner> trained_learner(const TrainingBatch& batch, int steps = 30) {
  auto learner = small_learner(batch);
  for (int i = 0; i < steps; ++i) learner->step(batch, 0.01);
  return learner;
}

}  // namespace koridor
