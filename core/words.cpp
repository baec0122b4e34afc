#include "core/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/base/terminal.h"
#include "core/base/text.h"

namespace koridor {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kMostParts = 8;
constexpr int kMostNumber = 9999;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool only_parts(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '-' || c == ',';
}

}  // namespace

std::string help_text(const ActionHelp& help) {
  constexpr std::size_t kIndent = 2;
  std::size_t width = 8;
  for (const Example& example : help.examples) width = std::max(width, example.text.size());
  const std::size_t column = kIndent + width + 2;
  std::string text;
  for (const Example& example : help.examples) {
    text += fmt::format("{:{}}{:<{}}{}\n", "", kIndent, example.text, width + 2,
                        last_column_text(example.meaning, column, kColumns));
  }
  std::string notes;
  for (const std::string& note : help.notes) notes += (notes.empty() ? "" : " ") + note;
  if (!notes.empty()) text += wrapped_text(notes, kColumns, std::string(kIndent, ' ')) + "\n";
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

std::string refusal_text(std::string_view message, std::string_view nearest) {
  return nearest.empty() ? std::string(message) : fmt::format("{}; did you mean {}?", message, nearest);
}

std::optional<std::vector<TextPart>> parts_of(std::string_view text) {
  std::vector<TextPart> parts;
  while (!text.empty()) {
    if (only_parts(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    const bool number = is_digit(text.front());
    if ((!number && !is_letter(text.front())) || parts.size() == kMostParts) return std::nullopt;
    const auto end = std::ranges::find_if_not(text, number ? is_digit : is_letter);
    const auto size = static_cast<std::size_t>(end - text.begin());
    TextPart& part = parts.emplace_back();
    if (number) {
      for (const char digit : text.substr(0, size)) part.number = std::min(kMostNumber, 10 * part.number + digit - '0');
    } else {
      part.word = lower_case(text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  return parts;
}

std::string in_quotes(std::string_view text) {
  constexpr int kMost = 30;
  std::string shown;
  for (int count = 0; count < kMost && !text.empty(); ++count) {
    const std::size_t bytes = std::max<std::size_t>(first_character(text).bytes, 1);
    const std::string_view character = text.substr(0, bytes);
    shown += printable(character) == character ? character : "?";
    text.remove_prefix(bytes);
  }
  return fmt::format("\"{}{}\"", shown, text.empty() ? "" : "...");
}

}  // namespace koridor
