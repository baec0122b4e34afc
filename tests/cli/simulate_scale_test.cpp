// `koridor simulate-scale`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/files.h"
#include "tests/cli/command.h"
#include "tests/cli/made_run.h"
#include "tests/cli/tables_of.h"
#include "train/run/figure_lines.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

using test::json_of;
using test::make_run;

TEST(SimulateScaleCommand, HasARowForEachNumberOfWorkers) {
  const test::TemporaryFolder folder;
  const RunDirectory run(make_run(folder, "run", 2, 1));
  write_file_atomically(
      run.figures(), figure_line_text({{"generation", 1},
                                       {"selfplay", {{"games", 60}, {"plies", 10.0}, {"positions_per_second", 100.0}}},
                                       {"training", {{"samples_per_second", 1e6}, {"new_positions", 600}}}}));
  const auto rows = json_of("simulate-scale " + run.root().string() + " --workers 1,4 --worker 2")["scale"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["workers"], 1);
  EXPECT_EQ(rows[1]["workers"], 4);
  const double one = rows[0]["games_per_second"];
  const double four = rows[1]["games_per_second"];
  EXPECT_GT(one, 0);
  EXPECT_LT(one, 2.1) << "a worker plays two games per second";
  EXPECT_GT(four, one);
}

}  // namespace
}  // namespace koridor
