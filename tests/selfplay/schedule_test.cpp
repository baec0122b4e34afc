#include "selfplay/matches/schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "selfplay/matches/match_tally.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

constexpr const char* kScheduleGame = "quoridor:5x5,walls=3";

MatchPlayer scheduled(const std::string& text) {
  return load_player(text, 16, SearchConfig{});
}

TEST(Schedule, EveryGroupOfEveryContestIsPlayedInEverySeating) {
  Schedule schedule{.contests = {}, .groups = 19};
  for (int a = 0; a < 3; ++a) {
    for (int b = a + 1; b < 3; ++b) schedule.contests.push_back(one_against_others(2, a, b));
  }
  EXPECT_EQ(schedule.games(), 3 * 19 * 2);
  std::set<std::tuple<int, int, int>> seen;
  for (int number = 0; number < schedule.games(); ++number) {
    const ScheduledGame game = schedule.game(number);
    seen.insert({game.contest, game.group, game.seats[0]});
    const std::vector<int>& players = schedule.contests[static_cast<std::size_t>(game.contest)].players;
    EXPECT_EQ(game.seats[0] + game.seats[1], players[0] + players[1]);
    EXPECT_LT(game.group, 19);
  }
  EXPECT_EQ(std::ssize(seen), schedule.games());
  // The contests take turns: after a third of the games each has had some.
  std::set<int> early;
  for (int number = 0; number < schedule.games() / 2; ++number) early.insert(schedule.game(number).contest);
  EXPECT_EQ(early.size(), 3u);
}

TEST(Schedule, DifferentPlayersTakeAllSeats) {
  const Contest turns = all_different(std::vector{4, 7, 9}, false);
  ASSERT_EQ(turns.seatings.size(), 3u);
  std::map<int, std::set<int>> seats;
  for (const Seating& seating : turns.seatings) {
    for (int seat = 0; seat < 3; ++seat) seats[seating[static_cast<std::size_t>(seat)]].insert(seat);
  }
  for (const int player : {4, 7, 9}) EXPECT_EQ(seats[player].size(), 3u);
  const Contest orders = all_different(std::vector{4, 7, 9, 5}, true);
  EXPECT_EQ(orders.seatings.size(), 24u);
  EXPECT_EQ(std::set<Seating>(orders.seatings.begin(), orders.seatings.end()).size(), 24u);
}

std::map<int, MatchGame> play(const char* game, const std::vector<MatchPlayer>& players, const Schedule& schedule,
                              MatchOptions options, std::span<const int> played = {}) {
  for (const int number : played) options.played.push_back({.number = number});
  const AnyGame known = parse_game(game);
  std::map<int, MatchGame> games;
  play_schedule(
      {known, players, schedule, options},
      [&](const MatchGame& one) {
        games[one.number] = one;
        return true;
      },
      kNeverStop);
  return games;
}

TEST(Schedule, FourDifferentPlayersMeetInOneGame) {
  const Schedule schedule{.contests = {all_different(std::vector{0, 1, 2, 3}, false)}, .groups = 6};
  const auto games =
      play("quoridor4:5x5,walls=2",
           {scheduled("random"), scheduled("greedy"), scheduled("random"), scheduled("random")}, schedule, {});
  ASSERT_EQ(games.size(), 24u);
  int won = 0;
  for (const auto& [number, game] : games) {
    EXPECT_EQ(game.seats[static_cast<std::size_t>(game.seat)], 0);
    won += game.outcome.winner >= 0 && game.seats[static_cast<std::size_t>(game.outcome.winner)] == 1 ? 1 : 0;
  }
  EXPECT_GT(won, 12);  // greedy
}

TEST(Schedule, GamesPlayedBeforeAreNotPlayedAgain) {
  const Schedule schedule{.contests = {one_against_others(2, 0, 1)}, .groups = 10};
  const std::vector<MatchPlayer> players{scheduled("greedy"), scheduled("random")};
  const auto all = play(kScheduleGame, players, schedule, {});
  const std::vector<int> played{0, 3, 4, 19};
  auto rest = play(kScheduleGame, players, schedule, {}, played);
  EXPECT_EQ(rest.size(), 16u);
  for (const int number : played) EXPECT_FALSE(rest.contains(number));
  for (const auto& [number, game] : rest) EXPECT_EQ(game.actions, all.at(number).actions);
}

TEST(Schedule, OpeningsComeFromAListInTurn) {
  const AnyGame game = parse_game(kScheduleGame);
  const auto& wall = std::get<wall::WallGame>(game);
  const Position start(wall);
  const auto action = [&](const char* text) { return *wall.parse_action(start.state, start.history, text, {}); };
  MatchOptions options;
  options.openings = std::make_shared<const std::vector<std::vector<Action>>>(
      std::vector<std::vector<Action>>{{action("c4")}, {action("b2h")}, {}});
  const Schedule schedule{.contests = {one_against_others(2, 0, 1)}, .groups = 4};
  for (const auto& [number, played] :
       play(kScheduleGame, {scheduled("greedy"), scheduled("random")}, schedule, options)) {
    const std::vector<Action>& opening = (*options.openings)[static_cast<std::size_t>(played.group % 3)];
    EXPECT_EQ(played.opening_plies, std::ssize(opening));
    EXPECT_TRUE(std::equal(opening.begin(), opening.end(), played.actions.begin()));
  }
}

TEST(Schedule, APlayerPlaysTheOpenings) {
  const AnyGame game = parse_game(kScheduleGame);
  const auto model = small_random_model(std::get<wall::WallGame>(game).encoding({}));
  MatchOptions options;
  options.opening_plies = 3;
  options.evaluation.backend = "eigen";
  options.opening_player = model_player("opener", std::make_shared<const Model>(model),
                                        Strength{.visits = 0, .temperature = 1}, SearchConfig{});
  const Schedule schedule{.contests = {one_against_others(2, 0, 1)}, .groups = 20};
  std::map<int, std::set<std::vector<Action>>> by_group;
  std::set<std::vector<Action>> openings;
  for (const auto& [number, played] :
       play(kScheduleGame, {scheduled("greedy"), scheduled("random")}, schedule, options)) {
    EXPECT_EQ(played.opening_plies, 3);
    by_group[played.group].insert({played.actions.begin(), played.actions.begin() + 3});
    openings.insert({played.actions.begin(), played.actions.begin() + 3});
  }
  for (const auto& [group, different] : by_group) EXPECT_EQ(different.size(), 1u);
  EXPECT_GT(openings.size(), 15u);
}

MatchResult test_match(const char* a, const char* b, int threads, int slots) {
  MatchOptions options;
  options.games = 2000;
  options.threads = threads;
  options.slots = slots;
  options.sprt = SprtSettings{.elo0 = 0, .elo1 = 100};
  return play_match(parse_game(kScheduleGame), scheduled(a), scheduled(b), options, kNeverStop);
}

TEST(Schedule, ASequentialTestEndsTheMatchByItself) {
  const MatchResult better = test_match("greedy", "random", 2, 8);
  EXPECT_EQ(better.sprt->verdict, SprtVerdict::accept_h1);
  EXPECT_LT(better.total().games, 200);
  EXPECT_FALSE(better.stopped);
  EXPECT_EQ(test_match("random", "greedy", 2, 8).sprt->verdict, SprtVerdict::accept_h0);
  // The same games decide whatever the threads.
  const MatchResult alone = test_match("greedy", "random", 1, 1);
  EXPECT_EQ(alone.by_seat, better.by_seat);
  EXPECT_EQ(alone.sprt->llr, better.sprt->llr);
}

TEST(Schedule, AMatchCountsPairs) {
  MatchOptions options;
  options.games = 200;
  const MatchResult result =
      play_match(parse_game(kScheduleGame), scheduled("greedy"), scheduled("alphabeta:2"), options, kNeverStop);
  EXPECT_EQ(result.groups.groups(), 100);
  EXPECT_NEAR(result.groups.mean(), result.score, 1e-6);
  EXPECT_LT(result.low, result.score);
  EXPECT_GT(result.high, result.score);
}

}  // namespace
}  // namespace koridor
