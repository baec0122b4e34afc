// What is printed of foreign text, how large files may be, and what a written file takes the place of.
#include "core/base/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Terminal, ControlBytesAreEscapedAndTextIsNot) {
  EXPECT_EQ(printable("Blockade für 李世乭 \\ 'e8'"), "Blockade für 李世乭 \\ 'e8'");
  EXPECT_EQ(printable("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\nb\\tc\\x0dd\\x7f");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(printable("a\xd8\x9c"), "a\\u061c");                       // turns the direction of writing
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");                           // a control sequence in one character
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");                     // turns the direction of writing
  EXPECT_EQ(printable("\xff\xc3(\xe2\x82"), "\\xff\\xc3(\\xe2\\x82");  // no UTF-8
  EXPECT_EQ(printable("\xc0\x9b\xed\xa0\x80\xf4\x90\x80\x80"), "\\xc0\\x9b\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
}

// As behind a connection that broke: nobody reads the line, and the program goes on.
TEST(Terminal, AMessageThatNobodyReadsEndsNothing) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[1]);
  print_message("koridor", "is read");
  char bytes[40];
  const ssize_t read = ::read(ends[0], bytes, sizeof bytes);
  ::close(ends[0]);
  print_message("koridor", "is not");
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  EXPECT_EQ(std::string(bytes, static_cast<std::size_t>(read)), "koridor: is read\n");
}

TEST(Terminal, LongTextLosesItsMiddleAndStaysUtf8) {
  EXPECT_EQ(shortened("short", 5), "short");
  std::string umlauts;
  for (int i = 0; i < 1000; ++i) umlauts += "ü";
  for (std::size_t most = 50; most < 60; ++most) {
    const std::string cut = shortened(umlauts, most);
    EXPECT_LE(cut.size(), most);
    EXPECT_EQ(printable(cut), cut);
    EXPECT_THAT(cut, StartsWith("ü"));
    EXPECT_THAT(cut, EndsWith("ü"));
    EXPECT_THAT(cut, HasSubstr(" bytes ...]"));
  }
}

TEST(Terminal, AMessageIsALineWhateverItQuotes) {
  EXPECT_EQ(message_line("unknown rule 'wals'; did you mean 'walls'?"), "unknown rule 'wals'; did you mean 'walls'?");
  const std::string quotation(1 << 20, 'A');
  const std::string line = message_line("unknown rule '" + quotation + "'; the rules are walls");
  EXPECT_LT(line.size(), 1000u);
  EXPECT_THAT(line, StartsWith("unknown rule 'AAA"));
  EXPECT_THAT(line, EndsWith("AAA'; the rules are walls"));
  std::string words;
  for (int i = 0; i < 100000; ++i) words += "\x1b word\n";
  EXPECT_LE(message_line(words).size(), 2000u);
  EXPECT_EQ(message_line(words).find('\n'), std::string::npos);
}

TEST(Terminal, NothingIsNearToAWordOfAMegabyte) {
  const std::string word(4 << 20, 'x');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(nearest(word, std::vector<std::string>(100, "walls")), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  EXPECT_EQ(nearest("wals", {"rows", "walls"}), "walls");
  EXPECT_EQ(nearest("w", {"rows", "wa"}), "wa");
  EXPECT_EQ(nearest("gpt", {"uci", "gtp"}), "gtp");
  EXPECT_EQ(nearest("GTP", {"uci", "gtp"}), "gtp");
  EXPECT_EQ(nearest("foo", {"uci", "gtp"}), "");
  EXPECT_EQ(nearest("zz", {"a"}), "");
}

TEST(ReadFile, HasALimit) {
  EXPECT_THROW(read_file("/dev/zero", 100000), UserError);
  EXPECT_THROW(read_file("/proc/self/exe", 1000), UserError);
  EXPECT_GT(read_file("/proc/self/status").size(), 100u);  // a file whose size is said to be 0
}

TEST(WriteFile, NothingButAFileIsReplaced) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  for (const auto& path : {pipe, folder / "link"}) {
    const auto expect_refused = [&](const auto& call) {
      EXPECT_EQ(error_of(call), "cannot write " + path.string() + ": it is no regular file");
    };
    expect_refused([&] { check_writable(path); });
    expect_refused([&] { replace_file(path, "x"); });
    expect_refused([&] { write_file_atomically(path, "x"); });
    expect_refused([&] { write_file_unlisted(path, "x"); });
    expect_refused([&] { temporary_name(path); });
  }
  EXPECT_TRUE(std::filesystem::is_fifo(std::filesystem::symlink_status(pipe)));
  EXPECT_EQ(names_in(folder.path()).size(), 2u) << "a temporary file stays";
}

TEST(WriteFile, AFileThatIsReplacedKeepsWhoMayReadIt) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "private";
  write_file_atomically(file, "old");
  for (const mode_t mode : {0600u, 0640u, 0644u}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    write_file_atomically(file, "new");
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
    replace_file(file, "newer");
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST(WriteFile, NoInputIsTheOutput) {
  const TemporaryFolder folder;
  const std::string input = (folder / "in").string();
  write_file_atomically(input, "x");
  std::filesystem::create_symlink("in", folder / "link");
  EXPECT_NO_THROW(check_not_read("--out", folder / "out", {input}));
  EXPECT_NO_THROW(check_not_read("--out", "", {input, ""}));
  const std::string later = (folder / "later").string();  // as a store that is written on the way
  EXPECT_THROW(check_not_read("--out", std::filesystem::relative(later), {later}), UserError);
  for (const char* name : {"in", "./in", "link"}) {
    EXPECT_THROW(check_not_read("--out", folder / name, {"elsewhere", input}), UserError) << name;
  }
}

// A directory whose disk has gone is not begun anew below its mount point.
TEST(Folders, WhatHasVanishedIsNotMadeAnew) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  const std::filesystem::path file = run / "models" / "gen-0000.koridor";
  write_file_atomically(run / "config.toml", "");
  {
    const FolderInUse in_use(run / "", run / "config.toml");  // "run/", as shells complete it
    write_file_atomically(file, "x");
    std::filesystem::rename(run, folder.path() / "away");
    EXPECT_THAT(error_of([&] { write_file_atomically(file, "y"); }), HasSubstr("run has vanished"));
    std::filesystem::create_directory(run);  // a mount point
    EXPECT_THAT(error_of([&] { write_file_atomically(file, "y"); }), HasSubstr("run has vanished"));
    EXPECT_TRUE(std::filesystem::is_empty(run));
    EXPECT_NO_THROW(write_file_atomically(folder.path() / "runs" / "other", "z"));
    std::filesystem::remove(run);
    std::filesystem::rename(folder.path() / "away", run);
    write_file_atomically(run / "metrics" / "gen-0001.json", "y");
    std::filesystem::rename(run, folder.path() / "away");
  }
  EXPECT_NO_THROW(write_file_atomically(file, "y")) << "nobody uses it any more";
}

TEST(TemporaryFiles, TheirFolderIsNamedWhereItIsNone) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/nowhere", 1);
  EXPECT_THAT(error_of([] { temporary_folder(); }), StartsWith("TMPDIR=/nowhere: "));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_directory(temporary_folder()));
}

TEST(TemporaryFiles, WhatStandsUnderTheirNameIsRemoved) {
  const TemporaryFolder folder;
  {
    const TemporaryPath file("test", ".txt", folder.path());
    EXPECT_FALSE(std::filesystem::exists(file.path()));
    write_file_atomically(file.path(), "text");
    const TemporaryPath deep("test", "", folder.path());
    write_file_atomically(deep.path() / "deeper" / "file", "text");
    EXPECT_EQ(names_in(folder.path()).size(), 2u);
    const TemporaryPath unused("unused", "", folder.path());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// A link under the name of a temporary file leads to nobody's file.
TEST(TemporaryFiles, FollowNoLinks) {
  const TemporaryFolder folder;
  const std::filesystem::path mine = folder / "mine";
  const std::filesystem::path theirs = folder / "theirs";
  write_file_atomically(theirs, "precious");
  std::filesystem::create_symlink(theirs, temporary_name(mine));
  write_file_atomically(mine, "text");
  EXPECT_EQ(read_file(theirs), "precious");
  EXPECT_EQ(read_file(mine), "text");
  EXPECT_FALSE(std::filesystem::is_symlink(mine));
}

TEST(Failure, WantOfMemoryIsNoFaultOfTheProgram) {
  testing::internal::CaptureStderr();
  int status = 0;
  try {
    throw std::bad_alloc();
  } catch (...) {
    status = report_failure("koridor");
  }
  EXPECT_EQ(status, 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), StartsWith("koridor: not enough memory"));
}

TEST(WriteFile, ALinkStaysAndItsTargetIsReplaced) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "there/file", "old");
  std::filesystem::create_symlink("there/file", folder / "link");
  std::filesystem::create_symlink(folder / "link", folder / "link to it");
  std::filesystem::create_symlink("there/not yet", folder / "early");
  std::filesystem::create_symlink("loop", folder / "loop");
  write_file_atomically(folder / "link to it", "new");
  EXPECT_EQ(read_file(folder / "there/file"), "new");
  replace_file(folder / "link", "newer");
  EXPECT_EQ(read_file(folder / "there/file"), "newer");
  check_writable(folder / "early");
  write_file_unlisted(folder / "early", "x");
  EXPECT_EQ(read_file(folder / "there/not yet"), "x");
  EXPECT_THROW(write_file_atomically(folder / "loop", "x"), UserError);
  for (const char* link : {"link", "link to it", "early", "loop"}) {
    EXPECT_TRUE(std::filesystem::is_symlink(folder / link)) << link;
  }
  EXPECT_EQ(names_in(folder / "there").size(), 2u) << "a temporary file stays";
}

}  // namespace
}  // namespace koridor
