// What is printed of foreign text, and how large files may be.
#include "core/base/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/base/error.h"
#include "core/base/files.h"

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
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");                           // a control sequence in one character
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");                     // turns the direction of writing
  EXPECT_EQ(printable("\xff\xc3(\xe2\x82"), "\\xff\\xc3(\\xe2\\x82");  // no UTF-8
  EXPECT_EQ(printable("\xc0\x9b\xed\xa0\x80\xf4\x90\x80\x80"), "\\xc0\\x9b\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
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

}  // namespace
}  // namespace koridor
