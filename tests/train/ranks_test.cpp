// Processes that train together, as threads of this one: c10d sees no difference.
#include "train/learner/ranks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/error_of.h"
#include "tests/train/free_port.h"
#include "tests/train/rank_threads.h"
#include "train/learner/learner.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

TEST(Ranks, ActTogether) {
  run_ranks(3, [](Ranks& ranks) {
    const int rank = ranks.place().rank;
    EXPECT_EQ(ranks.is_first(), rank == 0);
    std::vector<float> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(rank));
    ranks.add_up(numbers);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(numbers[i], static_cast<float>(3 * i + 3));
    std::string text = rank == 0 ? "what the first says" : "";
    ranks.broadcast(text);
    EXPECT_EQ(text, "what the first says");
    EXPECT_TRUE(ranks.any(rank == 2));
    EXPECT_FALSE(ranks.any(false));
    bool worked = false;
    ranks.side_by_side([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50 * rank));
      worked = true;
    });
    EXPECT_TRUE(worked);
    ranks.require_equal(0xFEDCBA9876543210u, "");
    const std::string error = error_of([&] { ranks.require_equal(rank == 2 ? 1u << 20 : 0, "the weights"); });
    EXPECT_EQ(error, "the weights: trainer 3 of 3 has others than the first");
  });
}

TEST(Ranks, LosingOneIsNoticed) {
  run_ranks(2, [](Ranks& ranks) {
    if (!ranks.is_first()) return;
    const std::string error = error_of([&] {
      for (int i = 0; i < 3; ++i) ranks.any(false);
    });
    EXPECT_THAT(error, testing::StartsWith("another trainer has ended or does not answer ("));
  });
}

TEST(Ranks, AloneNothingIsSent) {
  const std::atomic<bool> never{false};
  const auto ranks = Ranks::join({}, never);
  EXPECT_TRUE(ranks->alone() && ranks->is_first());
  std::vector<float> numbers{1, 2};
  ranks->add_up(numbers);
  EXPECT_EQ(numbers[1], 2.0f);
  EXPECT_FALSE(ranks->any(false));
}

TEST(Ranks, ATakenPortIsNamed) {
  run_ranks(2, [](Ranks& ranks) {
    const std::atomic<bool> never{false};
    RankPlace place = ranks.place();
    place.rank = 0;
    EXPECT_EQ(error_of([&] { Ranks::join(place, never); }),
              fmt::format("port {} of 127.0.0.1 is taken: set MASTER_PORT to another", place.port));
    ranks.any(false);
  });
}

TEST(Ranks, WaitingForOthersCanBeStopped) {
  const std::atomic<bool> stop{true};
  EXPECT_EQ(Ranks::join({.rank = 1, .size = 2, .host = "127.0.0.1", .port = free_port()}, stop), nullptr);
  EXPECT_EQ(Ranks::join({.rank = 0, .size = 2, .host = "127.0.0.1", .port = free_port()}, stop), nullptr);
}

TEST(Ranks, AStopOfOneThatWaitsIsForAll) {
  const int port = free_port();
  const std::atomic<bool> never{false};
  std::atomic<bool> stop{false};
  const auto join = [port](int rank, const std::atomic<bool>& stopped) {
    EXPECT_EQ(Ranks::join({.rank = rank, .size = 3, .host = "127.0.0.1", .port = port}, stopped), nullptr);
  };
  const auto began = std::chrono::steady_clock::now();
  {
    const std::jthread first([&] { join(0, never); });
    const std::jthread second([&] { join(1, stop); });
    std::this_thread::sleep_for(std::chrono::seconds(1));
    stop = true;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

// A learner that has made steps, and what it said of them.
struct Trained {
  std::vector<StepResult> steps;
  LearnerState state;
};

constexpr int kSteps = 60;

// `before` sees the learner before each step, and the step's batch, which it may change.
Trained train(int parts, Ranks* ranks, const Model* start = nullptr,
              const std::function<void(int, Learner&, TrainingBatch&)>& before = nullptr) {
  const AnyGame game = parse_game("quoridor:5x5,walls=2");
  TrainingConfig training;
  training.batch = 32;
  training.parts = parts;
  training.bf16 = false;
  training.learning_rate = 0.01;
  training.cheap_share = 0.2;  // some samples have no policy, and the parts' losses must add up all the same
  NetworkConfig network;
  network.blocks = 2;
  network.channels = 8;
  ReplayWindow window({game}, Features{}, training, "");
  window.add("made up", random_shard(game, 10, 1));
  const EncodingShape shape = std::visit([](const auto& known) { return known.encoding({}); }, game);
  Learner learner({network, training_signature({}, shape), training}, 1, 1, ranks);
  if (start != nullptr) learner.start_from(*start, "a model");
  Trained trained;
  for (int step = 0; step < kSteps; ++step) {
    Random random(static_cast<std::uint64_t>(step));
    TrainingBatch batch;
    const BatchPart part = ranks == nullptr ? BatchPart{} : BatchPart{ranks->place().rank, ranks->size()};
    window.sample(training.batch, random, batch, part);
    if (before) before(step, learner, batch);
    trained.steps.push_back(learner.step(batch, 0.01).value());
  }
  trained.state = learner.state();
  return trained;
}

TEST(Ranks, TwoOnHalfBatchesLearnWhatOneLearns) {
  const Trained whole = train(2, nullptr);
  std::vector<Trained> halves(2);
  run_ranks(2, [&](Ranks& ranks) { halves[static_cast<std::size_t>(ranks.place().rank)] = train(2, &ranks); });
  EXPECT_EQ(halves[0].state.weights.parameters, halves[1].state.weights.parameters) << "to the last bit";
  EXPECT_EQ(halves[0].state.weights.statistics, halves[1].state.weights.statistics);
  EXPECT_EQ(halves[0].state.optimizer.average, halves[1].state.optimizer.average);
  EXPECT_EQ(halves[0].state.average_statistics, halves[1].state.average_statistics);
  for (int step = 0; step < kSteps; ++step) {
    const StepResult& one = whole.steps[static_cast<std::size_t>(step)];
    for (const Trained& half : halves) {
      const StepResult& two = half.steps[static_cast<std::size_t>(step)];
      ASSERT_NEAR(two.loss, one.loss, 1e-3f) << step;
      ASSERT_NEAR(two.each[0], one.each[0], 1e-3f) << step;
      ASSERT_NEAR(two.gradient_norm, one.gradient_norm, 1e-3f * one.gradient_norm) << step;
      ASSERT_EQ(two.quality.samples, one.quality.samples);
      ASSERT_EQ(two.quality.policies, one.quality.policies);
      ASSERT_NEAR(two.quality.value_brier(), one.quality.value_brier(), 1e-3) << step;
    }
  }
  EXPECT_LT(whole.steps.back().loss, 0.9f * whole.steps.front().loss) << "nothing was learned";
  EXPECT_EQ(halves[0].state.weights.parameters, whole.state.weights.parameters) << "two parts are added in any order";
  EXPECT_EQ(halves[0].state.weights.statistics, whole.state.weights.statistics);
  EXPECT_EQ(halves[0].state.optimizer.average, whole.state.optimizer.average);
}

TEST(Ranks, WhatIsNoNumberForOneIsSkippedByAll) {
  run_ranks(2, [](Ranks& ranks) {
    constexpr int kSpoiled = 3;
    std::vector<float> before;
    const Trained trained = train(0, &ranks, nullptr, [&](int step, Learner& learner, TrainingBatch& batch) {
      if (step == kSpoiled && !ranks.is_first()) batch.planes[0] = NAN;
      if (step == kSpoiled) before = learner.state().weights.parameters;
      if (step == kSpoiled + 1) {
        EXPECT_EQ(learner.state().weights.parameters, before);
      }
    });
    EXPECT_FALSE(std::isfinite(trained.steps[kSpoiled].gradient_norm));
    EXPECT_EQ(trained.state.optimizer.steps, kSteps - 1);
    const auto is_number = [](float value) { return std::isfinite(value); };
    EXPECT_TRUE(std::ranges::all_of(trained.state.weights.statistics, is_number));
    EXPECT_TRUE(std::ranges::all_of(trained.state.average_statistics, is_number));
  });
}

TEST(Ranks, AnArithmeticThatTheOthersDidNotAgreeToIsNotKept) {
  run_ranks(2, [](Ranks& ranks) {
    if (!ranks.is_first()) return;
    bool chosen = true;
    const std::string error = error_of([&] {
      train(0, &ranks, nullptr, [&](int, Learner& learner, TrainingBatch& batch) {
        EXPECT_THROW(learner.step(batch, 0.01), RankLost);
        chosen = learner.state().arithmetic_chosen;
      });
    });
    EXPECT_THAT(error, testing::StartsWith("another trainer has ended"));
    EXPECT_FALSE(chosen);
  });
}

TEST(Ranks, StartFromTheSameStatistics) {
  ModelInfo info;
  const AnyGame game = parse_game("quoridor:5x5,walls=2");
  info.family = "wall";
  info.game = "quoridor:5x5,walls=2";
  info.network.blocks = 2;
  info.network.channels = 8;
  info.signature = training_signature({}, std::visit([](const auto& known) { return known.encoding({}); }, game));
  const Model model = random_model(info, 1);
  std::vector<Trained> halves(2);
  run_ranks(2, [&](Ranks& ranks) { halves[static_cast<std::size_t>(ranks.place().rank)] = train(0, &ranks, &model); });
  EXPECT_EQ(halves[0].state.weights.parameters, halves[1].state.weights.parameters);
  EXPECT_EQ(halves[0].state.average_statistics, halves[1].state.average_statistics);
}

TEST(Ranks, BatchesThatCannotBeSharedAreRefused) {
  run_ranks(2, [](Ranks& ranks) {
    EXPECT_EQ(error_of([&] { train(3, &ranks); }),
              "training.parts: 2 trainers cannot share 3 parts; a multiple of 2, or 0, can be shared");
  });
}

}  // namespace
}  // namespace koridor
