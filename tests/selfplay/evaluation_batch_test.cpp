#include "models/network/evaluation_batch.h"

#include <gtest/gtest.h>

#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using wall::WallGame;

// Passes everything on and counts the positions.
class Counting final : public Evaluator {
 public:
  Counting(std::unique_ptr<Evaluator> inner, int& positions) : inner_(std::move(inner)), positions_(positions) {}
  const EncodingShape& shape() const override { return inner_->shape(); }
  int max_batch() const override { return inner_->max_batch(); }
  std::string describe() const override { return "counting"; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    positions_ += batch.size;
    inner_->evaluate(batch, out);
  }

 private:
  std::unique_ptr<Evaluator> inner_;
  int& positions_;
};

class EvaluationBatchTest : public testing::Test {
 protected:
  static constexpr int kRows = 8;

  EvaluationBatch<WallGame> make(int mebibytes) {
    auto inner = network_factory("onednn")(game_.encoding({}), kRows);
    cache_ = make_cache(game_.encoding({}), mebibytes);
    return {games_, {}, std::make_unique<Counting>(std::move(inner), positions_), {.rows = kRows, .cache = cache_}};
  }

  // The position after the legal action of each rank.
  WallGame::State state(std::initializer_list<int> ranks) const {
    Position<WallGame> position(game_);
    for (const int rank : ranks) {
      ActionMask legal;
      game_.legal_actions(position.state, position.history, legal);
      position.apply(game_, legal.nth(rank));
    }
    return position.state;
  }

  static std::vector<float> floats(const Prediction& prediction) {
    std::vector<float> all(prediction.policy.begin(), prediction.policy.end());
    all.insert(all.end(), prediction.value.begin(), prediction.value.end());
    return all;
  }

  WallGame game_ = std::get<WallGame>(parse_game("quoridor:5x5,walls=3"));
  std::vector<WallGame> games_ = {game_, std::get<WallGame>(parse_game("quoridor:5x5,walls=3,repetition=3"))};
  std::shared_ptr<PredictionCache> cache_;
  int positions_ = 0;
};

TEST_F(EvaluationBatchTest, ComputesOnlyWhatItDoesNotKnow) {
  auto batch = make(1);
  for (const int known : {0, 2, 2}) {
    batch.clear();
    batch.add(state({0}), 0);
    batch.add(state({1}), 0);
    positions_ = 0;
    batch.evaluate();
    EXPECT_EQ(positions_, 2 - known);
  }
  batch.clear();
  for (int rank = 0; rank < 5; ++rank) batch.add(state({rank}), 0);
  positions_ = 0;
  batch.evaluate();
  EXPECT_EQ(positions_, 3);
  EXPECT_EQ(cache_->hits(), 6u);
}

// A wall before a move or after it: the same board, and nothing to compute.
TEST_F(EvaluationBatchTest, KnowsPositionsByAnotherOrderOfPlay) {
  const auto after = [&](std::initializer_list<const char*> actions) {
    Position<WallGame> position(game_);
    for (const char* const text : actions) {
      position.apply(game_, game_.parse_action(position.state, position.history, text).value());
    }
    return position.state;
  };
  auto batch = make(1);
  batch.add(after({"a2h", "c2", "c4"}), 0);
  batch.evaluate();
  EXPECT_EQ(positions_, 1);
  const std::vector<float> first = floats(batch.prediction(0));
  batch.clear();
  batch.add(after({"c4", "c2", "a2h"}), 0);
  batch.evaluate();
  EXPECT_EQ(positions_, 1);
  EXPECT_EQ(floats(batch.prediction(0)), first);
}

// A state of two games that differ in a rule is two positions: the network is told the rule.
TEST_F(EvaluationBatchTest, TellsTheGamesApart) {
  auto batch = make(1);
  for (const int known : {0, 2}) {
    batch.clear();
    batch.add(state({0}), 0);
    batch.add(state({0}), 1);
    positions_ = 0;
    batch.evaluate();
    EXPECT_EQ(positions_, 2 - known);
    EXPECT_NE(floats(batch.prediction(0)), floats(batch.prediction(1)));
  }
}

// Rows known and unknown, in any mixture, with a table so small that rows are overwritten all the time.
TEST_F(EvaluationBatchTest, AnswersToTheBitWithAndWithoutACache) {
  auto cached = make(1);
  const auto hits = cache_;
  auto plain = make(0);
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    cached.clear();
    plain.clear();
    for (int row = 0; row < kRows; ++row) {
      const auto next = state({random.below(12), random.below(12), random.below(12)});
      cached.add(next, 0);
      plain.add(next, 0);
    }
    cached.evaluate();
    plain.evaluate();
    for (int row = 0; row < kRows; ++row) {
      ASSERT_EQ(floats(cached.prediction(row)), floats(plain.prediction(row))) << round;
    }
  }
  EXPECT_GT(hits->hits(), 1000u);
}

}  // namespace
}  // namespace koridor
