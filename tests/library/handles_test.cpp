// Handles that are freed twice, of another type, or of nothing.
#include <thread>

#include "tests/library/library_support.h"

namespace koridor::test {
namespace {

// Checks handles for a test's time.
class Checking {
 public:
  Checking() : before_(koridor_check_handles(1)) {}
  ~Checking() { koridor_check_handles(before_); }
  Checking(const Checking&) = delete;
  Checking& operator=(const Checking&) = delete;

 private:
  std::int32_t before_;
};

TEST(LibraryHandles, FreesNullAndNothingTwice) {
  EXPECT_TRUE(done(koridor_game_free(nullptr)));
  EXPECT_TRUE(done(koridor_state_free(nullptr)));
  EXPECT_TRUE(done(koridor_model_free(nullptr)));
  EXPECT_TRUE(done(koridor_evaluator_free(nullptr)));
  EXPECT_TRUE(done(koridor_session_free(nullptr)));
  const std::size_t before = koridor_live_objects();
  koridor_game* game = game_of("quoridor").release();
  EXPECT_EQ(koridor_live_objects(), before + 1);
  EXPECT_TRUE(done(koridor_game_free(game)));
  expect_failure(koridor_game_free(game), KORIDOR_BAD_HANDLE, "no koridor_game, or one that was freed");
  EXPECT_EQ(koridor_live_objects(), before);
}

TEST(LibraryHandles, TellsTypesApart) {
  const OwnedGame game = game_of("quoridor");
  const OwnedState state = state_of(game);
  auto* const wrong = reinterpret_cast<koridor_state*>(game.get());
  std::int32_t ply = 7;
  for (const bool checks : {false, true}) {
    const std::int32_t before = koridor_check_handles(checks);
    expect_failure(koridor_state_ply(wrong, &ply), KORIDOR_BAD_HANDLE, "is a koridor_game, expected a koridor_state");
    koridor_check_handles(before);
  }
  expect_failure(koridor_state_free(wrong), KORIDOR_BAD_HANDLE, "expected a koridor_state");
  expect_failure(koridor_session_free(reinterpret_cast<koridor_session*>(state.get())), KORIDOR_BAD_HANDLE,
                 "koridor_session");
  EXPECT_EQ(ply, 7);
  EXPECT_TRUE(done(koridor_state_ply(state.get(), &ply)));
  EXPECT_EQ(ply, 0);
}

TEST(LibraryHandles, FindsFreedAndForeignOnesForCertainWhenAsked) {
  const Checking checking;
  const OwnedGame game = game_of("quoridor");
  koridor_state* freed = state_of(game).release();
  EXPECT_TRUE(done(koridor_state_free(freed)));
  // Its memory is not given to another object, which would be taken for it.
  std::vector<OwnedState> others;
  for (int i = 0; i < 100; ++i) {
    others.push_back(state_of(game));
    EXPECT_NE(others.back().get(), freed);
  }
  std::int32_t ply = 0;
  expect_failure(koridor_state_ply(freed, &ply), KORIDOR_BAD_HANDLE, "freed");
  expect_failure(koridor_state_apply(freed, 0), KORIDOR_BAD_HANDLE, "freed");
  expect_failure(koridor_state_free(freed), KORIDOR_BAD_HANDLE, "freed");
  // Not even looked at: nothing lies at this address.
  auto* const foreign = reinterpret_cast<koridor_state*>(std::uintptr_t{64});
  expect_failure(koridor_state_ply(foreign, &ply), KORIDOR_BAD_HANDLE, "no koridor_state");
  koridor_state* const batch[] = {others[0].get(), freed};
  std::int32_t players[2];
  expect_failure(koridor_states_players(batch, 2, players), KORIDOR_BAD_HANDLE, "state 1 of 2");
}

TEST(LibraryHandles, KeepsEachThreadsMessage) {
  koridor_game* game = nullptr;
  expect_failure(koridor_game_new("no game of ours", &game), KORIDOR_INVALID_ARGUMENT, "no game of ours");
  std::thread([] {
    EXPECT_STREQ(koridor_last_error(), "");
    koridor_game* other = nullptr;
    expect_failure(koridor_game_new("nor this one", &other), KORIDOR_INVALID_ARGUMENT, "nor this one");
  }).join();
  EXPECT_THAT(koridor_last_error(), testing::HasSubstr("no game of ours"));
  // A message of any length is cut.
  const std::string endless(100000, 'x');
  EXPECT_EQ(koridor_game_new(endless.c_str(), &game), KORIDOR_INVALID_ARGUMENT);
  EXPECT_LT(std::string(koridor_last_error()).size(), 1024u);
}

}  // namespace
}  // namespace koridor::test
