// Commands that are stopped before they have what was asked for say so, and do not end as if they had it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/background_command.h"
#include "tests/eventually.h"
#include "tests/text_of.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

// The processor time that a process has taken, in seconds; 0 where it is not known.
double processor_seconds(pid_t pid) {
  const std::string line = text_of("/proc/" + std::to_string(pid) + "/stat");
  std::stringstream fields(line.substr(std::min(line.rfind(')'), line.size() - 1) + 1));
  std::string field;
  for (int i = 0; i < 11; ++i) fields >> field;  // from the state to what children cost
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

struct Stop {
  int status;
  std::string output;
};

// Sends the command a Ctrl-C when it has worked for a second of processor time: starting takes less of that, however
// slow the machine is.
Stop stopped_at_work(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  test::Command command(arguments, folder.path() / "log");
  EXPECT_TRUE(eventually([&] { return processor_seconds(command.pid()) > 1; })) << command.output();
  ::kill(command.pid(), SIGINT);
  const std::optional<int> status = command.wait_for(std::chrono::seconds(60));
  return {status.value_or(-1), command.output()};
}

TEST(Stopped, ACommandWithoutFilesEndsAtOnceWithAWord) {
  const Stop perft = stopped_at_work({"perft", "quoridor", "--depth", "9"});
  EXPECT_EQ(perft.status, 128 + SIGINT);
  EXPECT_THAT(perft.output, HasSubstr("koridor: stopped\n"));
}

TEST(Stopped, TheBenchOfPlayoutsEndsSoon) {
  const Stop bench = stopped_at_work({"bench", "playouts"});
  EXPECT_EQ(bench.status, 130);
  EXPECT_THAT(bench.output, HasSubstr("koridor: stopped before everything was measured\n"));
}

TEST(Stopped, OpeningsThatWereNotWrittenAreNoSuccess) {
  const TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder.path() / "model.koridor", 1, "quoridor");
  const std::string out = (folder.path() / "openings.txt").string();
  const Stop openings = stopped_at_work(
      {"openings", "quoridor", "--model", model, "--count", "100000", "--even", "0.5", "--plies", "20", "--out", out});
  EXPECT_EQ(openings.status, 130);
  EXPECT_THAT(openings.output, HasSubstr("koridor: stopped; " + out + " was not written\n"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Stopped, AGameThatWasNotSolvedIsNoSuccess) {
  const Stop solve = stopped_at_work({"solve", "quoridor:5x5,walls=8"});
  EXPECT_EQ(solve.status, 130);
  EXPECT_THAT(solve.output, HasSubstr("koridor: stopped before quoridor:5x5,walls=8 was solved\n"));
}

}  // namespace
}  // namespace koridor
