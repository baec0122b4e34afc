// What a sample of the replay window asks of the network, entry by entry.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "selfplay/shards/shard.h"
#include "tests/train/small_window.h"
#include "train/learner/random_shard.h"
#include "train/learner/replay_window.h"
#include "train/targets/final_owners.h"

namespace koridor {
namespace {

TEST(Samples, CheapSearchesAndOpponentsTeachEverythingButThePolicy) {
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

TEST(Samples, TargetsFollowTheSymmetryAndTheMover) {
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

TEST(Samples, ADrawIsTheLastValueEntry) {
  ShardData shard = random_shard(small_game(), 1, 1);
  shard.game_outcome = {0.5f, 0.5f};
  ReplayWindow window = small_window();
  window.add("draw", shard);
  Random random(1);
  TrainingBatch batch;
  window.sample(1, random, batch);
  EXPECT_EQ(batch.of("value"), (std::vector<float>{0, 0, 1}));
}

TEST(Samples, TakesTheSameGameWithRepetition) {
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

// The owner of each point at the game's end, as the mover sees it, under every symmetry.
TEST(Samples, OwnershipFollowsTheSymmetryAndTheMover) {
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
    const PlyView last_ply{any, shape, shard, 0, shard.plies(), last};
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

}  // namespace
}  // namespace koridor
