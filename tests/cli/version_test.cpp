// `--version` of both executables. They may have been built at another commit than this test.
#include "core/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
