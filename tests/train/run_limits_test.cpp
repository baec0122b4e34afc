#include "train/run/run_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace koridor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> keys(const std::vector<RunLimit>& limits) {
  std::vector<std::string> names;
  for (const RunLimit& limit : limits) names.push_back(limit.key);
  return names;
}

RunConfig limited(int generations, double max_minutes, double max_cost) {
  RunConfig config;
  config.generations = generations;
  config.max_minutes = max_minutes;
  config.max_cost = max_cost;
  return config;
}

TEST(RunLimits, ThoseThatAreReachedAreNamed) {
  EXPECT_THAT(keys(reached_limits(limited(5, 10, 100), {4, 9.5, 99})), IsEmpty());
  EXPECT_THAT(keys(reached_limits(limited(5, 10, 100), {5, 10, 100})),
              ElementsAre("run.generations", "run.max_minutes", "run.max_cost"));
  EXPECT_THAT(keys(reached_limits(limited(5, 0, 0), {4, 1e6, 1e6})), IsEmpty()) << "0 is no limit";
}

TEST(RunLimits, ACostThatIsNotKnownHasEndedTheRunIfNothingElseHas) {
  EXPECT_THAT(keys(reached_limits(limited(5, 0, 100), {4, 1, std::nullopt})), ElementsAre("run.max_cost"));
  EXPECT_THAT(keys(reached_limits(limited(5, 0, 100), {5, 1, std::nullopt})), ElementsAre("run.generations"));
}

TEST(RunLimits, TheNextOneIsBeyondWhatTheRunHasCome) {
  EXPECT_EQ((RunLimit{"run.max_minutes", 6, 6.1}.next()), 12);
  EXPECT_EQ((RunLimit{"run.max_minutes", 0.5, 7.3}.next()), 15) << "it came so far by a larger value before";
}

TEST(RunLimits, TheCommandSaysEachKeyOnce) {
  const std::vector<std::string> settings{"run.max_cost=100", "run.game=go:5x5,komi=3 points"};
  EXPECT_EQ(command_beyond("again", settings, {}),
            "again --set run.max_cost=100 --set 'run.game=go:5x5,komi=3 points'");
  EXPECT_EQ(command_beyond("again", settings, {{"run.generations", 3, 3}, {"run.max_cost", 100, 120}}),
            "again --set 'run.game=go:5x5,komi=3 points' --set run.generations=6 --set run.max_cost=200");
}

}  // namespace
}  // namespace koridor
