// What a person sees of a run.
#include "train/run/loop_screen.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"
#include "train/run/run_clock.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// What `use` shows at a terminal.
std::string shown_at_terminal(const std::function<void()>& use) {
  int master = -1;
  std::fflush(stdout);
  const pid_t child = ::forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    try {
      use();
    } catch (const std::exception& error) {
      std::printf("%s", error.what());
      std::fflush(stdout);
      ::_exit(1);
    }
    std::fflush(stdout);
    ::_exit(0);
  }
  std::string text;
  std::array<char, 256> buffer;
  for (ssize_t count = 0; (count = ::read(master, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << text;
  ::close(master);
  return text;
}

TEST(LoopScreen, TheLiveLineSaysWhatOfTheLimitThatIsNearerIsSpent) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  const std::atomic<bool> stop{false};
  const auto live = [&](const std::vector<std::string>& settings, double spent) {
    return shown_at_terminal([&] {
      const Config config = parse_config("", "test", settings);
      RunClock clock(run);
      clock.begin(75);
      LoopScreen screen(run, config, "", clock, stop);
      screen.makes(3);
      screen.has_spent(spent);
      screen.live({"training"});
    });
  };
  const std::string cost = "run.max_cost=1000";
  const std::string time = "run.max_minutes=2.5";
  EXPECT_THAT(live({cost}, 0.4), HasSubstr("generation 3, 40% of the cost | training"));
  EXPECT_THAT(live({cost, time}, 0.4), HasSubstr("generation 3, 50% of the time | training"));
  EXPECT_THAT(live({cost, time}, 0.6), HasSubstr("generation 3, 60% of the cost | training"));
  EXPECT_THAT(live({time}, 0), AllOf(HasSubstr("1:15 left | generation 3/"), Not(HasSubstr("%"))));
}

// Else a [network] that was forgotten would look as if it were the model's.
TEST(LoopScreen, TheGreetingSaysThatANetworkGrows) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path() / "run");
  const std::string start = test::write_tiny_model(folder.path() / "start.koridor", 1);
  const std::atomic<bool> stop{false};
  const auto greeting = [&](int blocks) {
    std::string text = shown_at_terminal([&] {
      const std::vector<std::string> settings{"training.start_from=\"" + start + "\"",
                                              fmt::format("network.blocks={}", blocks),
                                              "network.channels=8",
                                              "network.pool_every=1",
                                              "network.policy_channels=4",
                                              "network.value_channels=4",
                                              "network.value_hidden=8"};
      const Config config = parse_config("", "test", settings);
      RunClock clock(run);
      LoopScreen(run, config, "", clock, stop).greet(0);
    });
    std::erase(text, '\r');
    std::ranges::replace(text, '\n', ' ');
    return text;
  };
  EXPECT_THAT(greeting(3), HasSubstr("whose network grows: network.blocks is 1 there and 3 here."));
  EXPECT_THAT(greeting(1), AllOf(HasSubstr("start.koridor"), Not(HasSubstr("grows"))));
}

}  // namespace
}  // namespace koridor
