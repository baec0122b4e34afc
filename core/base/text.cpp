#include "core/base/text.h"

#include <algorithm>

namespace koridor {

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = byte(0) & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !is_continuation(byte); }));
}

std::string wrapped_text(std::string_view text, std::size_t columns, std::string_view indent) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  std::string lines(indent);
  std::size_t column = 0;  // behind the indent
  const std::size_t room = columns - std::min(columns, character_count(indent));
  for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t width = character_count(word);
    if (column > 0 && column + 1 + width > room) {
      lines += "\n";
      lines += indent;
      column = 0;
    } else if (column > 0) {
      lines += " ";
      ++column;
    }
    lines += word;
    column += width;
    begin = text.find_first_not_of(kSpace, end);
  }
  return lines;
}

std::string last_column_text(std::string_view text, std::size_t column, std::size_t columns) {
  return wrapped_text(text, columns, std::string(column, ' ')).substr(column);
}

}  // namespace koridor
