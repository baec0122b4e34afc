// Go against published numbers: legal positions (Tromp and Farnebaeck, "Combinatorics of Go"), games (Tromp), perft
// (computer-go list, 2005), and what random playouts on 9x9 come to (Dailey, 1 million playouts).
// KORIDOR_SLOW=1 adds the counts that take minutes.
#include <bit>
#include <cstdlib>
#include <map>

#include "core/perft.h"
#include "tests/core/go_test_tools.h"

namespace koridor::go {
namespace {

bool slow() {
  return std::getenv("KORIDOR_SLOW") != nullptr;
}

// All boards on which every chain has a liberty.
std::vector<State> legal_positions(const GoGame& game) {
  const int columns = game.rules().columns;
  const int area = columns * game.rules().rows;
  std::uint64_t boards = 1;
  for (int i = 0; i < area; ++i) boards *= 3;
  std::vector<State> legal;
  std::vector<std::pair<int, int>> black, white;
  for (std::uint64_t board = 0; board < boards; ++board) {
    black.clear();
    white.clear();
    std::uint64_t rest = board;
    for (int i = 0; i < area; ++i, rest /= 3) {
      if (rest % 3 == 1) black.emplace_back(i / columns, i % columns);
      if (rest % 3 == 2) white.emplace_back(i / columns, i % columns);
    }
    if (const auto state = game.setup_state(black, white, 0)) legal.push_back(*state);
  }
  return legal;
}

TEST(GoCounts, LegalPositions) {
  EXPECT_EQ(legal_positions(go_game("go:1x1")).size(), 1u);
  EXPECT_EQ(legal_positions(go_game("go:1x2")).size(), 5u);
  EXPECT_EQ(legal_positions(go_game("go:2x2")).size(), 57u);
  EXPECT_EQ(legal_positions(go_game("go:3x3")).size(), 12675u);
  if (slow()) {
    EXPECT_EQ(legal_positions(go_game("go:4x4")).size(), 24318165u);
  }
}

// Games are paths from the empty board through different positions; passes apart, so either colour may play at every
// step. Positions are numbered and what the engine says of them kept as sets, or the longer counts would take hours.
class GameCounter {
 public:
  explicit GameCounter(const GoGame& game) {
    const std::vector<State> positions = legal_positions(game);
    std::map<std::uint64_t, int> number;
    for (const State& state : positions) number.emplace(state.stones_key, static_cast<int>(number.size()));
    for (const State& state : positions) {
      std::uint64_t next = 0;
      for (int player = 0; player < 2; ++player) {
        for (int action = 0; action < game.num_actions() - 1; ++action) {
          State from = state;
          from.player = static_cast<std::uint8_t>(player);
          ActionMask legal;
          game.legal_actions(from, History(), legal);  // superko aside: a move back to the same position is none
          if (!legal.test(Action{static_cast<std::uint16_t>(action)})) continue;
          game.apply(from, Action{static_cast<std::uint16_t>(action)});
          // Two moves that come to the same position (a stone's suicide is ruled out) are two games.
          const std::uint64_t bit = std::uint64_t{1} << number.at(from.stones_key);
          EXPECT_EQ(next & bit, 0u);
          next |= bit;
        }
      }
      next_.push_back(next);
    }
    empty_ = number.at(0);
  }

  // All first moves count alike where the board's symmetries and the colours' exchange make them so (1x1, 2x2).
  std::uint64_t count(bool first_moves_alike) const {
    const std::uint64_t start = std::uint64_t{1} << empty_;
    const std::uint64_t firsts = next_[static_cast<std::size_t>(empty_)] & ~start;
    if (!first_moves_alike || firsts == 0) return paths(empty_, start);
    const int first = std::countr_zero(firsts);
    return 1 + static_cast<std::uint64_t>(std::popcount(firsts)) * paths(first, start | std::uint64_t{1} << first);
  }

 private:
  std::uint64_t paths(int at, std::uint64_t seen) const {
    std::uint64_t total = 1;
    for (std::uint64_t rest = next_[static_cast<std::size_t>(at)] & ~seen; rest != 0; rest &= rest - 1) {
      const int next = std::countr_zero(rest);
      total += paths(next, seen | std::uint64_t{1} << next);
    }
    return total;
  }

  std::vector<std::uint64_t> next_;
  int empty_ = 0;
};

TEST(GoCounts, Games) {
  EXPECT_EQ(GameCounter(go_game("go:1x1")).count(false), 1u);
  EXPECT_EQ(GameCounter(go_game("go:2x1")).count(false), 9u);
  EXPECT_EQ(GameCounter(go_game("go:1x3")).count(false), 907u);
  if (slow()) {
    EXPECT_EQ(GameCounter(go_game("go:4x1")).count(false), 2098407841u);
    EXPECT_EQ(GameCounter(go_game("go:2x2")).count(true), 386356909593u);
  }
}

// The same with the superko of the engine in play: every step asks legal_actions with the whole history.
std::uint64_t games_below(const GoGame& game, const State& state, History& history) {
  std::uint64_t games = 1;
  for (std::uint8_t player = 0; player < 2; ++player) {
    State from = state;
    from.player = player;
    ActionMask legal;
    game.legal_actions(from, history, legal);
    legal.for_each([&](Action action) {
      if (index(action) == game.num_actions() - 1) return;
      State next = from;
      history.push(game.repetition_key(from));
      game.apply(next, action);
      games += games_below(game, next, history);
      history.truncate(history.size() - 1);
    });
  }
  return games;
}

TEST(GoCounts, GamesUnderPositionalSuperko) {
  for (const auto& [variant, games] : {std::pair("go:1x1", 1u), std::pair("go:1x2", 9u), std::pair("go:3x1", 907u)}) {
    const GoGame game = go_game(variant);
    History history(1000);
    EXPECT_EQ(games_below(game, game.initial_state(), history), games) << variant;
  }
}

TEST(GoCounts, Perft) {
  const GoGame game = go_game("go:9x9,japanese");
  const Position position(game);
  EXPECT_EQ(perft(game, position, 1, Passes::left_out), 81u);
  EXPECT_EQ(perft(game, position, 2, Passes::left_out), 6480u);
  EXPECT_EQ(perft(game, position, 3, Passes::left_out), 511920u);
  EXPECT_EQ(perft(game, position, 4, Passes::left_out), 39929136u);
  EXPECT_EQ(perft(game, position, 2), 82u * 82u - 81u);  // every answer, and after a pass every point again
}

TEST(GoCounts, RandomPlayouts) {
  const GoGame game = go_game("go:9x9,chinese,ko=simple,komi=0");
  Random random(21);
  constexpr int kGames = 20000;
  double plies = 0;
  std::array<double, 3> black{};  // at komi 0, 6.5, 7.5
  Position<GoGame> position(game);
  for (int i = 0; i < kGames; ++i) {
    position.state = game.initial_state();
    position.history.clear();
    while (!game.outcome(position.state, position.history).over()) {
      position.apply(game, game.random_playout_action(position.state, position.history, random));
    }
    plies += position.state.ply;
    const int half_points = game.half_points(position.state);
    black[0] += half_points == 0 ? 0.5 : half_points > 0 ? 1 : 0;
    black[1] += half_points > 13 ? 1 : 0;
    black[2] += half_points > 15 ? 1 : 0;
  }
  // Four standard errors: 0.5 / sqrt(20000) = 0.0035 each.
  EXPECT_NEAR(plies / kGames, 111.0, 0.5);
  EXPECT_NEAR(black[0] / kGames, 0.5245, 0.0142);
  EXPECT_NEAR(black[1] / kGames, 0.4471, 0.0142);
  EXPECT_NEAR(black[2] / kGames, 0.4213, 0.0142);
}

}  // namespace
}  // namespace koridor::go
