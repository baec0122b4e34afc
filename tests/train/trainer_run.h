// Run directories with games of random players, for tests of the trainer.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/registry.h"
#include "models/network/model_file.h"
#include "selfplay/shards/shard.h"
#include "tests/temporary_folder.h"
#include "train/learner/random_shard.h"
#include "train/learner/trainer.h"
#include "train/run/config.h"
#include "train/run/run_config.h"
#include "train/run/run_directory.h"

namespace koridor {

inline constexpr const char* kTrainerConfig = R"(
[run]
game = "quoridor:3x3,walls=1"
seed = 5
generations = 2
threads = 1
[network]
blocks = 1
channels = 8
policy_channels = 4
value_channels = 4
value_hidden = 8
[training]
batch = 16
samples_per_position = 2
bf16 = false
)";

// By the run's own configuration.
inline TrainerEnd train_run(const std::filesystem::path& directory, int threads, const std::atomic<bool>& stop) {
  return train_run(directory, load_run_config(RunDirectory(directory)), threads, stop);
}

class TrainerRuns : public testing::Test {
 protected:
  // A run directory with the games of `generations` generations in two shards each.
  RunDirectory make_run(const std::string& name, int generations, const std::string& settings = kTrainerConfig) {
    const RunDirectory run(folder_ / name);
    const Config config = parse_config(settings, "test");
    write_file_atomically(run.config(), to_toml(config));
    for (int generation = 0; generation < generations; ++generation) add_games(run, generation);
    return run;
  }

  void add_games(const RunDirectory& run, int generation) {
    const Config config = load_config(run.config().string());
    for (int i = 0; i < 2; ++i) {
      ShardData shard =
          random_shard(parse_game(config.run.game), 10, std::uint64_t(10 * generation + i), config_hash(config));
      shard.game_simulations.assign(10, 100);
      shard.game_evaluations.assign(10, 50);
      write_shard((run.shards(generation) / fmt::format("{}.h5", i)).string(), shard);
    }
    write_file_atomically(run.complete(generation), "");
  }

  TrainerEnd train(const RunDirectory& run) { return train_run(run.root(), 1, never_); }

  // Trains in many sittings, until the run has this model.
  static void train_until(const RunDirectory& run, int generation) {
    const std::atomic<bool> at_once{true};
    while (!std::filesystem::exists(run.model(generation))) train_run(run.root(), 1, at_once);
  }

  // The weights of two models may differ by rounding only.
  static void expect_same_model(const std::filesystem::path& a, const std::filesystem::path& b, float bound = 1e-5f) {
    const Model first = load_model(a.string());
    const Model second = load_model(b.string());
    for (const auto& [name, values] : first.tensors) {
      const std::vector<float>& others = second.tensors.at(name);
      ASSERT_EQ(values.size(), others.size());
      for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], others[i], bound) << name;
    }
  }

  const TemporaryFolder folder_;
  std::atomic<bool> never_{false};
};

}  // namespace koridor
