// koridor rate: how strong the generations of a run are, or those of several runs on one scale.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cli/chart.h"
#include "cli/commands.h"
#include "cli/programs.h"
#include "cli/rate_yardsticks.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/save_lock.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/terminal.h"
#include "train/run/comparison.h"
#include "train/run/output_file.h"
#include "train/run/rating.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;

struct RateOptions {
  std::vector<std::string> runs;
  CrossOptions cross;
  std::string store;
  std::string picture;
  bool solver = false;
  RateYardstickOptions yardstick;
  TableOptions tables;
};

// Whether there is a match between runs, or with a further player.
bool meets_others(const RateOptions& options) {
  return options.runs.size() > 1 || !options.cross.players.empty();
}

// Plays the rating matches that are missing; false when stopped.
bool rate_run(const LabelledRun& run, bool several) {
  Ratings ratings(run.directory, run.config);
  Progress progress;
  const std::string of = several ? run.label + " " : "";
  for (int generation = 0; fs::exists(run.directory.model(generation)); ++generation) {
    if (!ratings.due(generation)) continue;
    const auto show = [&](int games, int total) {
      progress.live(fmt::format("{}{}: {}/{} games", of, RunDirectory::label(generation), games, total));
    };
    if (!ratings.rate(generation, show, stop_requested())) return false;
  }
  return true;
}

// Everybody on one scale.
struct Scale {
  std::vector<RatedPlayer> players;
  std::vector<std::string> baselines;
};

// The scale of one run.
Scale rate_one(const LabelledRun& run) {
  const Ratings ratings(run.directory, run.config);
  ratings.save_table();
  return {ratings.table(), run.config.rating.baselines};
}

// That of several, or of runs and players; nothing when stopped.
std::optional<Scale> rate_several(TableWriter& out, Comparison& comparison) {
  const int missing = comparison.missing();
  if (missing > 0) {
    Progress progress;
    progress.print(fmt::format("{} {} to be played; {} keeps the results.",
                               counted(missing, "cross match", "cross matches"), missing == 1 ? "is" : "are",
                               comparison.store().string()));
    const auto show = [&](const std::string& what, int games, int total) {
      progress.live(fmt::format("{}: {}/{} games", what, games, total));
    };
    if (!comparison.play(show, stop_requested())) return {};
  }
  out.say(fmt::format("{} on one scale:\n", counted(std::ssize(comparison.runs()), "run")));
  return Scale{comparison.table(), comparison.baselines()};
}

// Elo over the generations: a line for each run, and a level line for every other player.
Picture picture_of(const std::vector<LabelledRun>& runs, const Scale& scale) {
  Picture picture{.title = "Elo on one scale", .series = {}, .charts = {}};
  Chart chart{.title = "Elo", .unit = "", .x_title = "generation", .whole_x = true, .lines = {}};
  int last = 1;
  for (const RatedPlayer& player : scale.players) last = std::max(last, player.generation);
  const auto begin_line = [&](const std::string& name) {
    chart.lines.push_back({.series = picture.series.size(), .points = {}});
    picture.series.push_back(name);
  };
  for (const LabelledRun& run : runs) {
    begin_line(run.label);
    for (const RatedPlayer& player : scale.players) {
      const bool own = player.generation >= 0 && (player.run.empty() || player.run == run.label);
      if (own) chart.lines.back().points.push_back({static_cast<double>(player.generation), player.elo, player.error});
    }
    std::ranges::sort(chart.lines.back().points, {}, &ChartPoint::x);
  }
  for (const RatedPlayer& player : scale.players) {
    if (player.generation >= 0) continue;
    begin_line(player.name);
    for (const double x : {0.0, static_cast<double>(last)})
      chart.lines.back().points.push_back({x, player.elo, player.error});
  }
  picture.charts.push_back(std::move(chart));
  return picture;
}

// The generations that have a rating or are about to have one, in rising order.
std::vector<int> rated_generations(const LabelledRun& run) {
  const Ratings ratings(run.directory, run.config);
  std::vector<int> rated;
  for (int generation = 0, models = run.directory.models(); generation < models; ++generation) {
    if (fs::exists(run.directory.rating(generation)) || ratings.due(generation)) rated.push_back(generation);
  }
  return rated;
}

// Throws UserError where a run or a player would meet nobody: it would be missing from the table without a word.
void check_generations(const std::vector<LabelledRun>& runs, const CrossOptions& cross) {
  if (cross.chosen.empty()) {
    if (cross.generations > 0 || cross.players.empty()) return;
    throw UserError("--cross 0: no generation would meet the players of --player; give at least 1");
  }
  std::vector<int> unknown = cross.chosen;  // to every run
  std::vector<std::string> known;
  for (const LabelledRun& run : runs) {
    const std::vector<int> rated = rated_generations(run);
    const auto is_rated = [&](int generation) { return std::ranges::find(rated, generation) != rated.end(); };
    known.push_back(rated.empty() ? fmt::format("{} has rated no generation", run.label)
                                  : fmt::format("{} has rated the generations {}", run.label, fmt::join(rated, ", ")));
    if (std::ranges::none_of(cross.chosen, is_rated)) {
      throw UserError(fmt::format("--generations {}: {}", fmt::join(cross.chosen, ","), known.back()));
    }
    std::erase_if(unknown, is_rated);
  }
  if (unknown.empty()) return;
  throw UserError(fmt::format("--generations {}: {}", fmt::join(unknown, ","), fmt::join(known, "; ")));
}

// The name with what was written in the place of what that stands for. A search may have its visits behind it.
std::string as_written(const std::string& name, const std::map<std::string, std::string>& written) {
  if (const auto whole = written.find(name); whole != written.end()) return whole->second;
  for (const auto& [found, text] : written) {
    if (name.starts_with(found + ",visits=")) return text + name.substr(found.size());
  }
  return name;
}

constexpr const char* kStoppedRating = "stopped; the matches that were finished are kept, and the same command goes on";

void run_rate(const RateOptions& options) {
  catch_signals();
  require_option(options.tables, "yardstick", "--solver", options.solver);
  TableWriter out = table_writer(options.tables);
  if (!options.picture.empty()) check_output("--svg", options.picture);
  std::vector<LabelledRun> runs = load_runs(options.runs);
  warn_of_missing_models(runs);
  const bool several = meets_others(options);
  CrossOptions cross = options.cross;
  cross.store = store_of(runs, options.store);
  if (!options.picture.empty()) {
    check_not_read("--svg", options.picture, {cross.store.string()});
    for (const std::string& player : cross.players) check_not_read("--svg", options.picture, files_of_player(player));
  }
  check_generations(runs, cross);
  std::map<std::string, std::string> written;  // by what a name of a trained model stands for
  for (std::string& player : cross.players) {
    const std::string found = find_player(player);
    written.emplace(found, std::exchange(player, found));
  }
  std::optional<Comparison> comparison;
  std::optional<SaveLock> saving;
  if (several) comparison.emplace(runs, cross);
  const auto lock_for_matches = [&] {
    if (!comparison || saving || comparison->missing() == 0) return;
    saving.emplace(cross.store);
  };
  lock_for_matches();
  for (const LabelledRun& run : runs) {
    if (!rate_run(run, several)) throw Stopped(kStoppedRating);
    if (options.solver) remove_damaged_yardsticks(run.directory);
  }
  lock_for_matches();  // runs that were rated just now may have more of them
  std::optional<Scale> scale = several ? rate_several(out, *comparison) : rate_one(runs.front());
  if (!scale) throw Stopped(kStoppedRating);
  for (const LabelledRun& run : runs) {
    for (const std::string& damage :
         add_yardsticks(scale->players, several ? run.label : "", run.directory, run.config)) {
      print_message("koridor", damage);
    }
  }
  for (RatedPlayer& player : scale->players) player.name = as_written(player.name, written);
  out.show(ratings_table(scale->players, scale->baselines));
  if (scale->players.empty()) out.say("No generation is rated yet.\n");
  if (!options.picture.empty()) write_file_atomically(options.picture, svg(picture_of(runs, *scale)));
  if (options.solver) {
    out.expect(rate_yardstick_table());
    for (const LabelledRun& run : runs) {
      show_yardsticks(out, options.yardstick, run, options.runs.size() > 1);
      if (stop_requested()) throw Stopped("stopped before every generation was measured; the same command goes on");
    }
  }
  out.finish();
}

// What is said of matches between runs means nothing where a run meets nobody.
void require_others(const Command& rate, const RateOptions& options) {
  if (meets_others(options)) return;
  for (const char* name : {"--cross", "--generations", "--cross-games", "--store"}) {
    if (rate.given(name)) throw UserError(fmt::format("{} is of several runs, or of one run with --player", name));
  }
}

void add_cross_options(const Command& rate, RateOptions& options) {
  rate.add_option("--player", options.cross.players,
                  "A player beside the runs, such as a program or a model of elsewhere, that meets some generations of "
                  "each; may be given several times")
      .type_name("PLAYER")
      .one_each_time();
  rate.add_option(
          "--cross", options.cross.generations,
          "Of several runs, or of one with --player: so many generations of each meet those of the others, and every "
          "--player")
      .range(0, 1000)
      .show_default();
  rate.add_option("--generations", options.cross.chosen,
                  "Of several runs, or of one with --player: these instead, as in 0,20,40")
      .separated_by(',')
      .one_each_time()
      .range(0, 1 << 30);
  rate.add_option("--cross-games", options.cross.games, "Games of each of these matches; 0: as in the first run's")
      .range(0, 1000000)
      .show_default();
  rate.add_option("--svg", options.picture, "Also draw the scale into this SVG file").type_name("FILE");
  rate.add_option("--store", options.store,
                  "File that keeps these matches (default: cross-matches.json beside the runs)")
      .type_name("FILE");
}

}  // namespace

void add_rate(CommandLine& line) {
  auto options = std::make_shared<RateOptions>();
  const Command rate = line.add_command("rate", "Play the missing rating matches of a run and print its table of Elo");
  rate.footer(
      "Several runs of one game are put on one scale: some of their generations meet, and one fit of Elo covers all "
      "matches.");
  rate.add_option("run", options->runs, "Run directories").type_name("DIR").required();
  add_cross_options(rate, *options);
  rate.add_flag("--solver", options->solver, "Also how often each generation's choice keeps the proven value");
  rate.add_option("--positions", options->yardstick.positions, "Of --solver: so many, the same for every model")
      .range(1, 1000000)
      .show_default()
      .needs("--solver");
  rate.add_option("--visits", options->yardstick.visits,
                  "Of --solver: simulations a choice; 0: as in the run's matches")
      .range(0, 1000000)
      .show_default()
      .needs("--solver");
  rate.add_option("--megabytes", options->yardstick.mebibytes, "Of --solver: memory for its tables, in MiB")
      .range(1, 1 << 20)
      .show_default()
      .needs("--solver");
  add_tables(rate, options->tables, {"ratings", "yardstick"});
  rate.runs([options, rate] {
    require_others(rate, *options);
    run_rate(*options);
  });
}

}  // namespace koridor::cli
