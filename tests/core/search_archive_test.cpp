// Trees that are kept for a return to their positions.
#include <gtest/gtest.h>

#include "core/search/archive.h"
#include "core/search/search.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"

namespace koridor {
namespace {

using toy::Paths;

class SearchArchive : public testing::TestWithParam<std::string> {
 protected:
  // The search after so many visits of the position after `path`.
  void visit(const std::vector<Action>& path, int visits) {
    Position<Paths> position(game_);
    for (const Action action : path) position.apply(game_, action);
    search_.reset(position);
    run_search(search_, {.visits = visits}, random_, evaluate_);
  }
  Position<Paths> after(const std::vector<Action>& path) {
    Position<Paths> position(game_);
    for (const Action action : path) position.apply(game_, action);
    return position;
  }

  Paths game_{{.num_actions = 6, .max_plies = 40}};
  HashEvaluator<Paths> evaluate_{game_};
  Search<Paths> search_{game_, with(GetParam())};
  Random random_{1};
};
INSTANTIATE_TEST_SUITE_P(Algorithms, SearchArchive, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(SearchArchive, ATreeThatWasGivenOutIsSearchedOnAsIfNothingHadHappened) {
  visit({}, 100);
  Tree tree = search_.give_tree();
  EXPECT_EQ(search_.root_visits(), 0);
  EXPECT_FALSE(search_.tree().root().expanded());
  visit({Action{2}}, 30);
  search_.set_tree(after({}), std::move(tree));
  EXPECT_EQ(search_.root_visits(), 100);
  run_search(search_, {.visits = 200}, random_, evaluate_);
  const std::string gone_away = print_tree(search_.tree());
  visit({}, 100);
  run_search(search_, {.visits = 200}, random_, evaluate_);
  EXPECT_EQ(gone_away, print_tree(search_.tree()));
}

TEST_P(SearchArchive, WhatLiesBelowIsWhatPlayKeeps) {
  visit({}, 400);
  const Action first = search_.best_action();
  TreeArchive archive;
  Search<Paths> played(game_, with(GetParam()));
  run_search(played, {.visits = 400}, random_, evaluate_);
  played.play(first);
  const Action second = played.statistics().front().action;
  played.play(second);
  ASSERT_GT(played.root_visits(), 5);
  archive.put({}, search_.give_tree());
  const TreeArchive::Found found = archive.find(std::vector<Action>{first, second});
  ASSERT_GT(found.visits, 0u);
  search_.set_tree(after({first, second}), found.place->tree, found.node);
  EXPECT_EQ(print_tree(search_.tree()), print_tree(played.tree()));
  EXPECT_EQ(archive.size(), 1u);
}

TEST_P(SearchArchive, FindsTheTreeWithTheMostVisits) {
  TreeArchive archive;
  visit({}, 300);
  const Action first = search_.best_action();
  archive.put({}, search_.give_tree());
  const std::vector<Action> path{first};
  EXPECT_EQ(archive.find(std::vector<Action>{}).visits, 301u);
  const std::uint32_t below = archive.find(path).visits;
  EXPECT_GT(below, 1u);
  EXPECT_LT(below, 300u);
  EXPECT_EQ(archive.find(path).place->path, std::vector<Action>{});
  visit({first}, 3);
  archive.put(path, search_.give_tree());
  EXPECT_EQ(archive.find(path).visits, below);
  visit({first}, 1000);
  archive.put(path, search_.give_tree());
  EXPECT_EQ(archive.size(), 2u);
  EXPECT_EQ(archive.find(path).visits, 1001u);
  EXPECT_EQ(archive.find(path).node, Tree::kRoot);
  EXPECT_EQ(archive.find(std::vector<Action>{Action{1}, Action{1}, Action{1}, Action{1}, Action{1}, Action{1}}).visits,
            0u);
}

TEST_P(SearchArchive, ForgetsTheOldestWhereMemoryIsShort) {
  TreeArchive archive;
  for (int i = 0; i < 6; ++i) {
    visit({Action{static_cast<std::uint16_t>(i)}}, 100);
    archive.put({Action{static_cast<std::uint16_t>(i)}}, search_.give_tree());
  }
  const std::size_t bytes = archive.memory_used();
  archive.shrink(bytes);
  EXPECT_EQ(archive.size(), 6u);
  archive.shrink(bytes / 2, archive.find(std::vector<Action>{Action{0}}).place);
  EXPECT_LE(archive.memory_used(), bytes / 2);
  EXPECT_GT(archive.find(std::vector<Action>{Action{0}}).visits, 0u) << "the spared one";
  EXPECT_EQ(archive.find(std::vector<Action>{Action{1}}).visits, 0u) << "the oldest";
  EXPECT_GT(archive.find(std::vector<Action>{Action{5}}).visits, 0u) << "the newest";
  archive.shrink(0);
  EXPECT_EQ(archive.size(), 0u);
}

// What is kept is counted by what it uses, so that it must have no more.
TEST_P(SearchArchive, KeepsNoRoomToGrow) {
  visit({}, 1000);
  EXPECT_GT(search_.tree().memory_bytes(), search_.tree().memory_used());
  TreeArchive archive;
  archive.put({}, search_.give_tree());
  Tree& tree = archive.find({}).place->tree;
  EXPECT_EQ(tree.memory_bytes(), tree.memory_used());
  const std::string before = print_tree(tree);
  search_.set_tree(after({}), archive.take(archive.find({}).place));
  EXPECT_EQ(print_tree(search_.tree()), before);
  run_search(search_, {.visits = 2000}, random_, evaluate_);
  EXPECT_GT(search_.root_visits(), 1000);
}

// A bound in bytes, which no number of nodes says.
TEST_P(SearchArchive, ATreeHasABoundInBytes) {
  constexpr std::size_t kBytes = 20'000;
  Search<Paths> search(game_, with(GetParam()), SearchRoom(0, 0, kBytes));
  for (int ply = 0; ply < 5; ++ply) {
    run_search(search, {.visits = 3000}, random_, evaluate_);
    EXPECT_LT(search.simulations(), 3000);
    EXPECT_GE(search.tree().memory_used(), kBytes);
    EXPECT_LT(search.tree().memory_used(), kBytes + Tree::node_bytes(6));
    search.play(search.statistics().front().action);
    EXPECT_LE(search.tree().memory_used(), kBytes / 2);
  }
}

// Three players' draws and wins of others prove nothing, so that most simulations end at a finished game.
TEST_P(SearchArchive, ALongSearchWithoutEvaluationsPauses) {
  const toy::Race game;
  Search<toy::Race> search(game, with(GetParam()));
  HashEvaluator<toy::Race> evaluate(game);
  search.begin({.visits = 20000, .pause = 100}, random_);
  int pauses = 0;
  for (SearchStep step = search.step(); step != SearchStep::done; step = search.step()) {
    if (step == SearchStep::evaluate) search.supply(evaluate(search.leaf()));
    pauses += step == SearchStep::paused ? 1 : 0;
  }
  EXPECT_GE(pauses, 9);
  EXPECT_EQ(search.simulations(), 20000);
}

}  // namespace
}  // namespace koridor
