#include "train/learner/rank_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "tests/error_of.h"

namespace koridor {
namespace {

using Variables = std::map<std::string, std::string>;

// The place with these variables and none of the others that could matter.
RankPlace place_with(const Variables& variables) {
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "SLURM_PROCID",
                           "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_ID", "SLURM_JOB_ID",
                           "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    ::unsetenv(name);
  }
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  return place_in_environment();
}

std::string refusal(const Variables& variables) {
  return error_of([&] { place_with(variables); });
}

TEST(RankPlace, IsAloneUnlessToldOtherwise) {
  EXPECT_EQ(place_with({}).size, 1);
  EXPECT_EQ(place_with({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).size, 1);
  // In a batch script of Slurm, of which srun would start four.
  EXPECT_EQ(place_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "0"}}).size, 1);
  EXPECT_EQ(place_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"MASTER_ADDR", "node1"}}).size, 1);
}

TEST(RankPlace, FollowsTorchrun) {
  const Variables variables{
      {"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "29500"}};
  const RankPlace place = place_with(variables);
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.size, 8);
  EXPECT_EQ(place.local, 1);
  EXPECT_EQ(place.host, "a");
  EXPECT_EQ(place.port, 29500);
}

TEST(RankPlace, FollowsSlurm) {
  Variables variables{{"SLURM_PROCID", "3"},  {"SLURM_NTASKS", "4"},  {"SLURM_LOCALID", "1"},
                      {"SLURM_STEP_ID", "2"}, {"SLURM_JOB_ID", "77"}, {"SLURM_STEP_NODELIST", "gpu[07-09,12],other"}};
  const RankPlace place = place_with(variables);
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.size, 4);
  EXPECT_EQ(place.local, 1);
  EXPECT_EQ(place.host, "gpu07");
  variables["SLURM_STEP_ID"] = "3";
  EXPECT_NE(place_with(variables).port, place.port) << "two steps of a job at one time";
  variables["SLURM_JOB_ID"] = "4026531847";  // of a cluster in a federation
  EXPECT_GE(place_with(variables).port, 20000);
  EXPECT_LT(place_with(variables).port, 32000);
  variables["SLURM_STEP_NODELIST"] = "one,two";
  EXPECT_EQ(place_with(variables).host, "one");
  variables["MASTER_ADDR"] = "10.0.0.1";
  variables["MASTER_PORT"] = "123";
  EXPECT_EQ(place_with(variables).host, "10.0.0.1");
  EXPECT_EQ(place_with(variables).port, 123);
}

TEST(RankPlace, NamesWhatIsWrong) {
  EXPECT_THAT(refusal({{"RANK", "1"}}), testing::HasSubstr("WORLD_SIZE"));
  EXPECT_THAT(refusal({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), testing::HasSubstr("RANK is \"2\""));
  EXPECT_THAT(refusal({{"RANK", "1"}, {"WORLD_SIZE", "two"}}), testing::HasSubstr("WORLD_SIZE is \"two\""));
  EXPECT_THAT(refusal({{"RANK", "1"}, {"WORLD_SIZE", "2"}}), testing::HasSubstr("MASTER_ADDR is missing"));
  EXPECT_THAT(refusal({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}),
              testing::HasSubstr("MASTER_PORT is \"\""));
}

}  // namespace
}  // namespace koridor
