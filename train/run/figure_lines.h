// The lines of figures.jsonl (README.md), each an object under a checksum of its own.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace koridor {

struct FigureLine {
  int generation = 0;
  nlohmann::json figures{};  // without the checksum
  bool sealed = false;       // false where it has no checksum, as lines of older versions
};

struct FigureLines {
  std::vector<FigureLine> lines;
  std::vector<std::string> damaged;  // which lines are left out and why, in words that name the file
};

// Reads the file; one that is missing has no lines. Throws UserError where it cannot be read.
FigureLines read_figure_lines(const std::filesystem::path& path);

// The object with its checksum as a line, with its end.
std::string figure_line_text(const nlohmann::json& figures);

}  // namespace koridor
