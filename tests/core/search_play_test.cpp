// The search plays well: proofs, forced wins, perfect play of small games, with any number of players in any order.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "core/search/rollout.h"
#include "core/search/search.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"

namespace koridor {
namespace {

using toy::Race;
using toy::Subtraction;
using toy::TicTacToe;

template <Game G>
Position<G> after(const G& game, std::initializer_list<int> actions) {
  Position<G> position(game);
  for (int action : actions) position.apply(game, Action{static_cast<std::uint16_t>(action)});
  return position;
}

// Exact values by brute force, and plies to the end with best play, where each player maximises its own value, wins as
// quickly and does everything else as slowly as it can. `certain` is false where a player's whim decides.
struct PlainSolution {
  Values values{};
  int plies = 0;
  bool certain = true;
};

template <Game G>
PlainSolution solve(const G& game, const typename G::State& state) {
  const History none;
  const Outcome outcome = game.outcome(state, none);
  if (outcome.over()) return {outcome.values, 0, true};
  const int mover = game.player_to_move(state);
  ActionMask actions;
  game.legal_actions(state, none, actions);
  std::vector<PlainSolution> children;
  actions.for_each([&](Action action) {
    typename G::State next = state;
    game.apply(next, action);
    children.push_back(solve(game, next));
  });
  PlainSolution best;
  bool have = false;
  for (const PlainSolution& child : children) {
    if (!child.certain) continue;
    const bool win = child.values[mover] == 1.0f;
    if (!have || child.values[mover] > best.values[mover] ||
        (child.values[mover] == best.values[mover] &&
         (win ? child.plies + 1 < best.plies : child.plies + 1 > best.plies))) {
      best = {child.values, child.plies + 1, true};
      have = true;
    }
  }
  if (have && best.values[mover] == 1.0f) return best;
  for (const PlainSolution& child : children) {
    if (!child.certain || (child.values[mover] == best.values[mover] && child.values != best.values)) {
      return {{}, 0, false};
    }
  }
  return best;
}

class SearchPlay : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, SearchPlay, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

// The player under test against every possible play of the opponent: it never loses.
void never_loses(Search<TicTacToe>& search, const TicTacToe& game, Position<TicTacToe> position, int player,
                 int visits) {
  const Outcome outcome = game.outcome(position.state, position.history);
  if (outcome.over()) {
    EXPECT_NE(outcome.winner, 1 - player);
    return;
  }
  ActionMask actions;
  game.legal_actions(position.state, position.history, actions);
  if (game.player_to_move(position.state) == player) {
    Random random(1);
    UniformEvaluator<TicTacToe> evaluate(game);
    search.reset(position);
    run_search(search, {visits, false}, random, evaluate);
    const Action action = search.best_action();
    ASSERT_TRUE(actions.test(action));
    position.apply(game, action);
    never_loses(search, game, position, player, visits);
    return;
  }
  actions.for_each([&](Action action) {
    Position<TicTacToe> next = position;
    next.apply(game, action);
    never_loses(search, game, next, player, visits);
  });
}

TEST_P(SearchPlay, TicTacToeIsNeverLost) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 3000);
  for (int player : {0, 1}) never_loses(search, game, Position<TicTacToe>(game), player, 3000);
}

TEST_P(SearchPlay, TicTacToeIsProvenADraw) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 100000);
  Random random(1);
  UniformEvaluator<TicTacToe> evaluate(game);
  search.reset(after(game, {4, 0, 2, 6}));
  run_search(search, {100000, false}, random, evaluate);
  EXPECT_TRUE(search.proven());
  EXPECT_LT(search.root_visits(), 100000);
  EXPECT_EQ(search.root_value(), (Values{0.5f, 0.5f}));
}

TEST_P(SearchPlay, WinInOneIsProvenAndPlayed) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 200);
  UniformEvaluator<TicTacToe> evaluate(game);
  Random random(1);
  search.reset(after(game, {0, 3, 1, 4}));  // player one wins on 2
  run_search(search, {200, true}, random, evaluate);
  EXPECT_TRUE(search.proven());
  EXPECT_EQ(search.best_action(), Action{2});
  EXPECT_EQ(search.root_value(), (Values{1.0f, 0.0f}));
  std::vector<PolicyEntry> policy;
  search.policy_target(policy);
  ASSERT_EQ(policy.size(), 1u);
  EXPECT_EQ(policy[0].action, Action{2});
  EXPECT_EQ(policy[0].probability, 1.0f);
  EXPECT_EQ(search.sample_action(10.0, random), Action{2});
  // Nothing is left to find out.
  search.begin({200, true}, random);
  EXPECT_EQ(search.step(), SearchStep::done);
  EXPECT_EQ(search.best_action(), Action{2});
}

TEST_P(SearchPlay, ProofSurvivesThePlayOfIt) {
  const TicTacToe game;
  UniformEvaluator<TicTacToe> evaluate(game);
  Random random(1);
  int games = 0;
  for (int reply = 0; reply < 9; ++reply) {
    Search<TicTacToe> search(game, with(GetParam()), 2000);
    search.reset(after(game, {0, 1, 4, 8}));  // player one can make two threats at once
    run_search(search, {2000, false}, random, evaluate);
    ASSERT_TRUE(search.proven());
    EXPECT_EQ(search.root_value(), (Values{1.0f, 0.0f}));
    const std::vector<ActionStatistics> statistics = search.statistics();
    const auto best = std::find_if(statistics.begin(), statistics.end(),
                                   [&](const auto& entry) { return entry.action == search.best_action(); });
    EXPECT_TRUE(best->proven);
    EXPECT_EQ(best->plies, 3);
    search.play(search.best_action());
    EXPECT_TRUE(search.proven());  // a loss of player two now
    ActionMask replies;
    game.legal_actions(search.position().state, search.position().history, replies);
    if (!replies.test(Action{static_cast<std::uint16_t>(reply)})) continue;
    search.play(Action{static_cast<std::uint16_t>(reply)});
    run_search(search, {2000, false}, random, evaluate);
    EXPECT_TRUE(search.proven());
    search.play(search.best_action());
    EXPECT_EQ(game.outcome(search.position().state, search.position().history).winner, 0);
    ++games;
  }
  EXPECT_EQ(games, 4);
}

// In random positions of tic-tac-toe: whatever the search takes for proven is the value by brute force.
TEST_P(SearchPlay, ProvenValuesAreTrue) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 300);
  UniformEvaluator<TicTacToe> evaluate(game);
  Random random(7);
  int proven = 0;
  for (int round = 0; round < 60; ++round) {
    Position<TicTacToe> position(game);
    for (int ply = 0; ply < 7 && !game.outcome(position.state, position.history).over(); ++ply) {
      ActionMask actions;
      game.legal_actions(position.state, position.history, actions);
      if (ply < 3) {
        position.apply(game, actions.nth(random.below(actions.count())));
        continue;
      }
      search.reset(position);
      run_search(search, {300, true}, random, evaluate);
      const PlainSolution truth = solve(game, position.state);
      if (search.proven()) {
        ++proven;
        EXPECT_EQ(search.root_value(), truth.values);
      }
      for (const ActionStatistics& entry : search.statistics()) {
        if (!entry.proven) continue;
        typename TicTacToe::State next = position.state;
        game.apply(next, entry.action);
        EXPECT_EQ(entry.value, solve(game, next).values[game.player_to_move(position.state)]);
      }
      position.apply(game, actions.nth(random.below(actions.count())));
    }
  }
  EXPECT_GT(proven, 50);
}

TEST_P(SearchPlay, LosingPlayerResistsLongest) {
  // In Subtraction with all moves losing, the played one leads to the longest of the proven losses.
  const Subtraction game({.stones = 16});
  const Position<Subtraction> position(game);
  const PlainSolution truth = solve(game, position.state);
  Search<Subtraction> search(game, with(GetParam()), 200000);
  UniformEvaluator<Subtraction> evaluate(game);
  Random random(3);
  search.reset(position);
  run_search(search, {200000, false}, random, evaluate);
  ASSERT_TRUE(search.proven());
  EXPECT_EQ(search.root_value(), truth.values);
  const std::vector<ActionStatistics> statistics = search.statistics();
  for (const ActionStatistics& entry : statistics) {
    if (entry.action != search.best_action()) continue;
    for (const ActionStatistics& other : statistics) {
      if (!other.proven || other.value != entry.value) continue;
      if (entry.value == 1.0f) {
        EXPECT_LE(entry.plies, other.plies);
      } else {
        EXPECT_GE(entry.plies, other.plies);
      }
    }
  }
}

// Two plies of one player in a row: the value of every heap size is the brute-force one. Some are wins and some losses.
TEST_P(SearchPlay, DoubleTurns) {
  int wins = 0, losses = 0;
  for (int stones = 1; stones <= 14; ++stones) {
    const Subtraction game({.stones = stones});
    const PlainSolution truth = solve(game, game.initial_state());
    Search<Subtraction> search(game, with(GetParam()), 50000);
    UniformEvaluator<Subtraction> evaluate(game);
    Random random(3);
    search.reset(Position<Subtraction>(game));
    run_search(search, {50000, false}, random, evaluate);
    ASSERT_TRUE(search.proven()) << stones;
    EXPECT_EQ(search.root_value(), truth.values) << stones;
    (truth.values[0] == 1.0f ? wins : losses) += 1;
  }
  EXPECT_GT(wins, 0);
  EXPECT_GT(losses, 0);
}

// Three players: where play is certain the proof says the same as brute force, and where a player's whim decides the
// search proves nothing.
TEST_P(SearchPlay, ThreePlayers) {
  int certain = 0, uncertain = 0;
  std::array<int, 3> winners{};
  for (int code = 0; code < 27; ++code) {
    const Race game({.max_plies = 5, .start = {code % 3, code / 3 % 3, code / 9}, .goal = 3});
    const PlainSolution truth = solve(game, game.initial_state());
    Search<Race> search(game, with(GetParam()), 8000);
    UniformEvaluator<Race> evaluate(game);
    Random random(3);
    search.reset(Position<Race>(game));
    run_search(search, {8000, false}, random, evaluate);
    if (search.proven()) {
      EXPECT_TRUE(truth.certain) << code;
      EXPECT_EQ(search.root_value(), truth.values) << code;
      ++certain;
      for (int player = 0; player < 3; ++player) winners[player] += truth.values[player] == 1.0f;
    } else if (GetParam() == "puct") {  // Gumbel does not look at what its policy has given up
      EXPECT_FALSE(truth.certain) << code;
    }
    uncertain += !truth.certain;
  }
  EXPECT_GT(certain, 0);
  EXPECT_GT(uncertain, 0);
  for (int count : winners) EXPECT_GT(count, 0);
}

// The first player loses whatever it does and chooses who wins: nothing is proven of the position, but all of its moves
// are, and more visits would tell nothing. It plays the move that lasts longest, and the value is that move's.
TEST_P(SearchPlay, ARootWhoseMovesAreAllProvenEndsTheSearch) {
  const Race game({.max_plies = 5, .start = {0, 2, 2}, .goal = 3});
  Search<Race> search(game, with(GetParam()));
  UniformEvaluator<Race> evaluate(game);
  Random random(3);
  search.reset(Position<Race>(game));
  run_search(search, {.visits = 1000}, random, evaluate);
  EXPECT_FALSE(search.proven());
  EXPECT_LT(search.simulations(), 20);
  EXPECT_EQ(search.best_action(), Action{0});
  EXPECT_EQ(search.root_value(), (Values{0.0f, 1.0f, 0.0f}));
  const int before = search.simulations();
  run_search(search, {.visits = 1000, .count_kept = false}, random, evaluate);
  EXPECT_EQ(search.simulations(), 0);
  EXPECT_EQ(search.root_visits(), before);
}

TEST_P(SearchPlay, SingleLegalAction) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 50);
  UniformEvaluator<TicTacToe> evaluate(game);
  Random random(3);
  search.reset(after(game, {0, 1, 2, 4, 3, 5, 7, 6}));
  for (bool explore : {false, true}) {
    run_search(search, {50, explore}, random, evaluate);
    EXPECT_EQ(search.best_action(), Action{8});
    EXPECT_EQ(search.root_value(), (Values{0.5f, 0.5f}));
  }
}

TEST(Rollout, ValuesAreThoseOfRandomGames) {
  const TicTacToe game;
  Random random(5);
  // The first player of uniformly random tic-tac-toe wins 58.5%, draws 12.7%.
  const Position<TicTacToe> start(game);
  double first = 0.0, second = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const Values values = rollout_value(game, start, random);
    ASSERT_FLOAT_EQ(values[0] + values[1], 1.0f);
    first += values[0];
    second += values[1];
  }
  EXPECT_NEAR(first / 20000, 0.585 + 0.0635, 0.015);
  EXPECT_NEAR(second / 20000, 0.288 + 0.0635, 0.015);
  EXPECT_EQ(rollout_value(game, after(game, {0, 3, 1, 4, 2}), random), (Values{1.0f, 0.0f}));
}

TEST_P(SearchPlay, RolloutsMakeAPlayer) {
  const TicTacToe game;
  Search<TicTacToe> search(game, with(GetParam()), 300);
  RolloutEvaluator<TicTacToe> rollout(game, 4);
  Random random(2);
  search.reset(after(game, {0, 4, 8}));  // player two must take an edge; a corner loses
  search.begin({300, false}, random);
  while (search.step() == SearchStep::evaluate) search.supply(rollout(search.leaf(), search.leaf_history(), random));
  EXPECT_EQ(index(search.best_action()) % 2, 1);
}

}  // namespace
}  // namespace koridor
