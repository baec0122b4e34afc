// What tests of the worker share: its job, and the games that it leaves.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "selfplay/generator/worker.h"
#include "selfplay/shards/shard.h"
#include "selfplay/shards/verify.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {

// So many games of a small board, which two threads play without a network.
inline SelfplayJob job_in(const std::filesystem::path& folder, int games) {
  SelfplayJob job{.game = parse_game("quoridor:3x3,walls=1")};
  job.selfplay = small_options().selfplay;
  job.selfplay.games = games;
  job.selfplay.evaluation.backend = "uniform";
  job.selfplay.shard_seconds = 1e-4;  // many shards
  job.seed = 5;
  job.generation = 2;
  job.config_hash = "abc";
  job.threads = 2;
  job.shards = folder / "shards";
  job.complete = job.shards / "complete";
  job.status = folder / "status" / "selfplay.json";
  return job;
}

// Every game of the folder by number, each checked against the rules and counted.
inline std::map<std::uint32_t, std::vector<std::uint16_t>> games_in(const std::filesystem::path& folder) {
  std::map<std::uint32_t, std::vector<std::uint16_t>> games;
  for (const std::filesystem::path& path : shards_in(folder)) {
    const ShardData data = read_shard(path.string());
    EXPECT_THAT(verify_shard(data), ::testing::IsEmpty()) << path;
    for (std::size_t i = 0; i < data.games(); ++i) {
      const auto first = data.ply_action.begin() + data.game_first_ply[i];
      const bool added = games.try_emplace(data.game_number[i], first, first + data.game_plies[i]).second;
      EXPECT_TRUE(added) << "game " << data.game_number[i] << " is there twice";
    }
  }
  return games;
}

}  // namespace koridor
