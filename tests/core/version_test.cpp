// What a build says of itself, and that it ends at once on a CPU that lacks its instructions.
#include "core/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "core/base/cpu_features.h"
#include "core/base/files.h"
#include "core/base/shell.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ended {
  int status;
  std::string output;
};

Ended run(const std::string& command) {
  Ended ended{-1, {}};
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) ended.output.append(buffer, count);
  const int raw = ::pclose(pipe);
  ended.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  return ended;
}

TEST(Version, NamesCommitCpuAndLibraries) {
  EXPECT_THAT(build_text(this_build()), AllOf(StartsWith("koridor "), HasSubstr("(" + this_build().commit + ")")));
  EXPECT_EQ(build_text({}), "an older koridor");
  EXPECT_THAT(version_text("koridor"),
              AllOf(StartsWith("koridor " + this_build().version + "\n"),
                    HasSubstr("\ncommit       " + this_build().commit + "\n"), HasSubstr("\ncompiled for "),
                    HasSubstr("\nthis CPU has "), HasSubstr("\nlibraries    "), HasSubstr("fmt ")));
}

TEST(Cpu, HasWhatThisBuildWasCompiledFor) {
  EXPECT_EQ(compiled_features() & ~machine_features(), 0u);
#ifdef __AVX2__
  EXPECT_NE(compiled_features() & feature_bit(CpuFeature::avx2), 0u);
  EXPECT_THAT(read_file("/proc/cpuinfo"), HasSubstr(" avx2 "));
#endif
}

// The kernel's list of this machine's features says the same as ours, name by name.
TEST(Cpu, HasWhatTheKernelSays) {
  const std::string cpuinfo = read_file("/proc/cpuinfo");
  const std::size_t at = cpuinfo.find("flags");
  if (at == std::string::npos) GTEST_SKIP() << "this kernel lists no flags";
  const std::string flags = cpuinfo.substr(at, cpuinfo.find('\n', at) - at) + " ";
  for (int feature = 0; feature < kCpuFeatures; ++feature) {
    const std::string name = cpu_feature_name(static_cast<CpuFeature>(feature));
    const bool is_there = (machine_features() >> feature & 1) != 0;
    const bool is_listed = flags.find(" " + name + " ") != std::string::npos;
    // A kernel saves the registers of AVX and AMX, or nobody may use them. It need not list what does without it, and
    // some list no abm and no sse4a.
    const bool has_registers = name.starts_with("avx") || name.starts_with("amx");
    EXPECT_TRUE(is_there == is_listed || (is_there && !has_registers)) << name;
  }
}

// Before any object is made and before main, one line and exit code 2.
TEST(Cpu, WithoutTheBuildsInstructionsIsRefusedFirst) {
  const Ended ended = run(shell_word(KORIDOR_GREEDY_PROGRAM));
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.output, AllOf(StartsWith("needs_every_instruction: this CPU lacks instructions"),
                                  HasSubstr("avx512er"), EndsWith("-DKORIDOR_NATIVE=OFF for every CPU\n")));
  EXPECT_EQ(std::ranges::count(ended.output, '\n'), 1) << ended.output;
}

// A folder of its own for sources with and without git.
class Commit : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "sources");
    fs::copy_file(fs::path(KORIDOR_SOURCES) / "core/base/commit.cmake", script());
  }

  fs::path script() const { return folder_ / "commit.cmake"; }
  fs::path output() const { return folder_ / "commit.cpp"; }
  // The commit that the script finds.
  std::string commit() const {
    const Ended ended = run(std::string(KORIDOR_CMAKE) + " -DSOURCE=" + (folder_ / "sources").string() +
                            " -DOUTPUT=" + output().string() + " -P " + script().string());
    EXPECT_EQ(ended.status, 0) << ended.output;
    const std::string text = read_file(output());
    const std::size_t begin = text.find('"') + 1;
    return text.substr(begin, text.find('"', begin) - begin);
  }

  const TemporaryFolder folder_;
};

TEST_F(Commit, IsUnknownWithoutGitAndInAnothersRepository) {
  EXPECT_EQ(commit(), "unknown");
  if (run("git init -q " + folder_.path().string()).status != 0) GTEST_SKIP() << "there is no git";
  EXPECT_EQ(commit(), "unknown");
}

TEST_F(Commit, IsThatOfTheSourcesAndSaysIfTheyHaveChanges) {
  const std::string git = "git -C " + (folder_ / "sources").string() + " -c user.name=a -c user.email=a@b ";
  if (run(git + "init -q").status != 0) GTEST_SKIP() << "there is no git";
  write_file_atomically(folder_ / "sources/file", "1");
  ASSERT_EQ(run(git + "add file && " + git + "commit -q -m one").status, 0);
  const std::string clean = run(git + "rev-parse --short=12 HEAD").output;
  EXPECT_EQ(commit() + "\n", clean);
  // The source is written again only where it changes, so that nothing is compiled for nothing.
  const auto before = fs::last_write_time(output());
  commit();
  EXPECT_EQ(fs::last_write_time(output()), before);
  write_file_atomically(folder_ / "sources/file", "2");
  EXPECT_THAT(commit(), EndsWith("-dirty"));
}

// `git archive` fills in the commit, since .gitattributes says so.
TEST_F(Commit, OfATarballIsInIt) {
  std::string text = read_file(script());
  const std::size_t at = text.find("$Format:%h$");
  ASSERT_NE(at, std::string::npos);
  EXPECT_THAT(read_file(fs::path(KORIDOR_SOURCES) / ".gitattributes"),
              HasSubstr("core/base/commit.cmake export-subst"));
  write_file_atomically(script(), text.replace(at, std::string("$Format:%h$").size(), "0123abcd"));
  EXPECT_EQ(commit(), "0123abcd");
}

}  // namespace
}  // namespace koridor
