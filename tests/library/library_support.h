// What the tests of libkoridor share: objects that free themselves, and a small model in a file.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "library/koridor.h"
#include "models/network/model_file.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"

namespace koridor::test {

// Whether the library was built with a sanitizer, whose functions its users must bring.
inline constexpr bool kSanitized = !std::string_view(KORIDOR_SANITIZE).empty();

inline const std::string kGame = "quoridor:5x5,walls=3";

// Whether a call succeeded, with its message where it did not.
inline testing::AssertionResult done(koridor_status status) {
  if (status == KORIDOR_OK) return testing::AssertionSuccess();
  return testing::AssertionFailure() << koridor_status_name(status) << ": " << koridor_last_error();
}

template <class T, auto free_object>
struct Free {
  void operator()(T* object) const { EXPECT_TRUE(done(free_object(object))); }
};
template <class T, auto free_object>
using Owned = std::unique_ptr<T, Free<T, free_object>>;
using OwnedGame = Owned<koridor_game, koridor_game_free>;
using OwnedState = Owned<koridor_state, koridor_state_free>;
using OwnedModel = Owned<koridor_model, koridor_model_free>;
using OwnedEvaluator = Owned<koridor_evaluator, koridor_evaluator_free>;
using OwnedSession = Owned<koridor_session, koridor_session_free>;

// A call that must fail with this status, and a message that says `what`.
inline void expect_failure(koridor_status got, koridor_status status, const std::string& what) {
  EXPECT_STREQ(koridor_status_name(got), koridor_status_name(status));
  EXPECT_THAT(koridor_last_error(), testing::HasSubstr(what));
}

inline OwnedGame game_of(const std::string& name) {
  koridor_game* game = nullptr;
  EXPECT_TRUE(done(koridor_game_new(name.c_str(), &game)));
  return OwnedGame(game);
}
inline OwnedState state_of(const OwnedGame& game) {
  koridor_state* state = nullptr;
  EXPECT_TRUE(done(koridor_state_new(game.get(), &state)));
  return OwnedState(state);
}

// A model with random weights in a file of a folder of its own.
class ModelFile {
 public:
  explicit ModelFile(const std::string& game, const TinyModelOptions& options = {})
      : path_(folder_.file("tiny.koridor")) {
    save_model(path_, *tiny_model(parse_game(game), options));
  }
  const std::string& path() const { return path_; }
  OwnedModel load() const {
    koridor_model* model = nullptr;
    EXPECT_TRUE(done(koridor_model_load(path_.c_str(), &model)));
    return OwnedModel(model);
  }

 private:
  koridor::TemporaryFolder folder_;
  std::string path_;
};

inline OwnedSession session_of(const OwnedGame& game, const OwnedModel& model) {
  koridor_session* session = nullptr;
  const koridor_session_options options = {.struct_size = sizeof options, .memory_mebibytes = 64};
  EXPECT_TRUE(done(koridor_session_new(game.get(), model.get(), &options, &session)));
  return OwnedSession(session);
}

// A text that a function of the library writes: text_of([&](auto... buffer) { return koridor_...(..., buffer...); })
template <class Write>
std::string text_of(const Write& write) {
  std::size_t length = 0;
  EXPECT_TRUE(done(write(static_cast<char*>(nullptr), std::size_t{0}, &length)));
  std::string text(length + 1, '?');
  EXPECT_TRUE(done(write(text.data(), text.size(), &length)));
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

inline std::vector<std::int32_t> legal_of(const koridor_state* state) {
  std::size_t count = 0;
  EXPECT_TRUE(done(koridor_state_legal(state, nullptr, 0, &count)));
  std::vector<std::int32_t> actions(count);
  EXPECT_TRUE(done(koridor_state_legal(state, actions.data(), actions.size(), &count)));
  return actions;
}

}  // namespace koridor::test
