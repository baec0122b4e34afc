#include "core/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/number_text.h"

namespace koridor {
namespace {

TEST(ShortCount, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(short_count(9'994), "9994");
  EXPECT_EQ(short_count(12'340), "12.3k");
  EXPECT_EQ(short_count(999'499), "999k");
  EXPECT_EQ(short_count(999'500), "1M");
  EXPECT_EQ(short_count(999.4e6), "999M");
  EXPECT_EQ(short_count(1'113'309'812), "1.11G");
}

TEST(NumberText, CountsAndZeros) {
  EXPECT_EQ(counted(1, "thread") + ", " + counted(2, "thread") + ", " + counted(0, "ply", "plies"),
            "1 thread, 2 threads, 0 plies");
  EXPECT_EQ(counted(1, "ply", "plies"), "1 ply");
  const std::vector<std::pair<const char*, const char*>> zeros = {{"-0", "0"},    {"  -0.00", "  0.00"},
                                                                  {"-0%", "0%"},  {"-0.01", "-0.01"},
                                                                  {"-10", "-10"}, {"+-0", "+-0"},
                                                                  {"0", "0"},     {"-inf", "-inf"},
                                                                  {"-", "-"},     {"", ""}};
  for (const auto& [text, shown] : zeros) EXPECT_EQ(without_negative_zero(text), shown);
}

TEST(WrappedText, BreaksBetweenWords) {
  EXPECT_EQ(wrapped_text("one two  three", 7), "one two\nthree");
  EXPECT_EQ(wrapped_text("one twothree four", 6), "one\ntwothree\nfour");
  EXPECT_EQ(wrapped_text("", 6), "");
}

TEST(WrappedText, CountsTheIndentAndCharacters) {
  EXPECT_EQ(wrapped_text("one two three", 9, "# "), "# one two\n# three");
  EXPECT_EQ(wrapped_text("one two three", 8, "# "), "# one\n# two\n# three");
  EXPECT_EQ(wrapped_text("one", 1, "# "), "# one");
  EXPECT_EQ(wrapped_text("\u00e4\u00e4\u00e4 two three", 7), "\u00e4\u00e4\u00e4 two\nthree");
}

TEST(LastColumnText, BeginsEachLineButTheFirstAtTheColumn) {
  EXPECT_EQ("1  " + last_column_text("one two three", 3, 10), "1  one two\n   three");
  EXPECT_EQ(last_column_text("", 3), "");
}

TEST(FirstCharacter, IsAWellFormedOneOrNone) {
  const auto is = [](const std::string& text, std::uint32_t code, std::size_t bytes) {
    const Character character = first_character(text);
    return character.code == code && character.bytes == bytes;
  };
  EXPECT_TRUE(is("ab", 'a', 1));
  EXPECT_TRUE(is(std::string(1, '\0'), 0, 1));
  EXPECT_TRUE(
      is("\xC3\xA4"
         "b",
         0xE4, 2));
  EXPECT_TRUE(is("\xE2\x80\xA6", 0x2026, 3));
  EXPECT_TRUE(is("\xF0\x9F\x8E\xB2", 0x1F3B2, 4));
  const std::string none[] = {"\x80",
                              "\xC3",
                              "\xC3"
                              "a",
                              "\xC0\x80",
                              "\xE0\x80\x80",
                              "\xED\xA0\x80",
                              "\xF0\x80\x80\x80",
                              "\xF4\x90\x80\x80",
                              "\xF0\x9F\x8E",
                              "\xFF"};
  for (const std::string& text : none) EXPECT_TRUE(is(text, 0, 0)) << testing::PrintToString(text);
}

}  // namespace
}  // namespace koridor
