// A run's figures, generation by generation: for programs in figures.jsonl (README.md), for TensorBoard in events, and
// for people as a line.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "train/run/config.h"
#include "train/run/cost.h"
#include "train/run/rating.h"
#include "train/run/run_directory.h"

namespace koridor {

class RunFigures {
 public:
  RunFigures(const RunDirectory& run, const Config& config) : run_(run), config_(config), cost_(run, config) {}

  // The generation is trained and, where that is due, rated; `table` is the run's table of ratings. Writes
  // figures.jsonl anew, with the ratings of all generations by that table, and each generation's events where there
  // are none yet. Returns the generation's line. `speeds`: by board, what self-play reported of its speed, or
  // "played_seconds" where its games are to say (joined_workers.h); only for generations that were played since the
  // start.
  nlohmann::json finish(int generation, double seconds, std::span<const nlohmann::json> speeds,
                        std::span<const RatedPlayer> table) const;

  // Whether finish() was done for the generation.
  bool finished(int generation) const;

  // The run's last table is known, in which generations may be that were rated after their finish(): writes the ratings
  // by it into figures.jsonl, where a line that is missing is made without its time and speed, and the Elo of every
  // generation as events of their own.
  void write_last_ratings(std::span<const RatedPlayer> table) const;

 private:
  std::filesystem::path events(int generation) const;
  nlohmann::json line_of(int generation, std::span<const nlohmann::json> speeds) const;
  // Makes the lines up to `generation` that are missing.
  void add_missing_lines(std::map<int, nlohmann::json>& lines, int generation) const;
  // Writes figures.jsonl with the ratings by the table.
  void write_lines(std::map<int, nlohmann::json>& lines, std::span<const RatedPlayer> table) const;
  void write_events(int generation, const nlohmann::json& line) const;

  RunDirectory run_;
  Config config_;
  mutable RunCost cost_;
};

// What the columns of generation_text are, in lines of at most 80 columns, and their titles.
std::string generation_header(const std::vector<std::string>& baselines);
// A line of figures.jsonl for people: at most 80 columns, and further lines for further baselines.
std::string generation_text(const nlohmann::json& line, const std::vector<std::string>& baselines);

}  // namespace koridor
