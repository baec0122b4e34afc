// Players that lose a game otherwise than by its rules.
#include "selfplay/matches/forfeit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "selfplay/matches/match.h"
#include "selfplay/session/seat_player.h"
#include "tests/error_of.h"
#include "tests/selfplay/first_action_player.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

// Crashes instead of its `faultless`-th action of a game.
template <Game G>
class CrashingPlayer final : public FirstActionPlayer<G> {
 public:
  CrashingPlayer(const G& game, int faultless) : FirstActionPlayer<G>(game), faultless_(faultless) {}

  void new_game(const Position<G>& position, GameClocks clocks) override {
    FirstActionPlayer<G>::new_game(position, clocks);
    actions_ = 0;
  }
  PlayerStep step() override { return actions_ == faultless_ ? PlayerStep::forfeit : PlayerStep::done; }
  Forfeit forfeit() override { return {.kind = Forfeit::Kind::crash, .detail = "exit code 1"}; }
  Action action(double temperature) override {
    ++actions_;
    return FirstActionPlayer<G>::action(temperature);
  }

 private:
  int faultless_;
  int actions_ = 0;
};

MatchPlayer crashing_player(int faultless) {
  return named_player<CrashingPlayer>("crashing", faultless);
}

MatchResult play(const char* game, const MatchPlayer& a, int games, std::vector<MatchGame>& played) {
  MatchOptions options;
  options.games = games;
  options.opening_plies = 0;
  options.on_game = [&](const MatchGame& one) { played.push_back(one); };
  return play_match(parse_game(game), a, load_player("random", 8, {}), options, kNeverStop);
}

TEST(Forfeit, LosesTheGameWithTheReasonAndTheMatchGoesOn) {
  std::vector<MatchGame> played;
  const MatchResult result = play("quoridor:5x5,walls=3", crashing_player(1), 10, played);
  EXPECT_EQ(result.total(), (SeatScore{.games = 10, .wins = 0, .draws = 0, .losses = 10}));
  ASSERT_EQ(played.size(), 10u);
  for (const MatchGame& game : played) {
    EXPECT_EQ(game.outcome.kind, Outcome::Kind::win);
    EXPECT_EQ(game.outcome.winner, 1 - game.seat);
    EXPECT_EQ(game.reason.text(), fmt::format("player {}: crash (exit code 1)", game.seat + 1));
    EXPECT_EQ(std::ssize(game.actions), game.seat == 0 ? 2 : 3);
  }
}

TEST(Forfeit, AGameByTheRulesHasNoReason) {
  std::vector<MatchGame> played;
  play("quoridor:5x5,walls=3", load_player("random", 8, {}), 4, played);
  EXPECT_EQ(played.size(), 4u);
  for (const MatchGame& game : played) EXPECT_EQ(game.reason, EndReason{});
}

TEST(Forfeit, TheOthersOfFourShareThePoint) {
  std::vector<MatchGame> played;
  const MatchResult result = play("quoridor4:5x5,walls=2", crashing_player(0), 4, played);
  EXPECT_EQ(result.total().losses, 4);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(played.size(), 4u);
  for (const MatchGame& game : played) {
    float sum = 0;
    for (const float points : game.outcome.values) sum += points;
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_EQ(game.outcome.values[static_cast<std::size_t>(game.seat)], 0);
  }
}

TEST(Forfeit, AtABoardItIsAnErrorThatNamesThePlayer) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  SeatPlayer player(game, crashing_player(0), {}, 1, kNeverStop);
  EXPECT_EQ(error_of([&] { player.think(kNeverStop, {}); }), "crashing gives the game up: crash (exit code 1)");
}

}  // namespace
}  // namespace koridor
