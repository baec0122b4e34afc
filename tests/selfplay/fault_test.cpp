#include "selfplay/generator/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/json_file.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

TEST(Fault, IsGoneWhenNothingFailsAnyMore) {
  const TemporaryFolder folder;
  Heartbeat heartbeat(folder.path() / "sign.json");
  Fault fault(heartbeat, std::chrono::milliseconds(0), true);
  const auto fail = [](const char* why) { return [why] { throw UserError(why); }; };
  const auto works = [] {};
  const auto said = [&] { return member(read_json(heartbeat.file()), "fault", std::string()); };
  testing::internal::CaptureStderr();
  EXPECT_FALSE(fault.attempt(fail("the disk is full"), 1));
  EXPECT_TRUE(fault.attempt(works, 2)) << "other work goes on";
  EXPECT_EQ(said(), "the disk is full");
  EXPECT_FALSE(fault.attempt(fail("the file is damaged"), 2));
  EXPECT_EQ(said(), "the file is damaged");
  EXPECT_TRUE(fault.attempt(works, 2));
  EXPECT_EQ(said(), "the disk is full");
  EXPECT_EQ(fault.text(), "the disk is full");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "koridor: the disk is full; tried again every 0 s\n");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(fault.attempt(works, 1));
  EXPECT_EQ(said(), "");
  EXPECT_EQ(fault.text(), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("the fault is gone"));
}

TEST(Fault, OnlyWhatFailedIsPutOff) {
  const TemporaryFolder folder;
  Heartbeat heartbeat(folder.path() / "sign.json");
  Fault fault(heartbeat, std::chrono::hours(1), true);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(fault.attempt([] { throw UserError("not now"); }, 1));
  int tries = 0;
  const auto count = [&] { ++tries; };
  EXPECT_FALSE(fault.attempt(count, 1));
  EXPECT_EQ(tries, 0);
  EXPECT_TRUE(fault.attempt(count, 2));
  fault.hurry();
  EXPECT_TRUE(fault.attempt(count, 1));
  EXPECT_EQ(tries, 2);
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace koridor
