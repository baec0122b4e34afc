// What a seed determines: a whole run, its games and its models, on any number of threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/network/model_file.h"
#include "tests/cli/command.h"
#include "tests/cli/tiny_run.h"

namespace koridor {
namespace {

TEST(Reproducible, ARunWithFixedPartsGivesTheSameModelsOnAnyNumberOfThreads) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "tiny.toml", test::kTinyConfig);
  const auto last_model = [&](int threads, double shard_seconds) {
    const std::string run = (folder / fmt::format("run-{}", threads)).string();
    const test::CommandResult result = test::koridor(
        fmt::format("train {} --run {} --set run.threads={} --set run.generations=2 --set rating.every=100 "
                    "--set selfplay.shard_seconds={} --set training.parts=3 --set training.bf16=false "
                    "--set training.window_base=100",
                    (folder / "tiny.toml").string(), run, threads, shard_seconds));
    EXPECT_EQ(result.status, 0) << result.output;
    return load_model(run + "/models/gen-0002.koridor");
  };
  // Shards end at other games, and games end in another order.
  const Model one = last_model(1, 0.1);
  const Model three = last_model(3, 10);
  EXPECT_EQ(one.tensors, three.tensors);
}

}  // namespace
}  // namespace koridor
