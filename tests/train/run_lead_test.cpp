#include "train/run/run_lead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/json_file.h"
#include "core/base/stopped.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

// A lock alone does not keep two leaders apart where it does not reach other machines.
class Lead : public testing::Test {
 protected:
  void write_sign(int counter, const char* state = "running") {
    write_json(run_.leader(), {{"state", state},
                               {"host", "elsewhere"},
                               {"machine", "0123456789abcdef"},
                               {"pid", 4711},
                               {"counter", counter}});
  }

  TemporaryFolder folder_;
  RunDirectory run_{folder_.path() / "run"};
  std::atomic<bool> stop_{false};
};

TEST_F(Lead, IsRefusedWhileALeaderElsewhereGivesSignsOfLife) {
  write_sign(0);
  std::jthread leader([&](const std::stop_token& over) {
    for (int counter = 1; !over.stop_requested(); ++counter) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      write_sign(counter);
    }
  });
  EXPECT_THAT(error_of([&] { take_lead(run_, stop_, std::chrono::seconds(5)); }),
              HasSubstr("is in use by another: process 4711 on elsewhere"));
}

TEST_F(Lead, IsTakenWhereThatLeaderIsSilentOrHasEnded) {
  write_sign(3);
  EXPECT_NE(take_lead(run_, stop_, std::chrono::milliseconds(50)), nullptr);
  EXPECT_THAT(error_of([&] { require_lead(run_); }), HasSubstr("is led by process 4711 on elsewhere as well"));
  write_sign(4, "stopped");
  EXPECT_NE(take_lead(run_, stop_), nullptr);
  EXPECT_NO_THROW(require_lead(run_));
  write_sign(5);
  stop_ = true;
  EXPECT_THROW(take_lead(run_, stop_), Stopped);
}

}  // namespace
}  // namespace koridor
