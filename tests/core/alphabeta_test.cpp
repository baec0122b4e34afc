// The fixed-depth search over the heuristic: near wins, and a plain minimax beside it.
#include "core/search/alphabeta.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "core/registry.h"

namespace koridor {
namespace {

TEST(AlphaBeta, SeesAWinAndALossAhead) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor:3x3,walls=0"));
  const auto position_after = [&](const std::vector<const char*>& moves) {
    Position position(game);
    for (const char* move : moves) {
      position.apply(game, *game.parse_action(position.state, position.history, move, Notation::standard));
    }
    return position;
  };
  Random random(1);
  for (const int depth : {1, 2, 3, 4}) {
    AlphaBeta<wall::WallGame> search(game, depth);
    // Player one wandered off to a3, player two stands on b2: it steps to the goal next, whatever player one does.
    search.choose(position_after({"a3", "b2"}), random);
    if (depth >= 2) {
      EXPECT_EQ(search.score(), 2 - AlphaBeta<wall::WallGame>::kWin);
    }
    const Position threat = position_after({"a3", "b2", "a2"});
    const Action winning = search.choose(threat, random);
    EXPECT_EQ(search.score(), AlphaBeta<wall::WallGame>::kWin - 1);
    Position won = threat;
    won.apply(game, winning);
    EXPECT_EQ(game.outcome(won.state, won.history).winner, 1);
  }
}

// What it may choose is what it does choose, by one lot or another.
TEST(AlphaBeta, ItsChoicesAreAllThatItDraws) {
  for (const char* variant : {"quoridor4:5x5,walls=2", "quoridor:5x5,walls=2", "go:4x4"}) {
    std::visit(
        [&]<Game G>(const G& game) {
          Random random(7);
          Position<G> position(game);
          std::size_t most = 0;
          for (int ply = 0; ply < 12 && !game.outcome(position.state, position.history).over(); ++ply) {
            AlphaBeta<G> search(game, 2);
            ActionMask choices;
            search.choices(position.state, position.history, choices);
            std::set<Action> drawn;
            for (int draw = 0; draw < 300; ++draw) drawn.insert(search.choose(position, random));
            for (const Action action : drawn) EXPECT_TRUE(choices.test(action)) << variant;
            EXPECT_GE(2 * drawn.size(), static_cast<std::size_t>(choices.count())) << variant;
            most = std::max(most, drawn.size());
            position.apply(game, random_action(game, position.state, position.history, random));
          }
          EXPECT_GT(most, 1u) << variant;
        },
        parse_game(variant));
  }
}

// A plain minimax without cuts or ordering: what alpha-beta must agree with.
int minimax(const wall::WallGame& game, const wall::State& state, History& history, int me, int ply, int depth) {
  const Outcome outcome = game.outcome(state, history);
  if (outcome.kind == Outcome::Kind::draw) return 0;
  if (outcome.over()) return outcome.winner == me ? 1'000'000 - ply : ply - 1'000'000;
  if (ply == depth) return game.heuristic(state, me);
  ActionMask legal;
  game.legal_actions(state, history, legal);
  const bool maximise = game.player_to_move(state) == me;
  int best = maximise ? -2'000'000 : 2'000'000;
  legal.for_each([&](Action action) {
    wall::State next = state;
    history.push(game.repetition_key(state));
    game.apply(next, action);
    const int score = minimax(game, next, history, me, ply + 1, depth);
    history.truncate(history.size() - 1);
    best = maximise ? std::max(best, score) : std::min(best, score);
  });
  return best;
}

TEST(AlphaBeta, AgreesWithPlainMinimax) {
  Random random(11);
  for (const char* name : {"quoridor:3x3,walls=2", "quoridor:4x4,walls=1", "quoridor:3x3,walls=2,repetition=2"}) {
    const auto game = std::get<wall::WallGame>(parse_game(name));
    AlphaBeta<wall::WallGame> shallow(game, 1);
    AlphaBeta<wall::WallGame> deep(game, 3);
    for (int trial = 0; trial < 30; ++trial) {
      Position position(game);
      ActionMask legal;
      for (int ply = random.below(8); ply > 0; --ply) {
        game.legal_actions(position.state, position.history, legal);
        position.apply(game, legal.nth(random.below(legal.count())));
        if (game.outcome(position.state, position.history).over()) position = Position(game);
      }
      const int me = game.player_to_move(position.state);
      History history = position.history;
      shallow.choose(position, random);
      EXPECT_EQ(shallow.score(), minimax(game, position.state, history, me, 0, 1));
      const Action chosen = deep.choose(position, random);
      EXPECT_EQ(deep.score(), minimax(game, position.state, history, me, 0, 3));
      // And the chosen action is worth what the search says.
      wall::State next = position.state;
      history.push(game.repetition_key(position.state));
      game.apply(next, chosen);
      EXPECT_EQ(deep.score(), minimax(game, next, history, me, 1, 3));
    }
  }
}

// This search would take minutes; one that is never stopped chooses as one that cannot be.
TEST(AlphaBeta, IsStopped) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor"));
  const Position position(game);
  std::atomic<bool> stop{true};
  AlphaBeta<wall::WallGame> deep(game, 8, &stop);
  Random random(1);
  EXPECT_EQ(deep.choose(position, random), kNoAction);
  EXPECT_LT(deep.nodes(), 10'000u);
  EXPECT_FALSE(AlphaBeta<wall::WallGame>::decided(deep.score()));
  stop = false;
  AlphaBeta<wall::WallGame> shallow(game, 3, &stop);
  AlphaBeta<wall::WallGame> plain(game, 3);
  Random same(7);
  Random other(7);
  EXPECT_EQ(shallow.choose(position, same), plain.choose(position, other));
  EXPECT_EQ(shallow.nodes(), plain.nodes());
  EXPECT_GT(shallow.nodes(), 2 * 4096u);  // it has looked at `stop`
}

// Somebody who takes the stop back before the search has ended must not get its half of an answer.
TEST(AlphaBeta, StaysStopped) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor"));
  std::atomic<bool> stop{true};
  AlphaBeta<wall::WallGame> search(game, 8, &stop);
  std::atomic<bool> over{false};
  std::thread taker([&] {
    while (!over) {
      stop = true;
      stop = false;
    }
  });
  Random random(1);
  EXPECT_EQ(search.choose(Position(game), random), kNoAction);
  over = true;
  taker.join();
}

TEST(AlphaBeta, ChoosesAmongEqualsByLot) {
  const auto game = std::get<wall::WallGame>(parse_game("quoridor:5x5,walls=3"));
  Position position(game);
  for (const char* move : {"b5", "d1"}) {
    position.apply(game, *game.parse_action(position.state, position.history, move, Notation::standard));
  }
  AlphaBeta<wall::WallGame> search(game, 1);
  std::set<int> chosen;
  Random random(2);
  for (int i = 0; i < 200; ++i) chosen.insert(index(search.choose(position, random)));
  EXPECT_GT(chosen.size(), 3u);  // the step forward, and every wall that lengthens only the opponent's path
}

}  // namespace
}  // namespace koridor
