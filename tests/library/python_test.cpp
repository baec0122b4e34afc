// The Python package: its own tests, run by Debian's python3 with models made here.
#include "tests/cli/command.h"
#include "tests/library/library_support.h"

namespace koridor::test {
namespace {

// Runs a command of python3 in python/, with the library that was built.
CommandResult python(const std::string& arguments, const std::string& environment = "") {
  return run("cd " + shell_word(KORIDOR_SOURCES "/python") +
             " && env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=. KORIDOR_LIBRARY=" + shell_word(KORIDOR_LIBRARY) + " " +
             environment + " " KORIDOR_PYTHON " " + arguments);
}

TEST(Python, PackagePassesItsTests) {
  if (kSanitized) GTEST_SKIP() << "programs without the sanitizer cannot load the library";
  const CommandResult has = python("-c 'import numpy, pytest, h5py'");
  if (has.status != 0)
    GTEST_SKIP() << "Debian's python3-numpy, python3-pytest or python3-h5py is missing:\n" << has.output;
  const koridor::TemporaryFolder folder;
  save_model(folder.file("wall.koridor"), *tiny_model(parse_game("quoridor:5x5,walls=3")));
  save_model(folder.file("go.koridor"), *tiny_model(parse_game("go:5x5"), {.ownership = true}));
  const CommandResult tested =
      python("-m pytest -q -p no:cacheprovider", "KORIDOR_TEST_MODELS=" + folder.path().string());
  EXPECT_EQ(tested.status, 0) << tested.output;
  EXPECT_THAT(tested.output, testing::HasSubstr(" passed"));
}

}  // namespace
}  // namespace koridor::test
