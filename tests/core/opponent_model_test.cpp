// Searches that know what the players in the other seats choose.
#include "core/search/opponent_model.h"

#include <gtest/gtest.h>

#include <string>

#include "core/registry.h"
#include "core/search/search.h"
#include "tests/core/search_support.h"

namespace koridor {
namespace {

using wall::WallGame;

class OpponentModels : public testing::TestWithParam<std::string> {
 protected:
  SearchConfig with_model(const char* model) const {
    SearchConfig config = with(GetParam());
    config.opponent_model = model;
    return config;
  }
  // The share of the visits below nodes of `seat` that goes to what greedy would choose there.
  double expected_share(const Search<WallGame>& search, int seat) const {
    Walk walk{.search = search, .seat = seat};
    follow(walk, Tree::kRoot, search.position());
    return walk.all > 0 ? walk.expected / walk.all : -1;
  }

  WallGame game_ = std::get<WallGame>(parse_game("quoridor4:5x5,walls=2"));
  HashEvaluator<WallGame> evaluate_{game_};
  Random random_{1};

 private:
  struct Walk {
    const Search<WallGame>& search;
    int seat;
    double expected = 0, all = 0;
  };
  void follow(Walk& walk, NodeIndex index, const Position<WallGame>& position) const {
    const Tree& tree = walk.search.tree();
    const Node& node = tree.node(index);
    if (node.proven && index != Tree::kRoot) return;
    ActionMask choices;
    AlphaBeta<WallGame> greedy(game_, 1);
    if (node.expanded()) greedy.choices(position.state, position.history, choices);
    for (Slot slot = 0; slot < node.visited; ++slot) {
      const NodeIndex child = tree.child(node, slot);
      if (node.mover == walk.seat) {
        walk.all += tree.node(child).visits;
        if (choices.test(tree.action(node, slot))) walk.expected += tree.node(child).visits;
      }
      Position<WallGame> next = position;
      next.apply(game_, tree.action(node, slot));
      follow(walk, child, next);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Algorithms, OpponentModels, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

TEST(OpponentModel, IsNamedLikeAPlayer) {
  for (const char* text : {"", "greedy", "alphabeta:1", "alphabeta:3"}) EXPECT_TRUE(is_opponent_model(text)) << text;
  for (const char* text : {"random", "alphabeta", "alphabeta:0", "alphabeta:4", "mcts", "greedy "}) {
    EXPECT_FALSE(is_opponent_model(text)) << text;
  }
}

TEST_P(OpponentModels, AreWhatTheSearchExpectsOfOthersAlone) {
  Search<WallGame> plain(game_, with(GetParam()));
  Search<WallGame> knowing(game_, with_model("greedy"));
  for (Search<WallGame>* search : {&plain, &knowing}) {
    Random random(1);
    run_search(*search, {.visits = 800}, random, evaluate_);
  }
  for (const int seat : {1, 2, 3}) {
    EXPECT_GT(expected_share(knowing, seat), 0.8) << seat;
    EXPECT_LT(expected_share(plain, seat), 0.6) << seat;
  }
  EXPECT_LT(expected_share(knowing, 0), 0.6) << "its own choices";
  EXPECT_GT(knowing.modelled_nodes(), 0u);
  EXPECT_EQ(plain.modelled_nodes(), 0u);
}

// A tree in which a seat's player was somebody's opponent says nothing of what it should choose itself.
TEST_P(OpponentModels, KeepTreesOfTheirOwnSeatAlone) {
  Search<WallGame> search(game_, with_model("greedy"));
  run_search(search, {.visits = 400}, random_, evaluate_);
  for (int ply = 0; ply < 4; ++ply) search.play(search.statistics().front().action);
  EXPECT_GT(search.root_visits(), 0);
  search.begin({.visits = 1, .count_kept = false}, random_);
  EXPECT_GT(search.root_visits(), 0) << "it is this seat's turn again";
  search.reset(Position<WallGame>(game_));
  run_search(search, {.visits = 400}, random_, evaluate_);
  search.play(search.statistics().front().action);
  EXPECT_GT(search.root_visits(), 0);
  search.begin({.visits = 1, .count_kept = false}, random_);
  EXPECT_EQ(search.root_visits(), 0);
}

// As in a session that comes back to a position.
TEST_P(OpponentModels, TakeNoTreesOfOthers) {
  Search<WallGame> search(game_, with_model("greedy"));
  run_search(search, {.visits = 100}, random_, evaluate_);
  const Position<WallGame> start(game_);
  search.set_tree(start, search.give_tree());
  EXPECT_EQ(search.root_visits(), 0);
}

// As in self-play in games without opponents.
TEST_P(OpponentModels, AreForgottenAmongEquals) {
  const auto tree_of = [&](const char* model, bool met) {
    Search<WallGame> search(game_, with_model(model));
    search.meet_opponents(met);
    search.reset(Position<WallGame>(game_));
    Random random(1);
    run_search(search, {.visits = 200}, random, evaluate_);
    return print_tree(search.tree());
  };
  EXPECT_EQ(tree_of("greedy", false), tree_of("", true));
  EXPECT_NE(tree_of("greedy", true), tree_of("", true));
}

}  // namespace
}  // namespace koridor
