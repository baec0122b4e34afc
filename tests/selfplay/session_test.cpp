// Sessions of every game: moves back and forth, actions as text, searches that end when they are told to.
#include "selfplay/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "selfplay/session/seat_player.h"
#include "tests/error_of.h"
#include "tests/every_game.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

// A model of the game that gives every position the same prediction.
SessionSettings thinking(const AnyGame& any) {
  return {.thinker = {.model = test::tiny_model(any), .name = "test", .evaluation = {.backend = "uniform"}},
          .report_seconds = 0.01};
}

// What a position looks like from outside.
struct Sight {
  std::string board;
  std::vector<std::string> legal;
  int seat = 0;
  bool over = false;
  friend bool operator==(const Sight&, const Sight&) = default;
};

Sight sight(const Session& session) {
  return {session.board(false), session.legal_texts(), session.seat_to_move(), session.outcome().over()};
}

// Plays random actions as text, until the game is over or so many plies are played; what was seen at each ply.
std::vector<Sight> play_randomly(Session& session, Random& random, int plies) {
  std::vector<Sight> seen{sight(session)};
  while (session.ply() < plies && !session.outcome().over()) {
    const std::vector<std::string> legal = session.legal_texts();
    const auto refusal = session.play(legal[static_cast<std::size_t>(random.below(static_cast<int>(legal.size())))]);
    EXPECT_FALSE(refusal.has_value()) << refusal->message;
    if (refusal) break;
    seen.push_back(sight(session));
  }
  return seen;
}

class Sessions : public testing::TestWithParam<std::string> {
 protected:
  AnyGame game_ = parse_game(GetParam());
  Random random_{7};
};

TEST_P(Sessions, AnyPlyCanBeReturnedTo) {
  Session session(game_);
  const std::vector<Sight> seen = play_randomly(session, random_, 60);
  const int plies = session.ply();
  ASSERT_EQ(static_cast<int>(seen.size()), plies + 1);
  for (int trial = 0; trial < 30; ++trial) {
    const int ply = random_.below(plies + 1);
    ASSERT_TRUE(session.go_to(ply));
    EXPECT_EQ(session.ply(), ply);
    EXPECT_EQ(sight(session), seen[static_cast<std::size_t>(ply)]) << "ply " << ply;
    EXPECT_EQ(static_cast<int>(session.moves().size()), plies);
    EXPECT_EQ(static_cast<int>(session.played().size()), ply);
    std::visit(
        [&]<Game G>(const G& game) {
          auto walk = std::get<Position<G>>(session.start());
          for (const SessionMove& move : session.played()) walk.apply(game, move.action);
          const auto position = std::get<Position<G>>(session.position());
          EXPECT_EQ(game.key(position.state), game.key(walk.state));
          EXPECT_EQ(position.history.size(), walk.history.size());
        },
        game_);
  }
  ASSERT_TRUE(session.go_to(0));
  EXPECT_FALSE(session.undo());
  for (int ply = 1; ply <= plies; ++ply) {
    ASSERT_TRUE(session.go_to(session.ply() + 1));
    EXPECT_EQ(sight(session), seen[static_cast<std::size_t>(ply)]);
  }
  EXPECT_FALSE(session.go_to(session.ply() + 1));
  EXPECT_FALSE(session.go_to(-1));
  ASSERT_TRUE(session.undo(2));
  ASSERT_FALSE(session.play(session.legal().front()).has_value());
  EXPECT_EQ(static_cast<int>(session.moves().size()), plies - 1) << "what was taken back is forgotten";
  EXPECT_FALSE(session.go_to(session.ply() + 1));
}

TEST_P(Sessions, MovesAsTextSetUpTheSameGame) {
  for (const Notation notation : {Notation::standard, Notation::modern}) {
    Session session(game_, {.notation = notation});
    play_randomly(session, random_, 80);
    Session copy(game_, {.notation = notation});
    copy.set_up(session.move_texts());
    EXPECT_EQ(sight(copy), sight(session));
    EXPECT_EQ(copy.move_texts(), session.move_texts());
    EXPECT_TRUE(std::ranges::equal(copy.moves(), session.moves(), {}, &SessionMove::seat, &SessionMove::seat));
    // Who is told that a move is wrong finds everything as it was.
    const Sight before = sight(copy);
    EXPECT_THROW(copy.set_up(std::vector<std::string>{session.move_texts().front(), "nonsense"}), UserError);
    EXPECT_EQ(sight(copy), before);
    EXPECT_EQ(copy.ply(), session.ply());
    copy.set_up({});
    EXPECT_EQ(copy.ply(), 0);
    EXPECT_TRUE(copy.moves().empty());
  }
}

TEST_P(Sessions, EveryLegalActionIsReadBackFromItsText) {
  Session session(game_);
  play_randomly(session, random_, 7);
  const std::vector<Action> legal = session.legal();
  const std::vector<std::string> texts = session.legal_texts();
  const int ply = session.ply();
  for (std::size_t i = 0; i < legal.size(); ++i) {
    EXPECT_EQ(session.text(legal[i]), texts[i]);
    ASSERT_FALSE(session.play(texts[i]).has_value());
    EXPECT_EQ(session.moves().back().action, legal[i]);
    ASSERT_TRUE(session.go_to(ply));
  }
}

TEST_P(Sessions, RefusalsSayWhy) {
  Session session(game_);
  const Sight before = sight(session);
  const auto nonsense = session.play("nonsense");
  ASSERT_TRUE(nonsense.has_value());
  EXPECT_EQ(nonsense->reason, Refusal::Reason::no_action);
  EXPECT_EQ(nonsense->kind, Objection::Kind::unreadable);
  EXPECT_THAT(nonsense->message, HasSubstr(session.variant()));
  const std::vector<Action> legal = session.legal();
  for (int i = 0; i < std::visit([](const auto& game) { return game.num_actions(); }, game_); ++i) {
    const Action action{static_cast<std::uint16_t>(i)};
    if (std::ranges::find(legal, action) != legal.end()) continue;
    const std::string text = session.text(action);
    const auto refusal = session.play(text);
    ASSERT_TRUE(refusal.has_value()) << text;
    EXPECT_EQ(refusal->reason, Refusal::Reason::illegal) << text;
    EXPECT_THAT(refusal->text(), HasSubstr(refusal->message));
    if (refusal->nearest != kNoAction) {
      EXPECT_NE(std::ranges::find(legal, refusal->nearest), legal.end());
      EXPECT_THAT(refusal->text(), HasSubstr("did you mean " + session.text(refusal->nearest) + "?"));
    }
    const auto again = session.play(action);
    EXPECT_EQ(again->reason, Refusal::Reason::illegal) << text;
    EXPECT_EQ(again->message, refusal->message);
  }
  EXPECT_EQ(session.play(kNoAction)->reason, Refusal::Reason::no_action);
  EXPECT_EQ(sight(session), before);
}

TEST_P(Sessions, HelpShowsLegalActions) {
  for (const Notation notation : {Notation::standard, Notation::modern}) {
    Session session(game_, {.notation = notation});
    play_randomly(session, random_, 7);
    const int ply = session.ply();
    const ActionHelp help = session.help();
    EXPECT_EQ(help.examples.empty(), session.outcome().over());
    for (const Example& example : help.examples) {
      EXPECT_FALSE(session.play(" " + example.text + " ").has_value()) << example.text;
      ASSERT_TRUE(session.go_to(ply));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Sessions, testing::ValuesIn(test::every_game()), test::letters_of);

class Searches : public testing::TestWithParam<std::string> {
 protected:
  AnyGame game_ = parse_game(GetParam());
  Session session_{game_, thinking(game_)};
  Random random_{3};
};

TEST_P(Searches, GiveALegalActionAndWhatTheyFound) {
  play_randomly(session_, random_, 3);
  while (!session_.outcome().over() && session_.ply() < 12) {
    const std::vector<Action> legal = session_.legal();
    EXPECT_EQ(session_.analysis(), nullptr);
    const Analysis& analysis = session_.search({.visits = 20});
    ASSERT_FALSE(analysis.line.empty());
    EXPECT_EQ(analysis.line.front(), analysis.best_text);
    EXPECT_EQ(session_.analysis(), &analysis);
    EXPECT_EQ(analysis.seat, session_.seat_to_move());
    EXPECT_NE(std::ranges::find(legal, analysis.best), legal.end());
    EXPECT_EQ(analysis.best_text, session_.text(analysis.best));
    EXPECT_TRUE(analysis.visits == 20 || analysis.proven) << analysis.visits;
    ASSERT_EQ(analysis.candidates.size(), legal.size());
    double sum = 0;
    for (const Candidate& candidate : analysis.candidates) {
      sum += candidate.policy;
      EXPECT_NE(std::ranges::find(legal, candidate.action), legal.end());
    }
    EXPECT_EQ(analysis.candidates.front().action, analysis.best);
    const auto order = [](const Candidate& candidate) { return std::pair(candidate.known(), candidate.policy); };
    EXPECT_TRUE(std::ranges::is_sorted(std::span(analysis.candidates).subspan(1), std::ranges::greater{}, order));
    EXPECT_NEAR(sum, 1, 1e-3);
    double total = 0;
    for (const float value : analysis.values) total += value;
    EXPECT_NEAR(total, 1, 1e-3);
    ASSERT_FALSE(session_.play(analysis.best).has_value());
  }
}

// The lines of several candidates are legal play, each beginning with its own action.
TEST_P(Searches, GiveTheLinesOfSeveralCandidates) {
  play_randomly(session_, random_, 3);
  const Analysis analysis = session_.search({.visits = 60, .lines = 3});
  const int ply = session_.ply();
  for (std::size_t i = 0; i < analysis.candidates.size(); ++i) {
    const Candidate& candidate = analysis.candidates[i];
    EXPECT_EQ(candidate.line.empty(), i >= 3);
    if (candidate.line.empty()) continue;
    EXPECT_EQ(candidate.line.front(), candidate.text);
    for (const std::string& move : candidate.line) {
      const auto refusal = session_.play(move);
      ASSERT_FALSE(refusal.has_value()) << move << ": " << refusal->message;
    }
    ASSERT_TRUE(session_.go_to(ply));
  }
  EXPECT_EQ(analysis.candidates.front().line, analysis.line);
}

TEST_P(Searches, SayWhatTheTreeHolds) {
  const Analysis first = session_.search({.visits = 40});
  EXPECT_EQ(first.kept, 0);
  EXPECT_EQ(first.nodes, first.visits);
  EXPECT_GE(first.mean_depth, 1);
  EXPECT_GE(first.largest_depth, first.mean_depth);
  EXPECT_GT(first.tree_bytes, 40 * sizeof(Node));
  EXPECT_LT(first.tree_bytes, first.most_tree_bytes);
  for (int seat = 0; seat < session_.players(); ++seat) {
    EXPECT_NEAR(first.raw_values[static_cast<std::size_t>(seat)], 1.0 / session_.players(), 1e-3) << "uniform";
  }
  const Analysis second = session_.search({.visits = 0, .nodes = 100});
  EXPECT_EQ(second.kept, first.nodes);
  EXPECT_EQ(second.nodes, 100);
  EXPECT_EQ(second.visits, 60);
}

TEST_P(Searches, EndInTheTimeOfAClock) {
  const GameClock clock(parse_time_control("0.1/move"));
  const Analysis analysis = session_.search({.visits = 0, .clock = &clock});
  EXPECT_GT(analysis.visits, 0);
  EXPECT_LT(analysis.seconds, 5);
  const GameClock empty = GameClock::remaining(0);
  EXPECT_LE(session_.search({.visits = 0, .clock = &empty}).visits, 1);
  const GameClock unlimited(TimeControl{});
  EXPECT_THROW(session_.search({.visits = 0, .clock = &unlimited}), UserError);
}

TEST_P(Searches, FindInPartsWhatTheyFindAtOnce) {
  const Analysis whole = Session(game_, thinking(game_)).search({.visits = 50});
  session_.begin_search({.visits = 50});
  int parts = 1;
  while (!session_.search_on(0)) ++parts;
  EXPECT_GT(parts, whole.proven ? 1 : 20);
  EXPECT_EQ(session_.analysis()->visits, whole.visits);
  EXPECT_EQ(session_.analysis()->line, whole.line);
  EXPECT_EQ(session_.analysis()->values, whole.values);
  // A search has ended where the session leaves its position.
  session_.begin_search({.visits = 50});
  play_randomly(session_, random_, 1);
  EXPECT_THROW(session_.search_on(1), std::logic_error);
}

// After moves back and forth the search is at the session's position, not at one it was at before.
TEST_P(Searches, FollowThePosition) {
  session_.search({.visits = 20});
  play_randomly(session_, random_, 4);
  session_.search({.visits = 20});
  ASSERT_TRUE(session_.undo(3));
  for (const int ply : {1, 3, 0, 2}) {
    ASSERT_TRUE(session_.go_to(ply));
    const std::vector<Action> legal = session_.legal();
    EXPECT_EQ(session_.analysis(), nullptr);
    const Analysis& analysis = session_.search({.visits = 10});
    EXPECT_EQ(analysis.candidates.size(), legal.size());
    EXPECT_NE(std::ranges::find(legal, analysis.best), legal.end());
  }
}

TEST_P(Searches, EndSoonWhenAnotherThreadSaysSo) {
  std::atomic<bool> under_way{false};
  std::atomic<bool> stop{false};
  session_.listen({.progress = [&](const Analysis& so_far) {
    if (so_far.visits == 0) return;  // the position itself is still being evaluated
    under_way = true;
    under_way.notify_one();
  }});
  std::chrono::steady_clock::time_point told;
  std::thread stopper([&] {
    under_way.wait(false);
    told = std::chrono::steady_clock::now();
    stop = true;
  });
  const Analysis& analysis = session_.search({.visits = 0, .stop = &stop});
  const auto ended = std::chrono::steady_clock::now();
  stopper.join();
  EXPECT_LT(ended - told, std::chrono::seconds(1));
  EXPECT_GT(analysis.visits, 0);
  ASSERT_FALSE(session_.play(analysis.best).has_value());
  // One that is stopped before it begins has looked at the position at least.
  const Analysis& hurried = session_.search({.visits = 0, .stop = &stop});
  EXPECT_LT(hurried.visits, 100);
  EXPECT_FALSE(session_.play(hurried.best).has_value());
}

TEST_P(Searches, EndWhenTheirTimeIsUp) {
  const Analysis& analysis = session_.search({.visits = 0, .seconds = 0.05});
  EXPECT_GE(analysis.seconds, 0.05);
  EXPECT_LT(analysis.seconds, 2);
}

// A search without end is not ended by a proof.
TEST(Session, ASearchWithoutEndEndsWhenItIsStopped) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  Session session(game, thinking(game));
  session.set_up(std::vector<std::string>{"c4", "b1", "c3", "a1", "c2", "b1"});
  EXPECT_TRUE(session.search({.visits = 10}).proven);
  EXPECT_THROW(session.search({.infinite = true}), UserError);
  std::atomic<bool> proven{false};
  std::atomic<bool> stop{false};
  session.listen({.progress = [&](const Analysis& so_far) { proven = so_far.proven; }});
  std::thread stopper([&] {
    while (!proven) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(session.search({.infinite = true, .stop = &stop}).best_text, "c1");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20));
  stopper.join();
}

// Whoever hears its reports may stop it there, also once the position is proven: a page has no other thread for that.
TEST(Session, ASearchWithoutEndReportsUntilItIsStopped) {
  Session session(parse_game("quoridor:5x5,walls=3"), thinking(parse_game("quoridor:5x5,walls=3")));
  session.set_up(std::vector<std::string>{"c4", "b1", "c3", "a1", "c2", "b1"});
  std::atomic<bool> stop{false};
  int proven = 0;
  session.listen({.progress = [&](const Analysis& so_far) {
    proven += so_far.proven ? 1 : 0;
    if (proven == 3) stop = true;
  }});
  EXPECT_EQ(session.search({.infinite = true, .stop = &stop, .report_seconds = 0.01}).best_text, "c1");
  EXPECT_EQ(proven, 3);
}

INSTANTIATE_TEST_SUITE_P(, Searches,
                         testing::Values("quoridor:7x7,walls=5", "quoridor4:5x5,walls=2", "go:5x5",
                                         "blockade:5x7,walls=3"),
                         test::letters_of);

TEST(Session, ItsListenerHearsOfActionsTheEndAndProgress) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  SessionSettings settings = thinking(game);
  settings.report_seconds = 0;
  Session session(game, settings);
  std::vector<std::string> heard;
  std::vector<int> visits;
  session.listen({.progress = [&](const Analysis& so_far) { visits.push_back(so_far.visits); },
                  .action = [&](int ply, Action) { heard.push_back(std::to_string(ply)); },
                  .end = [&](const Outcome& outcome) { heard.push_back("won by " + std::to_string(outcome.winner)); }});
  session.search({.visits = 12});
  EXPECT_GE(visits.size(), 12u);
  EXPECT_TRUE(std::ranges::is_sorted(visits));
  for (const char* move : {"c4", "b1", "c3", "a1", "c2", "b1", "c1"}) ASSERT_FALSE(session.play(move).has_value());
  EXPECT_EQ(heard, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "won by 0"}));
  const auto refusal = session.play("c2");
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->reason, Refusal::Reason::game_over);
  EXPECT_EQ(session.play(Action{0})->reason, Refusal::Reason::game_over);
  EXPECT_TRUE(session.legal().empty());
  EXPECT_THROW(session.search({}), UserError);
}

TEST(Session, SeatsHaveNames) {
  Session session(parse_game("quoridor4:5x5,walls=2"));
  EXPECT_EQ(session.players(), 4);
  EXPECT_EQ(session.seat_name(3), "player 4");
  session.name_seat(1, "Ada");
  EXPECT_EQ(session.seat_name(1), "Ada");
  EXPECT_EQ(session.family(), "wall");
  EXPECT_EQ(session.variant(), "quoridor4:5x5,walls=2");
}

TEST(Session, WithoutAModelNobodyThinks) {
  Session session(parse_game("go:5x5"));
  EXPECT_FALSE(session.can_search());
  EXPECT_THAT(error_of([&] { session.search({}); }), HasSubstr("no model"));
  const AnyGame wall = parse_game("quoridor:5x5,walls=3");
  EXPECT_TRUE(Session(wall, thinking(wall)).can_search());
  EXPECT_THROW(Session(parse_game("go:5x5"), thinking(wall)), UserError);
}

// Any player of matches sits in a seat of a session, follows it back and forth, and can be stopped.
TEST(SeatPlayer, PlaysWholeGamesBesideASession) {
  for (const char* variant : {"quoridor:5x5,walls=2", "quoridor4:5x5,walls=1", "blockade:5x7,walls=1", "go:3x3"}) {
    const AnyGame game = parse_game(variant);
    std::atomic<bool> stop{false};
    std::vector<std::unique_ptr<SeatPlayer>> seats;
    Session session(game);
    for (int seat = 0; seat < session.players(); ++seat) {
      const char* name = seat % 2 == 0 ? "mcts:8" : "greedy";
      seats.push_back(
          std::make_unique<SeatPlayer>(game, load_player(name, 8, match_search()), Evaluation{}, seat, stop));
    }
    for (int undone = 0; !session.outcome().over();) {
      const auto choice = seats[static_cast<std::size_t>(session.seat_to_move())]->think(stop, {});
      ASSERT_TRUE(choice.has_value());
      ASSERT_FALSE(session.play(choice->action).has_value()) << variant;
      for (const auto& seat : seats) seat->play(choice->action);
      if (session.ply() == 5 && undone++ == 0) {
        ASSERT_TRUE(session.undo(3));
        std::vector<Action> actions;
        for (const SessionMove& move : session.moves().first(2)) actions.push_back(move.action);
        for (const auto& seat : seats) seat->reset(actions);
      }
    }
    seats[0]->reset({});
    stop = true;
    EXPECT_FALSE(seats[0]->think(stop, {}).has_value());
  }
}

TEST(Session, SeatsHaveTitlesAndSides) {
  Session go(parse_game("go:3x3"));
  EXPECT_EQ(go.seat_title(0), "black");
  EXPECT_EQ(go.seat_title(1), "white");
  Session four(parse_game("quoridor4:5x5,walls=2"));
  EXPECT_EQ(four.seat_title(3), "player 4");
  for (int seat = 0; seat < 4; ++seat) EXPECT_EQ(four.turns_to_bottom(seat), seat);
  EXPECT_NE(four.board(BoardView{.turns = 1}), four.board(false));
}

}  // namespace
}  // namespace koridor
