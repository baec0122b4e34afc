// Sessions: moves, searches, what they find, and a stop from another thread.
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>

#include "selfplay/session/picture.h"
#include "selfplay/session/session.h"
#include "tests/library/library_support.h"

namespace koridor::test {
namespace {

std::vector<std::int32_t> moves_of(koridor_session* session, std::int32_t* ply = nullptr) {
  std::size_t count = 0;
  EXPECT_TRUE(done(koridor_session_moves(session, nullptr, 0, &count, ply)));
  std::vector<std::int32_t> actions(count);
  EXPECT_TRUE(done(koridor_session_moves(session, actions.data(), actions.size(), &count, nullptr)));
  return actions;
}

std::vector<koridor_candidate> candidates_of(koridor_session* session) {
  std::size_t count = 0;
  EXPECT_TRUE(done(koridor_session_candidates(session, nullptr, sizeof(koridor_candidate), 0, &count)));
  std::vector<koridor_candidate> candidates(count);
  EXPECT_TRUE(done(koridor_session_candidates(session, candidates.data(), sizeof(koridor_candidate), count, &count)));
  return candidates;
}

std::vector<std::int32_t> line_of(koridor_session* session, std::size_t number) {
  std::size_t count = 0;
  EXPECT_TRUE(done(koridor_session_line(session, number, nullptr, 0, &count)));
  std::vector<std::int32_t> actions(count);
  EXPECT_TRUE(done(koridor_session_line(session, number, actions.data(), count, &count)));
  return actions;
}

std::string board_of(const koridor_state* state) {
  return text_of([&](auto... buffer) { return koridor_state_board(state, KORIDOR_STANDARD, buffer...); });
}

OwnedState state_in(koridor_session* session) {
  koridor_state* state = nullptr;
  EXPECT_TRUE(done(koridor_session_state(session, &state)));
  return OwnedState(state);
}

TEST(LibrarySessions, PlayTakeBackAndPlayAgain) {
  const OwnedGame game = game_of(kGame);
  koridor_session* made = nullptr;
  EXPECT_TRUE(done(koridor_session_new(game.get(), nullptr, nullptr, &made)));
  const OwnedSession session(made);
  const std::string at_start = board_of(state_in(made).get());
  EXPECT_TRUE(done(koridor_session_play_text(made, "c4")));
  const std::string after_one = board_of(state_in(made).get());
  EXPECT_NE(after_one, at_start);
  const std::vector<std::int32_t> legal = legal_of(state_in(made).get());
  EXPECT_TRUE(done(koridor_session_play(made, legal[0])));
  std::int32_t ply = 0;
  const std::vector<std::int32_t> moves = moves_of(made, &ply);
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_EQ(moves[1], legal[0]);
  EXPECT_EQ(ply, 2);
  EXPECT_TRUE(done(koridor_session_go_to(made, 1)));
  EXPECT_EQ(board_of(state_in(made).get()), after_one);
  EXPECT_EQ(moves_of(made, &ply), moves);
  EXPECT_EQ(ply, 1);
  expect_failure(koridor_session_go_to(made, 3), KORIDOR_INVALID_ARGUMENT, "0 to 2");
  expect_failure(koridor_session_play_text(made, "e9"), KORIDOR_ILLEGAL_ACTION, "e9");
  expect_failure(koridor_session_play(made, -1), KORIDOR_INVALID_ARGUMENT, "no action -1");
  const OwnedState kept = state_in(made);
  EXPECT_TRUE(done(koridor_session_restart(made, nullptr)));
  EXPECT_EQ(board_of(state_in(made).get()), at_start);
  EXPECT_TRUE(done(koridor_session_restart(made, kept.get())));
  EXPECT_EQ(board_of(state_in(made).get()), after_one);
  EXPECT_TRUE(moves_of(made).empty());
  expect_failure(koridor_session_restart(made, state_of(game_of("go:5x5")).get()), KORIDOR_INVALID_ARGUMENT, "go:5x5");
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  expect_failure(koridor_session_search(made, nullptr, &analysis), KORIDOR_INVALID_ARGUMENT, "no model");
}

TEST(LibrarySessions, SearchAsASessionDoes) {
  const ModelFile file(kGame);
  const OwnedSession owned = session_of(game_of(kGame), file.load());
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  std::size_t count = 0;
  expect_failure(koridor_session_candidates(owned.get(), nullptr, sizeof(koridor_candidate), 0, &count),
                 KORIDOR_NO_RESULT, "not been searched");
  const koridor_limits limits = {.struct_size = sizeof limits, .visits = 64, .lines = 3};
  ASSERT_TRUE(done(koridor_session_search(owned.get(), &limits, &analysis)));

  Session session(parse_game(kGame), {.thinker = {.model = tiny_model(parse_game(kGame)), .memory_mebibytes = 64}});
  const Analysis& expected = session.search({.visits = 64, .lines = 3});
  EXPECT_EQ(analysis.seat, 0);
  EXPECT_EQ(analysis.best, index(expected.best));
  EXPECT_EQ(analysis.visits, expected.visits);
  EXPECT_EQ(analysis.nodes, expected.nodes);
  EXPECT_EQ(analysis.proven != 0, expected.proven);
  EXPECT_EQ(analysis.largest_depth, expected.largest_depth);
  for (std::size_t seat = 0; seat < 2; ++seat) {
    EXPECT_EQ(analysis.values[seat], expected.values[seat]);
    EXPECT_EQ(analysis.raw_values[seat], expected.raw_values[seat]);
  }
  EXPECT_NEAR(analysis.values[0] + analysis.values[1], 1.0f, 1e-5f);
  const std::vector<koridor_candidate> candidates = candidates_of(owned.get());
  ASSERT_EQ(candidates.size(), expected.candidates.size());
  EXPECT_EQ(static_cast<std::size_t>(analysis.candidates), candidates.size());
  float policy = 0;
  float prior = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_EQ(candidates[i].action, index(expected.candidates[i].action));
    EXPECT_EQ(candidates[i].visits, expected.candidates[i].visits);
    EXPECT_EQ(candidates[i].policy, expected.candidates[i].policy);
    EXPECT_EQ(candidates[i].values[0], expected.candidates[i].values[0]);
    policy += candidates[i].policy;
    prior += candidates[i].prior;
  }
  EXPECT_NEAR(policy, 1.0f, 1e-4f);
  EXPECT_NEAR(prior, 1.0f, 1e-4f);
  // Lines are actions that can be played one after the other, and those that the session names.
  for (std::size_t number = 0; number < 3; ++number) {
    const std::vector<std::int32_t> line = line_of(owned.get(), number);
    ASSERT_EQ(line.size(), expected.candidates[number].line.size());
    EXPECT_EQ(line[0], candidates[number].action);
    const OwnedState walk = state_in(owned.get());
    for (std::size_t i = 0; i < line.size(); ++i) {
      EXPECT_EQ(text_of([&](auto... buffer) {
                  return koridor_state_action_text(walk.get(), line[i], KORIDOR_STANDARD, buffer...);
                }),
                expected.candidates[number].line[i]);
      EXPECT_TRUE(done(koridor_state_apply(walk.get(), line[i])));
    }
  }
  expect_failure(koridor_session_line(owned.get(), 3, nullptr, 0, &count), KORIDOR_NO_RESULT, "lines");
  expect_failure(koridor_session_ownership(owned.get(), nullptr, 0, &count), KORIDOR_NO_RESULT, "owners");
  // What was found belongs to the position.
  EXPECT_TRUE(done(koridor_session_play(owned.get(), analysis.best)));
  expect_failure(koridor_session_line(owned.get(), 0, nullptr, 0, &count), KORIDOR_NO_RESULT, "not been searched");
}

TEST(LibrarySessions, PredictOwners) {
  const ModelFile file("go:5x5", {.ownership = true});
  const OwnedSession session = session_of(game_of("go:5x5"), file.load());
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  const koridor_limits limits = {.struct_size = sizeof limits, .visits = 8, .ownership = 1};
  ASSERT_TRUE(done(koridor_session_search(session.get(), &limits, &analysis)));
  float owners[25];
  std::size_t count = 0;
  EXPECT_TRUE(done(koridor_session_ownership(session.get(), owners, 25, &count)));
  EXPECT_EQ(count, 25u);
  for (const float owner : owners) EXPECT_LE(std::abs(owner), 1.0f);
  expect_failure(koridor_session_ownership(session.get(), owners, 24, &count), KORIDOR_BUFFER_TOO_SMALL, "25");
}

TEST(LibrarySessions, AreDrawnByPages) {
  const ModelFile file(kGame);
  const OwnedSession owned = session_of(game_of(kGame), file.load());
  Session session(parse_game(kGame));
  std::size_t length = 0;
  expect_failure(koridor_session_analysis_picture(owned.get(), nullptr, 0, &length), KORIDOR_NO_RESULT, "not been");
  EXPECT_TRUE(done(koridor_session_play_text(owned.get(), "c4")));
  session.play("c4");
  EXPECT_EQ(text_of([&](auto... buffer) { return koridor_session_picture(owned.get(), buffer...); }), picture(session));
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  ASSERT_TRUE(done(koridor_session_search(owned.get(), nullptr, &analysis)));
  const std::string said =
      text_of([&](auto... buffer) { return koridor_session_analysis_picture(owned.get(), buffer...); });
  EXPECT_THAT(said, testing::HasSubstr("\"candidates\""));
}

TEST(LibrarySessions, RefuseLimitsThatAreNone) {
  const ModelFile file(kGame);
  const OwnedSession session = session_of(game_of(kGame), file.load());
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  koridor_limits limits = {.struct_size = sizeof limits, .visits = -1};
  expect_failure(koridor_session_search(session.get(), &limits, &analysis), KORIDOR_INVALID_ARGUMENT, "visits is -1");
  limits = {.struct_size = sizeof limits, .seconds = std::nan("")};
  expect_failure(koridor_session_search(session.get(), &limits, &analysis), KORIDOR_INVALID_ARGUMENT, "seconds is nan");
  limits = {.struct_size = sizeof limits, .lines = -1};
  expect_failure(koridor_session_search(session.get(), &limits, &analysis), KORIDOR_INVALID_ARGUMENT, "lines");
  analysis.struct_size = 4;
  expect_failure(koridor_session_search(session.get(), nullptr, &analysis), KORIDOR_ABI_MISMATCH,
                 "koridor_analysis has 4 bytes");
  koridor_session* none = nullptr;
  koridor_session_options options = {.struct_size = sizeof options, .threads = -2};
  expect_failure(koridor_session_new(game_of(kGame).get(), nullptr, &options, &none), KORIDOR_INVALID_ARGUMENT,
                 "threads is -2");
  expect_failure(koridor_session_new(game_of("go:5x5").get(), file.load().get(), nullptr, &none), KORIDOR_BAD_MODEL,
                 "family");
}

TEST(LibrarySessions, SayThatTheModelIsBadWhereItsNetworkOverflows) {
  Model model = *tiny_model(parse_game(kGame));
  for (auto& [name, values] : model.tensors) {
    for (float& value : values) value = std::copysign(1e30f, value);
  }
  const TemporaryFolder folder;
  save_model(folder.file("bad.koridor"), model);
  koridor_model* loaded = nullptr;
  ASSERT_TRUE(done(koridor_model_load(folder.file("bad.koridor").c_str(), &loaded)));
  const OwnedModel owned(loaded);
  koridor_session* made = nullptr;
  const koridor_status status = koridor_session_new(game_of(kGame).get(), loaded, nullptr, &made);
  if (status == KORIDOR_OK) {
    const OwnedSession session(made);
    koridor_analysis analysis = {.struct_size = sizeof analysis};
    expect_failure(koridor_session_search(made, nullptr, &analysis), KORIDOR_BAD_MODEL, "its network overflows");
    std::int32_t action = 0;
    expect_failure(koridor_session_choose(made, "full", &action), KORIDOR_BAD_MODEL, "its network overflows");
  } else {
    expect_failure(status, KORIDOR_BAD_MODEL, "its network overflows");
  }
}

// A search without end, under way on a thread of its own.
class EndlessSearch {
 public:
  explicit EndlessSearch(koridor_session* session)
      : thread_([this, session] {
          koridor_limits limits = {.struct_size = sizeof limits, .infinite = 1};
          limits.progress = [](void* user, const koridor_analysis* so_far) -> std::int32_t {
            EXPECT_EQ(so_far->struct_size, sizeof(koridor_analysis));
            static_cast<EndlessSearch*>(user)->reported_ = true;
            return 0;
          };
          limits.user = this;
          limits.report_seconds = 0.005;
          analysis_.struct_size = sizeof analysis_;
          EXPECT_TRUE(done(koridor_session_search(session, &limits, &analysis_)));
        }) {}
  // Returns when the search has told of itself.
  void wait_for_report() const {
    while (!reported_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const koridor_analysis& join() {
    thread_.join();
    return analysis_;
  }

 private:
  std::atomic<bool> reported_{false};
  koridor_analysis analysis_{};
  std::thread thread_;  // last, so that it begins when the rest is there
};

TEST(LibrarySessions, AreStoppedFromAnotherThread) {
  const ModelFile file(kGame);
  const OwnedSession session = session_of(game_of(kGame), file.load());
  EndlessSearch search(session.get());
  search.wait_for_report();
  // Meanwhile the session serves nobody else.
  std::size_t count = 0;
  expect_failure(koridor_session_play_text(session.get(), "c4"), KORIDOR_BUSY, "one at a time");
  expect_failure(koridor_session_moves(session.get(), nullptr, 0, &count, nullptr), KORIDOR_BUSY, "session");
  EXPECT_TRUE(done(koridor_session_stop(session.get())));
  const koridor_analysis& analysis = search.join();
  EXPECT_GT(analysis.nodes, 0);
  EXPECT_GE(analysis.best, 0);
  EXPECT_TRUE(done(koridor_session_play(session.get(), analysis.best)));
}

TEST(LibrarySessions, DoNotLoseAStopThatComesFirst) {
  const ModelFile file(kGame);
  const OwnedSession session = session_of(game_of(kGame), file.load());
  EXPECT_TRUE(done(koridor_session_stop(session.get())));
  EndlessSearch stopped(session.get());
  stopped.join();  // would never return
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  EXPECT_TRUE(done(koridor_session_stop(session.get())));
  EXPECT_TRUE(done(koridor_session_clear_stop(session.get())));
  const koridor_limits limits = {.struct_size = sizeof limits, .visits = 300};
  EXPECT_TRUE(done(koridor_session_search(session.get(), &limits, &analysis)));
  EXPECT_TRUE(analysis.visits == 300 || analysis.proven != 0) << analysis.visits;
}

TEST(LibrarySessions, AreStoppedByTheirListener) {
  const ModelFile file(kGame);
  const OwnedSession session = session_of(game_of(kGame), file.load());
  int calls = 0;
  koridor_limits limits = {.struct_size = sizeof limits, .infinite = 1};
  limits.progress = [](void* user, const koridor_analysis*) -> std::int32_t { return ++*static_cast<int*>(user) == 3; };
  limits.user = &calls;
  limits.report_seconds = 0.001;
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  EXPECT_TRUE(done(koridor_session_search(session.get(), &limits, &analysis)));
  EXPECT_EQ(calls, 3);
}

TEST(LibrarySessions, ChooseAsALevelDoes) {
  const OwnedGame game = game_of(kGame);
  const ModelFile file(kGame);
  const OwnedSession session = session_of(game, file.load());
  const std::vector<std::int32_t> legal = legal_of(state_in(session.get()).get());
  std::set<std::int32_t> drawn;
  std::int32_t action = -1;
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(done(koridor_session_choose(session.get(), "beginner", &action)));
    EXPECT_NE(std::ranges::find(legal, action), legal.end());
    drawn.insert(action);
  }
  EXPECT_GT(drawn.size(), 3u) << "it draws";
  ASSERT_TRUE(done(koridor_session_choose(session.get(), "hard", &action)));
  const std::int32_t fresh = action;
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  ASSERT_TRUE(done(koridor_session_search(session.get(), nullptr, &analysis)));
  ASSERT_TRUE(done(koridor_session_choose(session.get(), "hard", &action)));
  EXPECT_EQ(action, fresh) << "no stronger for what was searched before";
  expect_failure(koridor_session_choose(session.get(), "god", &action), KORIDOR_INVALID_ARGUMENT, "beginner");
  expect_failure(koridor_session_choose(session.get(), nullptr, &action), KORIDOR_INVALID_ARGUMENT, "level is NULL");
  expect_failure(koridor_session_choose(session.get(), "full", nullptr), KORIDOR_INVALID_ARGUMENT, "action is NULL");
  EXPECT_EQ(action, fresh) << "what fails writes nothing";
}

TEST(LibrarySessions, EndWithTheGame) {
  const OwnedGame game = game_of(kGame);
  const OwnedState state = state_of(game);
  koridor_state* const one = state.get();
  EXPECT_TRUE(done(koridor_states_play_randomly(&one, 1, 100000, 5)));
  const ModelFile file(kGame);
  const OwnedSession session = session_of(game, file.load());
  EXPECT_TRUE(done(koridor_session_restart(session.get(), one)));
  koridor_analysis analysis = {.struct_size = sizeof analysis};
  expect_failure(koridor_session_search(session.get(), nullptr, &analysis), KORIDOR_GAME_OVER, "over");
  expect_failure(koridor_session_play(session.get(), 0), KORIDOR_GAME_OVER, "over");
  std::int32_t action = -1;
  expect_failure(koridor_session_choose(session.get(), "easy", &action), KORIDOR_GAME_OVER, "over");
}

}  // namespace
}  // namespace koridor::test
