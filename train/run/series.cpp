#include "train/run/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/json_file.h"
#include "train/run/figure_lines.h"
#include "train/run/loss_report.h"
#include "train/run/yardstick_file.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void add(RunSeries& run, const std::string& key, int generation, double value, double error = 0) {
  if (!std::isfinite(value)) return;
  std::vector<SeriesPoint>& points = run.series[key];
  // A file says more than one line of a generation only where it is damaged; the first counts.
  const auto at = std::ranges::lower_bound(points, generation, {}, &SeriesPoint::generation);
  if (at != points.end() && at->generation == generation) return;
  points.insert(at, {generation, value, std::isfinite(error) ? error : 0});
}

// Every number of a generation's figures, with the path that leads to it.
void add_numbers(RunSeries& run, int generation, const json& figures) {
  for_each_number(figures, '.', [&](const std::string& path, double value) {
    if (path != "generation" && path != "seconds") add(run, path, generation, value);
  });
}

// A line names only the ends that its games had. Those that other lines name are none of its games.
void add_absent_ends(RunSeries& run) {
  std::map<std::string, std::set<int>> generations;  // by the path of the ends
  const auto path_of = [](const std::string& key) {
    constexpr std::string_view kEnds = "selfplay.ends.";
    const std::size_t at = key.find(kEnds);
    return at == std::string::npos ? "" : key.substr(0, at + kEnds.size());
  };
  for (const auto& [key, points] : run.series) {
    if (path_of(key).empty()) continue;
    for (const SeriesPoint& point : points) generations[path_of(key)].insert(point.generation);
  }
  for (auto& [key, points] : run.series) {
    if (path_of(key).empty()) continue;
    for (const int generation : generations[path_of(key)]) add(run, key, generation, 0);
  }
}

// Of the generations in `rated` the table of ratings has the points, under its own names of the players.
void add_figures(RunSeries& run, const fs::path& path, const std::set<int>& rated) {
  FigureLines read = read_figure_lines(path);
  run.damaged.insert(run.damaged.end(), read.damaged.begin(), read.damaged.end());
  for (auto& [generation, figures, sealed] : read.lines) {
    if (rated.contains(generation) && object_in(figures, "rating").contains("scores")) {
      figures["rating"].erase("scores");
    }
    add_numbers(run, generation, figures);
    if (figures.contains("seconds") && figures["seconds"].is_number()) run.seconds[generation] = figures["seconds"];
  }
  add_absent_ends(run);
}

// The training that made a generation, under the names of figures.jsonl.
void add_metrics(RunSeries& run, const RunDirectory& directory, int generation) {
  if (!fs::exists(directory.metrics(generation))) return;
  json metrics;
  try {
    metrics = read_json(directory.metrics(generation));
    if (member(metrics, "generation", -1) != generation) {
      throw UserError(fmt::format("{}: damaged: it does not hold the figures of generation {}",
                                  directory.metrics(generation).string(), generation));
    }
  } catch (const UserError& error) {
    run.damaged.emplace_back(error.what());
    return;
  }
  json figures = training_figures(metrics);
  if (!figures.contains("losses")) figures.erase("loss");  // a file without losses
  add_numbers(run, generation, json::object({{"training", figures}}));
}

// Where figures.jsonl does not say when a generation was finished: by the times of the models' files, from the first
// on. They count stops as well, and copies of a run may have lost them.
void add_file_times(RunSeries& run, const RunDirectory& directory) {
  if (!run.seconds.empty()) return;
  std::map<int, double> seconds;
  double last = -1;
  std::error_code error;
  const auto start = fs::last_write_time(directory.model(0), error);
  for (int generation = 0; !error && fs::exists(directory.model(generation)); ++generation) {
    const auto time = fs::last_write_time(directory.model(generation), error);
    const double since = std::chrono::duration<double>(time - start).count();
    if (error || since <= last) return;
    seconds[generation] = last = since;
  }
  run.seconds = std::move(seconds);
}

// The place of a key among the others, by the first that it begins with.
constexpr std::array kOrder = {"rating.elo",
                               "rating.value_kept",
                               "rating.scores.",
                               "training.loss",
                               "training.losses.",
                               "training.policy_",
                               "training.top1",
                               "training.value_",
                               "selfplay.positions_per_second",
                               "selfplay.evaluations_per_second",
                               "training.samples_per_second",
                               "selfplay.",
                               "training.",
                               "rating.",
                               "boards."};

std::size_t place(const std::string& key) {
  std::size_t at = 0;
  while (at < kOrder.size()) {
    const std::string_view known = kOrder[at];
    const bool group = known.back() == '.' || known.back() == '_';
    if (group ? key.starts_with(known) : key == known) break;
    ++at;
  }
  return at;
}

struct Known {
  const char* key;
  const char* title;
  const char* unit;
  double factor = 1;
};
constexpr std::array kKnown = {
    Known{"rating.elo", "Elo", "last baseline 0; 95% interval"},
    Known{"rating.value_kept", "Proven value kept", "% of choices; 95% interval", 100},
    Known{"rating.games", "Games in matches", "games"},
    Known{"rating.error95", "Half the 95% interval of Elo", "Elo"},
    Known{"training.loss", "Loss, weighted sum", "nats"},
    Known{"training.policy_entropy", "Entropy of the policy target", "nats"},
    Known{"training.policy_kl", "KL of the policy from its target", "nats"},
    Known{"training.top1", "First choice is the target's", "% of samples", 100},
    Known{"training.value_brier", "Brier score of the value", "0 to 1"},
    Known{"training.value_calibration_error", "Calibration error of the value", "0 to 1"},
    Known{"training.samples_per_second", "Training", "samples/s"},
    Known{"training.gradient_norm", "Norm of the gradient", ""},
    Known{"training.learning_rate", "Learning rate", ""},
    Known{"training.steps", "Optimiser steps", "steps"},
    Known{"training.new_positions", "New positions", "positions"},
    Known{"training.window_positions", "Replay window", "positions"},
    Known{"selfplay.positions_per_second", "Self-play", "positions/s"},
    Known{"selfplay.evaluations_per_second", "Self-play's network", "evaluations/s"},
    Known{"selfplay.cache_hit_share", "Predictions from the cache", "%", 100},
    Known{"cost", "Work so far", "core-seconds of the reference core"},
    Known{"selfplay.evaluations", "Predictions asked for", "positions"},
    Known{"selfplay.simulations", "Simulations", "simulations"},
    Known{"training.samples", "Trained samples", "samples"},
    Known{"selfplay.games", "Games of self-play", "games"},
    Known{"selfplay.positions", "Positions of self-play", "positions"},
    Known{"selfplay.against_opponents", "Points against opponents in self-play", "% of points", 100},
    Known{"selfplay.models_behind", "Age of the models that play", "models"},
    Known{"selfplay.plies", "Length of a game", "plies"},
    Known{"selfplay.depth", "Mean depth of the search", "plies"},
    Known{"selfplay.largest_depth", "Largest depth of the search", "plies"},
    Known{"selfplay.surprise", "Surprise: KL of search from network", "nats"},
};

std::string in_words(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

}  // namespace

RunSeries read_series(const RunDirectory& directory, const std::vector<RatedPlayer>& players,
                      const std::string& label) {
  RunSeries run;
  std::set<int> rated;
  // The table of ratings is newer than a line that was written when its generation was finished.
  for (const RatedPlayer& player : players) {
    if (player.generation < 0 || player.run != label) continue;
    rated.insert(player.generation);
    add(run, "rating.elo", player.generation, player.elo, player.error);
    for (const auto& [baseline, score] : player.score) add(run, "rating.scores." + baseline, player.generation, score);
    if (player.value_kept) {
      add(run, "rating.value_kept", player.generation, *player.value_kept, player.value_kept_error);
    }
  }
  add_figures(run, directory.figures(), rated);
  for (int generation = 0; fs::exists(directory.model(generation)); ++generation) {
    add_metrics(run, directory, generation);
  }
  add_file_times(run, directory);
  // The interval is drawn around Elo.
  run.series.erase("rating.error95");
  return run;
}

SeriesName series_name(const std::string& key) {
  const auto known = std::ranges::find(kKnown, key, [](const Known& entry) { return std::string(entry.key); });
  if (known != kKnown.end()) return {known->title, known->unit, known->factor};
  const auto rest = [&](std::string_view start) { return in_words(key.substr(start.size())); };
  if (key.starts_with("training.losses.")) return {"Loss, " + rest("training.losses."), "nats"};
  if (key.starts_with("rating.scores.")) return {"Points against " + key.substr(14), "% of games", 100};
  if (key.starts_with("selfplay.wins.")) return {"Games won by seat " + rest("selfplay.wins."), "%", 100};
  if (key.starts_with("selfplay.ends.")) return {"Games ended by " + rest("selfplay.ends."), "%", 100};
  if (key.starts_with("boards.")) {
    // A board's name may hold dots, as in komi=0.5.
    for (const std::string_view part : {".selfplay.", ".training."}) {
      const std::size_t at = key.rfind(part);
      if (at == std::string::npos) continue;
      SeriesName name = series_name(key.substr(at + 1));
      name.title = fmt::format("{}: {}", key.substr(7, at - 7), name.title);
      return name;
    }
  }
  std::string title = in_words(key);
  std::ranges::replace(title, '.', ' ');
  return {title, ""};
}

std::vector<std::string> series_keys(const std::vector<RunSeries>& runs) {
  std::set<std::pair<std::size_t, std::string>> keys;
  for (const RunSeries& run : runs) {
    for (const auto& [key, points] : run.series) keys.emplace(place(key), key);
  }
  std::vector<std::string> ordered;
  for (const auto& [at, key] : keys) ordered.push_back(key);
  return ordered;
}

}  // namespace koridor
