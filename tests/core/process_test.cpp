// Processes beside this one: child processes, what they write, locks against others, and words of a shell that starts
// them.
#include "core/base/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/file_lock.h"
#include "core/base/files.h"
#include "core/base/identity.h"
#include "core/base/shell.h"
#include "core/base/signals.h"
#include "tests/eventually.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FileLock, OneProcessHasItAndItEndsWithThatProcess) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "lock";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FileLock lock(path);
    if (!lock.try_take() || ::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  FileLock lock(path);
  EXPECT_FALSE(lock.try_take());
  EXPECT_EQ(lock.holder(), child);
  std::atomic<bool> stop{true};
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(lock.take("plays here", stop));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "koridor: waiting for process " + std::to_string(child) + ", which still plays here\n");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(lock.holder(), 0);
  EXPECT_TRUE(lock.try_take());
}

// The holder has no number in another container, as on another machine of NFS.
TEST(FileLock, AHolderElsewhereIsOne) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "lock";
  FileLock lock(path);
  ASSERT_TRUE(lock.try_take());
  constexpr int kHeld = 0;
  constexpr int kNobody = 1;
  constexpr int kMayNot = 2;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWPID) != 0) ::_exit(kMayNot);
    const pid_t inside = ::fork();
    if (inside == 0) ::_exit(lock_holder(path) == kProcessElsewhere ? kHeld : kNobody);
    int status = 0;
    ::waitpid(inside, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kMayNot);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kMayNot) GTEST_SKIP() << "no right to make a namespace";
  EXPECT_EQ(WEXITSTATUS(status), kHeld);
  EXPECT_EQ(process_text(kProcessElsewhere), "a process elsewhere");
}

TEST(FileLock, KnowsWhetherItsFileIsStillThere) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "lock";
  const FileLock first(path);
  EXPECT_TRUE(first.is_in_place());
  fs::remove(path);
  EXPECT_FALSE(first.is_in_place());
  const FileLock second(path);
  EXPECT_TRUE(second.is_in_place());
  EXPECT_FALSE(first.is_in_place());
}

TEST(Process, AChildThatHangsIsKilled) {
  const TemporaryFolder folder;
  Process child({"/bin/sh", "-c", "trap '' TERM; echo ready; exec sleep 100"}, folder.path() / "log");
  ASSERT_TRUE(eventually([&] { return !read_file(folder.path() / "log").empty(); }));
  const auto start = std::chrono::steady_clock::now();
  child.terminate();
  EXPECT_FALSE(child.wait_for(std::chrono::milliseconds(200)));
  child.kill();
  EXPECT_EQ(child.poll(), 128 + SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  Process willing({"/bin/sleep", "100"}, folder.path() / "log");
  willing.terminate();
  EXPECT_EQ(willing.wait_for(std::chrono::seconds(100)), 128 + SIGTERM);
}

// As a program may have been started.
TEST(Process, HasEndedAlsoWhereTheKernelWaitsForChildren) {
  const TemporaryFolder folder;
  ::signal(SIGCHLD, SIG_IGN);
  Process polled({"/bin/sh", "-c", "exit 3"}, folder.path() / "log");
  EXPECT_TRUE(polled.wait_for(std::chrono::seconds(20)));
  Process waited({"/bin/sh", "-c", "exit 3"}, folder.path() / "log");
  EXPECT_NE(waited.wait(), 0);
  keep_ended_children();
  Process kept({"/bin/sh", "-c", "exit 3"}, folder.path() / "log");
  EXPECT_EQ(kept.wait(), 3);
}

TEST(Process, ReadsItsInput) {
  const TemporaryFolder folder;
  const std::string text(100'000, 'x');
  Process child({"/bin/cat", "/dev/stdin"}, folder.path() / "log", text);
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(read_file(folder.path() / "log"), text);
}

TEST(Process, HasTheVariablesOfThisOneWithWhatIsChanged) {
  const TemporaryFolder folder;
  ::setenv("KORIDOR_KEPT", "kept", 1);
  ::setenv("KORIDOR_SET", "before", 1);
  ::setenv("KORIDOR_GONE", "still there", 1);
  Process child({"/bin/sh", "-c", "echo $KORIDOR_KEPT, $KORIDOR_SET, ${KORIDOR_GONE-gone}"}, folder.path() / "log", "",
                {"KORIDOR_SET=a=b", "KORIDOR_GONE"});
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(read_file(folder.path() / "log"), "kept, a=b, gone\n");
  for (const char* name : {"KORIDOR_KEPT", "KORIDOR_SET", "KORIDOR_GONE"}) ::unsetenv(name);
}

TEST(LogReader, GivesEachWholeLineOnce) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "log";
  const auto append = [&](const char* text) { std::ofstream(path, std::ios::app) << text; };
  append("old\n");
  LogReader log(path);
  EXPECT_THAT(log.new_lines(), IsEmpty());
  append("one\ntwo\nha");
  EXPECT_THAT(log.new_lines(), ElementsAre("one", "two"));
  EXPECT_THAT(log.new_lines(), IsEmpty());
  append("lf\n");
  EXPECT_THAT(log.new_lines(), ElementsAre("half"));
  EXPECT_THAT(LogReader(folder.path() / "none").new_lines(), IsEmpty());
}

TEST(Shell, WordsAreQuotedWhereAShellNeedsIt) {
  EXPECT_EQ(shell_program(fs::current_path() / "build/koridor"), "build/koridor");
  EXPECT_EQ(shell_program(fs::current_path() / "koridor"), "./koridor") << "a shell looks for a bare word elsewhere";
  EXPECT_EQ(shell_word("runs/quickstart-1"), "runs/quickstart-1");
  EXPECT_EQ(shell_word("search.visits=128"), "search.visits=128");
  EXPECT_EQ(shell_word("my runs/it's"), "'my runs/it'\\''s'");
  EXPECT_EQ(shell_word("a;b"), "'a;b'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace koridor
