// What a file holds, also while others write it.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace koridor {

// The whole file; empty where it cannot be read.
inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace koridor
