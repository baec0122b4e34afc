// Whole numbers in text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace koridor {

// The number in [least, most] that the text is, of digits and perhaps a minus sign alone; nothing for any other text.
inline std::optional<int> whole_number(std::string_view text, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) return std::nullopt;
  return number;
}

}  // namespace koridor
