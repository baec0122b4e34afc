// The numbers of a run by generation, for pictures: all numeric entries of figures.jsonl, and what the run's other
// files hold beside it (ratings, metrics, yardsticks).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/run/config.h"
#include "train/run/rating.h"
#include "train/run/run_directory.h"

namespace koridor {

struct SeriesPoint {
  int generation = 0;
  double value = 0;
  double error = 0;  // half the width of the 95% interval; 0: unknown
};

struct RunSeries {
  // Points in the order of their generations, by the entry's path in figures.jsonl: "training.losses.policy",
  // "selfplay.wins.1", "rating.elo".
  std::map<std::string, std::vector<SeriesPoint>> series;
  // The run's time of work in seconds when a generation was finished, as far as it is known.
  std::map<int, double> seconds;
  // What is damaged and left out, in words that name the file: files of metrics and lines of figures.jsonl.
  std::vector<std::string> damaged;
};

// `players`: the run's, as Ratings::table() or Comparison::table() gives them; others are passed over.
RunSeries read_series(const RunDirectory& run, const std::vector<RatedPlayer>& players, const std::string& label);

// How a picture names a series.
struct SeriesName {
  std::string title;  // "Elo"
  std::string unit;   // "95% interval"; may be empty
  double factor = 1;  // from the file's unit to this one
};
SeriesName series_name(const std::string& key);

// All keys of the runs in the order of a picture: ratings, losses, what is known of the targets, rates, the rest.
std::vector<std::string> series_keys(const std::vector<RunSeries>& runs);

}  // namespace koridor
