// The lines of figures.jsonl (README.md), each an object under a checksum of its own.
#pragma once

#include <filesystem>
#include <functional>
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

// Calls visit(path, value) for every number in the object, with the names that lead to it: "training.losses.policy".
// Entries of lists are counted from 1: "selfplay.wins.1".
void for_each_number(const nlohmann::json& figures, char separator,
                     const std::function<void(const std::string& path, double value)>& visit);

// The object with its checksum as a line, with its end.
std::string figure_line_text(const nlohmann::json& figures);

}  // namespace koridor
