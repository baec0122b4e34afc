// Small things done to text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace koridor {

// With which some programs begin UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// The text without the white space at its ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// ASCII letters made small or capital.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

inline std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

// A character of UTF-8 text and its length in bytes.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 1 to 4; 0: the text does not begin with a well-formed character
};

// The character that a text of at least one byte begins with.
Character first_character(std::string_view text);

// Whether all of the text is well-formed UTF-8.
bool is_utf8(std::string_view text);

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether the byte is one of ASCII's that say no character: below the space, line ends and tabs among them, or DEL.
inline bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f';
}

// Whether the byte goes on with a character of UTF-8 that bytes before it have begun.
inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The number of characters of UTF-8 text: of its bytes that begin one.
std::size_t character_count(std::string_view text);

// The words of a text in lines of at most `columns`, each of which starts with `indent`; a longer word has a line of
// its own. The last line has no end.
std::string wrapped_text(std::string_view text, std::size_t columns = 80, std::string_view indent = "");

// The words of a text as the last column of a table, which begins at `column`: in lines of at most `columns`, the first
// one without the `column` spaces before it, where the other columns stand.
std::string last_column_text(std::string_view text, std::size_t column, std::size_t columns = 80);

}  // namespace koridor
