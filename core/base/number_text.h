// Numbers in sentences and in tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace koridor {

// "1 game", "2 games", "1 ply", "2 plies": a count with its noun. The plural ends in s unless it is given.
inline std::string counted(std::int64_t count, std::string_view noun, std::string_view plural = "") {
  const std::string many = plural.empty() ? std::string(noun) + "s" : std::string(plural);
  return std::to_string(count) + " " + (count == 1 ? std::string(noun) : many);
}

// A formatted number without the sign of a zero: "-0" and "-0.00" are what formats make of small negative numbers.
inline std::string without_negative_zero(std::string number) {
  const std::size_t first = number.find_first_not_of(' ');
  if (first == std::string::npos || number[first] != '-' || number.find('0') == std::string::npos) return number;
  if (number.find_first_not_of("0. %", first + 1) == std::string::npos) number.erase(first, 1);
  return number;
}

}  // namespace koridor
