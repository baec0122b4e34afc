// Games of self-play in which classical players have seats.
#include "selfplay/generator/opponents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "selfplay/generator/game_slot.h"
#include "selfplay/shards/verify.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

// The seat of the network in a game with opponents; -1 in a game without.
int seat_among_opponents(const ShardData& data, std::size_t game, int players) {
  std::set<int> opponents;
  std::set<int> networks;
  for (std::size_t row = data.game_first_ply[game]; row < data.game_first_ply[game] + data.game_plies[game]; ++row) {
    const PlyKind kind = data.kind(row);
    if (kind == PlyKind::opponent) opponents.insert(data.ply_player[row]);
    if (is_searched(kind)) networks.insert(data.ply_player[row]);
  }
  if (opponents.empty()) return -1;
  EXPECT_EQ(networks.size(), 1u) << "the network has one seat";
  EXPECT_LT(opponents.size(), static_cast<std::size_t>(players));
  EXPECT_FALSE(opponents.contains(*networks.begin()));
  return *networks.begin();
}

TEST(Opponents, TakeAllSeatsButOneInAShareOfTheGames) {
  for (const char* variant : {"quoridor4:5x5,walls=1", "quoridor:5x5,walls=3", "blockade:7x7,walls=2"}) {
    const AnyGame game = parse_game(variant);
    const int players = players_of(game);
    GeneratorOptions options = small_options();
    options.selfplay.opening_plies = 0;
    options.selfplay.opponents = {"greedy", "random"};
    options.selfplay.opponent_share = 0.5;
    const Generated generated = generate(variant, options, uniform_factory(), 100);
    const ShardData& data = generated.sink.shards[0];
    EXPECT_THAT(verify_shard(data), testing::IsEmpty()) << variant;
    std::array<int, kMaxPlayers> seats{};
    int with = 0;
    for (std::size_t number = 0; number < data.games(); ++number) {
      const int seat = seat_among_opponents(data, number, players);
      if (seat < 0) continue;
      ++with;
      ++seats[static_cast<std::size_t>(seat)];
    }
    EXPECT_NEAR(with, 50, 20) << variant;
    for (int seat = 0; seat < players; ++seat) {
      EXPECT_NEAR(seats[static_cast<std::size_t>(seat)], with / players, 16) << variant;
      EXPECT_GT(seats[static_cast<std::size_t>(seat)], 3) << variant << ", seat " << seat;
    }
  }
}

// In games of equals a model of the opponents changes nothing; among opponents it is what the search counts on.
TEST(Opponents, AreKnownToSearchesWhereTheyPlay) {
  const auto games = [](const char* model, double share) {
    GeneratorOptions options = small_options();
    options.selfplay.opponents = {"greedy"};
    options.selfplay.opponent_share = share;
    options.search.opponent_model = model;
    return generate("quoridor4:5x5,walls=1", options, uniform_factory(), 30).sink.shards[0];
  };
  EXPECT_EQ(games("greedy", 0).ply_action, games("", 0).ply_action);
  const ShardData known = games("greedy", 1);
  const ShardData unknown = games("", 1);
  EXPECT_NE(known.ply_action, unknown.ply_action);
  EXPECT_THAT(verify_shard(known), testing::IsEmpty());
}

// A greedy opponent never passes by a win.
TEST(Opponents, PlayAsTheirNamesSay) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor4:5x5,walls=1"));
  const auto missed_wins = [&](const std::string& opponent) {
    GeneratorOptions options = small_options();
    options.selfplay.opponents = {opponent};
    options.selfplay.opponent_share = 1;
    const Generated generated = generate(game.name(), options, uniform_factory(), 60);
    int missed = 0;
    int wins = 0;
    for (const auto& [number, record] : generated.sink.games) {
      Position position(game);
      for (std::size_t ply = 0; ply < record.plies(); ++ply) {
        const int mover = game.player_to_move(position.state);
        ActionMask legal;
        game.legal_actions(position.state, position.history, legal);
        bool can_win = false;
        legal.for_each([&](Action action) {
          Position next = position;
          next.apply(game, action);
          can_win = can_win || game.outcome(next.state, next.history).winner == mover;
        });
        position.apply(game, Action{record.actions[ply]});
        if (record.kinds[ply] != PlyKind::opponent || !can_win) continue;
        const bool won = game.outcome(position.state, position.history).over();
        wins += won ? 1 : 0;
        missed += won ? 0 : 1;
      }
    }
    EXPECT_GT(wins, 5) << opponent;
    return missed;
  };
  EXPECT_EQ(missed_wins("greedy"), 0);
  EXPECT_EQ(missed_wins("alphabeta:2"), 0);
  EXPECT_GT(missed_wins("random"), 5);
}

TEST(Opponents, TheirPliesAreNoSearchedOnes) {
  GeneratorOptions options = small_options();
  options.selfplay.opponents = {"alphabeta:2"};
  options.selfplay.opponent_share = 0.7;
  const Generated generated = generate("quoridor:5x5,walls=3", options, uniform_factory(), 20);
  const ShardData& data = generated.sink.shards[0];
  const std::size_t opponents = count_kind(data, PlyKind::opponent);
  EXPECT_GT(opponents, 20u);
  EXPECT_EQ(generated.statistics.plies, data.plies());
  EXPECT_EQ(generated.statistics.searched_plies, data.plies() - count_kind(data, PlyKind::opening) - opponents);
}

TEST(Opponents, TheirGamesDoNotDependOnThreadsAndSlots) {
  GeneratorOptions options = small_options();
  options.selfplay.repetition_share = 0.5;
  options.selfplay.opponents = {"alphabeta:2", "greedy", "random"};
  options.selfplay.opponent_share = 0.7;
  const auto games = [&] {
    return generate("quoridor:5x5,walls=3", options, network_factory("eigen"), 24).sink.in_order();
  };
  const ShardData reference = games();
  EXPECT_GT(count_kind(reference, PlyKind::opponent), 20u);
  options.threads = 2;
  EXPECT_EQ(games(), reference);
  options.selfplay.slots = 17;
  EXPECT_EQ(games(), reference);
}

// Deep ones think for minutes.
TEST(Opponents, CanBeStoppedWhileTheyThink) {
  const std::vector<wall::WallGame> variants{std::get<wall::WallGame>(parse_game("quoridor"))};
  SelfplayConfig config = small_options().selfplay;
  config.opening_plies = 0;
  config.opponents = {"alphabeta:8"};
  config.opponent_share = 1;
  const std::atomic<bool> stop{true};
  Opponents<wall::WallGame> opponents(variants, config, &stop);
  Random random(1);
  EXPECT_EQ(opponents.choose(0, variants[0], 0, Position(variants[0]), random).action, kNoAction);

  PlyCounts counts;
  GameSlot<wall::WallGame> slot(variants[0], config, SearchConfig{}, opponents, counts);
  int stopped = 0;
  for (std::uint32_t number = 0; number < 20; ++number) {
    slot.start(variants[0], {.number = number}, Random::for_game(1, 0, number));
    if (slot.advance()) continue;  // the network moves first
    EXPECT_TRUE(slot.playing());
    EXPECT_FALSE(slot.over());
    EXPECT_EQ(slot.record().plies(), 0u);
    ++stopped;
  }
  EXPECT_GT(stopped, 3);
  EXPECT_LT(stopped, 17);
}

}  // namespace
}  // namespace koridor
