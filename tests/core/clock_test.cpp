// Time controls as people write them, and what a player has left of them.
#include "core/search/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/error_of.h"

namespace koridor {
namespace {

GameClock clock_of(const char* text) {
  return GameClock(parse_time_control(text));
}

TEST(TimeControl, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(parse_time_control("300"), (TimeControl{.main = 300}));
  EXPECT_EQ(parse_time_control("5m"), (TimeControl{.main = 300}));
  EXPECT_EQ(parse_time_control("300/game"), (TimeControl{.main = 300}));
  EXPECT_EQ(parse_time_control(" 1h "), (TimeControl{.main = 3600}));
  EXPECT_EQ(parse_time_control("60+0.6"), (TimeControl{.main = 60, .increment = 0.6}));
  EXPECT_EQ(parse_time_control("60+0"), (TimeControl{.main = 60}));
  EXPECT_EQ(parse_time_control("2min + 500 ms"), (TimeControl{.main = 120, .increment = 0.5}));
  EXPECT_EQ(parse_time_control("0.1/move"), (TimeControl{.move = 0.1}));
  EXPECT_EQ(parse_time_control("10/move,300/game"), (TimeControl{.main = 300, .move = 10}));
  EXPECT_EQ(parse_time_control("300, 10/move"), (TimeControl{.main = 300, .move = 10}));
  EXPECT_EQ(parse_time_control("5m+5x30s"), (TimeControl{.main = 300, .period = 30, .periods = 5}));
  EXPECT_EQ(parse_time_control("0+3x10"), (TimeControl{.period = 10, .periods = 3}));
  EXPECT_EQ(parse_time_control("5m+25/300s"), (TimeControl{.main = 300, .period = 300, .stones = 25}));
  EXPECT_EQ(parse_time_control("40/5m"), (TimeControl{.main = 300, .session = 40}));
  EXPECT_EQ(parse_time_control("40/5m+1"), (TimeControl{.main = 300, .increment = 1, .session = 40}));
  EXPECT_TRUE(parse_time_control("none").none());
}

TEST(TimeControl, WhatIsNoneSaysWhy) {
  const auto error = [](const char* text) { return error_of([&] { parse_time_control(text); }); };
  using testing::HasSubstr;
  EXPECT_THAT(error(""), HasSubstr("\"\" is no time"));
  EXPECT_THAT(error("60+x"), HasSubstr("\"x\" is no time"));
  EXPECT_THAT(error("5x"), HasSubstr("\"5x\" is no time; a clock is written 300"));
  EXPECT_THAT(error("0"), HasSubstr("\"0\" is no time"));
  EXPECT_THAT(error("-1"), HasSubstr("is no time"));
  EXPECT_THAT(error("inf"), HasSubstr("is not between"));
  EXPECT_THAT(error("nan"), HasSubstr("is no time"));
  EXPECT_THAT(error("1e3"), HasSubstr("\"1e3\" is no time"));
  EXPECT_THAT(error("0.0001/move"), HasSubstr("is not between 1 ms and 1,000,000 s"));
  EXPECT_THAT(error("1000h"), HasSubstr("is not between"));
  EXPECT_THAT(error("0+1"), HasSubstr("a main time of 0 needs byo-yomi"));
  EXPECT_THAT(error("5m+0x30"), HasSubstr("\"0\" is no number from 1 to 10,000"));
  EXPECT_THAT(error("5m+2.5/30"), HasSubstr("\"2.5\" is no number"));
  EXPECT_THAT(error("99999/5m"), HasSubstr("is no number"));
  EXPECT_THAT(error("40/5m+5x30"), HasSubstr("goes with an increment"));
  EXPECT_THAT(error("1/move,2/move"), HasSubstr("two times for a move"));
  EXPECT_THAT(error("60,60"), HasSubstr("two times for a game"));
  EXPECT_THAT(error("60,"), HasSubstr("two times for a game"));
}

TEST(GameClock, WithoutAControlNothingIsLimited) {
  GameClock clock;
  EXPECT_TRUE(clock.unlimited());
  EXPECT_TRUE(std::isinf(clock.most()));
  EXPECT_TRUE(clock.spend(1e9));
}

TEST(GameClock, AnIncrementComesAfterEachAction) {
  GameClock clock = clock_of("10+2");
  EXPECT_TRUE(clock.spend(4));
  EXPECT_DOUBLE_EQ(clock.most(), 8);
  EXPECT_TRUE(clock.spend(8));
  EXPECT_DOUBLE_EQ(clock.most(), 2);
  EXPECT_FALSE(clock.spend(2.5));
}

TEST(GameClock, WhatAMoveLeavesIsLost) {
  GameClock clock = clock_of("1/move");
  EXPECT_TRUE(clock.spend(0.25));
  EXPECT_DOUBLE_EQ(clock.most(), 1);
  EXPECT_TRUE(clock.spend(1));
  EXPECT_FALSE(clock.spend(1.01));
}

TEST(GameClock, AMoveAndAGameAreBothLimited) {
  GameClock clock = clock_of("10/move,25/game");
  EXPECT_DOUBLE_EQ(clock.most(), 10);
  EXPECT_TRUE(clock.spend(10));
  EXPECT_TRUE(clock.spend(9));
  EXPECT_DOUBLE_EQ(clock.most(), 6);
  EXPECT_FALSE(clock.spend(7));
  EXPECT_FALSE(clock_of("10/move,25/game").spend(11));
}

TEST(GameClock, JapanesePeriodsAreUsedUpWhole) {
  GameClock clock = clock_of("10+3x5");
  EXPECT_DOUBLE_EQ(clock.most(), 25);
  EXPECT_TRUE(clock.spend(12));  // 2 s of the first period: it is not used up
  EXPECT_TRUE(clock.in_byo_yomi());
  EXPECT_EQ(clock.periods_left(), 3);
  EXPECT_TRUE(clock.spend(4.5));
  EXPECT_DOUBLE_EQ(clock.most(), 15);
  EXPECT_TRUE(clock.spend(11));  // two of them
  EXPECT_EQ(clock.periods_left(), 1);
  EXPECT_DOUBLE_EQ(clock.most(), 5);
  EXPECT_TRUE(clock.spend(5));
  EXPECT_FALSE(clock.spend(5.5));
}

TEST(GameClock, CanadianStonesShareAPeriod) {
  GameClock clock = clock_of("10+3/6");
  EXPECT_DOUBLE_EQ(clock.most(), 16);
  EXPECT_TRUE(clock.spend(11));
  EXPECT_EQ(clock.stones_left(), 2);
  EXPECT_DOUBLE_EQ(clock.period_left(), 5);
  EXPECT_TRUE(clock.spend(1));
  EXPECT_TRUE(clock.spend(4));
  EXPECT_EQ(clock.stones_left(), 3);  // a new period
  EXPECT_DOUBLE_EQ(clock.most(), 6);
  EXPECT_FALSE(clock.spend(6.5));
}

TEST(GameClock, ASessionsTimeIsAddedToWhatIsLeft) {
  GameClock clock = clock_of("2/10");
  EXPECT_EQ(clock.moves_to_go(), 2);
  EXPECT_TRUE(clock.spend(3));
  EXPECT_EQ(clock.moves_to_go(), 1);
  EXPECT_TRUE(clock.spend(3));
  EXPECT_EQ(clock.moves_to_go(), 2);
  EXPECT_DOUBLE_EQ(clock.most(), 14);
  EXPECT_FALSE(clock.spend(14.5));
}

TEST(GameClock, AProtocolsWordGoesBeforeItsOwnCount) {
  GameClock clock = clock_of("10+3x5");
  clock.set_main_left(2);
  EXPECT_DOUBLE_EQ(clock.most(), 17);
  clock.set_byo_yomi_left(4, 2);
  EXPECT_TRUE(clock.in_byo_yomi());
  EXPECT_DOUBLE_EQ(clock.most(), 9);
  EXPECT_TRUE(clock.spend(8));
  EXPECT_EQ(clock.periods_left(), 1);
  clock.set_main_left(7);
  EXPECT_FALSE(clock.in_byo_yomi());

  GameClock canadian = clock_of("10+3/6");
  canadian.set_byo_yomi_left(2, 1);
  EXPECT_DOUBLE_EQ(canadian.most(), 2);
  EXPECT_TRUE(canadian.spend(2));
  EXPECT_DOUBLE_EQ(canadian.most(), 6);

  GameClock told;  // without a word about the control
  told.set_byo_yomi_left(6, 3);
  EXPECT_DOUBLE_EQ(told.most(), 6);
  EXPECT_EQ(told.stones_left(), 3);
  GameClock left;
  left.set_main_left(0);
  EXPECT_FALSE(left.unlimited());
  EXPECT_DOUBLE_EQ(left.most(), 0);
}

TEST(GameClock, TheRestIsReportedBeforeEachAction) {
  const GameClock clock = GameClock::remaining(30, 0.5, 7);
  EXPECT_DOUBLE_EQ(clock.most(), 30);
  EXPECT_DOUBLE_EQ(clock.control().increment, 0.5);
  EXPECT_EQ(clock.moves_to_go(), 7);
  EXPECT_FALSE(GameClock::remaining(-1).unlimited());
  EXPECT_DOUBLE_EQ(GameClock::remaining(-1).most(), 0);
}

}  // namespace
}  // namespace koridor
