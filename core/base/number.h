// Numbers in text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace koridor {

// The number in [least, most] that the whole text is, without white space or a plus sign; nothing for any other text.
// A whole number where Number is one.
template <class Number>
std::optional<Number> read_number(std::string_view text, std::type_identity_t<Number> least,
                                  std::type_identity_t<Number> most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole_text = error == std::errc() && end == text.data() + text.size();
  if (!whole_text || !(number >= least && number <= most)) return std::nullopt;  // nan is in no range
  return number;
}

}  // namespace koridor
