// How much time an action gets at a clock, and when a choice is sure enough.
#include "core/search/pace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/registry.h"

namespace koridor {
namespace {

constexpr double kMargin = 0.02;

TimeBudget budget_at(const std::string& clock, double ahead = 30) {
  return time_budget(GameClock(parse_time_control(clock)), ahead, kMargin);
}

TEST(TimeBudget, WithoutAClockThereIsNoLimit) {
  EXPECT_TRUE(std::isinf(time_budget(GameClock(), 30, kMargin).most));
}

TEST(TimeBudget, AFixedTimeIsUsedButForTheMargin) {
  const TimeBudget budget = budget_at("0.1/move");
  EXPECT_DOUBLE_EQ(budget.most, 0.08);
  EXPECT_FALSE(budget.kept);
  EXPECT_DOUBLE_EQ(budget_at("0.02/move").most, 0.01);  // half of what is hardly more than the margin
  const TimeBudget period = budget_at("0+3x5");
  EXPECT_DOUBLE_EQ(period.most, 4.95);  // more of a longer time
  EXPECT_FALSE(period.kept);
  // The only stone of a period of Canadian byo-yomi, as GTP says a time for each move, is a fixed time, too.
  const TimeBudget stone = budget_at("0+1/5");
  EXPECT_DOUBLE_EQ(stone.most, 4.95);
  EXPECT_FALSE(stone.kept);
}

TEST(TimeBudget, AGamesTimeIsSharedAmongTheActionsToCome) {
  const TimeBudget budget = budget_at("300", 30);
  EXPECT_NEAR(budget.ideal, 15.8, 0.01);
  EXPECT_NEAR(budget.most, 47.4, 0.05);
  EXPECT_TRUE(budget.kept);
  EXPECT_NEAR(budget_at("300+5", 30).ideal, 20.8, 0.1);
  EXPECT_NEAR(budget_at("10/300", 30).ideal, 46.2, 0.1);  // ten actions until the next session
  EXPECT_GT(budget_at("1/300", 30).most, 299);            // the session's last
  EXPECT_NEAR(budget_at("10/move,300/game", 20).ideal, 9.95, 0.01);
  EXPECT_DOUBLE_EQ(budget_at("10/move,300/game", 20).most, 9.95);
  EXPECT_NEAR(budget_at("0+25/300").ideal, 18.9, 0.1);
  EXPECT_GT(budget_at("60+5x30").ideal, 30);  // the period comes back
  EXPECT_LT(budget_at("60+5x30").most, 90);
}

// Where a session has hardly more time than the margin for each action, half of it is used all the same.
TEST(TimeBudget, ASessionOfManyActionsIsSearchedIn) {
  EXPECT_NEAR(budget_at("500/10").ideal, 0.263, 0.001);
  EXPECT_NEAR(budget_at("40/0.5").ideal, 0.0132, 0.0001);
  EXPECT_NEAR(time_budget(GameClock::remaining(0.5, 0, 40), 30, kMargin).ideal, 0.0132, 0.0001);
}

// Whoever always takes the longest time allowed and is then late by nearly the margin never oversteps.
TEST(TimeBudget, NobodyWhoKeepsToItLosesOnTime) {
  struct Budget {
    const char* clock;
    double late;
    int actions;
  };
  for (const auto& [text, late, actions] :
       {Budget{"0.1/move", 0.9 * kMargin, 300}, Budget{"1+0.1", 0.9 * kMargin, 300},
        Budget{"0+2x1", 0.9 * kMargin, 300}, Budget{"1+3x0.5", 0.9 * kMargin, 300}, Budget{"2+5/1", 0.9 * kMargin, 300},
        Budget{"0+1/0.1", 0.9 * kMargin, 300}, Budget{"10/2", 0.9 * kMargin, 300}, Budget{"500/10", 0.4 * kMargin, 600},
        Budget{"0.5/move,10/game", 0, 300}, Budget{"5", 0.1 * kMargin, 30}, Budget{"0.02/move", 0.4 * kMargin, 300},
        Budget{"60", 0, 500}}) {
    GameClock clock(parse_time_control(text));
    for (int action = 0; action < actions; ++action) {
      const TimeBudget budget = time_budget(clock, std::max(30 - action, 8), kMargin);
      ASSERT_GE(budget.most, 0) << text;
      ASSERT_LE(budget.ideal, budget.most) << text;
      ASSERT_TRUE(clock.spend(budget.most + late)) << text << " at action " << action;
    }
  }
}

TEST(ActionsAhead, GamesAreExpectedToEndWithinTheirCap) {
  for (const char* name : {"quoridor:5x5,walls=3", "quoridor", "go:9x9", "quoridor4"}) {
    std::visit(
        []<Game G>(const G& game) {
          Position<G> position(game);
          const double first = actions_ahead(game, position.state);
          EXPECT_NEAR(first, game.max_plies() / 5.0 / game.players(), 1e-9);
          Random random(7);
          while (!game.outcome(position.state, position.history).over()) {
            const double ahead = actions_ahead(game, position.state);
            EXPECT_GE(ahead, 1);
            EXPECT_LE(ahead, std::max(1, game.max_plies() - game.ply(position.state)));
            ActionMask legal;
            game.legal_actions(position.state, position.history, legal);
            position.apply(game, legal.nth(random.below(legal.count())));
          }
        },
        parse_game(name));
  }
}

TEST(Pacer, StopsWhereNothingElseCanBeChosen) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Pacer pacer;
  pacer.start({.ideal = 10, .most = 40, .kept = true});
  EXPECT_TRUE(pacer.enough(0.001, 1, {.best = Action{1}, .lead = kInfinite}));
  pacer.start({.ideal = 20, .most = 20, .kept = false});
  EXPECT_TRUE(pacer.enough(0.001, 1, {.best = Action{1}, .lead = kInfinite}));
}

TEST(Pacer, StopsWhereTheLeadCannotBeMadeUpFor) {
  // 100 simulations a second and 9 s to go of 0.9 times the ideal time: a lead of 900 is enough, and it trusts 0.75 of
  // one, since simulations may become quicker.
  Pacer pacer;
  pacer.start({.ideal = 20, .most = 20, .kept = true});
  EXPECT_FALSE(pacer.enough(0.001, 0, {.best = Action{1}, .lead = 0, .certainty = 1}));
  EXPECT_FALSE(pacer.enough(9, 900, {.best = Action{1}, .lead = 1100, .certainty = 1}));
  EXPECT_TRUE(pacer.enough(9, 900, {.best = Action{1}, .lead = 1300, .certainty = 1}));
}

TEST(Pacer, UsesUpATimeThatCannotBeSaved) {
  Pacer pacer;
  pacer.start({.ideal = 20, .most = 20, .kept = false});
  EXPECT_FALSE(pacer.enough(19.9, 1990, {.best = Action{1}, .lead = 5000}));
  EXPECT_TRUE(pacer.enough(20, 2000, {.best = Action{1}, .lead = 5}));
}

TEST(Pacer, SpendsMoreWhereTheChoiceIsUnsure) {
  const auto ends_at = [](double changes_until, double certainty) {
    Pacer pacer;
    pacer.start({.ideal = 10, .most = 15, .kept = true});
    for (int tenth = 1;; ++tenth) {
      const double seconds = tenth / 10.0;
      const int best = seconds < changes_until ? tenth % 2 : 2;
      if (pacer.enough(seconds, tenth, {.best = Action(best), .lead = 0, .certainty = certainty})) return seconds;
    }
  };
  const double sure = ends_at(0, 1);
  EXPECT_NEAR(sure, 9.1, 0.3);
  EXPECT_GT(ends_at(5, 1), sure + 1);
  EXPECT_GT(ends_at(0, 0), sure + 1);
  EXPECT_NEAR(ends_at(100, 0), 15, 0.11);  // never longer than the most
}

}  // namespace
}  // namespace koridor
