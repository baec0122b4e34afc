#include "train/learner/replay_window.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "selfplay/shards/verify.h"
#include "train/learner/batch_reader.h"
#include "train/learner/random_shard.h"
#include "train/targets/final_owners.h"

namespace koridor {
namespace {

const AnyGame& small_game() {
  static const AnyGame game = parse_game("quoridor:3x3,walls=1");
  return game;
}

const wall::WallGame& small_wall_game() {
  return std::get<wall::WallGame>(small_game());
}

ReplayWindow small_window(const TrainingConfig& config = {}, const std::string& hash = "") {
  return ReplayWindow({small_game()}, Features{}, config, hash);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

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

// Who looks at what games teach plays them again, and names the one that cannot be played.
TEST(Shards, APlyThatIsNotLegalIsNamed) {
  ShardData shard = random_shard(small_game(), 3, 1);
  EXPECT_EQ(error_of([&] { require_legal_plies(shard, "a.h5"); }), "");
  ShardData longer = shard;
  const std::size_t last = shard.game_plies[1];
  shard.ply_action[shard.game_first_ply[1] + last - 1] = 60000;
  EXPECT_EQ(error_of([&] { require_legal_plies(shard, "a.h5"); }),
            fmt::format("a.h5: ply {} of game 1 is not legal; see --verify", last));
  // A game that goes on after its end.
  ++longer.game_plies[0];
  EXPECT_EQ(error_of([&] { require_legal_plies(longer, "a.h5"); }),
            fmt::format("a.h5: ply {} of game 0 is not legal; see --verify", longer.game_plies[0]));
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

TEST(ReplayWindow, CheapSearchesAndOpponentsTeachEverythingButThePolicy) {
  ShardData shard = random_shard(small_game(), 5, 1);
  const std::size_t plies = shard.plies();
  const std::size_t cheap = shard.game_plies[0];  // the whole first game
  for (std::size_t ply = 0; ply < cheap; ++ply) {
    shard.ply_kind[ply] = static_cast<std::uint8_t>(ply % 2 == 0 ? PlyKind::cheap : PlyKind::opponent);
    shard.policy_count[ply] = 0;
  }
  TrainingConfig config;
  config.cheap_share = 1;
  ReplayWindow window = small_window(config);
  EXPECT_EQ(window.add("a", shard), plies);
  TrainingBatch batch;
  window.read(0, 0, static_cast<int>(plies), batch);
  EXPECT_FLOAT_EQ(batch.policy_share, static_cast<float>(plies - cheap) / static_cast<float>(plies));
  const std::size_t policy = batch.of("policy").size() / plies;
  for (std::size_t row = 0; row < plies; ++row) {
    const float* const shares = batch.of("policy").data() + row * policy;
    EXPECT_NEAR(std::accumulate(shares, shares + policy, 0.0f), row < cheap ? 0.0f : 1.0f, 1e-6f) << row;
    EXPECT_EQ(std::accumulate(&batch.of("value")[3 * row], &batch.of("value")[3 * row] + 3, 0.0f), 1.0f) << row;
  }
  config.cheap_share = 0.5;
  ReplayWindow half = small_window(config);
  const std::size_t some = half.add("a", shard);
  EXPECT_GT(some, plies - cheap);
  EXPECT_LT(some, plies);
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

// The sample of a one-ply window under both symmetries, found by drawing until both have come.
std::vector<TrainingBatch> both_symmetries(const ReplayWindow& window) {
  Random random(1);
  std::vector<TrainingBatch> found;
  for (int i = 0; i < 1000 && found.size() < 2; ++i) {
    TrainingBatch batch;
    window.sample(1, random, batch);
    if (found.empty() || found[0].planes != batch.planes) found.push_back(batch);
  }
  return found;
}

// A shard of one game, all plies but `ply` made cheap.
ShardData with_one_full_ply(ShardData shard, std::uint32_t ply) {
  std::ranges::fill(shard.ply_kind, static_cast<std::uint8_t>(PlyKind::cheap));
  shard.ply_kind[ply] = static_cast<std::uint8_t>(PlyKind::full);
  return shard;
}

// A decided random game in which some ply's position and policy are not mirror-symmetric, with that ply.
std::pair<ShardData, std::uint32_t> one_sided_ply() {
  const wall::WallGame& game = small_wall_game();
  for (std::uint64_t seed = 1;; ++seed) {
    ShardData shard = random_shard(small_game(), 1, seed);
    const auto bytes = static_cast<std::size_t>(game.packed_size());
    for (std::uint32_t ply = 0; ply < shard.plies(); ++ply) {
      const auto state = game.unpack(std::span(shard.ply_state).subspan(ply * bytes, bytes));
      const Action action{shard.ply_action[ply]};
      if (shard.ply_player[ply] == 1 && index(action) < 9 && shard.game_end[0] == 0 &&
          game.policy_index(*state, 0, action) != game.policy_index(*state, 1, action)) {
        return {shard, ply};
      }
    }
  }
}

TEST(ReplayWindow, TargetsFollowTheSymmetryAndTheMover) {
  const wall::WallGame& game = small_wall_game();
  auto [shard, ply] = one_sided_ply();
  // Two policy entries, 3 to 1: the action played and another legal one.
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const auto state = *game.unpack(std::span(shard.ply_state).subspan(ply * bytes, bytes));
  ActionMask legal;
  game.legal_actions(state, History{}, legal);
  const Action played{shard.ply_action[ply]};
  const Action other = legal.nth(0) == played ? legal.nth(1) : legal.nth(0);
  shard.policy_action[shard.policy_first[ply]] = static_cast<std::uint16_t>(index(played));
  shard.policy_first[ply] = static_cast<std::uint32_t>(shard.policy_action.size());
  shard.policy_count[ply] = 2;
  shard.policy_action.insert(shard.policy_action.end(),
                             {static_cast<std::uint16_t>(index(played)), static_cast<std::uint16_t>(index(other))});
  shard.policy_probability.insert(shard.policy_probability.end(), {49151, 16384});

  ReplayWindow window = small_window();
  ASSERT_EQ(window.add("one", with_one_full_ply(shard, ply)), 1u);
  const std::vector<TrainingBatch> views = both_symmetries(window);
  ASSERT_EQ(views.size(), 2u);
  const EncodingShape shape = small_wall_game().encoding(Features{});
  std::vector<float> planes(shape.plane_floats());
  std::vector<float> scalars(shape.scalars);
  std::set<int> seen;
  for (const TrainingBatch& view : views) {
    int symmetry = -1;
    for (int s = 0; s < 2; ++s) {
      game.encode(state, Features{}, s, planes.data(), scalars.data());
      if (planes == view.planes) symmetry = s;
    }
    ASSERT_GE(symmetry, 0) << "the planes are those of no symmetry";
    seen.insert(symmetry);
    EXPECT_EQ(scalars, view.scalars);
    for (int i = 0; i < shape.policy_size(); ++i) {
      const float wanted = i == game.policy_index(state, symmetry, played)  ? 49151.0f / 65535
                           : i == game.policy_index(state, symmetry, other) ? 16384.0f / 65535
                                                                            : 0.0f;
      EXPECT_FLOAT_EQ(view.of("policy")[i], wanted);
    }
    int legal_count = 0;
    for (float entry : view.legal) legal_count += entry == 0.0f ? 1 : 0;
    EXPECT_EQ(legal_count, legal.count());
    legal.for_each([&](Action action) { EXPECT_EQ(view.legal[game.policy_index(state, symmetry, action)], 0.0f); });

    // Player one (seat 1) is to move: entry 0 is seat 1, entry 1 seat 0, the last a draw.
    EXPECT_EQ(view.of("value"), (std::vector<float>{shard.game_outcome[1], shard.game_outcome[0], 0.0f}));
    EXPECT_EQ(view.of("auxiliary"), (std::vector<float>{shard.game_auxiliary[1], shard.game_auxiliary[0]}));
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST(ReplayWindow, ADrawIsTheLastValueEntry) {
  ShardData shard = random_shard(small_game(), 1, 1);
  shard.game_outcome = {0.5f, 0.5f};
  ReplayWindow window = small_window();
  window.add("draw", shard);
  Random random(1);
  TrainingBatch batch;
  window.sample(1, random, batch);
  EXPECT_EQ(batch.of("value"), (std::vector<float>{0, 0, 1}));
}

TEST(ReplayWindow, TakesTheSameGameWithRepetition) {
  ReplayWindow window = small_window();
  EXPECT_GT(window.add("r", random_shard(parse_game("quoridor:3x3,walls=1,repetition=3"), 2, 1)), 0u);
  Random random(1);
  TrainingBatch batch;
  window.sample(4, random, batch);
  ReplayWindow plain = small_window();
  plain.add("p", random_shard(small_game(), 2, 1));
  TrainingBatch plain_batch;
  Random same(1);
  plain.sample(4, same, plain_batch);
  EXPECT_NE(batch.scalars, plain_batch.scalars) << "the network is not told of the repetition rule";
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

// The owner of each point at the game's end, as the mover sees it, under every symmetry.
TEST(ReplayWindow, OwnershipFollowsTheSymmetryAndTheMover) {
  const AnyGame any = parse_game("go:5x5");
  const auto& game = std::get<go::GoGame>(any);
  const EncodingShape shape = game.encoding({});
  ShardData shard;
  std::set<std::vector<float>> expected;
  for (std::uint64_t seed = 1; expected.size() < 8; ++seed) {  // until all views of the owners are different
    ASSERT_LT(seed, 100u);
    shard = random_shard(any, 1, seed);
    const auto bytes = static_cast<std::size_t>(game.packed_size());
    const std::size_t last = shard.plies() - 1;
    const std::size_t ply = last / 2;
    std::ranges::fill(shard.ply_kind, static_cast<std::uint8_t>(PlyKind::cheap));
    shard.ply_kind[ply] = static_cast<std::uint8_t>(PlyKind::full);
    const auto state = *game.unpack(std::span(shard.ply_state).subspan(ply * bytes, bytes));
    const PlyView last_ply{any, shape, shard, 0, 0, shard.plies(), last};
    std::vector<float> owners = final_owners(game, final_state(game, last_ply));
    if (game.player_to_move(state) == 1) {
      for (float& owner : owners) owner = 1.0f - owner;
    }
    expected.clear();
    for (int symmetry = 0; symmetry < game.num_symmetries(); ++symmetry) {
      std::vector<float> view(25);
      for (std::uint16_t point = 0; point < 25; ++point) {
        view[static_cast<std::size_t>(game.policy_index(state, symmetry, Action{point}))] = owners[point];
      }
      expected.insert(view);
    }
  }
  ReplayWindow window({any}, Features{}, {}, "");
  window.add("a", shard);
  Random random(1);
  TrainingBatch batch;
  std::set<std::vector<float>> seen;
  for (int i = 0; i < 200; ++i) {
    window.sample(1, random, batch);
    seen.insert(batch.of("ownership"));
  }
  EXPECT_EQ(seen, expected);
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
  const auto folder = std::filesystem::temp_directory_path() / ("koridor-window-" + std::to_string(::getpid()));
  const std::string path = (folder / "a.h5").string();
  std::filesystem::create_directories(folder);
  write_shard(path, random_shard(small_game(), 3, 1));
  ReplayWindow window = small_window();
  EXPECT_GT(window.add(path), 0u);
  const std::string bytes = read_file(path);
  write_file_atomically(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(error_of([&] { window.add(path); }).find(path), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(BatchReader, BatchesDoNotDependOnTheThreads) {
  ReplayWindow window = small_window();
  window.add("a", random_shard(small_game(), 10, 1));
  const BatchRange range{7, 3, 2, 40, 5};
  BatchReader one(window, range, 1);
  BatchReader three(window, range, 3);
  std::vector<std::vector<float>> all;
  for (int i = range.first; i < range.last; ++i) {
    const TrainingBatch& a = one.next();
    const TrainingBatch& b = three.next();
    ASSERT_EQ(a.planes, b.planes);
    ASSERT_EQ(a.of("policy"), b.of("policy"));
    ASSERT_EQ(a.size, 5);
    all.push_back(a.planes);
  }
  // A reader that starts later gives the same batches from there.
  BatchReader later(window, {7, 3, 30, 40, 5}, 2);
  for (int i = 30; i < 40; ++i) EXPECT_EQ(later.next().planes, all[i - 2]);
  // Another generation's are others.
  BatchReader other(window, {7, 4, 2, 40, 5}, 1);
  EXPECT_NE(other.next().planes, all[0]);
}

// Nobody can have a batch of -1 samples: the vector's own exception, in the thread that makes the batch.
TEST(BatchReader, AThreadsExceptionReachesWhoAsksForTheBatch) {
  ReplayWindow window = small_window();
  window.add("a", random_shard(small_game(), 4, 1));
  for (const int threads : {1, 3}) {
    BatchReader reader(window, {1, 0, 0, 1000, -1}, threads);
    EXPECT_THROW(reader.next(), std::length_error);
    EXPECT_THROW(reader.next(), std::length_error);
  }
}

TEST(BatchReader, EndsWhileBatchesWait) {
  ReplayWindow window = small_window();
  window.add("a", random_shard(small_game(), 4, 1));
  BatchReader reader(window, {1, 0, 0, 1000, 8}, 2);
  reader.next();  // and the destructor must not hang
}

}  // namespace
}  // namespace koridor
