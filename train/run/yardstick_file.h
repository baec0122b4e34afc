// How often each generation keeps the proven value (selfplay/matches/yardstick), as a run keeps it: in a file per
// generation, run.yardstick(), and in event files, one number per generation.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/registry.h"
#include "selfplay/matches/yardstick/set.h"
#include "train/run/config.h"
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

// The results of a generation, by any number of visits; none where there is no file. Throws UserError that names the
// file where it is damaged.
std::vector<YardstickResult> read_yardstick(const RunDirectory& run, int generation);
// Those of so many visits per choice. Throws likewise.
std::vector<YardstickResult> read_yardstick(const RunDirectory& run, int generation, int visits);

// Writes them over those there are.
void write_yardstick(const RunDirectory& run, int generation, std::span<const YardstickResult> results);

// A generation that is asked on a board of its run, with the search of the run's matches.
struct YardstickTask {
  const RunDirectory& run;
  const Config& config;  // the run's
  int generation;
  const AnyGame& game;
  int positions;  // at most, of the solved board
  int visits;     // per choice
};

// A hash of the model's file, of how many positions it is asked about, and of its search (match_choice_text): results
// with the same one are the same. Throws UserError where the file cannot be read.
std::string yardstick_settings(const YardstickTask& task);

// The result of the same model, positions and search; nothing where there is none. Throws as yardstick_settings does.
std::optional<YardstickResult> find_result(std::span<const YardstickResult> results, const YardstickTask& task);

// Asks the generation in the positions, of which there is at least one. Where `stop` was set meanwhile the result is
// worth nothing. Throws UserError for a model that cannot be read or cannot play the game.
YardstickResult measure_result(const YardstickTask& task, std::span<const YardstickPosition> positions,
                               const std::atomic<bool>& stop);

// Puts a result in the place of the one on the same board by as many visits. Where there was none, it comes before
// those of the boards that come after its own in `boards`, the run's, since event files name boards by their order.
void replace_result(std::vector<YardstickResult>& results, const YardstickResult& result,
                    std::span<const AnyGame> boards);

// The mean share over the boards; nothing for no board.
std::optional<double> mean_kept(std::span<const YardstickResult> results);

// Half the width of the mean's 95% interval (Wilson's, of each board); 0 for no board.
double mean_kept_error(std::span<const YardstickResult> results);

// Writes the results of all generations by so many visits to event files of their own, in place of those that were
// there before: one number per generation and board.
void write_yardstick_events(const RunDirectory& run, int visits);

}  // namespace koridor
