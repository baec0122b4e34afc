#include "selfplay/matches/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/error.h"
#include "core/search/alphabeta.h"
#include "core/solve/solver.h"
#include "selfplay/matches/interval.h"
#include "selfplay/matches/match_tally.h"
#include "selfplay/matches/openings.h"
#include "tests/core/full_tree.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGame = "quoridor:5x5,walls=3";

MatchPlayer player(const std::string& name, int visits = 16) {
  return load_player(name, visits, SearchConfig{});
}

// A random network as a player; `seed` makes it another one.
MatchPlayer network_player(const std::string& game, std::uint64_t seed, int visits = 8) {
  ModelInfo info;
  info.family = "wall";
  info.game = game;
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  info.signature =
      std::visit([&](const auto& concrete) { return signature(concrete.encoding(info.features)); }, parse_game(game));
  return model_player("network", std::make_shared<const Model>(random_model(info, seed)), visits, SearchConfig{});
}

MatchOptions quick(int games) {
  MatchOptions options;
  options.games = games;
  options.evaluation.backend = "eigen";
  options.slots = 5;
  options.threads = 2;
  return options;
}

MatchResult match(const std::string& a, const std::string& b, MatchOptions options, const std::string& game = kGame) {
  return play_match(parse_game(game), player(a), player(b), options, kNeverStop);
}

TEST(Match, ScoresAddUpBySeatAndInPairs) {
  const MatchResult result = match("random", "random", quick(401));
  EXPECT_EQ(result.total().games, 402);
  EXPECT_EQ(result.by_seat[0].games, 201);
  EXPECT_EQ(result.by_seat[1].games, 201);
  EXPECT_EQ(result.total().wins + result.total().draws + result.total().losses, 402);
  EXPECT_NEAR(result.score, (result.total().wins + 0.5 * result.total().draws) / 402, 1e-9);
  EXPECT_NEAR(result.score, 0.5, 0.1);
  EXPECT_LT(result.low, result.score);
  EXPECT_GT(result.high, result.score);
  EXPECT_GT(result.mean_plies, 8);
  EXPECT_FALSE(result.stopped);
}

TEST(Match, StrongerPlayersWin) {
  EXPECT_GT(match("greedy", "random", quick(100)).score, 0.95);
  EXPECT_GT(match("alphabeta:3", "greedy", quick(400)).score, 0.55);
  EXPECT_GT(match("mcts:100", "random", quick(40)).score, 0.9);
  EXPECT_LT(match("random", "alphabeta:2", quick(40)).score, 0.05);
}

TEST(Match, EachOpeningIsPlayedOnceInEverySeat) {
  std::map<int, std::vector<MatchGame>> groups;
  MatchOptions options = quick(40);
  options.opening_plies = 3;
  options.on_game = [&](const MatchGame& game) { groups[game.number / 2].push_back(game); };
  match("greedy", "random", options);
  EXPECT_EQ(groups.size(), 20u);
  std::set<std::vector<Action>> openings;
  for (const auto& [group, games] : groups) {
    ASSERT_EQ(games.size(), 2u);
    EXPECT_NE(games[0].seat, games[1].seat);
    const auto opening = [](const MatchGame& game) {
      return std::vector<Action>(game.actions.begin(), game.actions.begin() + game.opening_plies);
    };
    EXPECT_EQ(opening(games[0]).size(), 3u);
    EXPECT_EQ(opening(games[0]), opening(games[1]));
    openings.insert(opening(games[0]));
  }
  EXPECT_GT(openings.size(), 15u);
}

TEST(Match, OpeningsAreNotLostAlready) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor:3x3,walls=1"));
  MatchOptions options = quick(100);
  options.opening_plies = 2;
  options.on_game = [&](const MatchGame& played) {
    Position position(game);
    for (int ply = 0; ply < played.opening_plies; ++ply) position.apply(game, played.actions[ply]);
    EXPECT_FALSE(game.outcome(position.state, position.history).over());
    AlphaBeta<wall::WallGame> search(game, 2);
    Random random(1);
    search.choose(position, random);
    EXPECT_FALSE(AlphaBeta<wall::WallGame>::decided(search.score()));
  };
  match("random", "random", options, "quoridor:3x3,walls=1");
  // Openings longer than any game do not hang.
  options.on_game = {};
  options.games = 4;
  options.opening_plies = 1000;
  EXPECT_EQ(match("random", "random", options, "quoridor:3x3,walls=1").total().games, 4);
}

TEST(Match, AFractionOfAnOpeningPlyIsAChance) {
  MatchOptions options = quick(400);
  options.opening_plies = 1.5;
  int plies = 0;
  options.on_game = [&](const MatchGame& game) { plies += game.opening_plies; };
  match("random", "random", options);
  EXPECT_NEAR(plies / 400.0, 1.5, 0.15);
}

// Players without chance who begin where they began before.
TEST(Match, GamesThatWentAsEarlierOnesAreCounted) {
  MatchOptions options = quick(20);
  options.opening_plies = 0;
  const MatchResult result = match("alphabeta:1", "alphabeta:2", options);
  std::set<std::pair<int, std::vector<Action>>> different;
  options.on_game = [&](const MatchGame& game) { different.emplace(game.seat, game.actions); };
  match("alphabeta:1", "alphabeta:2", options);
  EXPECT_EQ(result.repeated, 20 - static_cast<int>(different.size()));
  options = quick(20);
  options.opening_plies = 8;
  EXPECT_LT(match("random", "random", options).repeated, 2);
}

TEST(Match, ASeatCanBeHeld) {
  MatchOptions options = quick(21);
  options.seat = 1;
  options.opening_plies = 0;
  options.on_game = [&](const MatchGame& game) {
    EXPECT_EQ(game.seat, 1);
    EXPECT_EQ(game.opening_plies, 0);
  };
  const MatchResult result = match("greedy", "random", options);
  EXPECT_EQ(result.by_seat[0].games, 0);
  EXPECT_EQ(result.by_seat[1].games, 21);
}

TEST(Match, IsTheSameForAnyNumberOfThreadsAndSlots) {
  const AnyGame game = parse_game(kGame);
  const std::vector<std::pair<MatchPlayer, MatchPlayer>> pairings{
      {network_player(kGame, 1), network_player(kGame, 2)},
      {network_player(kGame, 1), player("alphabeta:2")},
      {player("mcts:20"), player("greedy")},
  };
  for (const auto& [a, b] : pairings) {
    const auto games_with = [&, &a = a, &b = b](int threads, int slots, std::uint64_t seed) {
      std::map<int, std::vector<Action>> games;
      MatchOptions options = quick(16);
      options.threads = threads;
      options.slots = slots;
      options.seed = seed;
      options.temperature = 1;
      options.temperature_plies = 4;
      options.on_game = [&](const MatchGame& played) { games[played.number] = played.actions; };
      play_match(game, a, b, options, kNeverStop);
      return games;
    };
    const auto reference = games_with(1, 1, 1);
    EXPECT_EQ(reference.size(), 16u);
    EXPECT_EQ(games_with(2, 7, 1), reference);
    EXPECT_EQ(games_with(3, 2, 1), reference);
    EXPECT_NE(games_with(2, 7, 2), reference);
  }
}

TEST(Match, EveryGameIsLegalAndEnds) {
  for (const char* name : {"quoridor:5x5,walls=3", "quoridor4:5x5,walls=2"}) {
    const auto game = std::get<wall::WallGame>(parse_game(name));
    MatchOptions options = quick(12);
    int games = 0;
    options.on_game = [&](const MatchGame& played) {
      ++games;
      Position position(game);
      for (const Action action : played.actions) {
        ASSERT_FALSE(game.outcome(position.state, position.history).over());
        ActionMask legal;
        game.legal_actions(position.state, position.history, legal);
        ASSERT_TRUE(legal.test(action));
        position.apply(game, action);
      }
      EXPECT_TRUE(game.outcome(position.state, position.history).over());
    };
    play_match(parse_game(name), network_player(name, 3), player("alphabeta:2"), options, kNeverStop);
    EXPECT_EQ(games, 12);
  }
}

TEST(Match, MoreThanTwoPlayersTakeEverySeat) {
  const MatchResult result = match("greedy", "random", quick(80), "quoridor4:5x5,walls=2");
  for (const SeatScore& seat : result.by_seat) EXPECT_EQ(seat.games, 20);
  EXPECT_GT(result.score, 0.6);  // an even score is a quarter
}

TEST(Match, ProgressIsReported) {
  MatchOptions options = quick(20);
  int last = 0;
  options.progress = [&](int done, int games) {
    EXPECT_EQ(done, last + 1);
    EXPECT_EQ(games, 20);
    last = done;
  };
  match("random", "greedy", options);
  EXPECT_EQ(last, 20);
}

// Nobody is asked to play, or even has to be there, where every game was played before.
TEST(Match, AFinishedOneNeedsNoPlayers) {
  MatchOptions options = quick(4);
  std::vector<MatchGame> played;
  options.on_game = [&](const MatchGame& game) { played.push_back(game); };
  const MatchResult first = match("greedy", "random", options);
  options.played = played;
  MatchPlayer gone{.name = "gone"};
  gone.prepare = [](const AnyGame&, const std::atomic<bool>&) -> PlayerFactory { throw UserError("it is gone"); };
  const MatchResult again = play_match(parse_game(kGame), gone, gone, options, kNeverStop);
  EXPECT_EQ(again.by_seat, first.by_seat);
  EXPECT_FALSE(again.stopped);
  options.played.pop_back();
  EXPECT_THROW(play_match(parse_game(kGame), gone, gone, options, kNeverStop), UserError);
}

TEST(Match, CanBeStopped) {
  std::atomic<bool> stop{false};
  MatchOptions options = quick(100000);
  options.progress = [&](int done, int) { stop = done >= 10; };
  const MatchResult result = play_match(parse_game(kGame), player("random"), player("greedy"), options, stop);
  EXPECT_TRUE(result.stopped);
  EXPECT_GE(result.total().games + result.left_out, 10);
  EXPECT_LT(result.total().games, 1000);
  EXPECT_EQ(result.by_seat[0].games, result.by_seat[1].games) << "only whole groups count";
}

TEST(Match, GamesOfAGroupThatHasNotEndedDoNotCount) {
  MatchTally tally(2, 2, 6, std::nullopt);
  for (const int number : {0, 1, 3, 5}) {
    const int seat = number % 2;
    tally.add({.number = number, .seat = seat, .outcome = Outcome::won_by(number < 2 ? seat : 1 - seat)});
  }
  const MatchResult result = tally.result();
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.total().games, 2);
  EXPECT_EQ(result.left_out, 2);
  EXPECT_EQ(result.score, 1.0);
}

// A sequential test takes the groups in their order, so that games that last longer count like others.
TEST(Match, ASequentialTestIsOfTheGroupsBeforeTheFirstGap) {
  MatchTally tally(2, 2, 8, read_sprt("elo0=0,elo1=10", "test"));
  for (const int number : {0, 1, 2, 3, 6, 7}) {
    const int seat = number % 2;
    tally.add({.number = number, .seat = seat, .outcome = Outcome::won_by(seat)});
  }
  EXPECT_EQ(tally.result().tested_groups, 2);
  EXPECT_EQ(tally.result().total().games, 6);
}

TEST(Match, NoOpeningsAreSoughtThatAreLongerThanEveryGame) {
  int rounds = 0;
  OpeningDraw draw{.openings = 3, .plies = 1000, .threads = 1};
  draw.progress = [&](int) { ++rounds; };
  EXPECT_TRUE(draw_openings(parse_game(kGame), player("random"), network_player(kGame, 1), draw, kNeverStop).empty());
  EXPECT_EQ(rounds, 2);
}

TEST(Match, AModelThatDoesNotFitIsRefused) {
  MatchPlayer go = network_player(kGame, 1);
  Model model = *go.model;
  model.info.family = "go";
  go.model = std::make_shared<const Model>(model);
  EXPECT_THROW(play_match(parse_game(kGame), go, player("random"), quick(4), kNeverStop), UserError);
  EXPECT_THROW(
      play_match(parse_game("quoridor4:5x5,walls=2"), network_player(kGame, 1), player("random"), quick(4), kNeverStop),
      UserError);
}

TEST(Match, TheIntervalIsWilsons) {
  const Interval half = wilson_interval(0.5, 100);
  EXPECT_NEAR(half.low, 0.4038, 1e-3);
  EXPECT_NEAR(half.high, 0.5962, 1e-3);
  const Interval all = wilson_interval(1.0, 20);
  EXPECT_NEAR(all.low, 0.8389, 1e-3);
  EXPECT_NEAR(all.high, 1.0, 1e-9);
  EXPECT_EQ(wilson_interval(0, 0).low, 0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

// Whoever the solver meets, it gets at least the proven value of the opening, and wins in no more plies than proven.
TEST(Match, SolverNeverGivesAwayAProvenValue) {
  const AnyGame game = parse_game("quoridor:5x5,walls=1");
  const auto& wall_game = std::get<wall::WallGame>(game);
  const Solver<wall::WallGame> solver(wall_game, Position<wall::WallGame>(wall_game), {});
  for (const char* const opponent : {"random", "greedy", "alphabeta:2", "mcts:8", "solver"}) {
    int won = 0;
    MatchOptions options = quick(40);
    options.opening_plies = 3;
    options.on_game = [&](const MatchGame& record) {
      Position<wall::WallGame> position(wall_game);
      for (int ply = 0; ply < record.opening_plies; ++ply) position.apply(wall_game, record.actions[ply]);
      const Solution solution = solver.solution(position);
      const bool solver_moves = position.state.player == record.seat;
      const Proof value = solver_moves ? solution.value : opposite(solution.value);
      const int plies = static_cast<int>(record.actions.size()) - record.opening_plies;
      if (value == Proof::win) {
        ++won;
        EXPECT_EQ(record.outcome.winner, record.seat);
        EXPECT_LE(plies, solution.distance);
      } else {
        EXPECT_TRUE(record.outcome.winner == record.seat || plies >= solution.distance) << opponent;
      }
    };
    const MatchResult result = play_match(game, player("solver"), player(opponent), options, kNeverStop);
    EXPECT_GT(won, 5) << opponent;
    EXPECT_EQ(result.total().games, 40);
  }
}

TEST(Match, SolverPlaysTinyGo) {
  MatchOptions options = quick(10);
  options.opening_plies = 0;
  options.seat = 0;
  const MatchResult result = match("solver", "random", options, "go:2x2,komi=0.5");
  EXPECT_EQ(result.total().wins, 10);
}

TEST(Match, SolverRefusesGamesThatAreTooBig) {
  EXPECT_THAT(error_of([] { match("random", "solver:16", quick(2), "quoridor"); }),
              HasSubstr("quoridor is too big to solve in 16 MiB"));
}

TEST(Match, WhileTheGameIsSolvedCanBeStopped) {
  const std::atomic<bool> stop{true};
  const MatchResult result =
      play_match(parse_game("quoridor:5x5,walls=5"), player("random"), player("solver"), quick(2), stop);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.total().games, 0);
}

// The tables of the other player, which may be larger, are not its own.
TEST(Match, ASolverKeepsToItsOwnMemory) {
  EXPECT_THROW(match("solver", "solver:1", quick(2), "quoridor:5x5,walls=2"), UserError);
}

}  // namespace
}  // namespace koridor
