#include "train/run/live_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "train/run/loss_report.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

using nlohmann::json;

// The share of `seconds` in which a process waited for the other.
std::string waited(const json& status, const char* seconds) {
  const double share = member(status, "waited_seconds", 0.0) / std::max(1.0, member(status, seconds, 0.0));
  return fmt::format("waited {:.0f}%", 100.0 * std::min(1.0, share));
}

std::string what_training_does(const json& training, const std::string& silent) {
  if (!silent.empty()) return "training: " + silent;
  if (!training.contains("waited_seconds")) return "starting the trainer";
  if (member(training, "time_over", false)) return "no more training: the time is over";
  const std::string share = waited(training, "seconds_here");
  if (member(training, "waits", false)) return fmt::format("training waits for games ({})", share);
  return fmt::format("training {}: {}/{} steps ({})", RunDirectory::label(member(training, "generation", -1)),
                     member(training, "step", 0), member(training, "steps", 0), share);
}

}  // namespace

json live_progress(const std::filesystem::path& file) {
  try {
    if (std::filesystem::exists(file)) return read_json(file);
  } catch (const UserError&) {
    // It is written again within a second.
  }
  return json::object();
}

std::vector<std::string> training_words(const json& training) {
  std::vector<std::string> parts = loss_parts(read_losses(training));
  parts.insert(parts.begin(),
               fmt::format("training {}/{} steps", member(training, "step", 0), member(training, "steps", 0)));
  parts.push_back(short_count(member(training, "samples_per_second", 0.0)) + " samples/s");
  return parts;
}

std::vector<std::string> selfplay_words(const json& games, const std::string& board) {
  std::vector<std::string> parts{
      fmt::format("self-play {}/{} games", member(games, "games", 0), member(games, "games_wanted", 0)),
      short_count(member(games, "positions_per_second", 0.0)) + " positions/s",
      short_count(member(games, "evaluations_per_second", 0.0)) + " evaluations/s",
      fmt::format("{:.0f}% cached", 100.0 * member(games, "cache_hit_share", 0.0)),
  };
  if (!board.empty()) parts.push_back(board);
  // Without what was tried, which is in the log: a line that stays would break the table of generations.
  const std::string choice = member(games, "choice", std::string());
  if (!choice.empty()) parts.push_back(choice.substr(0, choice.find(';')));
  return parts;
}

std::vector<std::string> words_of_both(const json& training, const json& games, const std::string& silent) {
  std::vector<std::string> parts{what_training_does(training, silent)};
  const std::string share = waited(games, "continuous_seconds");
  if (member(games, "waits", false)) {
    parts.push_back(fmt::format("self-play waits for model {} ({})", member(games, "model", 0) + 1, share));
  } else if (member(games, "generation", -1) >= 0) {
    parts.push_back(fmt::format("self-play {}/{} games of {} ({})", member(games, "games", 0),
                                member(games, "games_wanted", 0), RunDirectory::label(member(games, "generation", 0)),
                                share));
    parts.push_back(short_count(member(games, "positions_per_second", 0.0)) + " positions/s");
  }
  return parts;
}

}  // namespace koridor
