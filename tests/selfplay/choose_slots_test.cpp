#include "selfplay/generator/choose_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "models/network/uniform.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

// Knows nothing, and takes so long for a call and more than in proportion for its positions.
class SlowEvaluator : public Evaluator {
 public:
  SlowEvaluator(std::unique_ptr<Evaluator> inner, double call_seconds, double square_seconds)
      : inner_(std::move(inner)), call_seconds_(call_seconds), square_seconds_(square_seconds) {}
  const EncodingShape& shape() const override { return inner_->shape(); }
  int max_batch() const override { return inner_->max_batch(); }
  std::string describe() const override { return "slow"; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(call_seconds_ + batch.size * batch.size * square_seconds_);
    inner_->evaluate(batch, out);
    while (std::chrono::steady_clock::now() < end) {
    }
  }

 private:
  std::unique_ptr<Evaluator> inner_;
  double call_seconds_;
  double square_seconds_;
};

SlotChoice choose(double call_seconds, double square_seconds, int games, int slots = 0) {
  GeneratorOptions options = small_options();
  options.selfplay.slots = slots;
  const EvaluatorFactory factory = [=](const EncodingShape& shape, int max_batch) {
    return std::make_unique<SlowEvaluator>(make_uniform(shape, max_batch), call_seconds, square_seconds);
  };
  return choose_slots(parse_game("quoridor:5x5,walls=3"), options, factory, games, kNeverStop);
}

TEST(ChooseSlots, TakesManyWhereCallsAreDear) {
  const SlotChoice choice = choose(0.02, 0, 100000);
  EXPECT_GE(choice.slots, 64);
  EXPECT_LE(choice.slots, kMostSlots);
  EXPECT_THAT(choice.reason, HasSubstr("1 thread x"));
  EXPECT_THAT(choice.reason, HasSubstr("evaluations/s tried: 1 x 32: "));
}

TEST(ChooseSlots, TakesFewWhereLargeBatchesAreDear) {
  // A busy machine may disturb a measurement so much that twice the time seems less; hardly three times in a row.
  int slots = kMostSlots;
  for (int attempt = 0; attempt < 3 && slots > 16; ++attempt) slots = choose(0, 2e-5, 100000).slots;
  EXPECT_LE(slots, 16);
}

TEST(ChooseSlots, LeavesEachThreadGamesEnoughAndDoesNotMeasureForFew) {
  EXPECT_EQ(choose(0.02, 0, 20).slots, 5);
  EXPECT_EQ(choose(0.02, 0, 1).slots, 1);
  EXPECT_EQ(choose(0.02, 0, 20).reason, "1 thread x 5 slots");
  EXPECT_LE(choose(0.02, 0, 200).slots, 50);
}

TEST(ChooseSlots, LeavesAPinnedNumberAlone) {
  EXPECT_EQ(choose(0.02, 0, 100000, 7).slots, 7);
}

}  // namespace
}  // namespace koridor
