#include "selfplay/matches/player_text.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace koridor {
namespace {

// Whether this is a file, perhaps with a precision behind it.
bool names_file(const std::string& text) {
  std::error_code ignored;
  const std::size_t at = text.rfind('@');
  const bool precise = at != std::string::npos && text.find(',', at) == std::string::npos;
  return std::filesystem::is_regular_file(precise ? text.substr(0, at) : text, ignored) ||
         std::filesystem::is_regular_file(text, ignored);
}

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

}  // namespace

PlayerText split_player(std::string_view text) {
  PlayerText result{std::string(text), {}};
  while (!names_file(result.base)) {
    const std::size_t comma = result.base.rfind(',');
    if (comma == std::string::npos) break;
    const std::string_view last = std::string_view(result.base).substr(comma + 1);
    const std::size_t equals = last.find('=');
    if (equals == std::string_view::npos || !is_key(last.substr(0, equals))) break;
    result.options.insert(result.options.begin(),
                          {std::string(last.substr(0, equals)), std::string(last.substr(equals + 1))});
    result.base.resize(comma);
  }
  return result;
}

}  // namespace koridor
