#include "selfplay/matches/tournament.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTournamentGame = "quoridor:5x5,walls=3";

std::vector<MatchPlayer> players(const std::vector<std::string>& texts) {
  std::vector<MatchPlayer> loaded;
  for (const std::string& text : texts) loaded.push_back(load_player(text, 16, SearchConfig{}));
  return loaded;
}

TEST(Tournament, EverybodyMeetsEverybody) {
  const Schedule schedule = tournament_schedule(2, 5, {.games = 7});
  EXPECT_EQ(schedule.contests.size(), 10u);
  EXPECT_EQ(schedule.groups, 4);
  std::set<std::vector<int>> who;
  for (const Contest& contest : schedule.contests) who.insert(contest.players);
  EXPECT_EQ(who.size(), 10u);
}

TEST(Tournament, InAGauntletTheFirstMeetsTheOthers) {
  const Schedule schedule = tournament_schedule(2, 5, {.form = TournamentForm::gauntlet, .games = 8});
  ASSERT_EQ(schedule.contests.size(), 4u);
  for (const Contest& contest : schedule.contests) EXPECT_EQ(contest.players.front(), 0);
}

TEST(Tournament, GamesForMoreSeatSetsOfPlayers) {
  EXPECT_EQ(tournament_schedule(4, 6, {}).contests.size(), 15u);
  EXPECT_EQ(tournament_schedule(4, 6, {}).group_size(), 4);
  EXPECT_EQ(tournament_schedule(4, 5, {.permutations = true}).group_size(), 24);
  // Fewer players than seats: each meets each other in all the other seats.
  EXPECT_EQ(tournament_schedule(4, 3, {}).contests.size(), 6u);
}

TEST(Tournament, RefusesWhatCannotBePlayed) {
  EXPECT_THROW(tournament_schedule(2, 1, {}), UserError);
  // As many players have few enough games where only one of them meets the others.
  EXPECT_THROW(tournament_schedule(2, 1000, {.games = 1000}), UserError);
  EXPECT_EQ(tournament_schedule(2, 1000, {.form = TournamentForm::gauntlet, .games = 1000}).games(), 999'000);
  // The games of whole groups count: 28 in place of 25, and every order of four players.
  EXPECT_THROW(tournament_schedule(4, 100, {.games = 25}), UserError);
  EXPECT_THROW(tournament_schedule(4, 200, {.games = 1, .permutations = true}), UserError);
  EXPECT_THAT(error_of([] { tournament_schedule(4, 200, {.games = 100}); }), HasSubstr("more than"));
}

TEST(Tournament, OrdersPlayersByStrength) {
  MatchOptions options;
  int seen = 0;
  options.on_game = [&](const MatchGame&) { ++seen; };
  const TournamentResult result =
      play_tournament(parse_game(kTournamentGame), players({"random", "greedy", "alphabeta:3"}),
                      {.games = 100, .anchor = 1}, options, kNeverStop);
  EXPECT_EQ(result.games, 300);
  EXPECT_EQ(seen, 300);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.standings[1].rating.elo, 0);
  EXPECT_LT(result.standings[0].rating.elo, -200);
  EXPECT_GT(result.standings[2].rating.elo, 0);
  EXPECT_EQ(result.standings[0].games, 200);
  double points = 0;
  for (const Standing& standing : result.standings) points += standing.points;
  EXPECT_NEAR(points, 300, 1e-3);
  EXPECT_NEAR(result.cross[0][1].share + result.cross[1][0].share, 1, 1e-9);
  EXPECT_LT(result.cross[0][1].share, 0.2);
  EXPECT_LT(result.cross[0][1].los, 0.01);
  EXPECT_TRUE(result.cycles.empty());
}

TEST(Tournament, FourDifferentPlayersAreRated) {
  const TournamentResult result =
      play_tournament(parse_game("quoridor4:5x5,walls=2"), players({"random", "greedy", "mcts:8", "alphabeta:2"}),
                      {.games = 40}, {}, kNeverStop);
  EXPECT_EQ(result.games, 40);
  EXPECT_GT(result.standings[1].rating.elo, result.standings[0].rating.elo);
}

// The tally alone, with games made up: a beats b, b beats c, c beats a.
TEST(Tournament, NamesWhoBeatsWhomInACircle) {
  const Schedule schedule = tournament_schedule(2, 4, {.games = 40});
  TournamentTally tally(2, 4, schedule);
  for (int number = 0; number < schedule.games(); ++number) {
    const ScheduledGame game = schedule.game(number);
    MatchGame played{.number = number, .contest = game.contest, .group = game.group, .seats = game.seats};
    const std::vector<int>& who = schedule.contests[static_cast<std::size_t>(game.contest)].players;
    // 3 loses to everybody; of the others each beats the next one, with an upset in every fourth group.
    int winner = who[0];
    if (who == std::vector{0, 2}) winner = 2;
    if (game.group % 4 == 0 && who[1] != 3) winner = who[0] + who[1] - winner;
    played.outcome = Outcome::won_by(game.seats[0] == winner ? 0 : 1);
    tally.add(played);
  }
  const TournamentResult result = tally.result({});
  ASSERT_EQ(result.cycles.size(), 1u);
  EXPECT_EQ(result.cycles[0].players, (std::array{0, 1, 2}));
  EXPECT_GT(result.cycles[0].los, 0.95);
  EXPECT_NEAR(result.cross[2][0].share, 0.75, 1e-9);
  EXPECT_NEAR(result.standings[0].rating.elo, result.standings[2].rating.elo, 1);
  EXPECT_LT(result.standings[3].rating.elo, -300);
}

// Where a tournament is stopped, games that are short were finished first: a group counts once it is whole.
TEST(Tournament, CountsWholeGroups) {
  const Schedule schedule = tournament_schedule(2, 3, {.games = 4});
  TournamentTally tally(2, 3, schedule);
  std::vector<int> counted(3);
  int left_out = 0;
  for (int number = 0; number < schedule.games(); ++number) {
    const ScheduledGame game = schedule.game(number);
    MatchGame played{.number = number, .contest = game.contest, .group = game.group, .seats = game.seats};
    played.outcome = Outcome::won_by(0);
    const bool second = number > 0 && schedule.game(number - 1).contest == game.contest &&
                        schedule.game(number - 1).group == game.group;
    // Of contest 1 the first game of each group alone, of contest 2 nothing.
    if (game.contest == 2 || (game.contest == 1 && second)) continue;
    if (game.contest == 1) ++left_out;
    if (game.contest == 0) {
      for (const int player : schedule.contests[0].players) ++counted[static_cast<std::size_t>(player)];
    }
    tally.add(played);
  }
  const TournamentResult result = tally.result({});
  ASSERT_EQ(left_out, 2);
  EXPECT_EQ(result.left_out, left_out);
  EXPECT_EQ(result.games, 4 + left_out);
  EXPECT_TRUE(result.stopped);
  for (std::size_t player = 0; player < 3; ++player) {
    EXPECT_EQ(result.standings[player].games, counted[player]) << player;
    EXPECT_EQ(result.standings[player].points, counted[player] / 2.0) << player;
  }
}

// The first mover wins every game, or half of them as groups have it: both make equal players.
TEST(Tournament, RatingsAreSurerWherePairsAreShared) {
  const auto error = [](bool shared) {
    const Schedule schedule = tournament_schedule(2, 2, {.games = 100});
    TournamentTally tally(2, 2, schedule);
    for (int number = 0; number < schedule.games(); ++number) {
      const ScheduledGame game = schedule.game(number);
      MatchGame played{.number = number, .contest = game.contest, .group = game.group, .seats = game.seats};
      const int seat_of_first = game.seats[0] == 0 ? 0 : 1;
      played.outcome = Outcome::won_by(shared ? 0 : (game.group % 2 == 0 ? seat_of_first : 1 - seat_of_first));
      tally.add(played);
    }
    const TournamentResult result = tally.result({});
    EXPECT_EQ(result.standings[0].rating.elo, result.standings[1].rating.elo);
    return result.standings[1].rating.error95;
  };
  EXPECT_LT(error(true), 0.3 * error(false));
}

// Likewise of two players in games for four, where one of them has one seat and the other the rest.
TEST(Tournament, RatingsOfTwoOnFourSeatsAreSurerWhereGroupsAreShared) {
  const auto error = [](bool shared) {
    const Schedule schedule = tournament_schedule(4, 2, {.games = 100});
    TournamentTally tally(4, 2, schedule);
    for (int number = 0; number < schedule.games(); ++number) {
      const ScheduledGame game = schedule.game(number);
      MatchGame played{.number = number, .contest = game.contest, .group = game.group, .seats = game.seats};
      const int first = schedule.contests[static_cast<std::size_t>(game.contest)].players.front();
      const auto seat = static_cast<int>(std::ranges::find(game.seats, first) - game.seats.begin());
      played.outcome = Outcome::won_by(shared ? 0 : (game.group % 4 == 0 ? seat : (seat + 1) % 4));
      tally.add(played);
    }
    return tally.result({}).standings[1].rating.error95;
  };
  EXPECT_LT(error(true), 0.3 * error(false));
}

TEST(Tournament, AFinishedOneNeedsNoPlayers) {
  MatchOptions options;
  options.threads = 1;
  std::vector<MatchGame> games;
  options.on_game = [&](const MatchGame& game) { games.push_back(game); };
  const AnyGame game = parse_game(kTournamentGame);
  const TournamentSettings settings{.games = 4};
  const TournamentResult first = play_tournament(game, players({"random", "greedy"}), settings, options, kNeverStop);
  options.played = games;
  MatchPlayer gone{.name = "gone"};
  gone.prepare = [](const AnyGame&, const std::atomic<bool>&) -> PlayerFactory { throw UserError("it is gone"); };
  const std::vector<MatchPlayer> nobody{gone, gone};
  const TournamentResult again = play_tournament(game, nobody, settings, options, kNeverStop);
  EXPECT_EQ(again.standings[0].points, first.standings[0].points);
  EXPECT_FALSE(again.stopped);
}

// Players without chance who begin where they began before, against one with it.
TEST(Tournament, GamesThatWentAsEarlierOnesAreCounted) {
  MatchOptions options;
  options.opening_plies = 0;
  std::vector<std::set<std::pair<Seating, std::vector<Action>>>> different(3);
  options.on_game = [&](const MatchGame& game) {
    different[static_cast<std::size_t>(game.contest)].emplace(game.seats, game.actions);
  };
  const TournamentResult result =
      play_tournament(parse_game(kTournamentGame), players({"alphabeta:1", "alphabeta:2", "random"}), {.games = 10},
                      options, kNeverStop);
  int count = 0;
  for (const auto& contest : different) count += static_cast<int>(contest.size());
  EXPECT_EQ(result.repeated, 30 - count);
}

// Of many players in no order of strength there are more circles than anybody wants to keep.
TEST(Tournament, KeepsTheLikeliestCircles) {
  constexpr int kPlayers = 25;
  const Schedule schedule = tournament_schedule(2, kPlayers, {.games = 8});
  TournamentTally tally(2, kPlayers, schedule);
  // 0 beats 1, 1 beats 2 and 2 beats 0 in every game; everybody else beats the twelve that follow, but for one group.
  for (int number = 0; number < schedule.games(); ++number) {
    const ScheduledGame game = schedule.game(number);
    MatchGame played{.number = number, .contest = game.contest, .group = game.group, .seats = game.seats};
    const std::vector<int>& who = schedule.contests[static_cast<std::size_t>(game.contest)].players;
    const bool circle = who[1] <= 2;
    int winner = circle ? (who[1] - who[0] == 1 ? who[0] : who[1]) : (who[1] - who[0] <= 12 ? who[0] : who[1]);
    if (!circle && game.group == 0) winner = who[0] + who[1] - winner;
    played.outcome = Outcome::won_by(game.seats[0] == winner ? 0 : 1);
    tally.add(played);
  }
  const std::vector<Cycle> cycles = tally.result({}).cycles;
  ASSERT_EQ(cycles.size(), kMostCycles);
  EXPECT_EQ(cycles[0].players, (std::array{0, 1, 2}));
  EXPECT_GT(cycles[0].los, cycles[1].los);
  EXPECT_EQ(cycles[1].los, cycles.back().los);
}

}  // namespace
}  // namespace koridor
