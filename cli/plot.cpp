// koridor plot: the figures of runs as a picture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "cli/chart.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/terminal.h"
#include "train/run/comparison.h"
#include "train/run/output_file.h"
#include "train/run/rating.h"
#include "train/run/series.h"

namespace koridor::cli {
namespace {

struct PlotOptions {
  std::vector<std::string> runs;
  std::string out;
  std::string store;
  std::vector<std::string> charts;  // the series to draw; none: all
  std::string over;                 // "generations" or "time"; empty: both where that is of interest
  TableOptions tables;
};

// The figures of a run whose generations are among the players by this label.
RunSeries figures_of(const LabelledRun& run, std::vector<RatedPlayer> players, const std::string& label) {
  const std::vector<std::string> damaged = add_yardsticks(players, label, run.directory, run.config);
  RunSeries figures = read_series(run.directory, players, label);
  figures.damaged.insert(figures.damaged.end(), damaged.begin(), damaged.end());
  return figures;
}

// The ratings of the runs: on one scale where they have one game and cross matches, else each by its own matches.
std::vector<RunSeries> read_figures(const std::vector<LabelledRun>& runs, const std::string& store) {
  const std::filesystem::path file = store_of(runs, store);
  if (!store.empty() && !std::filesystem::exists(file)) {
    throw UserError(
        fmt::format("--store {}: there is no such file; `koridor rate RUN RUN... --store` makes it", store));
  }
  std::vector<RunSeries> figures;
  std::vector<std::string> damaged;  // the file of cross matches
  if (runs.size() > 1 && std::filesystem::exists(file)) {
    std::optional<std::vector<RatedPlayer>> players;
    try {
      players = Comparison(runs, CrossOptions{.store = file}).table();
    } catch (const UserError& error) {
      if (!store.empty()) throw;
      // Runs of different games have no scale in common, whatever the file holds.
      const auto game = [](const LabelledRun& run) { return run.config.run.game; };
      const bool one_game = std::ranges::all_of(runs, [&](const auto& run) { return game(run) == game(runs[0]); });
      if (one_game) damaged.push_back(fmt::format("{}; each run is on a scale of its own", error.what()));
    }
    if (players) {
      for (const LabelledRun& run : runs) figures.push_back(figures_of(run, *players, run.label));
      return figures;
    }
  }
  for (const LabelledRun& run : runs) {
    try {
      figures.push_back(figures_of(run, Ratings(run.directory, run.config).table(), ""));
    } catch (const UserError& error) {
      figures.push_back(figures_of(run, {}, ""));
      // Those that lines of earlier generations have are of another table.
      std::erase_if(figures.back().series, [](const auto& series) {
        return series.first.starts_with("rating.") && series.first != "rating.value_kept";
      });
      figures.back().damaged.push_back(
          fmt::format("{}, and with it all ratings until `koridor rate` plays its matches again", error.what()));
    }
  }
  figures.front().damaged.insert(figures.front().damaged.end(), damaged.begin(), damaged.end());
  return figures;
}

// The points of a series over the generations, or over the minutes of work.
ChartLine line_of(const RunSeries& run, const std::string& key, std::size_t number, bool over_time, double unit) {
  ChartLine line{.series = number, .points = {}};
  const auto found = run.series.find(key);
  if (found == run.series.end()) return line;
  const double factor = series_name(key).factor;
  for (const SeriesPoint& point : found->second) {
    double x = point.generation;
    if (over_time) {
      const auto seconds = run.seconds.find(point.generation);
      if (seconds == run.seconds.end()) continue;
      x = seconds->second / unit;
    }
    line.points.push_back({x, factor * point.value, factor * point.error});
  }
  return line;
}

Chart chart_of(const std::vector<RunSeries>& runs, const std::string& key, bool over_time) {
  double longest = 0;
  for (const RunSeries& run : runs) {
    for (const auto& [generation, seconds] : run.seconds) longest = std::max(longest, seconds);
  }
  const bool hours = longest > 2 * 60 * 60;
  const SeriesName name = series_name(key);
  Chart chart{.title = over_time ? name.title + " over time" : name.title,
              .unit = name.unit,
              .x_title = !over_time ? "generation"
                         : hours    ? "hours of work"
                                    : "minutes of work",
              .whole_x = !over_time,
              .lines = {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ChartLine line = line_of(runs[i], key, i, over_time, hours ? 3600 : 60);
    if (!line.points.empty()) chart.lines.push_back(std::move(line));
  }
  return chart;
}

// The series that the picture shows.
std::vector<std::string> wanted_keys(const PlotOptions& options, const std::vector<RunSeries>& figures) {
  std::vector<std::string> keys = series_keys(figures);
  if (options.charts.empty()) return keys;
  for (const std::string& chart : options.charts) {
    if (std::ranges::find(keys, chart) == keys.end()) {
      throw UserError(fmt::format("--chart {}: {} no such series; {}: {}", chart,
                                  options.runs.size() == 1 ? "the run has" : "the runs have",
                                  options.runs.size() == 1 ? "its own" : "theirs", fmt::join(keys, ", ")));
    }
  }
  std::erase_if(keys,
                [&](const std::string& key) { return std::ranges::find(options.charts, key) == options.charts.end(); });
  return keys;
}

Picture picture_of(const PlotOptions& options, const std::vector<LabelledRun>& runs,
                   const std::vector<RunSeries>& figures) {
  Picture picture;
  std::set<std::string> games;
  for (const LabelledRun& run : runs) {
    picture.series.push_back(run.label);
    for (const AnyGame& game : games_of(run.config)) {
      games.insert(name_of(game));
    }
  }
  picture.title = fmt::format(
      "{}: {}", runs.size() == 1 ? runs.front().label : counted(static_cast<std::int64_t>(runs.size()), "run"),
      fmt::join(games, ", "));
  for (const std::string& key : wanted_keys(options, figures)) {
    const bool both = options.over.empty() && (key == "rating.elo" || key == "rating.value_kept");
    if (options.over != "time") picture.charts.push_back(chart_of(figures, key, false));
    if (options.over != "time" && !both) continue;
    Chart chart = chart_of(figures, key, true);
    if (!chart.lines.empty()) picture.charts.push_back(std::move(chart));
  }
  return picture;
}

// The numbers of the series that the picture shows.
Table series_table(const PlotOptions& options, const std::vector<LabelledRun>& runs,
                   const std::vector<RunSeries>& figures) {
  using enum ColumnType;
  Table table("series", {{"run", text},
                         {"series", text},
                         {"generation", integer},
                         {"seconds", number, "s"},
                         {"value", number},
                         {"error95", number}});
  const std::vector<std::string> wanted = wanted_keys(options, figures);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const std::string& key : series_keys({figures[i]})) {
      if (std::ranges::find(wanted, key) == wanted.end()) continue;
      for (const SeriesPoint& point : figures[i].series.at(key)) {
        const auto seconds = figures[i].seconds.find(point.generation);
        table.add({runs[i].label, key, point.generation,
                   seconds == figures[i].seconds.end() ? Cell() : Cell(seconds->second), point.value,
                   point.error > 0 ? Cell(point.error) : Cell()});
      }
    }
  }
  return table;
}

void run_plot(const PlotOptions& options) {
  TableWriter out = table_writer(options.tables);
  if (!out.is_text() && options.out == "-") {
    throw UserError(
        "--out -: the numbers go to standard output; give the picture a file, or leave --json and --csv out");
  }
  const std::vector<LabelledRun> runs = load_runs(options.runs);
  warn_of_missing_models(runs);
  const std::vector<RunSeries> figures = read_figures(runs, options.store);
  for (const RunSeries& run : figures) {
    for (const std::string& damage : run.damaged) print_message("koridor", damage + "; left out of the picture");
  }
  const Picture picture = picture_of(options, runs, figures);
  if (picture.charts.empty()) {
    throw UserError(
        fmt::format("{}: there is nothing to draw yet: no generation is trained or rated", options.runs.front()));
  }
  if (!out.is_text()) out.show(series_table(options, runs, figures));
  const std::string path = options.out.empty() ? "plot.svg" : options.out;
  if (path != "-") check_output("--out", path);
  check_not_read("--out", path, {store_of(runs, options.store).string()});
  if (path == "-") {
    fmt::print("{}", svg(picture));
  } else if (out.is_text() || !options.out.empty()) {
    write_file_atomically(path, svg(picture));
    out.say(fmt::format("{} of {}: {}\n", counted(std::ssize(picture.charts), "chart"),
                        counted(std::ssize(runs), "run"), printable(path)));
  }
  out.finish();
}

}  // namespace

void add_plot(CommandLine& line) {
  auto options = std::make_shared<PlotOptions>();
  const Command plot = line.add_command("plot", "Draw the figures of runs as a picture (SVG): Elo, losses, rates");
  plot.footer(
      "Runs of one game stand on one scale of Elo if `koridor rate RUN RUN...` has let them meet.\n"
      "--json and --csv put out the numbers; the picture is then drawn only if --out names it.");
  plot.add_option("run", options->runs, "Run directories").type_name("DIR").required();
  plot.add_option("--out", options->out, "SVG file to write (default: plot.svg); -: to standard output")
      .type_name("FILE");
  plot.add_option("--store", options->store, "File with the matches between the runs, as of `koridor rate`")
      .type_name("FILE");
  plot.add_option("--chart", options->charts, "Series to draw, as --csv names them: rating.elo (default: all)")
      .type_name("SERIES")
      .one_each_time();
  plot.add_option("--over", options->over, "What goes to the right; by default generations, and Elo over time too")
      .one_of({"generations", "time"});
  add_tables(plot, options->tables, {"series"});
  plot.runs([options] { run_plot(*options); });
}

}  // namespace koridor::cli
