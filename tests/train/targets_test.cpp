#include "train/targets/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/registry.h"
#include "tests/core/go_test_tools.h"
#include "train/learner/random_shard.h"
#include "train/learner/replay_window.h"
#include "train/targets/auxiliary.h"
#include "train/targets/coming_actions.h"
#include "train/targets/ownership.h"
#include "train/targets/pawn_names.h"
#include "train/targets/reply.h"
#include "train/targets/short_term_value.h"

namespace koridor {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

EncodingShape shape_of(const AnyGame& game) {
  return std::visit([](const auto& known) { return known.encoding({}); }, game);
}

// A view of a ply of the shard's first game.
PlyView first_game(const AnyGame& game, const EncodingShape& shape, const ShardData& shard, std::size_t ply) {
  return {game, shape, shard, 0, shard.game_plies[0], ply};
}

TEST(Targets, NamesAreDifferentAndTheBasicOnesComeFirst) {
  std::set<std::string> names;
  for (const Target* target : all_targets()) names.insert(target->head().name);
  EXPECT_EQ(names.size(), all_targets().size());
  const std::vector<Head> basic = basic_heads();
  for (std::size_t i = 0; i < basic.size(); ++i) EXPECT_EQ(all_targets()[i]->head(), basic[i]);
}

TEST(Targets, ANetworkHasTheHeadsThatHaveAWeight) {
  const EncodingShape wall = shape_of(parse_game("quoridor:5x5,walls=2"));
  const EncodingShape go = shape_of(parse_game("go:5x5"));
  TargetWeights weights;
  EXPECT_EQ(heads_text(training_signature(weights, wall).heads), heads_text(basic_heads()));
  EXPECT_EQ(training_signature(weights, go).heads.back().name, "ownership");
  weights["ownership"] = 0;
  EXPECT_EQ(training_signature(weights, go).heads, basic_heads());
  weights["reply"] = 0.2;
  weights["value"] = 0;  // search reads it, so it stays
  EXPECT_EQ(heads_text(training_signature(weights, wall).heads),
            heads_text(basic_heads()) + " reply:actions:softmax:1");
}

// White passed when it had lost; its two stones on the left and the black one on the right were dead.
TEST(Targets, DeadStonesOfGoBelongToTheOtherSide) {
  const AnyGame any = parse_game("go:7x7,chinese");
  const auto& game = std::get<go::GoGame>(any);
  const std::vector<std::string> rows = {"...XO..", ".OOXO..", "...XO.X", "...XO..", ".X.XO.O", "...XO..", "..XXOO."};
  ShardData shard = random_shard(any, 1, 1);
  const std::size_t last = shard.plies() - 1;
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  game.pack(go::set_up(game, rows, 1).state, std::span(shard.ply_state).subspan(last * bytes, bytes));
  shard.ply_action[last] = static_cast<std::uint16_t>(index(game.geometry().pass()));
  const EncodingShape shape = shape_of(any);
  const PlyView view{any, shape, shard, 0, shard.plies(), last};

  std::vector<float> owners(49);
  OwnershipTarget().write(view, owners);
  for (std::size_t point = 0; point < owners.size(); ++point) {
    EXPECT_EQ(owners[point], point % 7 < 4 ? 1.0f : 0.0f) << "point " << point;
  }
  std::vector<float> area(2);
  AuxiliaryTarget().write(view, area);
  EXPECT_FLOAT_EQ(area[0], 28.0f / 49);
  EXPECT_FLOAT_EQ(area[0] + area[1], 1.0f);
}

// By hand: the average of later values, whose rest is the outcome's.
TEST(ShortTermValue, AveragesTheNextSearches) {
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  const EncodingShape shape = shape_of(game);
  ShardData shard = random_shard(game, 1, 1);
  const std::size_t plies = shard.plies();
  ASSERT_GT(plies, 3u);
  for (std::size_t ply = 0; ply < plies; ++ply) {
    shard.ply_value[2 * ply] = 0.1f * static_cast<float>(ply);
    shard.ply_value[2 * ply + 1] = 1.0f - 0.1f * static_cast<float>(ply);
  }
  const ShortTermValueTarget target;
  std::vector<float> out(static_cast<std::size_t>(head_size(target.head(), shape)));
  ASSERT_EQ(out.size(), 6u);
  const std::size_t ply = plies - 2;
  target.write(first_game(game, shape, shard, ply), out);
  const double shares[] = {0.016, 0.056, 0.176};
  for (std::size_t horizon = 0; horizon < 3; ++horizon) {
    const double keep = 1.0 - 1.0 / (1.0 + shares[horizon] * 9);
    const double expected = (1 - keep) * shard.ply_value[2 * ply] + keep * (1 - keep) * shard.ply_value[2 * ply + 2] +
                            keep * keep * shard.game_outcome[0];
    EXPECT_NEAR(out[2 * horizon], expected, 1e-6);
    EXPECT_NEAR(out[2 * horizon] + out[2 * horizon + 1], 1.0, 1e-6);
  }
}

// The weight of an opponent's ply, which no search has valued, goes to the next one that has a value.
TEST(ShortTermValue, PassesOverPliesWithoutASearch) {
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  const EncodingShape shape = shape_of(game);
  ShardData shard = random_shard(game, 1, 1);
  const std::size_t ply = shard.plies() - 3;
  shard.ply_value[2 * ply] = 0.9f;
  shard.ply_value[2 * ply + 2] = 0.0f;
  shard.ply_kind[ply + 1] = static_cast<std::uint8_t>(PlyKind::opponent);
  shard.ply_value[2 * ply + 4] = 0.4f;
  std::vector<float> out(6);
  ShortTermValueTarget().write(first_game(game, shape, shard, ply), out);
  const double keep = 1.0 - 1.0 / (1.0 + 0.176 * 9);
  const double next = keep - keep * keep * keep;  // of both plies
  EXPECT_NEAR(out[4], (1 - keep) * 0.9 + next * 0.4 + keep * keep * keep * shard.game_outcome[0], 1e-6);
}

// By hand: half of the target is the searches' average, the rest the outcome.
TEST(Value, MixesTheOutcomeWithTheSearchesValues) {
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  const EncodingShape shape = shape_of(game);
  ShardData shard = random_shard(game, 1, 1);
  for (std::size_t ply = 0; ply < shard.plies(); ++ply) {
    shard.ply_value[2 * ply] = 0.25f;
    shard.ply_value[2 * ply + 1] = 0.75f;
  }
  shard.game_outcome = {1.0f, 0.0f};
  const Target& target = *all_targets()[1];
  std::vector<float> out(3);
  PlyView view = first_game(game, shape, shard, 0);
  target.write(view, out);
  EXPECT_THAT(out, ElementsAre(1.0f, 0.0f, 0.0f));
  view.settings = {.root_value_share = 0.5, .root_value_horizon = 0};
  target.write(view, out);
  EXPECT_THAT(out, ElementsAre(0.625f, 0.375f, 0.0f));
  view.settings.root_value_horizon = 1.0 / 9;  // one ply: every ply's value has half of the weight of those so far
  target.write(view, out);
  const float rest = std::pow(0.5f, static_cast<float>(shard.game_plies[0]));  // the outcome's part of the average
  EXPECT_NEAR(out[0], 0.5f + 0.5f * (0.25f * (1 - rest) + rest), 1e-6f);
  EXPECT_NEAR(out[0] + out[1] + out[2], 1.0f, 1e-6f);
}

TEST(Reply, IsTheNextPolicyOrTheActionPlayed) {
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  const EncodingShape shape = shape_of(game);
  ShardData shard = random_shard(game, 1, 1);
  const auto reply = [&](std::size_t ply) {
    std::vector<ActionShare> out;
    ReplyTarget().write(first_game(game, shape, shard, ply), out);
    return out;
  };
  ASSERT_EQ(reply(0).size(), 1u);
  EXPECT_EQ(reply(0)[0].action, shard.policy_action[shard.policy_first[1]]);
  shard.policy_count[1] = 0;
  shard.ply_action[1] = 5;
  EXPECT_EQ(reply(0)[0].action, 5);
  EXPECT_TRUE(reply(shard.plies() - 1).empty());
}

TEST(ComingActions, AreThoseOfTheNextPliesTheNearerOnesMore) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  const EncodingShape shape = shape_of(game);
  const ShardData shard = random_shard(game, 1, 1);
  const auto coming = [&](std::size_t ply) {
    std::vector<ActionShare> out;
    ComingActionsTarget().write(first_game(game, shape, shard, ply), out);
    return out;
  };
  const std::vector<ActionShare> all = coming(0);
  ASSERT_GT(shard.plies(), 18u);
  ASSERT_EQ(all.size(), 18u) << "later ones have less than 1,000 of 65,535";
  for (std::size_t ply = 0; ply < all.size(); ++ply) EXPECT_EQ(all[ply].action, shard.ply_action[ply]);
  EXPECT_EQ(all[0].share, 65535);
  EXPECT_NEAR(all[1].share, 65535 * (1 - 1 / 4.75), 1) << "a horizon of 0.15 * 25 plies";
  ASSERT_EQ(coming(shard.plies() - 1).size(), 1u) << "of the last ply its own action";
  EXPECT_EQ(coming(shard.plies() - 1)[0].action, shard.ply_action.back());
}

// With two pawns per player the mover's planes do not name the next mover's pawns.
TEST(Targets, OfWhatOthersDoTeachNothingWithTwoPawns) {
  const AnyGame game = parse_game("blockade:7x8,walls=1");
  const ShardData shard = random_shard(game, 1, 1);
  std::vector<ActionShare> out;
  ReplyTarget().write(first_game(game, shape_of(game), shard, 0), out);
  ComingActionsTarget().write(first_game(game, shape_of(game), shard, 0), out);
  EXPECT_TRUE(out.empty());
}

TEST(Reply, AnActionThatTheGameDoesNotHaveIsRefused) {
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  TrainingConfig config;
  config.weights["reply"] = 1;
  ShardData shard = random_shard(game, 1, 1);
  shard.ply_kind[1] = static_cast<std::uint8_t>(PlyKind::cheap);
  shard.policy_count[1] = 0;
  shard.ply_action[1] = 60'000;
  ReplayWindow window({game}, {}, config, "");
  EXPECT_THROW(window.add("shard", shard), UserError);
}

// All targets together, of games on several boards: rows have the size and the sums that the losses count on.
TEST(Targets, RowsAreWhatTheLossesExpect) {
  TrainingConfig config;
  for (auto& [name, weight] : config.weights) weight = 1;
  for (const char* name : {"quoridor:3x3,walls=1", "quoridor4:5x5,walls=1", "blockade:7x8,walls=1", "go:3x3"}) {
    const AnyGame game = parse_game(name);
    const bool two_pawns = names_pawns_by_mover(game);
    ReplayWindow window({game}, {}, config, "");
    window.add("shard", random_shard(game, 3, 1));
    Random random(1);
    TrainingBatch batch;
    window.sample(200, random, batch);
    const auto applies = [&](const Target* target) { return target->applies(batch.shape); };
    ASSERT_EQ(batch.targets.size(), static_cast<std::size_t>(std::ranges::count_if(all_targets(), applies)));
    for (const auto& [head, rows] : batch.targets) {
      const auto size = static_cast<std::size_t>(head_size(head, batch.shape));
      ASSERT_EQ(rows.size(), 200 * size) << head.name;
      for (const float entry : rows) ASSERT_TRUE(entry >= 0.0f && entry <= 1.0f) << head.name;
      if (head.activation != Activation::softmax) continue;
      for (std::size_t row = 0; row < 200; ++row) {
        const float sum = std::accumulate(rows.begin() + row * size, rows.begin() + (row + 1) * size, 0.0f);
        // The last ply of a game has no reply; with two pawns per player others' actions teach nothing.
        const bool may_be_empty = head.name == "reply" || (head.name == "coming_actions" && two_pawns);
        ASSERT_TRUE(std::abs(sum - 1.0f) < 1e-4f || (may_be_empty && sum == 0.0f)) << head.name;
      }
    }
  }
}

}  // namespace
}  // namespace koridor
