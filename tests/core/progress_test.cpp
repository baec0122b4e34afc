#include "core/base/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <set>
#include <sstream>

namespace koridor {
namespace {

using Parts = std::vector<std::string>;

TEST(FittedLine, KeepsWholePartsFromTheFirst) {
  const Parts parts{"1:23 left", "generation 3/40", "self-play 12/800 games"};
  EXPECT_EQ(fitted_line(parts, 80), "1:23 left | generation 3/40 | self-play 12/800 games");
  EXPECT_EQ(fitted_line(parts, 51), "1:23 left | generation 3/40");
  EXPECT_EQ(fitted_line(parts, 27), "1:23 left | generation 3/40");
  EXPECT_EQ(fitted_line(parts, 26), "1:23 left");
  EXPECT_EQ(fitted_line(parts, 4), "1:23");
  EXPECT_EQ(fitted_line({}, 4), "");
  EXPECT_EQ(fitted_line(Parts{"a\033[2Jb\nc"}, 80), "a\\x1b[2Jb\\nc");
  EXPECT_EQ(fitted_line(Parts{"\xc2\x9b"
                              "2J\xe2\x80\xae"},
                        80),
            "\\x9b2J\\u202e")
      << "C1, and what turns the direction";
  EXPECT_EQ(fitted_line(Parts{"ääää"}, 3), "äää") << "characters are counted, not bytes";
}

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(count));
  return text;
}

// What `use` writes to a terminal that is `columns` wide at first.
std::string written_to_terminal(unsigned short columns, const std::function<void()>& use) {
  winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int master = -1;
  std::fflush(stdout);
  const pid_t child = ::forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    use();
    std::fflush(stdout);
    ::_exit(0);
  }
  std::string text = read_all(master);
  ::waitpid(child, nullptr, 0);
  ::close(master);
  return text;
}

TEST(Progress, ATerminalsLineFitsWheneverItsWidthChanges) {
  const std::string text = written_to_terminal(40, [] {
    Progress progress;
    const Parts parts{"1:23 left", "generation 3/40", "a part of twenty characters and more"};
    progress.live(parts);
    const winsize narrow{.ws_row = 24, .ws_col = 20, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(STDOUT_FILENO, TIOCSWINSZ, &narrow);
    progress.live(parts);
    const winsize wide{.ws_row = 24, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(STDOUT_FILENO, TIOCSWINSZ, &wide);
    progress.print("a line that stays");
  });
  EXPECT_EQ(text,
            "\r\033[K1:23 left | generation 3/40"
            "\r\033[K1:23 left"
            "\r\033[Ka line that stays\r\n1:23 left | generation 3/40 | a part of twenty characters and more"
            "\r\033[K");
}

// Standard output is a pipe.
TEST(Progress, ALogHasNoLineTwiceAndNoControlCharacter) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    {
      Progress progress(0.0);
      for (int i = 0; i < 30; ++i) progress.live({"1:23 left", "step " + std::to_string(i / 10)});
      progress.print("it\033[31m stays\n\n  and \xc2\x9b\xe2\x80\xae\n");
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(text,
            "1:23 left | step 0\n1:23 left | step 1\n1:23 left | step 2\nit\\x1b[31m stays\n\n  and \\x9b\\u202e\n\n");
}

}  // namespace
}  // namespace koridor
