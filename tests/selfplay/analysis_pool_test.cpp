// The pool of analyses: many positions at once give what each gives alone, in the order of their priorities, and end
// when they are told to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "selfplay/analysis/pool.h"
#include "selfplay/analysis/score.h"
#include "selfplay/session/session.h"
#include "tests/selfplay/pool_tools.h"

namespace koridor {
namespace {

using Kind = PositionReport::Kind;

class AnalysisPools : public testing::TestWithParam<std::string> {
 protected:
  AnyGame game_ = parse_game(GetParam());
  Reports reports_;
};
INSTANTIATE_TEST_SUITE_P(Games, AnalysisPools,
                         testing::Values("quoridor:5x5,walls=3", "go:5x5", "quoridor4:5x5,walls=2", "blockade"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::erase_if(name, [](char letter) { return std::isalnum(letter) == 0; });
                           return name;
                         });

TEST_P(AnalysisPools, ManyPositionsGiveWhatEachGivesAlone) {
  const PoolSettings settings = pool_settings(game_);
  const auto line = random_line(game_, 24);
  const auto pool = make_analysis_pool(settings);
  pool->check(game_);
  for (int ply = 0; ply <= static_cast<int>(line->moves.size()); ++ply) {
    pool->submit({.line = line, .plies = ply, .visits = 60, .report = reports_.of(std::to_string(ply))});
  }
  pool->wait();
  Session session(game_, {.thinker = {.model = settings.model, .name = "test", .evaluation = settings.evaluation}});
  for (int ply = 0; ply <= static_cast<int>(line->moves.size()); ++ply) {
    if (ply > 0) session.play(line->moves[static_cast<std::size_t>(ply - 1)].action);
    Session alone(game_, {.thinker = {.model = settings.model, .name = "test", .evaluation = settings.evaluation}});
    alone.set_up(session.move_texts());
    const Analysis& expected = alone.search({.visits = 60, .lines = 100});
    ASSERT_EQ(reports_.reports(std::to_string(ply)).size(), 1u);
    const PositionReport& report = reports_.reports(std::to_string(ply)).front();
    ASSERT_EQ(report.kind, Kind::last);
    EXPECT_EQ(report.analysis.best, expected.best) << "ply " << ply;
    EXPECT_EQ(report.analysis.values, expected.values);
    EXPECT_NEAR(report.analysis.raw_values[0], expected.raw_values[0], 1e-6);
    EXPECT_EQ(report.analysis.visits, expected.visits);
    EXPECT_EQ(report.analysis.seat, session.seat_to_move());
    ASSERT_EQ(report.candidates.size(), report.analysis.candidates.size());
    for (const Candidate& candidate : report.analysis.candidates) {
      const auto same = std::ranges::find(expected.candidates, candidate.action, &Candidate::action);
      EXPECT_EQ(candidate.visits, same->visits);
      EXPECT_EQ(candidate.prior, same->prior);
      EXPECT_EQ(candidate.policy, same->policy);
      EXPECT_EQ(candidate.line.front(), candidate.text);
      if (candidate.visits > 0) {
        EXPECT_EQ(candidate.values, same->values);
      }
    }
  }
}

TEST_P(AnalysisPools, OnePositionKeepsAllThreadsBusyAndEveryVisitIsCounted) {
  PoolSettings settings = pool_settings(game_);
  settings.leaves = 16;
  const auto pool = make_analysis_pool(settings);
  pool->submit({.line = random_line(game_, 3), .plies = 3, .visits = 300, .report = reports_.of("one")});
  pool->wait();
  const PositionReport& report = reports_.reports("one").front();
  if (!report.analysis.proven) {
    EXPECT_EQ(report.analysis.visits, 300);
  }
  int visits = 0;
  for (const Candidate& candidate : report.analysis.candidates) visits += candidate.visits;
  EXPECT_GE(visits, report.analysis.visits);
}

TEST_P(AnalysisPools, PoliciesCoverTheLegalActions) {
  const auto pool = make_analysis_pool(pool_settings(game_));
  const auto line = random_line(game_, 5);
  pool->submit({.line = line, .plies = 5, .visits = 4, .policy = true, .report = reports_.of("one")});
  pool->wait();
  Session session(game_);
  for (const LineMove& move : line->moves) session.play(move.action);
  const std::vector<Action> legal = session.legal();
  const std::vector<float>& policy = reports_.reports("one").front().policy;
  double sum = 0;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < policy.size(); ++i) {
    const bool is_legal = std::ranges::find(legal, Action{static_cast<std::uint16_t>(i)}) != legal.end();
    EXPECT_EQ(policy[i] >= 0, is_legal) << i;
    if (!is_legal) continue;
    sum += policy[i];
    ++positive;
  }
  EXPECT_EQ(positive, legal.size());
  EXPECT_NEAR(sum, 1.0, 1e-5);
}

class AnalysisPool5x5 : public testing::Test {
 protected:
  AnyGame game_ = parse_game("quoridor:5x5,walls=3");
  std::shared_ptr<const GameLine> line_ = random_line(game_, 4);
  Reports reports_;

  AnalysisTask task(const std::string& name, int visits, int priority = 0) {
    return {
        .line = line_, .plies = 2, .visits = visits, .priority = priority, .name = name, .report = reports_.of(name)};
  }
};

TEST_F(AnalysisPool5x5, ThePrioritiesOrderWhatWaits) {
  PoolSettings settings = pool_settings(game_);
  settings.positions = 1;
  const auto pool = make_analysis_pool(settings);
  AnalysisTask first = task("first", 0);
  first.seconds = 1e6;
  first.report_seconds = 0.001;
  pool->submit(first);
  reports_.wait_for("first");
  pool->submit(task("low", 2, -1));
  pool->submit(task("usual", 2));
  pool->submit(task("later", 2));
  pool->submit(task("high", 2, 7));
  pool->terminate([](const AnalysisTask& one) { return one.name == "first"; });
  pool->wait();
  EXPECT_THAT(reports_.ended(), testing::ElementsAre("first", "high", "usual", "later", "low"));
}

TEST_F(AnalysisPool5x5, WhatIsTerminatedEndsOnceAndTheRestGoesOn) {
  PoolSettings settings = pool_settings(game_);
  settings.positions = 2;
  const auto pool = make_analysis_pool(settings);
  for (const std::string name : {"a", "b", "c", "d"}) {
    AnalysisTask endless = task(name, 0);
    endless.seconds = 1e6;
    endless.report_seconds = 0.001;
    pool->submit(endless);
  }
  reports_.wait_for("a");
  reports_.wait_for("b");
  pool->submit(task("last", 3));
  const auto terminate = [&](const std::string& name) {
    pool->terminate([&](const AnalysisTask& one) { return one.name == name; });
  };
  terminate("c");
  EXPECT_EQ(reports_.reports("c").back().kind, Kind::nothing);
  terminate("a");
  reports_.wait_for("d");
  for (const std::string name : {"b", "d", "none"}) terminate(name);
  pool->wait();
  for (const std::string name : {"a", "b", "d", "last"}) {
    EXPECT_EQ(reports_.reports(name).back().kind, Kind::last) << name;
    EXPECT_EQ(std::ranges::count(reports_.ended(), name), 1) << name;
  }
  EXPECT_GT(reports_.reports("a").size(), 1u);
  EXPECT_EQ(reports_.reports("a").front().kind, Kind::during);
  EXPECT_EQ(reports_.reports("c").size(), 1u);
}

TEST_F(AnalysisPool5x5, APoolThatGoesEndsItsSearches) {
  auto pool = make_analysis_pool(pool_settings(game_));
  for (int i = 0; i < 100; ++i) {
    AnalysisTask endless = task("endless", 0);
    endless.seconds = 1e6;
    pool->submit(endless);
  }
  pool.reset();
  EXPECT_LT(reports_.ended().size(), 100u) << "what waits is not begun any more";
}

TEST_F(AnalysisPool5x5, LimitsHoldAtTheirDepthAlone) {
  const auto pool = make_analysis_pool(pool_settings(game_));
  Session session(game_);
  session.play(line_->moves[0].action);
  session.play(line_->moves[1].action);
  const std::vector<Action> legal = session.legal();
  ActionLimit limit{.seat = 0, .plies = 1};
  std::vector<Action> walls;  // every third, so that some are legal later, too
  for (std::size_t i = 4; i < legal.size(); i += 3) walls.push_back(legal[i]);
  for (const Action action : walls) limit.allowed.set(action);
  AnalysisTask limited = task("limited", 200);
  limited.only = {limit};
  limited.policy = true;
  pool->submit(limited);
  AnalysisTask deep = task("deep", 200);
  limit.plies = 3;
  deep.only = {limit};
  pool->submit(deep);
  pool->wait();
  std::vector<std::string> names;
  for (const Action action : walls) names.push_back(session.text(action));
  int elsewhere = 0;
  for (const std::string name : {"limited", "deep"}) {
    const PositionReport& report = reports_.reports(name).front();
    ASSERT_GT(report.analysis.candidates.size(), 2u);
    for (const Candidate& candidate : report.analysis.candidates) {
      EXPECT_THAT(names, testing::Contains(candidate.text));
      if (candidate.line.size() < 3) continue;
      const bool among = std::ranges::find(names, candidate.line[2]) != names.end();
      if (name == "deep") {
        EXPECT_TRUE(among) << candidate.line[2];
      }
      elsewhere += among ? 0 : 1;
    }
  }
  EXPECT_GT(elsewhere, 0) << "a limit of one ply does not hold two plies later";
  EXPECT_EQ(std::ranges::count_if(reports_.reports("limited").front().policy, [](float share) { return share >= 0; }),
            static_cast<std::ptrdiff_t>(legal.size()))
      << "the network's policy knows no limits";
}

TEST_F(AnalysisPool5x5, AForbiddenWinIsNotPlayed) {
  // Player 1 is one step from its goal.
  Session session(parse_game("quoridor:5x5,walls=0"));
  GameLine line{.game = session.game()};
  for (const std::string move : {"c4", "b1", "c3", "b2", "c2", "b3"}) {
    const int seat = session.seat_to_move();
    ASSERT_FALSE(session.play(move).has_value()) << move;
    line.moves.push_back({session.moves().back().action, seat});
  }
  ActionLimit limit{.seat = 0, .plies = 1};
  Action win = kNoAction;
  for (const Action action : session.legal()) {
    session.text(action) == "c1" ? static_cast<void>(win = action) : limit.allowed.set(action);
  }
  ASSERT_NE(win, kNoAction);
  const auto shared = std::make_shared<const GameLine>(line);
  const auto pool = make_analysis_pool(pool_settings(session.game()));
  AnalysisTask free{.line = shared, .plies = 6, .visits = 50, .report = reports_.of("free")};
  pool->submit(free);
  free.only = {limit};
  free.report = reports_.of("forbidden");
  pool->submit(free);
  pool->wait();
  EXPECT_EQ(reports_.reports("free").front().analysis.best, win);
  EXPECT_NE(reports_.reports("forbidden").front().analysis.best, win);
}

TEST_F(AnalysisPool5x5, WhatCannotBeEvaluatedFailsByItself) {
  const auto pool = make_analysis_pool(pool_settings(game_));
  const AnyGame other = parse_game("quoridor4:5x5,walls=2");
  EXPECT_THROW(pool->check(other), UserError);
  EXPECT_THROW(pool->check(parse_game("go:5x5")), UserError);
  pool->submit({.line = random_line(other, 2), .plies = 1, .visits = 5, .report = reports_.of("other")});
  pool->submit(task("own", 5));
  pool->wait();
  EXPECT_EQ(reports_.reports("other").front().kind, Kind::failed);
  EXPECT_FALSE(reports_.reports("other").front().error.empty());
  EXPECT_EQ(reports_.reports("own").front().kind, Kind::last);
}

TEST_F(AnalysisPool5x5, ForgettingPredictionsChangesNothing) {
  const auto pool = make_analysis_pool(pool_settings(game_));
  pool->submit(task("before", 100));
  pool->wait();
  pool->clear_cache();
  pool->submit(task("after", 100));
  pool->wait();
  EXPECT_EQ(reports_.reports("before").front().analysis.values, reports_.reports("after").front().analysis.values);
  EXPECT_FALSE(pool->evaluator().empty());
}

TEST(AnalysisPoolOfGo, TellsPointsAndOwnersAndGoesOnAfterTheEnd) {
  const AnyGame any = parse_game("go:5x5,komi=2.5");
  const auto& game = std::get<go::GoGame>(any);
  Reports reports;
  GameLine line{.game = any};
  const auto pass = Action{25};
  line.moves = {{Action{12}, 0}, {pass, 1}, {Action{6}, 0}, {pass, 1}, {pass, 0}};
  const auto shared = std::make_shared<const GameLine>(line);
  const auto pool = make_analysis_pool(pool_settings(any));
  for (const int plies : {3, 5}) {
    pool->submit({.line = shared,
                  .plies = plies,
                  .visits = 30,
                  .ownership = true,
                  .move_ownership = true,
                  .report = reports.of(std::to_string(plies))});
  }
  pool->wait();
  const PositionReport& open = reports.reports("3").front();
  ASSERT_TRUE(open.score && open.raw_score);
  EXPECT_LT(std::abs(open.score->lead + 2.5), 25.0);
  EXPECT_GT(open.raw_score->deviation, 0.0);
  EXPECT_FALSE(open.candidates.empty());
  for (const CandidateReport& candidate : open.candidates) {
    EXPECT_TRUE(candidate.score.has_value());
    EXPECT_EQ(candidate.ownership.size(), 25u);
  }
  ASSERT_EQ(open.analysis.ownership.size(), 25u) << "playouts say it where the model has no such head";
  EXPECT_GT(open.analysis.ownership[12], 0.0f) << "white has no stone";

  const PositionReport& over = reports.reports("5").front();
  EXPECT_TRUE(over.over);
  EXPECT_EQ(over.final_lead, 22.5) << "black owns the whole board";
  const auto position = position_after(game, line, 5);
  EXPECT_EQ(game.half_points(position.state), 45);
  EXPECT_EQ(over.analysis.visits, 30) << "play goes on";
  EXPECT_GT(over.candidates.size(), 1u);
  EXPECT_LT(over.score->lead, 22.5) << "what the network expects";
  ASSERT_EQ(over.analysis.ownership.size(), 25u);
  EXPECT_EQ(over.analysis.ownership[0], 1.0f) << "as in the result";
}

TEST(AnalysisPoolOfGo, PointsDoNotDependOnWhoseTurnItIs) {
  const AnyGame any = parse_game("go:9x9,japanese");
  const auto& game = std::get<go::GoGame>(any);
  Position<go::GoGame> position(game);
  const double before = expected_score(game, position.state, 0.6).lead;
  EXPECT_NEAR(before, 0.2 * 81 - 6.5 - 0.5, 1e-9);
  position.apply(game, Action{40});
  EXPECT_NEAR(expected_score(game, position.state, 0.6).lead, before, 1e-9);
  position.apply(game, Action{0});
  EXPECT_NEAR(expected_score(game, position.state, 0.6).lead, before, 1e-9);
}

TEST(GameLines, APlayerMayMoveTwiceInGoAlone) {
  const AnyGame any = parse_game("go:5x5");
  const auto& game = std::get<go::GoGame>(any);
  const GameLine line{.game = any, .moves = {{Action{0}, 1}, {Action{24}, 1}, {Action{12}, 0}}};
  const auto position = position_after(game, line, 3);
  EXPECT_TRUE(position.state.has_stone(1, game.geometry().point[0]));
  EXPECT_TRUE(position.state.has_stone(1, game.geometry().point[24]));
  EXPECT_TRUE(position.state.has_stone(0, game.geometry().point[12]));
  EXPECT_EQ(position.state.player, 1);
}

}  // namespace
}  // namespace koridor
