#include "train/learner/replay_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "core/base/files.h"
#include "selfplay/shards/shard.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/train/small_window.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

TEST(WindowPositions, FollowsKataGosFormula) {
  TrainingConfig config;
  config.window_base = 250000;
  config.window_exponent = 0.75;
  config.window_scale = 0.4;
  EXPECT_DOUBLE_EQ(window_positions(config, 0), 250000);
  EXPECT_DOUBLE_EQ(window_positions(config, 250000), 250000);
  // 16 c: 16^0.75 = 8, so c (1 + 0.4 * 7 / 0.75).
  EXPECT_NEAR(window_positions(config, 4e6), 250000 * (1 + 0.4 * 7 / 0.75), 1e-3);
}

TEST(ReplayWindow, CountsOnlyFullSearches) {
  ShardData shard = random_shard(small_game(), 5, 1);
  const std::size_t plies = shard.plies();
  shard.ply_kind[0] = static_cast<std::uint8_t>(PlyKind::cheap);
  shard.ply_kind[1] = static_cast<std::uint8_t>(PlyKind::opening);
  ReplayWindow window = small_window();
  EXPECT_EQ(window.add("a", shard), plies - 2);
  EXPECT_EQ(window.positions(), plies - 2);
  EXPECT_EQ(window.positions_so_far(), plies - 2);
}

// With a share of 1 a ply is a sample as often as its surprise exceeds the game's mean; their number stays about equal.
TEST(ReplayWindow, SurprisingPliesAreSamplesMoreOften) {
  ShardData shard = random_shard(small_game(), 40, 1);
  shard.ply_depth.assign(shard.plies(), 0);
  shard.ply_largest_depth.assign(shard.plies(), 0);
  for (std::size_t ply = 0; ply < shard.plies(); ++ply) shard.ply_surprise.push_back(ply % 2 == 0 ? 3000 : 0);
  TrainingConfig config;
  config.surprise_share = 1;
  ReplayWindow window = small_window(config);
  const std::size_t samples = window.add("a", shard);
  EXPECT_NEAR(static_cast<double>(samples), static_cast<double>(shard.plies()),
              0.1 * static_cast<double>(shard.plies()));
  TrainingBatch batch;
  window.read(0, 0, static_cast<int>(samples), batch);
  const std::size_t planes = batch.planes.size() / samples;
  std::set<std::vector<float>> different;
  for (std::size_t row = 0; row < samples; ++row) {
    different.emplace(batch.planes.begin() + static_cast<std::ptrdiff_t>(row * planes),
                      batch.planes.begin() + static_cast<std::ptrdiff_t>((row + 1) * planes));
  }
  EXPECT_LT(different.size(), 6 * samples / 10) << "every second ply is left out";
}

// A generation's games, each in a shard of its own.
std::vector<ShardData> single_games(int games, int generation) {
  std::vector<ShardData> shards;
  for (int number = 0; number < games; ++number) {
    shards.push_back(random_shard(small_game(), 1, static_cast<std::uint64_t>(100 * generation + number)));
    shards.back().info.generation = generation;
    shards.back().game_number[0] = static_cast<std::uint32_t>(number);
  }
  return shards;
}

TEST(ReplayWindow, DropsTheOldestGamesOnly) {
  TrainingConfig config;
  config.window_base = 60;
  config.window_scale = 0.01;
  ReplayWindow window = small_window(config);
  std::vector<std::size_t> sizes;  // of the shards of four games each
  for (int generation = 0; generation < 6; ++generation) {
    ShardData shard = random_shard(small_game(), 4, static_cast<std::uint64_t>(generation));
    shard.info.generation = generation;
    sizes.push_back(window.add(std::to_string(generation), shard));
    window.trim();
    const double wanted = window_positions(config, static_cast<double>(window.positions_so_far()));
    if (window.positions() < window.positions_so_far()) {
      EXPECT_GE(static_cast<double>(window.positions()), wanted);
      EXPECT_LT(static_cast<double>(window.positions()), wanted + 20) << "a whole game more than wanted";
    }
    // A file stays as long as one of its games does.
    const auto oldest = static_cast<std::size_t>(std::stoi(window.files().front()));
    const std::size_t in_files = std::accumulate(sizes.begin() + oldest, sizes.end(), std::size_t{0});
    EXPECT_GE(in_files, window.positions());
    EXPECT_LT(in_files - sizes[oldest], window.positions());
  }
  EXPECT_GT(std::stoi(window.files().front()), 0) << "nothing was ever dropped";
  EXPECT_EQ(window.files().back(), "5");
}

TEST(ReplayWindow, DrawsTheSameWhicheverFileHoldsAGame) {
  TrainingConfig config;
  config.window_base = 40;
  config.window_scale = 0.01;
  const auto draw = [&](bool reversed) {
    ReplayWindow window = small_window(config);
    for (int generation = 0; generation < 3; ++generation) {
      std::vector<ShardData> shards = single_games(5, generation);
      if (reversed) std::ranges::reverse(shards);
      for (const ShardData& shard : shards) window.add("a", shard);
      window.trim();
    }
    Random random(1);
    TrainingBatch batch;
    window.sample(200, random, batch);
    return batch;
  };
  const TrainingBatch one = draw(false);
  const TrainingBatch other = draw(true);
  EXPECT_EQ(one.planes, other.planes);
  EXPECT_EQ(one.scalars, other.scalars);
  EXPECT_EQ(one.of("policy"), other.of("policy"));
}

// Shards may be added before and after the positions are first asked for, and threads may be the first to ask.
TEST(ReplayWindow, GamesAreInOrderWheneverTheyAreAskedFor) {
  const std::vector<ShardData> shards = single_games(8, 1);
  ReplayWindow at_once = small_window();
  ReplayWindow one_by_one = small_window();
  std::size_t positions = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const ShardData& shard = shards[(5 * i) % shards.size()];
    at_once.add("a", shard);
    positions += one_by_one.add("a", shard);
    EXPECT_EQ(one_by_one.positions(), positions);
  }
  std::vector<TrainingBatch> drawn(3);
  {
    std::vector<std::jthread> threads;
    for (TrainingBatch& batch : drawn) {
      threads.emplace_back([&] {
        Random random(1);
        at_once.sample(100, random, batch);
      });
    }
  }
  Random random(1);
  TrainingBatch expected;
  one_by_one.sample(100, random, expected);
  for (const TrainingBatch& batch : drawn) {
    EXPECT_EQ(batch.planes, expected.planes);
    EXPECT_EQ(batch.scalars, expected.scalars);
  }
}

TEST(ReplayWindow, FilesReadAgainAndTrimmedAreTheSameWindow) {
  TrainingConfig config;
  config.window_base = 60;
  config.window_scale = 0.01;
  std::map<std::string, ShardData> files;
  ReplayWindow window = small_window(config);
  for (int generation = 0; generation < 5; ++generation) {
    ShardData shard = random_shard(small_game(), 7, static_cast<std::uint64_t>(generation));
    shard.info.generation = generation;
    window.add(std::to_string(generation), shard);
    window.trim();
    files[std::to_string(generation)] = shard;
  }
  ReplayWindow again = small_window(config);
  for (const std::string& file : window.files()) again.add(file, files[file]);
  ASSERT_GT(again.positions(), window.positions()) << "the first file holds games that were dropped";
  again.set_positions_so_far(window.positions_so_far());
  again.trim();
  EXPECT_EQ(again.positions(), window.positions());
  EXPECT_EQ(again.files(), window.files());
}

TEST(ReplayWindow, DrawsEveryPositionAboutEquallyOften) {
  constexpr int kDraws = 100;  // expected of each position under each symmetry
  const wall::WallGame& game = small_wall_game();
  ReplayWindow window = small_window();
  const EncodingShape shape = small_wall_game().encoding(Features{});
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  // How often each look (planes and scalars) is to come; equal looks of several positions add up.
  std::map<std::vector<float>, int> expected;
  for (int seed = 1; seed <= 3; ++seed) {
    const ShardData shard = random_shard(small_game(), seed, seed);  // of different sizes
    window.add(std::to_string(seed), shard);
    for (std::size_t ply = 0; ply < shard.plies(); ++ply) {
      const auto state = *game.unpack(std::span(shard.ply_state).subspan(ply * bytes, bytes));
      for (int symmetry = 0; symmetry < 2; ++symmetry) {
        std::vector<float> look(shape.plane_floats() + shape.scalars);
        game.encode(state, Features{}, symmetry, look.data(), look.data() + shape.plane_floats());
        expected[look] += kDraws;
      }
    }
  }
  Random random(3);
  TrainingBatch batch;
  const int draws = 2 * kDraws * static_cast<int>(window.positions());
  window.sample(draws, random, batch);
  std::map<std::vector<float>, int> counts;
  for (int row = 0; row < draws; ++row) {
    const auto planes = batch.planes.begin() + row * shape.plane_floats();
    const auto scalars = batch.scalars.begin() + row * shape.scalars;
    std::vector<float> look(planes, planes + shape.plane_floats());
    look.insert(look.end(), scalars, scalars + shape.scalars);
    ++counts[look];
  }
  for (const auto& [look, count] : expected) EXPECT_NEAR(counts[look], count, 6 * std::sqrt(count));
  EXPECT_EQ(counts.size(), expected.size()) << "samples that are no position of the window";
}

// A batch is of one board, and boards come as often as they have positions.
TEST(ReplayWindow, HoldsSeveralBoards) {
  const AnyGame large = parse_game("quoridor:5x4,walls=1");
  ReplayWindow window({small_game(), large}, Features{}, {}, "");
  const std::size_t small_positions = window.add("a", random_shard(small_game(), 6, 1));
  const std::size_t large_positions = window.add("b", random_shard(large, 6, 1));
  EXPECT_EQ(window.positions(), small_positions + large_positions);
  Random random(1);
  TrainingBatch batch;
  constexpr int kDraws = 2000;
  int of_large = 0;
  for (int i = 0; i < kDraws; ++i) {
    window.sample(2, random, batch);
    EXPECT_EQ(batch.planes.size(), 2u * static_cast<std::size_t>(batch.shape.plane_floats()));
    of_large += batch.shape.columns == 5 ? 1 : 0;
  }
  EXPECT_NEAR(of_large, kDraws * static_cast<double>(large_positions) / static_cast<double>(window.positions()), 100);
}

// A window smaller than a generation.
TEST(ReplayWindow, DropsTheSameShareOfEveryBoard) {
  const AnyGame large = parse_game("quoridor:5x4,walls=1");
  TrainingConfig config;
  config.window_base = 100;
  config.window_scale = 0.01;
  ReplayWindow window({small_game(), large}, Features{}, config, "");
  const auto all_small = static_cast<double>(window.add("a", random_shard(small_game(), 20, 1)));
  const auto all_large = static_cast<double>(window.add("b", random_shard(large, 20, 1)));
  window.trim();
  const double kept = static_cast<double>(window.positions()) / (all_small + all_large);
  ASSERT_LT(kept, 0.7);
  EXPECT_NEAR(static_cast<double>(window.positions(0)) / all_small, kept, 0.2);
  EXPECT_NEAR(static_cast<double>(window.positions(1)) / all_large, kept, 0.2);
}

TEST(ReplayWindow, RefusesWhatDoesNotBelong) {
  ReplayWindow window = small_window({}, "1234");
  const auto add = [&](const ShardData& shard) { return error_of([&] { window.add("the-file", shard); }); };

  EXPECT_NE(add(random_shard(small_game(), 1, 1, "abcd")).find("the-file: of another configuration"),
            std::string::npos);
  EXPECT_NE(add(random_shard(parse_game("quoridor:5x5,walls=1"), 1, 1, "1234")).find("the-file: games of quoridor:5x5"),
            std::string::npos);
  ShardData illegal = random_shard(small_game(), 1, 1, "1234");
  illegal.policy_action[0] = static_cast<std::uint16_t>(small_wall_game().num_actions() - 1);  // a pass
  EXPECT_NE(add(illegal).find("illegal action"), std::string::npos);
  ShardData no_state = random_shard(small_game(), 1, 1, "1234");
  std::ranges::fill(no_state.ply_state, std::uint8_t{0xFF});
  EXPECT_NE(add(no_state).find("is no position"), std::string::npos);
  ShardData empty = random_shard(small_game(), 1, 1, "1234");
  std::ranges::fill(empty.policy_probability, std::uint16_t{0});
  EXPECT_NE(add(empty).find("empty"), std::string::npos);

  EXPECT_EQ(window.positions(), 0u);
  EXPECT_TRUE(window.files().empty());
  EXPECT_GT(window.add("good", random_shard(small_game(), 1, 1, "1234")), 0u);
}

TEST(ReplayWindow, NamesADamagedFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.h5");
  write_shard(path, random_shard(small_game(), 3, 1));
  ReplayWindow window = small_window();
  EXPECT_GT(window.add(path), 0u);
  const std::string bytes = read_file(path);
  write_file_atomically(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(error_of([&] { window.add(path); }).find(path), std::string::npos);
}

}  // namespace
}  // namespace koridor
