// TOML that people write, read without trust in it. Users link the library toml++.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace koridor {

// TOML of which no line is so long that its dotted keys nest too deeply: the library destroys tables recursively.
// Throws toml::parse_error, and UserError for a line that is too long.
inline toml::table parse_toml(std::string_view text, const std::string& where) {
  constexpr std::size_t kLongestLine = 10'000;
  for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > kLongestLine) {
      throw UserError(fmt::format("{}:{}: a line of {} bytes; it may have {}", where, line, end - begin, kLongestLine));
    }
    begin = end + 1;
  }
  return toml::parse(text);
}

// The error for a text that is not TOML, which names file, line and column.
inline UserError not_toml(const toml::parse_error& error, const std::string& where) {
  std::string reason(error.description());
  std::ranges::replace(reason, '\n', ' ');
  if (reason.find("determine value type") != std::string::npos) reason += R"(; text stands in quotes, as "quoridor")";
  return UserError(
      fmt::format("{}:{}:{}: not TOML: {}", where, error.source().begin.line, error.source().begin.column, reason));
}

}  // namespace koridor
