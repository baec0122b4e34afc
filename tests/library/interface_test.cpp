// The border itself: versions, sizes, the symbols of the shared library, and the example in C.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <set>
#include <sstream>

#include "core/base/files.h"
#include "core/base/shell.h"
#include "core/base/version.h"
#include "tests/cli/command.h"
#include "tests/library/library_support.h"

namespace koridor::test {
namespace {

TEST(LibraryInterface, TellsItsVersions) {
  EXPECT_EQ(koridor_version(), this_build().version);
  EXPECT_EQ(koridor_abi_version(), 1);
  EXPECT_TRUE(done(koridor_require_abi(KORIDOR_ABI_VERSION)));
  expect_failure(koridor_require_abi(2), KORIDOR_ABI_MISMATCH, "version 2");
}

// What programs were compiled with cannot change without a new version of the interface: only new members at the end.
TEST(LibraryInterface, KeepsTheLayoutOfItsStructs) {
  EXPECT_EQ(offsetof(koridor_game_info, packed_size), 28u);
  EXPECT_EQ(offsetof(koridor_encoding, value_size), 28u);
  EXPECT_EQ(offsetof(koridor_outcome, values), 12u);
  EXPECT_EQ(offsetof(koridor_model_info, calibrated), 28u);
  EXPECT_EQ(offsetof(koridor_evaluation, precision), 24u);
  EXPECT_EQ(offsetof(koridor_session_options, seed), 16u);
  EXPECT_EQ(offsetof(koridor_session_options, evaluation), 24u);
  EXPECT_EQ(offsetof(koridor_limits, progress), 32u);
  EXPECT_EQ(offsetof(koridor_limits, report_seconds), 48u);
  EXPECT_EQ(offsetof(koridor_analysis, proven), 40u);
  EXPECT_EQ(offsetof(koridor_analysis, mean_depth), 72u);
  EXPECT_EQ(offsetof(koridor_analysis, seconds), 80u);
  EXPECT_EQ(offsetof(koridor_candidate, plies), 36u);
}

TEST(LibraryInterface, RefusesStructsOfAnotherSize) {
  const OwnedGame game = game_of("quoridor");
  koridor_game_info info = {};
  expect_failure(koridor_game_describe(game.get(), &info), KORIDOR_ABI_MISMATCH, "koridor_game_info has 0 bytes");
  info.struct_size = sizeof info + 4;
  expect_failure(koridor_game_describe(game.get(), &info), KORIDOR_ABI_MISMATCH, "36 bytes");
  info.struct_size = sizeof info - 4;
  expect_failure(koridor_game_describe(game.get(), &info), KORIDOR_ABI_MISMATCH, "28 bytes");
  EXPECT_EQ(info.players, 0);
  koridor_session* session = nullptr;
  const koridor_session_options options = {};
  expect_failure(koridor_session_new(game.get(), nullptr, &options, &session), KORIDOR_ABI_MISMATCH,
                 "koridor_session_options");
  const koridor_evaluation evaluation = {};
  const koridor_session_options within = {.struct_size = sizeof within, .evaluation = &evaluation};
  expect_failure(koridor_session_new(game.get(), nullptr, &within, &session), KORIDOR_ABI_MISMATCH,
                 "koridor_evaluation");
  EXPECT_EQ(session, nullptr);
}

TEST(LibraryInterface, NamesEveryStatus) {
  std::set<std::string> names;
  for (int status = KORIDOR_OK; status <= KORIDOR_NO_RESULT; ++status) {
    const std::string name = koridor_status_name(static_cast<koridor_status>(status));
    EXPECT_THAT(name, testing::StartsWith("KORIDOR_"));
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  for (const int number : {KORIDOR_NO_RESULT + 1, 1000, static_cast<int>(KORIDOR_STATUS_LIMIT)}) {
    EXPECT_STREQ(koridor_status_name(static_cast<koridor_status>(number)), "no koridor_status");
  }
}

TEST(LibraryInterface, HasItsBackends) {
  EXPECT_THAT(koridor_backends(),
              testing::AllOf(testing::HasSubstr("uniform"), testing::Not(testing::HasSubstr("torch"))));
}

// The shared library shows the functions of symbols.txt, which are those that the header declares, and nothing else.
TEST(LibraryInterface, ShowsItsFunctionsAlone) {
  const CommandResult shown = run(KORIDOR_NM " -D --defined-only --format=posix " + shell_word(KORIDOR_LIBRARY));
  ASSERT_EQ(shown.status, 0) << shown.output;
  std::string symbols;
  std::istringstream lines(shown.output);
  for (std::string name, rest; lines >> name && std::getline(lines, rest);) {
    const std::string plain = name.substr(0, name.find('@'));
    if (plain != "KORIDOR_1") symbols += plain + "\n";
  }
  const std::string folder = std::string(KORIDOR_SOURCES) + "/library/";
  EXPECT_EQ(symbols, read_file(folder + "symbols.txt"));
  const std::string header = read_file(folder + "koridor.h");
  std::istringstream committed(symbols);
  for (std::string name; committed >> name;) EXPECT_THAT(header, testing::HasSubstr(name + "(")) << name;
}

TEST(LibraryInterface, NeedsNoLibTorch) {
  const CommandResult needed = run("readelf -d " + shell_word(KORIDOR_LIBRARY));
  ASSERT_EQ(needed.status, 0) << needed.output;
  EXPECT_THAT(needed.output,
              testing::AllOf(testing::HasSubstr("libkoridor.so.1"), testing::Not(testing::HasSubstr("torch")),
                             testing::Not(testing::HasSubstr("hdf5"))));
}

TEST(LibraryInterface, PlaysAGameInC) {
  const ModelFile model("quoridor:5x5,walls=2");
  const CommandResult played = run(shell_word(KORIDOR_EXAMPLE) + " quoridor:5x5,walls=2 " + model.path());
  EXPECT_EQ(played.status, 0) << played.output;
  EXPECT_THAT(played.output, testing::AllOf(testing::HasSubstr("player 1 plays"), testing::HasSubstr("player 2 plays"),
                                            testing::ContainsRegex("player [12] wins|a draw")));
  const CommandResult again = run(shell_word(KORIDOR_STATIC_EXAMPLE) + " quoridor:5x5,walls=2 " + model.path());
  EXPECT_EQ(again.output, played.output);
  const CommandResult wrong = run(shell_word(KORIDOR_EXAMPLE) + " go:5x5 " + model.path());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.output, testing::HasSubstr("KORIDOR_BAD_MODEL"));
}

// As its users do: installed elsewhere, found by pkg-config and by find_package.
TEST(LibraryInterface, IsInstalledAndFound) {
  if (kSanitized) GTEST_SKIP() << "programs without the sanitizer cannot load the library";
  const ModelFile model("quoridor:5x5,walls=2");
  const CommandResult checked =
      run("BUILD=" + shell_word(KORIDOR_PROGRAMS) + " " + shell_word(KORIDOR_SOURCES "/scripts/check_library") +
          " quoridor:5x5,walls=2 " + model.path());
  EXPECT_EQ(checked.status, 0) << checked.output;
  EXPECT_THAT(checked.output, testing::HasSubstr("installed, found and used"));
}

}  // namespace
}  // namespace koridor::test
