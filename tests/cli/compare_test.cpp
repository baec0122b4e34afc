// `koridor compare` as its users meet it: stopped, continued and added to.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/file_lock.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Compare : public testing::Test {
 protected:
  Compare() { write_file_atomically(folder_ / "tiny.toml", test::kTinyConfig); }

  // Tiny and what stands behind it, with a learning rate that follows the budget from the first step on.
  std::string arguments(const std::string& more) const {
    return fmt::format(
        "compare {0} {1} --out {2} --seeds 1 --games 2 --visits 2 --set training.warmup_steps=0 "
        "--set selfplay.games=20 --set 'rating.baselines=[\"random\"]'",
        base(), more, (folder_ / "lab").string());
  }
  std::string base() const { return (folder_ / "tiny.toml").string(); }
  // All processes of the comparison are killed at once as soon as it has made this file.
  test::CommandResult killed_once_there_is(const std::string& file, const std::string& more) const {
    return test::run(
        fmt::format("setsid {} {} & pid=$!\n"
                    "for i in $(seq 1000); do [ -e {} ] && break; sleep 0.05; done\n"
                    "kill -KILL -$pid; wait $pid",
                    test::program_word("koridor"), arguments(more), (folder_ / file).string()));
  }
  fs::file_time_type time_of(const std::string& name) const { return fs::last_write_time(folder_ / name); }

  test::TemporaryFolder folder_;
};

TEST_F(Compare, TrainsToTheCostAndAddsOnlyWhatIsMissing) {
  // Three generations; what they cost follows from the seed alone.
  const std::string budget = " --budget 0.0016";
  const test::CommandResult killed = killed_once_there_is("lab/tiny/seed-1/models/gen-0001.koridor", budget);
  EXPECT_EQ(killed.status, 128 + 9) << killed.output;
  const test::CommandResult first = test::koridor(arguments("--json" + budget));
  ASSERT_EQ(first.status, 0) << first.output;
  const std::string finished = first.output.substr(first.output.find("\n{\n") + 1);
  const nlohmann::json tables = nlohmann::json::parse(finished, nullptr, false);
  ASSERT_FALSE(tables.is_discarded()) << first.output;
  const nlohmann::json& last = tables["runs"].back();
  EXPECT_GE(last["cost"], 0.0016);
  EXPECT_GT(last["kept"], 0.0);
  // The learning rate has gone down with the budget to its end, 0.0003 by default.
  const std::string metrics = fmt::format("lab/tiny/seed-1/metrics/gen-{:04}.json", last["generation"].get<int>());
  EXPECT_LT(nlohmann::json::parse(read_file(folder_ / metrics))["learning_rate"].get<double>(), 1.5 * 0.0003);

  const auto trained = time_of(metrics);
  const auto played = time_of("lab/matches.json");
  const test::CommandResult again = test::koridor(arguments("--json" + budget));
  EXPECT_EQ(again.output, finished) << "nothing is done, and nothing else is said";
  EXPECT_EQ(time_of("lab/matches.json"), played);

  // A damaged last model is made again from its checkpoint, a damaged configuration from the recipe.
  const std::string generation = fmt::format("gen-{:04}", last["generation"].get<int>());
  const fs::path model = folder_ / "lab/tiny/seed-1/models" / (generation + ".koridor");
  const std::string sound = read_file(model);
  fs::resize_file(model, 500);
  fs::resize_file(folder_ / "lab/tiny/seed-1/config.toml", 0);
  {
    FileLock other(folder_ / "lab/lock");
    ASSERT_TRUE(other.try_take());
    test::expect_refused(arguments(budget), "lab is in use by another: process ");
  }
  EXPECT_EQ(fs::file_size(folder_ / "lab/tiny/seed-1/config.toml"), 0u) << "who is refused repairs nothing";
  const test::CommandResult healed = test::koridor(arguments("--json" + budget) + " 2>" + (folder_ / "said").string());
  EXPECT_EQ(healed.status, 0) << healed.output;
  EXPECT_EQ(read_file(model), sound);
  EXPECT_THAT(read_file(folder_ / "said"), HasSubstr("config.toml: damaged"));
  EXPECT_THAT(read_file(folder_ / "lab/tiny/seed-1/config.toml"), HasSubstr("max_cost = 0.0016"));

  const test::CommandResult more =
      test::koridor(arguments(base() + ",label=plain,training.ema=0,rating.gate_games=64" + budget));
  ASSERT_EQ(more.status, 0) << more.output;
  EXPECT_THAT(more.output, AllOf(HasSubstr("1 of 2 runs to be trained"), HasSubstr("plain: Elo "),
                                 HasSubstr("one seed says nothing of another"), HasSubstr("proven value kept ")));
  EXPECT_EQ(time_of(metrics), trained);
  EXPECT_THAT(read_file(folder_ / "lab/plain/seed-1/config.toml"), HasSubstr("gate_games = 64")) << "as its gate is";
  EXPECT_THAT(read_file(folder_ / "lab/compare.svg"), HasSubstr("Elo against cost"));

  // A board that the solver gave up is not tried again, and every start says so; JSON stands alone on standard output.
  fs::remove_all(folder_ / "lab/tiny/seed-1/yardsticks");
  write_file_atomically(folder_ / "lab/unsolved.json", R"({"quoridor:3x3,walls=1": "it is too hard"})");
  const test::CommandResult unsolved = test::koridor(arguments("--json" + budget) + " 2>/dev/null");
  EXPECT_TRUE(nlohmann::json::accept(unsolved.output)) << unsolved.output;
  EXPECT_THAT(test::koridor(arguments(budget)).output, HasSubstr("it is too hard"));

  test::expect_refused(arguments("--budget 1h"), "was trained for a budget of 0.0016 core-seconds");
  test::expect_refused(arguments("--set training.batch=64" + budget),
                       "is a run of another recipe than tiny: training.batch is 32 there and 64 here");
}

TEST_F(Compare, RefusesWhatMakesNoSense) {
  test::expect_refused(arguments("--budget soon"), "such as 600, 10m, 2h or 1d");
  test::expect_refused(arguments("--budget 1h --set run.generations=3"), "--budget ends the runs");
  test::expect_refused(arguments("--budget 1h --set training.emma=3"), "training.ema");
  write_file_atomically(folder_ / "lab/matches.json", "{");
  test::expect_refused(arguments("--budget 1h"), "matches.json: damaged: it is no JSON object; remove it");
  fs::remove_all(folder_ / "lab");
  write_file_atomically(folder_ / "lab/config.toml", "");
  test::expect_refused(arguments("--budget 1h"), "holds other files than those of a comparison, as config.toml");
  fs::remove_all(folder_ / "lab");
  const test::CommandResult small = test::koridor(arguments("--budget 0.0001"));
  EXPECT_EQ(small.status, 2);
  EXPECT_THAT(small.output, HasSubstr("--budget: a generation of tiny costs"));
}

}  // namespace
}  // namespace koridor
