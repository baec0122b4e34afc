#include "train/run/time_left.h"

#include <gtest/gtest.h>

namespace koridor {
namespace {

// Phases of 10 s of play, 20 s of training and 5 s of rating every second generation; a gate takes 7 s.
class Clockwork {
 public:
  explicit Clockwork(const TimeLeft::Plan& plan) : plan_(plan), left_(plan) {}

  void phase(RunPhase phase, int generation, double seconds) {
    left_.begin(phase, generation, now_);
    left_.progress(0);
    for (int tenth = 1; tenth <= 10; ++tenth) {
      now_ += seconds / 10;
      left_.progress(tenth / 10.0);
      estimates_.push_back({now_, left_.seconds(now_)});
    }
  }
  // Returns when the run ended.
  double run() {
    phase(RunPhase::rate, 0, 5);
    for (int generation = 1; generation <= plan_.generations; ++generation) {
      if (plan_.max_seconds > 0 && now_ >= plan_.max_seconds) break;
      if (plan_.gated && generation > 1) phase(RunPhase::gate, generation, 7);
      phase(RunPhase::play, generation, 10);
      phase(RunPhase::train, generation, 20);
      if (generation % plan_.rate_every == 0 || generation == plan_.generations) phase(RunPhase::rate, generation, 5);
    }
    left_.end(now_);
    return now_;
  }

  std::vector<std::pair<double, std::optional<double>>> estimates_;

 private:
  TimeLeft::Plan plan_;
  TimeLeft left_;
  double now_ = 0;
};

TEST(TimeLeft, MeansTheEndOfTheRunTheLastTrainingAndRatingIncluded) {
  Clockwork run({.generations = 7, .max_seconds = 0, .rate_every = 2});
  const double end = run.run();
  EXPECT_NEAR(end, 5 + 7 * 30 + 4 * 5, 1e-6);
  int known = 0;
  for (const auto& [now, left] : run.estimates_) {
    if (!left) continue;
    ++known;
    EXPECT_NEAR(*left, end - now, 1e-6) << "at " << now;
  }
  EXPECT_GT(known, 130);
  EXPECT_FALSE(run.estimates_.front().second) << "nothing is known in the first seconds";
}

TEST(TimeLeft, GatesCountBeforeEachGenerationButTheFirst) {
  Clockwork run({.generations = 5, .rate_every = 1, .gated = true});
  const double end = run.run();
  EXPECT_NEAR(end, 5 + 5 * 35 + 4 * 7, 1e-6);
  // Once each phase has been seen, the estimate is right.
  for (const auto& [now, left] : run.estimates_) {
    if (now < 5 + 35 + 7 + 1) continue;
    ASSERT_TRUE(left);
    EXPECT_NEAR(*left, end - now, 1e-6) << "at " << now;
  }
}

TEST(TimeLeft, AfterTheTimeAllowedTheGenerationIsFinished) {
  Clockwork run({.generations = 100, .max_seconds = 100, .rate_every = 1});
  const double end = run.run();
  EXPECT_NEAR(end, 5 + 3 * 35, 1e-6);
  for (const auto& [now, left] : run.estimates_) {
    if (now < 60) continue;
    EXPECT_NEAR(left.value_or(-1), end - now, 1e-6) << "at " << now;
  }
  EXPECT_NEAR(run.estimates_.front().second.value_or(0), 99.5, 1e-6) << "all that is known at first";
}

// Games are played beside the training, of which nobody says how far it is.
TEST(TimeLeft, AContinuousRunHasNoPhaseOfPlay) {
  TimeLeft left({.generations = 3, .rate_every = 1, .continuous = true});
  left.begin(RunPhase::train, 1, 0);
  EXPECT_FALSE(left.seconds(10));
  left.end(20);
  left.begin(RunPhase::rate, 1, 20);
  left.progress(0);
  left.progress(0.5);
  EXPECT_NEAR(left.seconds(22.5).value_or(0), 2.5 + 2 * 25, 1e-6);
  left.begin(RunPhase::train, 2, 25);
  EXPECT_NEAR(left.seconds(35).value_or(0), 10 + 5 + 25, 1e-6) << "by the time that has gone";
  EXPECT_NEAR(left.seconds(50).value_or(0), 5 + 25, 1e-6) << "it takes longer than the one before";
}

// A phase that was half done when the program started.
TEST(TimeLeft, APhaseThatStartsInTheMiddle) {
  TimeLeft left({.generations = 2, .max_seconds = 0, .rate_every = 1});
  left.begin(RunPhase::play, 1, 100);
  left.progress(0.5);
  left.progress(1.0);
  left.begin(RunPhase::train, 1, 110);
  EXPECT_FALSE(left.seconds(110));
  left.progress(0.75);
  EXPECT_NEAR(left.seconds(140).value_or(0), 10 + 20 + 40, 1e-6);
  left.begin(RunPhase::rate, 1, 150);
  left.begin(RunPhase::play, 2, 150);
  EXPECT_NEAR(left.seconds(150).value_or(0), 20 + 40, 1e-6) << "half of the first play took 10 s";
}

}  // namespace
}  // namespace koridor
