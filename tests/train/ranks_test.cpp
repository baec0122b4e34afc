// Processes that train together, as threads of this one: c10d sees no difference.
#include "train/learner/ranks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/train/free_port.h"
#include "tests/train/rank_threads.h"
#include "train/learner/learner.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

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

// A learner that has made steps, and what it said of them.
struct Trained {
  std::vector<StepResult> steps;
  LearnerState state;
};

constexpr int kSteps = 60;

Trained train(int parts, Ranks* ranks, const Model* start = nullptr) {
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
  Learner learner(network, training_signature({}, shape), training, 1, 1, ranks);
  if (start != nullptr) learner.start_from(*start, "a model");
  Trained trained;
  for (int step = 0; step < kSteps; ++step) {
    Random random(static_cast<std::uint64_t>(step));
    TrainingBatch batch;
    const BatchPart part = ranks == nullptr ? BatchPart{} : BatchPart{ranks->place().rank, ranks->size()};
    window.sample(training.batch, random, batch, part);
    trained.steps.push_back(learner.step(batch, 0.01));
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
