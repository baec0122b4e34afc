// koridor compare: recipes trained to the same cost on several seeds, and how strong they are on the way.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "cli/chart.h"
#include "cli/commands.h"
#include "cli/compare_yardsticks.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/shell.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/text.h"
#include "train/run/cost.h"
#include "train/run/lab_results.h"
#include "train/run/laboratory.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  std::vector<std::string> recipes;
  std::vector<std::string> settings;
  std::string budget;
  std::string out = "runs/compare";
  int seeds = 3;
  int games = 0;
  int visits = 0;
  int threads = -1;
  TableOptions tables;
};

// The command that goes on.
std::string command_of(const CompareOptions& options) {
  std::string command = shell_program() + " compare";
  for (const std::string& recipe : options.recipes) command += " " + shell_word(recipe);
  command += fmt::format(" --budget {} --seeds {} --out {}", shell_word(options.budget), options.seeds,
                         shell_word(options.out));
  if (options.games > 0) command += fmt::format(" --games {}", options.games);
  if (options.visits > 0) command += fmt::format(" --visits {}", options.visits);
  if (options.threads >= 0) command += fmt::format(" --threads {}", options.threads);
  for (const std::string& setting : options.settings) command += " --set " + shell_word(setting);
  return command;
}

std::vector<Recipe> recipes_of(const CompareOptions& options, double budget) {
  return load_recipes(
      options.recipes,
      {.settings = options.settings, .budget = budget, .threads = options.threads, .find_file = find_config});
}

// The points of all recipes with their intervals over seeds: a chart for each measure.
Picture picture_of(const Laboratory& laboratory, const std::vector<LabMeasure>& measures) {
  Picture picture{.title = fmt::format("{} on {}", counted(std::ssize(laboratory.recipes()), "recipe"),
                                       counted(laboratory.options().seeds, "seed")),
                  .series = {},
                  .charts = {}};
  for (const Recipe& recipe : laboratory.recipes()) picture.series.push_back(recipe.label);
  for (const LabMeasure& measure : measures) {
    Chart chart{.title = measure.title + " against cost",
                .unit = "mean over seeds and its 95% interval",
                .x_title = "core-seconds of the reference core",
                .lines = {}};
    for (std::size_t recipe = 0; recipe < laboratory.recipes().size(); ++recipe) {
      ChartLine line{.series = recipe, .points = {}};
      for (int point = 1; point <= kLabPoints; ++point) {
        const auto mean = lab_mean(laboratory.runs(), recipe, point, measure);
        const auto cost = lab_cost(laboratory.runs(), recipe, point);
        if (!mean || !cost) continue;
        line.points.push_back({*cost, measure.factor * mean->mean, measure.factor * mean->error.value_or(0)});
      }
      if (!line.points.empty()) chart.lines.push_back(std::move(line));
    }
    if (!chart.lines.empty()) picture.charts.push_back(std::move(chart));
  }
  return picture;
}

// Plays the matches that are missing; false when stopped.
bool play_matches(Comparison& comparison, Progress& progress) {
  int missing = comparison.missing();
  if (missing == 0) return true;
  const int all = comparison.matches();
  progress.print(fmt::format("{} of {} to be played; {} keeps the results.", missing, counted(all, "match", "matches"),
                             comparison.store().string()));
  std::string last;
  int number = all - missing;
  return comparison.play(
      [&](const std::string& what, int games, int total) {
        if (what != last) ++number;
        last = what;
        progress.live({fmt::format("match {}/{}", number, all), fmt::format("{}/{} games", games, total), what});
      },
      stop_requested());
}

// What the numbers of the tables mean, for people.
void explain(TableWriter& out, const Laboratory& laboratory) {
  out.say(wrapped_text(fmt::format(
              "Each recipe on {}, at {} points of the way to {:.6g} core-seconds of work. Of each value the mean over "
              "seeds, its 95% interval over seeds, and the error that its own games bring.",
              counted(laboratory.options().seeds, "seed"), kLabPoints, laboratory.options().budget)) +
          "\n");
  out.say(wrapped_text(fmt::format(
              "A core-second is {:.3g} multiply-adds of the network in self-play, {:.3g} simulations or {:.3g} "
              "multiply-adds in training. Matches are not counted.",
              kReferenceRates.network, kReferenceRates.tree, kReferenceRates.training)) +
          "\n\n");
}

// Notes on what makes a comparison less fair than it looks.
void warn(TableWriter& out, const Laboratory& laboratory) {
  for (std::size_t recipe = 0; recipe < laboratory.recipes().size(); ++recipe) {
    const std::string& label = laboratory.recipes()[recipe].label;
    const double cost = lab_cost(laboratory.runs(), recipe, kLabPoints).value_or(0);
    if (cost > 1.1 * laboratory.options().budget) {
      out.say(wrapped_text(fmt::format("{} spent {:.0f}% more than the budget, since its generations are large.", label,
                                       100 * (cost / laboratory.options().budget - 1))) +
              "\n");
    }
    if (!laboratory.recipes()[recipe].config.rating.gate.empty()) {
      out.say(wrapped_text(fmt::format("{} plays matches at its gate, which are not counted.", label)) + "\n");
    }
  }
}

// Trains, plays and measures what is missing, with a live line that is gone at the end: Elo, then the yardsticks.
// Throws Stopped.
std::vector<LabMeasure> work_off(Laboratory& laboratory, const CompareOptions& options) {
  Progress progress;
  const auto stopped = [&] {
    return Stopped(fmt::format("stopped; nothing that was finished is lost; go on with: {}", command_of(options)));
  };
  if (const int untrained = laboratory.untrained(); untrained > 0) {
    progress.print(fmt::format("{} of {} to be trained in {}. Ctrl-C stops; the same command goes on.", untrained,
                               counted(std::ssize(laboratory.runs()), "run"), options.out));
    if (!laboratory.train(stop_requested())) throw stopped();
  }
  Comparison comparison = laboratory.comparison();
  if (!play_matches(comparison, progress)) throw stopped();
  const auto yardsticks = measure_yardsticks(
      laboratory, [&](const std::string& text) { progress.live(text); },
      [&](const std::string& text) { progress.print(wrapped_text(text)); }, stop_requested());
  if (!yardsticks) throw stopped();

  std::vector<LabMeasure> measures{elo_measure(laboratory.runs(), comparison.table())};
  measures.insert(measures.end(), yardsticks->begin(), yardsticks->end());
  return measures;
}

void run_compare(const CompareOptions& options) {
  catch_signals();
  TableWriter out = table_writer(options.tables);
  const double budget = read_cost(options.budget, "--budget");
  refuse_other_folder(options.out);
  std::vector<Recipe> typed = recipes_of(options, budget);  // refused before anything is written
  FileLock lock(fs::path(options.out) / "lock");
  if (!lock.try_take()) {
    throw UserError(
        fmt::format("{} is in use by another: {}; stop that first", options.out, process_text(lock.holder())));
  }
  // It may write damaged configurations of its runs anew.
  Laboratory laboratory(std::move(typed), {.folder = options.out,
                                           .programs = programs_folder(),
                                           .seeds = options.seeds,
                                           .budget = budget,
                                           .games = options.games,
                                           .visits = options.visits});
  const std::vector<LabMeasure> measures = work_off(laboratory, options);
  const auto& recipes = laboratory.recipes();
  const auto& runs = laboratory.runs();
  explain(out, laboratory);
  out.show(lab_table(recipes, runs, measures));
  out.say("\n");
  out.show(lab_verdicts(recipes, runs, measures));
  warn(out, laboratory);
  if (!out.is_text()) out.show(lab_runs(recipes, runs, measures));
  const fs::path picture = fs::path(options.out) / "compare.svg";
  write_file_atomically(picture, svg(picture_of(laboratory, measures)));
  out.say(fmt::format("\nAs a picture: {}\n", picture.string()));
  out.finish();
}

}  // namespace

void add_compare(CommandLine& line) {
  auto options = std::make_shared<CompareOptions>();
  const Command compare = line.add_command(
      "compare", "Train recipes to the same cost on several seeds and tell which is better; the same command goes on");
  compare.footer(
      "A variant needs no file: quickstart,training.ema=0 is the recipe with another value of a key, and label=NAME "
      "names it. Cost is counted in work and not in seconds: docs/compare.md.");
  compare
      .add_option("recipe", options->recipes,
                  "Configurations or names of recipes, each with settings behind commas; the first is the base")
      .required();
  compare
      .add_option("--budget", options->budget,
                  "Work of each run in core-seconds of the reference core, also as 90s, 10m, 2h or 1d")
      .type_name("COST")
      .required();
  compare.add_option("--seeds", options->seeds, "Runs of each recipe, with the seeds 1, 2, ...")
      .range(1, 1000)
      .show_default();
  compare.add_option("--out", options->out, "Folder of the runs, matches and the picture")
      .type_name("DIR")
      .show_default();
  compare.add_option("--games", options->games, "Games of each match; 0: rating.games of the base")
      .range(0, 1000000)
      .show_default();
  compare.add_option("--visits", options->visits, "Simulations an action in matches; 0: rating.visits of the base")
      .range(0, 100000)
      .show_default();
  compare.add_option("--threads", options->threads, "Threads (default: run.threads of each recipe)").range(0, 1024);
  add_key_settings(compare, options->settings);
  add_tables(compare, options->tables, {"compare", "verdicts", "runs"});
  compare.runs([options] { run_compare(*options); });
}

}  // namespace koridor::cli
