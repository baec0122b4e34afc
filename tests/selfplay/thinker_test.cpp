// A session's search on several threads, with memory of what was searched before.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "models/network/evaluation_batch.h"
#include "selfplay/session/leaf_crew.h"
#include "selfplay/session/session.h"
#include "tests/core/search_support.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

SessionSettings thinking(const AnyGame& game, int threads, int leaves, int batch, const std::string& algorithm) {
  SearchConfig search = match_search();
  search.algorithm = algorithm;
  return {.thinker = {.model = test::tiny_model(game),
                      .name = "test",
                      .evaluation = {.precision = "f32"},
                      .search = search,
                      .threads = threads,
                      .leaves = leaves,
                      .batch = batch}};
}

// What a search found, to the last bit.
std::string found(const Analysis& analysis) {
  std::string text = analysis.best_text + " " + std::to_string(analysis.nodes);
  for (const Candidate& candidate : analysis.candidates) {
    text += "\n" + candidate.text + " " + std::to_string(candidate.visits);
    for (const float value : candidate.values) text += " " + std::to_string(std::bit_cast<std::uint32_t>(value));
  }
  return text;
}

class ThinkerTest : public testing::TestWithParam<std::string> {
 protected:
  // What the searches of a few moves found.
  std::string play(const AnyGame& game, int threads, int leaves, int batch) {
    Session session(game, thinking(game, threads, leaves, batch, GetParam()));
    std::string record;
    for (int ply = 0; ply < 5 && !session.outcome().over(); ++ply) {
      const Analysis& analysis = session.search({.visits = 150});
      record += found(analysis) + "\n";
      session.play(analysis.best);
    }
    return record;
  }
};
INSTANTIATE_TEST_SUITE_P(, ThinkerTest, testing::ValuesIn(SearchRules::names()),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(ThinkerTest, ItsResultDependsOnTheLeavesAndNotOnTheThreads) {
  for (const char* name : {"quoridor:5x5,walls=3", "go:5x5", "quoridor4:5x5,walls=1"}) {
    const AnyGame game = parse_game(name);
    const std::string alone = play(game, 1, 12, 3);
    EXPECT_EQ(play(game, 2, 12, 3), alone) << name;
    EXPECT_EQ(play(game, 4, 12, 3), alone) << name;
    EXPECT_NE(play(game, 2, 1, 1), alone) << name;
  }
}

// One leaf at a time is the search that matches and self-play know.
TEST_P(ThinkerTest, WithOneLeafItIsThePlainSearch) {
  const auto any = parse_game("quoridor:5x5,walls=3");
  const auto& game = std::get<wall::WallGame>(any);
  const SessionSettings settings = thinking(any, 1, 0, 0, GetParam());
  Session session(any, settings);
  const Model& model = *settings.thinker.model;
  EvaluationBatch<wall::WallGame> batch(
      std::span(&game, 1), model.info.features,
      make_evaluator(model, game.encoding(model.info.features), settings.thinker.evaluation, 1, "test"),
      EvaluationBatchOptions{});
  Search<wall::WallGame> search(game, settings.thinker.search);
  Random random(0);
  for (int ply = 0; ply < 6; ++ply) {
    run_search(search, {.visits = 120, .count_kept = false}, random, [&](const auto& state) {
      batch.clear();
      batch.add(state, 0);
      batch.evaluate();
      return batch.prediction(0);
    });
    const Analysis& analysis = session.search({.visits = 120});
    EXPECT_EQ(analysis.best, search.best_action());
    EXPECT_EQ(analysis.values, search.root_value());
    for (const ActionStatistics& entry : search.statistics()) {
      const auto same = std::ranges::find(analysis.candidates, entry.action, &Candidate::action);
      EXPECT_EQ(same->visits, entry.visits);
      EXPECT_EQ(same->values, entry.values);
    }
    search.play(analysis.best);
    session.play(analysis.best);
  }
}

TEST_P(ThinkerTest, GoesOnWithWhatItSearchedBefore) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  Session session(game, thinking(game, 1, 0, 0, GetParam()));
  const Analysis start = session.search({.visits = 300});
  EXPECT_EQ(start.kept, 0);
  // Below the position, two plies at once.
  ASSERT_GE(start.line.size(), 2u);
  session.play(start.line[0]);
  session.play(start.line[1]);
  const Analysis below = session.search({.visits = 0, .nodes = 400});
  EXPECT_GT(below.kept, 5);
  EXPECT_EQ(below.nodes, 400);
  // Back: the tree that was left.
  ASSERT_TRUE(session.undo(2));
  const Analysis back = session.search({.visits = 0, .nodes = start.nodes + 10});
  EXPECT_EQ(back.kept, start.nodes);
  EXPECT_EQ(back.nodes, start.nodes + 10);
  // Forward again by another way: as deep as it was known there.
  session.set_up(std::vector<std::string>{start.line[0], start.line[1]});
  EXPECT_EQ(session.search({.visits = 0, .nodes = 410}).kept, 400);
  // Elsewhere nothing is known.
  session.set_up(std::vector<std::string>{"a1h", "d4h", "b5"});
  EXPECT_EQ(session.search({.visits = 20}).kept, 0);
}

TEST_P(ThinkerTest, ASearchThatIsStoppedIsKept) {
  const AnyGame game = parse_game("quoridor:7x7,walls=5");
  Session session(game, thinking(game, 2, 8, 2, GetParam()));
  std::atomic<bool> stop{false};
  std::atomic<bool> under_way{false};
  session.listen({.progress = [&](const Analysis& so_far) { under_way = so_far.visits > 200; }});
  std::chrono::steady_clock::time_point told;
  std::thread stopper([&] {
    while (!under_way) std::this_thread::yield();
    told = std::chrono::steady_clock::now();
    stop = true;
  });
  const Analysis pondered = session.search({.infinite = true, .stop = &stop, .report_seconds = 0.001});
  EXPECT_LT(std::chrono::steady_clock::now() - told, std::chrono::seconds(5));
  stopper.join();
  session.play(pondered.best);
  EXPECT_GT(session.search({.visits = 0, .seconds = 0.01, .nodes = 1 << 20}).kept, 10);
}

// A network that overflows where a horizontal wall stands: its search has ended, and takes no other with it.
TEST_P(ThinkerTest, ASearchThatThrowsHasEnded) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  for (const auto& [leaves, batch] : {std::pair(1, 1), {8, 2}}) {
    SessionSettings settings = thinking(game, 2, leaves, batch, GetParam());
    Model model = *settings.thinker.model;
    const auto names = std::get<wall::WallGame>(game).encoding_names(model.info.features).planes;
    const auto plane = static_cast<std::size_t>(std::ranges::find(names, "walls.horizontal") - names.begin());
    std::vector<float>& weights = model.tensors.at("stem.weight");  // [channels, planes, 3, 3]
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i / 9 % names.size() == plane) weights[i] = 1e30f;
    }
    settings.thinker.model = std::make_shared<const Model>(std::move(model));
    Session session(game, settings);
    for (int times = 0; times < 2; ++times) {
      session.begin_search({.visits = 150});
      EXPECT_THROW(while (!session.search_on(0)) continue, UserError);
      EXPECT_THROW(session.search_on(0), std::logic_error);
      EXPECT_THROW(session.search({.visits = 150}), UserError);
    }
  }
}

// What it knows least of makes room, so that the search has all of its visits and a stop is what ends an endless one.
TEST_P(ThinkerTest, GoesOnWhenItsMemoryIsUsedUp) {
  const AnyGame game = parse_game("quoridor:7x7,walls=5");
  SessionSettings settings = thinking(game, 2, 8, 2, GetParam());
  settings.thinker.memory_mebibytes = 1;
  settings.thinker.evaluation = {.backend = "uniform"};
  Session session(game, settings);
  for (int ply = 0; ply < 6; ++ply) {
    const Analysis& analysis = session.search({.visits = 5000});
    EXPECT_EQ(analysis.most_tree_bytes, std::size_t{1} << 19);
    EXPECT_LT(analysis.tree_bytes, analysis.most_tree_bytes + (1 << 15));
    EXPECT_GE(analysis.visits, 5000);
    session.play(analysis.best);
  }
  std::atomic<bool> stop{false};
  session.listen({.progress = [&](const Analysis& analysis) { stop = analysis.visits >= 50'000; }});
  EXPECT_GE(session.search({.infinite = true, .stop = &stop, .report_seconds = 0.01}).visits, 50'000);
}

// Ownership is from black's view whoever moves, and only where it is asked for.
TEST(Session, SaysWhoOwnsThePoints) {
  const AnyGame any = parse_game("go:5x5");
  const auto& game = std::get<go::GoGame>(any);
  SessionSettings settings = thinking(any, 1, 0, 0, "gumbel");
  settings.thinker.model = test::tiny_model(any, {.ownership = true});
  Session session(any, settings);
  for (int ply = 0; ply < 2; ++ply) {
    EXPECT_TRUE(session.search({.visits = 2}).ownership.empty());
    const std::vector<float> owners = session.search({.visits = 2, .ownership = true}).ownership;
    Position<go::GoGame> position(game);
    for (const SessionMove& move : session.moves()) position.apply(game, move.action);
    const std::vector<float> black = predicted_owners(*settings.thinker.model, game, position.state);
    ASSERT_EQ(owners.size(), 25u);
    for (std::size_t i = 0; i < owners.size(); ++i) EXPECT_FLOAT_EQ(owners[i], 2 * black[i] - 1);
    session.play("C3");
  }
  const AnyGame wall = parse_game("quoridor:5x5,walls=3");
  Session without(wall, thinking(wall, 1, 0, 0, "gumbel"));
  EXPECT_TRUE(without.search({.visits = 2, .ownership = true}).ownership.empty());
}

// A search of few visits has few leaves under way; without a number of them it has what the threads need.
TEST(LeafSplit, FollowsTheThreadsAndTheVisits) {
  const ThinkerSettings two{.threads = 2};
  EXPECT_EQ(split_leaves({}).leaves(), 1);
  EXPECT_EQ(split_leaves(two).leaves(), 8);
  EXPECT_EQ(split_leaves(two).for_visits(0).leaves(), 8);
  EXPECT_EQ(split_leaves(two).for_visits(400).leaves(), 8);
  EXPECT_EQ(split_leaves(two).for_visits(100).leaves(), 2);
  EXPECT_EQ(split_leaves(two).for_visits(10).leaves(), 1);
  EXPECT_EQ(split_leaves({.threads = 1, .leaves = 8, .batch = 3}).leaves(), 6);
  EXPECT_EQ(split_leaves({.threads = 16}).leaves(), 36);
  EXPECT_LE(split_leaves({.threads = 16}).for_visits(800).leaves(), 16);
  for (int visits = 1; visits < 4000; visits += 7) {
    const LeafSplit split = split_leaves({.threads = 7}).for_visits(visits);
    EXPECT_LE(split.leaves(), std::max(visits / 50, 1));
  }
}

// Takes more or less long, or fails at a call.
class Counting final : public Evaluator {
 public:
  Counting(const EncodingShape& shape, int max_batch, std::atomic<int>& calls, int failing)
      : shape_(shape), max_batch_(max_batch), calls_(calls), failing_(failing) {}
  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    if (++calls_ == failing_) throw UserError("the network overflows");
    std::this_thread::sleep_for(std::chrono::microseconds(calls_ % 3 * 300));
    std::fill_n(out.value.begin(), batch.size * shape_.value_size(), 0.5f);
  }
  std::string describe() const override { return "counting"; }

 private:
  EncodingShape shape_;
  int max_batch_;
  std::atomic<int>& calls_;
  int failing_;
};

class Crew {
 public:
  explicit Crew(int threads, int failing = 0)
      : crew(game, {},
             [this, failing](const EncodingShape& shape, int rows) {
               return std::make_unique<Counting>(shape, rows, calls, failing);
             },
             threads, {.batches = 4, .rows = 2}) {}

  wall::WallGame game = std::get<wall::WallGame>(parse_game("quoridor:5x5,walls=3"));
  std::atomic<int> calls{0};
  LeafCrew<wall::WallGame> crew;
};

TEST(LeafCrew, BatchesComeBackInTheOrderTheyWereSent) {
  Crew tested(3);
  int next = 0;
  for (int ticket = 0; ticket < 400; ++ticket) {
    if (!tested.crew.has_room()) {
      const auto& batch = tested.crew.collect();
      ASSERT_EQ(batch.size(), 2);
      EXPECT_EQ(batch.ticket(0), next++);
      EXPECT_EQ(batch.ticket(1), next++);
    }
    tested.crew.add(tested.game.initial_state(), ticket);
    if (tested.crew.filled() == 2) tested.crew.send();
  }
  EXPECT_EQ(next, 392);
  while (tested.crew.any_sent()) EXPECT_EQ(tested.crew.collect().ticket(0), std::exchange(next, next + 2));
  EXPECT_EQ(tested.calls, 203);
}

// A clock may run from then on.
TEST(LeafCrew, HasEveryEvaluatorAndHasUsedItWhenItIsMade) {
  for (const int threads : {1, 2, 5}) EXPECT_EQ(Crew(threads).calls, threads);
}

TEST(LeafCrew, WhatAnyThreadThrowsReachesTheOwner) {
  for (const int failing : {1, 2, 3, 7}) {
    EXPECT_THROW(
        {
          Crew tested(2, failing);
          for (int ticket = 0; ticket < 100; ++ticket) {
            if (!tested.crew.has_room()) tested.crew.collect();
            tested.crew.add(tested.game.initial_state(), ticket);
            if (tested.crew.filled() == 2) tested.crew.send();
          }
        },
        UserError);
  }
}

TEST(LeafCrew, AbandonedLeavesDoNotComeBack) {
  Crew tested(2);
  for (int round = 0; round < 20; ++round) {
    for (int ticket = 0; ticket < 7; ++ticket) {
      tested.crew.add(tested.game.initial_state(), ticket);
      if (tested.crew.filled() == 2) tested.crew.send();
    }
    tested.crew.abandon();
    EXPECT_FALSE(tested.crew.any_sent());
    tested.crew.add(tested.game.initial_state(), 100 + round);
    tested.crew.send();
    const auto& batch = tested.crew.collect();
    EXPECT_EQ(batch.size(), 1);
    EXPECT_EQ(batch.ticket(0), 100 + round);
  }
}

}  // namespace
}  // namespace koridor
