#include "bench/scale/run_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "core/base/error.h"
#include "core/base/json_file.h"
#include "selfplay/shards/shard.h"
#include "train/run/config.h"
#include "train/run/figure_lines.h"
#include "train/run/run_config.h"

namespace koridor::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kLines = 10;  // generations that a median is over

// The middle one of those values of an entry that are there; 0 where none is.
double median_of(const std::vector<FigureLine>& lines, const char* object, const char* entry) {
  std::vector<double> values;
  for (std::size_t i = lines.size(); i-- > 0 && values.size() < kLines;) {
    const json& figures = lines[i].figures;
    if (!figures.contains(object) || !figures[object].contains(entry)) continue;
    if (figures[object][entry].is_number()) values.push_back(figures[object][entry].get<double>());
  }
  return values.empty() ? 0 : median(std::move(values));
}

// The games of shards/gen-<generation - 1>, which a generation's line tells of; 0 where it does not.
double games_of(const std::vector<FigureLine>& lines, int generation) {
  const auto line = std::ranges::find(lines, generation, &FigureLine::generation);
  return line == lines.end() ? 0 : member(object_in(line->figures, "selfplay"), "games", 0.0);
}

double shard_bytes(const fs::path& folder) {
  double bytes = 0;
  for (const fs::path& shard : shards_in(folder)) {
    std::error_code no_size;
    const auto size = fs::file_size(shard, no_size);
    if (!no_size) bytes += static_cast<double>(size);
  }
  return bytes;
}

// The slots of one worker: as the run's own has chosen them, else as one that has joined it has, else as the
// configuration says; 0 where nobody has said.
int slots_of_run(const RunDirectory& run) {
  std::vector<fs::path> files = run.all_joined_slots(0);
  files.insert(files.begin(), run.slots(0));
  std::error_code error;
  for (const fs::path& file : files) {
    if (!fs::exists(file, error)) continue;
    const json choice = read_json(file);
    return std::max(1, member(choice, "slots", 1) * member(choice, "threads", 1));
  }
  const Config config = load_run_config(run);
  return config.selfplay.slots * std::max(1, config.run.threads);
}

}  // namespace

ScaleRates rates_of_run(const RunDirectory& run) {
  const std::vector<FigureLine> lines = read_figure_lines(run.figures()).lines;
  const double plies_per_second = median_of(lines, "selfplay", "positions_per_second");
  const double plies = median_of(lines, "selfplay", "plies");
  const double games = median_of(lines, "selfplay", "games");
  // Those that are learned from: with training.cheap_share more than the full searches have.
  const double positions = median_of(lines, "training", "new_positions");
  ScaleRates rates;
  rates.samples_per_second = median_of(lines, "training", "samples_per_second");
  if (std::min({plies_per_second, plies, games, positions, rates.samples_per_second}) <= 0) {
    throw UserError(
        fmt::format("{}: no generation with the speeds of self-play and training; let `koridor train` finish "
                    "one in this directory first",
                    run.figures().string()));
  }
  if (fs::exists(run.slots(1))) {
    throw UserError(
        fmt::format("the run {} plays several boards; simulate-scale knows runs of one", run.root().string()));
  }
  rates.games_per_second = plies_per_second / plies;
  rates.positions_per_game = positions / games;
  rates.slots = slots_of_run(run);
  if (rates.slots == 0) {
    throw UserError(fmt::format("{}: no worker has said how many slots it has (slots.json); say it by selfplay.slots",
                                run.slots(0).parent_path().string()));
  }
  const int generation = lines.back().generation;
  for (int played = generation; played-- > 0;) {
    const double bytes = shard_bytes(run.shards(played));
    const double its_games = games_of(lines, played + 1);
    if (bytes == 0 || its_games == 0) continue;
    rates.bytes_per_game = bytes / its_games;
    break;
  }
  std::error_code error;
  const auto model = fs::file_size(run.model(generation), error);
  if (!error) rates.model_bytes = static_cast<double>(model);
  return rates;
}

}  // namespace koridor::bench
