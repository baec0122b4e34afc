#include "train/learner/steps.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <utility>

#include "tests/error_of.h"
#include "train/learner/random_shard.h"
#include "train/learner/training_parts.h"

namespace koridor {
namespace {

class StepsTest : public testing::Test {
 protected:
  StepsTest() : window_({game_}, Features{}, training_, "") {
    training_.batch = 8;
    training_.bf16 = false;
    network_.blocks = 1;
    network_.channels = 8;
    window_.add("a", random_shard(game_, 3, 1));
    const NetworkSignature inputs = signature(std::get<wall::WallGame>(game_).encoding(Features{}));
    learner_ = std::make_unique<Learner>(NetworkTraining{network_, inputs, training_}, 1, 1);
  }

  StepSummary run(int first, int last, const std::function<bool(int, const StepSummary&)>& after_step) {
    return run_steps(*learner_, window_, training_, {{1, 0, first, last, training_.batch}, 0, 0.25}, after_step);
  }

  AnyGame game_ = parse_game("quoridor:3x3,walls=1");
  TrainingConfig training_;
  NetworkConfig network_;
  ReplayWindow window_;
  std::unique_ptr<Learner> learner_;
};

TEST(StepsFor, RoundsUp) {
  TrainingConfig training;
  training.batch = 256;
  training.samples_per_position = 4;
  EXPECT_EQ(steps_for(training, 0), 0);
  EXPECT_EQ(steps_for(training, 1), 1);
  EXPECT_EQ(steps_for(training, 64), 1);
  EXPECT_EQ(steps_for(training, 65), 2);
}

TEST(StepsFor, AreRefusedWhereTheyAreMoreThanANumberHolds) {
  TrainingConfig training;
  training.batch = 1;
  training.samples_per_position = 1000;
  EXPECT_EQ(steps_for(training, 2'000'000), 2'000'000'000);
  EXPECT_EQ(
      error_of([&] { steps_for(training, 3'000'000); }),
      "training.samples_per_position (1000) and training.batch (1) make 3000000000 steps of 3000000 positions, and "
      "2147483647 is the most; give fewer samples or a larger batch");
}

// A trained network would learn the few positions of its first generations by heart.
TEST(StepsFor, AreFewerWhileTheWindowOfARunFromAModelFills) {
  TrainingConfig training;
  training.batch = 256;
  training.samples_per_position = 4;
  training.window_base = 10'000;
  EXPECT_EQ(steps_of_generation(training, 1000, 1000), 16) << "from nothing";
  training.start_from = "a.koridor";
  EXPECT_EQ(steps_of_generation(training, 1000, 1000), 2);
  EXPECT_EQ(steps_of_generation(training, 1000, 5000), 8);
  EXPECT_EQ(steps_of_generation(training, 1000, 10'000), 16);
  EXPECT_EQ(steps_of_generation(training, 1000, 50'000), 16);
  EXPECT_EQ(steps_of_generation(training, 3, 3), 1) << "new positions are learned from";
  EXPECT_EQ(steps_of_generation(training, 0, 3), 0);
}

TEST_F(StepsTest, RunsTheRangeAndReportsEachStep) {
  std::vector<int> seen;
  const StepSummary summary = run(3, 10, [&](int step, const StepSummary& so_far) {
    seen.push_back(step);
    EXPECT_EQ(so_far.steps, static_cast<int>(seen.size()));
    return true;
  });
  EXPECT_EQ(seen, (std::vector<int>{4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(summary.steps, 7);
  EXPECT_EQ(learner_->steps(), 7);
  const std::vector<double> each = summary.all.each();
  EXPECT_NEAR(report_of(summary.all, *learner_).loss, each[0] + each[1] + 0.15 * each[2], 1e-9);
  EXPECT_GT(summary.samples_per_second, 0);
  EXPECT_EQ(run(10, 10, [](int, const StepSummary&) { return true; }).steps, 0);
}

// As after a stop: the second call goes on with what the first has counted.
TEST_F(StepsTest, FiguresGoOnFromThoseBefore) {
  const auto go_on = [](int, const StepSummary&) { return true; };
  const StepSummary first = run(0, 4, go_on);
  const StepPlan rest{.range = {1, 0, 4, 10, training_.batch}, .to = 0.25, .before = first};
  const StepSummary all = run_steps(*learner_, window_, training_, rest, go_on);
  EXPECT_EQ(all.steps, 10);
  EXPECT_EQ(all.all.weight(), 10);
  EXPECT_EQ(all.boards.at(0).weight(), 10);
  EXPECT_EQ(all.all.quality().samples, 10 * training_.batch);
  EXPECT_GT(all.seconds, first.seconds);
}

TEST(StepFigures, RecentStepsCountMoreAndBoardsAreApart) {
  StepFigures all;
  StepFigures recent;
  for (int i = 0; i < 200; ++i) {
    StepResult step{.gradient_norm = 2.0f, .each = {3.0f, i < 100 ? 4.0f : 1.0f}};
    step.quality.samples = 10;
    step.quality.policies = 10;
    step.quality.entropy = i < 100 ? 20 : 5;
    all.add(step);
    recent.add(step, 10);
  }
  EXPECT_NEAR(all.each().at(1), 2.5, 1e-9);
  EXPECT_NEAR(recent.each().at(1), 1.0, 1e-3);
  EXPECT_NEAR(recent.each().at(0), 3.0, 1e-9);
  EXPECT_NEAR(recent.gradient_norm(), 2.0, 1e-9);
  EXPECT_NEAR(recent.quality().policy_entropy(), 0.5, 1e-3);
  EXPECT_NEAR(all.quality().policy_entropy(), 1.25, 1e-9);
}

TEST(StepFigures, ThePolicysLossIsAMeanOverSamplesThatHaveAPolicy) {
  StepFigures figures;
  for (const auto& [policies, loss] : {std::pair{1.0, 4.0f}, {0.0, 0.0f}, {3.0, 2.0f}}) {
    StepResult step{.loss = 0, .gradient_norm = 0, .each = {loss, 1.0f}};
    step.quality.samples = 8;
    step.quality.policies = policies;
    figures.add(step);
  }
  EXPECT_NEAR(figures.each().at(0), 10.0 / 4, 1e-9);
  EXPECT_NEAR(figures.each().at(1), 1.0, 1e-9);
  EXPECT_EQ(StepFigures().each().size(), 0u);
}

TEST_F(StepsTest, EachBoardHasItsLosses) {
  const std::vector<AnyGame> games{game_, parse_game("quoridor:4x4,walls=1")};
  ReplayWindow window(games, Features{}, training_, "");
  window.add("a", random_shard(games[0], 5, 1));
  window.add("b", random_shard(games[1], 5, 1));
  const StepSummary summary = run_steps(*learner_, window, training_, {{1, 0, 0, 20, training_.batch}, 1},
                                        [](int, const StepSummary&) { return true; });
  ASSERT_EQ(summary.boards.size(), 2u);
  const StepFigures& first = summary.boards[0];
  const StepFigures& second = summary.boards[1];
  EXPECT_EQ(first.weight() + second.weight(), 20);
  EXPECT_GT(first.weight(), 0);
  EXPECT_GT(second.weight(), 0);
  for (const std::size_t head : {0u, 1u, 2u}) {
    EXPECT_NEAR((first.each()[head] * first.weight() + second.each()[head] * second.weight()) / 20,
                summary.all.each()[head], 1e-6);
  }
}

TEST_F(StepsTest, EndsWhenAsked) {
  EXPECT_EQ(run(0, 100, [](int step, const StepSummary&) { return step < 5; }).steps, 5);
}

TEST_F(StepsTest, ALossThatIsNoNumberIsAnErrorAfterAWhile) {
  LearnerState state = learner_->state();
  state.weights.parameters[0] = std::numeric_limits<float>::infinity();
  learner_->restore(state, "");
  const std::string message = error_of([&] {
    run(0, 1000, [](int, const StepSummary& summary) {
      EXPECT_EQ(summary.skipped, summary.steps);
      return true;
    });
  });
  EXPECT_NE(message.find("training.learning_rate"), std::string::npos) << message;
}

}  // namespace
}  // namespace koridor
