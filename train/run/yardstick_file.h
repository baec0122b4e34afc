// How often each generation keeps the proven value (selfplay/matches/yardstick), as a run keeps it: in a file per
// generation, run.yardstick(), and in event files, one number per generation.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/run/run_directory.h"

namespace koridor {

// On one board.
struct YardstickResult {
  std::string game;      // canonical name
  int positions = 0;     // in which some action keeps the value and another does not, >= 1
  int kept = 0;          // of them, in [0, positions]
  double random = 0;     // the share that any legal action keeps on average, in [0, 1]
  int visits = 0;        // per choice
  std::string settings;  // what else the choices depend on: yardstick_settings()
  double share() const { return static_cast<double>(kept) / positions; }
  friend bool operator==(const YardstickResult&, const YardstickResult&) = default;
};

// The results of a generation; none where there is no file. Throws UserError that names the file where it is damaged.
std::vector<YardstickResult> read_yardstick(const RunDirectory& run, int generation);

// Writes them over those there are.
void write_yardstick(const RunDirectory& run, int generation, std::span<const YardstickResult> results);

// A hash of the model's file, of how many positions of a solved board it is asked about, and of its search
// (match_choice_text): results with the same one are the same. Throws UserError where the file cannot be read.
std::string yardstick_settings(const std::filesystem::path& model, int positions, const std::string& choice);

// The mean share over the boards; nothing for no board.
std::optional<double> mean_kept(std::span<const YardstickResult> results);

// Half the width of the mean's 95% interval (Wilson's, of each board); 0 for no board.
double mean_kept_error(std::span<const YardstickResult> results);

// Writes the results of all generations to event files of their own, in place of those that were there before: one
// number per generation and board.
void write_yardstick_events(const RunDirectory& run);

}  // namespace koridor
