// A run directory that the test leads itself, for tests of those who join a run or look at it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/json_file.h"
#include "core/base/version.h"
#include "tests/temporary_folder.h"
#include "train/run/config.h"
#include "train/run/run_config.h"
#include "train/run/run_directory.h"
#include "train/run/run_status.h"

namespace koridor::test {

// Generation 0 of a tiny game is to be played.
class LedRun : public testing::Test {
 protected:
  LedRun() {
    const std::vector<std::string> settings = {"run.game=\"quoridor:3x3,walls=1\"",
                                               "selfplay.games=40",
                                               "selfplay.slots=4",
                                               "selfplay.visits=8",
                                               "network.blocks=1",
                                               "network.channels=8",
                                               "run.threads=1"};
    config_ = parse_config("", "test", settings);
    save_run_config(run_, config_);
    lead("running");
  }

  void lead(const std::string& state) {
    leader_ = {{"state", state}, {"phase", "play"}, {"generation", 0}, {"game", 0}};
    leader_.update({{"version", this_build().version}, {"commit", this_build().commit}});
    write_json(run_.leader(), leader_);
  }

  RunStatus status() { return run_status(run_, std::chrono::milliseconds(0), stop_); }
  std::vector<std::string> stuck() { return status().stuck; }

  TemporaryFolder folder_;
  RunDirectory run_{folder_.path() / "run"};
  Config config_;
  nlohmann::json leader_;
  std::atomic<bool> stop_{false};
};

}  // namespace koridor::test
