// `--version` of both executables. They may have been built at another commit than this test.
#include "core/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/command.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(VersionOption, NamesBuildCpuLibrariesAndBackends) {
  const test::CommandResult result = test::koridor("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output,
              AllOf(StartsWith("koridor " + this_build().version + "\ncommit       "), HasSubstr("\ncompiled for "),
                    HasSubstr("\nthis CPU has "), HasSubstr("fmt "), HasSubstr("\nbackends     onednn, ")));
}

#ifdef __AVX2__
// Both programs on a CPU of 2008, which qemu plays: neither they nor their libraries' initialisers get to an
// instruction that it lacks.
TEST(OlderCpu, IsRefusedInOneLine) {
  if (test::run("command -v qemu-x86_64").status != 0) GTEST_SKIP() << "there is no qemu-user";
  for (const char* const name : {"koridor", "koridor-trainer"}) {
    if (!std::filesystem::exists(test::program(name))) continue;
    const test::CommandResult result = test::run("qemu-x86_64 -cpu Nehalem " + test::program(name) + " --version");
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output,
                AllOf(StartsWith(std::string(name) + ": this CPU lacks instructions"), HasSubstr(" avx2 ")));
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
  }
}
#endif

#ifdef KORIDOR_HAS_TRAINER
TEST(VersionOption, OfTheTrainerNamesLibTorch) {
  const test::CommandResult result = test::run(test::program("koridor-trainer") + " --version");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output,
              AllOf(StartsWith("koridor-trainer " + this_build().version + "\ncommit       "), HasSubstr("LibTorch ")));
}
#endif

}  // namespace
}  // namespace koridor
