// The colours of two players, as people and protocols name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.h"

namespace koridor {

// In Go black is player 0; in wall games whoever moves first is.
enum class Colour : std::uint8_t { black, white };

// "black", "b", "white", "w" in either case; nothing for another word.
inline std::optional<Colour> parse_colour(std::string_view word) {
  const std::string lower = lower_case(word);
  if (lower == "black" || lower == "b") return Colour::black;
  if (lower == "white" || lower == "w") return Colour::white;
  return std::nullopt;
}

constexpr std::string_view colour_name(Colour colour) {
  return colour == Colour::black ? "black" : "white";
}

}  // namespace koridor
