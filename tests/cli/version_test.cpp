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
    const test::CommandResult result = test::run("qemu-x86_64 -cpu Nehalem " + test::program_word(name) + " --version");
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output,
                AllOf(StartsWith(std::string(name) + ": this CPU lacks instructions"), HasSubstr(" avx2 ")));
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
  }
}
#endif

#ifdef KORIDOR_HAS_TRAINER
TEST(VersionOption, OfTheTrainerNamesLibTorch) {
  const test::CommandResult result = test::run(test::program_word("koridor-trainer") + " --version");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output,
              AllOf(StartsWith("koridor-trainer " + this_build().version + "\ncommit       "), HasSubstr("LibTorch ")));
}

TEST(TrainerOptions, AreRefusedWhereTheyMeanNothing) {
  const auto refused = [](const std::string& arguments, const std::string& what) {
    const test::CommandResult result = test::run(test::program_word("koridor-trainer") + " " + arguments);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_EQ(result.output, "koridor-trainer: " + what + "\n");
  };
  refused("--run /nowhere --set training.batch=64",
          "--set means nothing beside --run, which takes --config, --threads");
  refused("--torchscript /nowhere --out x --hold-out 0.1",
          "--hold-out means nothing beside --torchscript, which takes --out");
  refused("--check --bench", "--bench means nothing beside --check, which takes --config, --set");
  refused("--threads 2", "one of --run, --shards, --torchscript, --check, --bench is needed; --help says more");
  // What only the trainer can know reaches the line of `koridor bench`, by a recipe's name as well.
  const test::CommandResult bench =
      test::koridor("bench trainer --config quickstart --json --set training.device=cuda:99");
  EXPECT_EQ(bench.status, 2) << bench.output;
  EXPECT_THAT(bench.output, AllOf(StartsWith("koridor: the trainer's bench ended with status 2: koridor-trainer: "),
                                  HasSubstr("cuda:99")));
}
#endif

}  // namespace
}  // namespace koridor
