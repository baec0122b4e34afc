// Colours of a terminal, for boards as text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace koridor {

inline constexpr std::string_view kFaint = "\033[2m";
inline constexpr std::string_view kReset = "\033[0m";

// The text after a code and before kReset; as it is without `colour`.
inline std::string paint(bool colour, std::string_view code, std::string_view text) {
  return colour ? fmt::format("{}{}{}", code, text, kReset) : std::string(text);
}

}  // namespace koridor
