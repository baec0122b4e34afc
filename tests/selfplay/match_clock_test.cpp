// Games at a clock, and players that think for a time or with several leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "core/base/elapsed.h"
#include "selfplay/matches/match.h"
#include "tests/error_of.h"
#include "tests/selfplay/first_action_player.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

using testing::HasSubstr;
using wall::WallGame;

// Needs 30 ms for each action.
template <Game G>
class SlowPlayer final : public FirstActionPlayer<G> {
 public:
  using FirstActionPlayer<G>::FirstActionPlayer;

  Action action(double temperature) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return FirstActionPlayer<G>::action(temperature);
  }
};

std::vector<MatchGame> play(const MatchPlayer& a, const char* clock, int games = 4) {
  std::vector<MatchGame> played;
  MatchOptions options;
  options.games = games;
  options.opening_plies = 0;
  options.threads = 1;
  options.clock = parse_time_control(clock);
  options.on_game = [&](const MatchGame& one) { played.push_back(one); };
  play_match(parse_game("quoridor:3x3,walls=1"), a, load_player("random", 8, {}), options, kNeverStop);
  EXPECT_EQ(std::ssize(played), games);
  return played;
}

TEST(MatchClock, WhoOverstepsItLosesWithTheReasonOnRecord) {
  for (const char* clock : {"0.01/move", "0.02", "0.015+0.001", "0+2x0.01"}) {
    std::vector<MatchGame> played;
    // The other player has as little time, and a busy machine may take the processor away for longer; hardly five times
    // in a row.
    for (int attempt = 0; attempt < 5; ++attempt) {
      played = play(named_player<SlowPlayer>("slow"), clock);
      if (std::ranges::all_of(played, [](const MatchGame& game) { return game.reason.seat == game.seat; })) break;
    }
    for (const MatchGame& game : played) {
      EXPECT_EQ(game.reason.kind, EndReason::Kind::forfeit);
      EXPECT_EQ(game.reason.forfeit.kind, Forfeit::Kind::time);
      EXPECT_EQ(game.reason.seat, game.seat);
      EXPECT_EQ(game.outcome.winner, 1 - game.seat);
      EXPECT_THAT(game.reason.text(), HasSubstr("s were left"));
      EXPECT_EQ(std::ssize(game.actions), game.seat);  // the late action does not count
    }
  }
}

TEST(MatchClock, WhoKeepsToItDoesNot) {
  for (const char* clock : {"none", "10", "5/move", "1+1"}) {
    for (const MatchGame& game : play(named_player<SlowPlayer>("slow"), clock, 2))
      EXPECT_EQ(game.reason, EndReason{}) << clock;
  }
}

// A search with no other limit ends in time, at every kind of clock.
TEST(MatchClock, ASearchPlaysWithinIt) {
  for (const char* clock : {"0.2/move", "2+0.1", "1+3x0.2", "0+1/0.2"}) {
    // A busy machine may take the processor away for longer than the margin; hardly three times in a row.
    std::string late;
    for (int attempt = 0; attempt < 3; ++attempt) {
      late.clear();
      for (const MatchGame& game : play(load_player("mcts", Strength::kEndless, {}), clock, 2)) {
        if (game.reason != EndReason{}) late = game.reason.text();
      }
      if (late.empty()) break;
    }
    EXPECT_EQ(late, "") << clock;
  }
}

// Is ready after some questions, as a program that is being started.
template <Game G>
class StartingPlayer final : public FirstActionPlayer<G> {
 public:
  StartingPlayer(const G& game, int* starting, int* most)
      : FirstActionPlayer<G>(game), starting_(starting), most_(most) {}

  void new_game(const Position<G>& position, GameClocks clocks) override {
    FirstActionPlayer<G>::new_game(position, clocks);
    questions_ = 0;
    *most_ = std::max(*most_, ++*starting_);
  }
  bool ready() override {
    if (++questions_ == 5) --*starting_;
    return questions_ >= 5;
  }
  void begin(Random&) override { EXPECT_EQ(*starting_, 0); }

 private:
  int* starting_;  // players that are being started, and the most of them at once
  int* most_;
  int questions_ = 0;
};

// Two processes that are being started would take the core of another thread's game.
TEST(MatchClock, OnePlayerAfterTheOtherIsWaitedForBeforeItRuns) {
  int starting = 0;
  int most = 0;
  const MatchPlayer player = named_player<StartingPlayer>("starting", &starting, &most);
  MatchOptions options;
  options.games = 4;
  options.threads = 1;
  options.clock = parse_time_control("10");
  play_match(parse_game("quoridor:3x3,walls=1"), player, player, options, kNeverStop);
  EXPECT_EQ(most, 1);
  EXPECT_EQ(starting, 0);
}

class TimedPlayer : public testing::Test {
 protected:
  TimedPlayer() {
    save_model(path_, small_random_model(std::get<WallGame>(parse_game("quoridor:5x5,walls=3")).encoding({})));
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.file("model.koridor");
};

TEST_F(TimedPlayer, ThinksForTheSecondsOfItsOwn) {
  for (const std::string& text : {path_ + ",seconds=0.05", std::string("mcts,seconds=0.05")}) {
    const MatchPlayer player = load_player(text, 1, match_search());
    EXPECT_TRUE(player.timed);
    const AnyGame any = parse_game("quoridor:5x5,walls=3");
    const auto made = std::get<std::unique_ptr<Player<WallGame>>>(player.prepare(any, kNeverStop)());
    const auto& game = std::get<WallGame>(any);
    made->new_game(Position<WallGame>(game), {});
    Random random(1);
    const auto begin = std::chrono::steady_clock::now();
    made->begin(random);
    const std::vector<float> zeros(512, 0.0f);
    for (PlayerStep step = made->step(); step != PlayerStep::done; step = made->step()) {
      for (int leaf = 0; step == PlayerStep::evaluate && leaf < made->leaves(); ++leaf) {
        made->supply(leaf, {.policy = zeros, .value = zeros});
      }
    }
    const double seconds = seconds_since(begin);
    EXPECT_GE(seconds, 0.05) << text;
    EXPECT_LT(seconds, 5) << text;
  }
  EXPECT_FALSE(load_player(path_, 64, match_search()).timed);
}

TEST_F(TimedPlayer, HandsOutAsManyLeavesAsItIsToldTo) {
  const MatchPlayer player = load_player(path_ + ",leaves=4", 40, match_search());
  EXPECT_EQ(player.leaves, 4);
  const AnyGame any = parse_game("quoridor:5x5,walls=3");
  const auto made = std::get<std::unique_ptr<Player<WallGame>>>(player.prepare(any, kNeverStop)());
  made->new_game(Position<WallGame>(std::get<WallGame>(any)), {});
  Random random(1);
  made->begin(random);
  const std::vector<float> zeros(512, 0.0f);
  int most = 0;
  int predictions = 0;
  while (made->step() == PlayerStep::evaluate) {
    most = std::max(most, made->leaves());
    predictions += made->leaves();
    for (int leaf = made->leaves() - 1; leaf >= 0; --leaf) {
      made->supply(leaf, {.policy = zeros, .value = zeros});
    }
  }
  EXPECT_EQ(most, 4);
  EXPECT_GT(predictions, 20);
  EXPECT_LE(predictions, 41);
}

TEST_F(TimedPlayer, PlaysAWholeMatchWithSeveralLeaves) {
  MatchOptions options;
  options.games = 4;
  options.threads = 1;
  options.slots = 3;
  const MatchResult result =
      play_match(parse_game("quoridor:5x5,walls=3"), load_player(path_ + ",leaves=5", 24, match_search()),
                 load_player(path_, 24, match_search()), options, kNeverStop);
  EXPECT_EQ(result.total().games, 4);
}

TEST_F(TimedPlayer, MistakesAreNamed) {
  const auto complaint = [&](const std::string& options) {
    return error_of([&] { load_player(path_ + options, 8, match_search()); });
  };
  EXPECT_THAT(complaint(",seconds=0"), HasSubstr("seconds must be a number from 0.001 to 1000000"));
  EXPECT_THAT(complaint(",algorithm=pukt"), HasSubstr("did you mean 'puct'?"));
  EXPECT_THAT(complaint(",leaves=0"), HasSubstr("leaves must be a number from 1 to 256"));
  EXPECT_THAT(complaint(",c_puct=-1"), HasSubstr("c_puct must be a number from 0 to 100"));
  EXPECT_THAT(complaint(",gumbel_considered=0"), HasSubstr("gumbel_considered must be a number from 1 to 1024"));
  EXPECT_EQ(complaint(",seconds=1,leaves=8,visits=100,gumbel_c_scale=0.5"), "no error");
}

}  // namespace
}  // namespace koridor
