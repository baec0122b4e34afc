// A run that was never trained, for commands that look at one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "tests/cli/tiny_run.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"

namespace koridor::test {

// A run of generations with random weights and the files that `rate` needs.
inline std::filesystem::path make_run(const TemporaryFolder& folder, const std::string& name, int generations,
                                      std::uint64_t seed, const std::string& game = "quoridor:3x3,walls=1") {
  Config config = parse_config(kTinyConfig, "tiny", std::vector<std::string>{"run.game=" + game});
  config.rating.baselines = {"random", "greedy"};
  const RunDirectory run(folder / name);
  write_file_atomically(run.config(), to_toml(config));
  for (int generation = 0; generation < generations; ++generation) {
    std::filesystem::create_directories(run.model(generation).parent_path());
    write_tiny_model(run.model(generation), seed + static_cast<std::uint64_t>(generation), game);
  }
  return run.root();
}

}  // namespace koridor::test
