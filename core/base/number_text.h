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

// 1234567 as "1.23M", 45600 as "45.6k", 123 as "123".
std::string short_count(double number);

// Seconds, at least 0, as "1:05:09" or "5:09".
std::string clock_text(double seconds);

}  // namespace koridor
