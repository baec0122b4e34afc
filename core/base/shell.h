// Words of a command that a person copies into a shell.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace koridor {

// The word as a shell needs it: as it is where no character means anything to a shell, else in single quotes.
inline std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";  // "~" means something in front
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// How a person starts this program from the working folder, as a word of a shell: "build/koridor"; "./koridor" where it
// lies in that folder itself.
inline std::string shell_program(const std::filesystem::path& program) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::proximate(program, error);
  if (error) path = program;
  return shell_word(path.has_parent_path() ? path.string() : "./" + path.string());
}

}  // namespace koridor
