// Recipes are found by their names from every folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/command.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Runs koridor in a folder of its own that holds this program at build/koridor and nothing else of the sources.
class Recipes : public testing::Test {
 protected:
  Recipes() {
    std::filesystem::create_directories(folder_ / "build");
    std::filesystem::create_directories(folder_ / "configs");
    std::filesystem::create_directories(folder_ / "elsewhere");
    std::filesystem::copy_file(test::program("koridor"), folder_ / "build/koridor");
    write_file_atomically(folder_ / "configs/mine.toml", "[run]\ngame = \"quoridor:3x3\"\n");
  }
  test::CommandResult koridor(const std::string& arguments) const {
    return test::run("cd " + (folder_ / "elsewhere").string() + " && ../build/koridor " + arguments);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Recipes, AreFoundByName) {
  const test::CommandResult found = koridor("config mine");
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_THAT(found.output, HasSubstr("quoridor:3x3"));
}

TEST_F(Recipes, FilesHereComeFirst) {
  write_file_atomically(folder_ / "elsewhere/mine", "[run]\ngame = \"quoridor:4x4\"\n");
  EXPECT_THAT(koridor("config mine").output, HasSubstr("quoridor:4x4"));
}

TEST_F(Recipes, AreListedForAnUnknownName) {
  const test::CommandResult unknown = koridor("config mien");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, AllOf(HasSubstr("unknown recipe 'mien'"), HasSubstr("did you mean 'mine'?")));
  EXPECT_EQ(std::ranges::count(unknown.output, '\n'), 1);
  EXPECT_THAT(koridor("config none/mine.toml").output, HasSubstr("none/mine.toml"));
}

}  // namespace
}  // namespace koridor
