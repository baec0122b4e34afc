// koridor simulate-scale: what more workers would bring to a run.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/scale/files.h"
#include "bench/scale/run_rates.h"
#include "bench/scale/simulation.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "selfplay/generator/lease_files.h"
#include "train/run/config.h"
#include "train/run/run_config.h"
#include "train/run/run_directory.h"

namespace koridor::cli {
namespace {

constexpr double kFileSeconds = 1.5;  // of measuring the file system

struct ScaleOptions {
  std::string run;
  std::vector<int> workers = {1, 2, 4, 16, 64, 256, 1024, 4096, 10000};
  std::string mode;  // empty: the run's own
  int games = 0;
  int range = 0;
  int cores = 0;
  double games_per_second = 0;
  double load_seconds = -1;
  double samples_per_second = 0;
  double operations_per_second = 0;
  double bytes_per_second = 0;
  int relay = 0;
  double poll_seconds = 1;
  double rating_seconds = 0;
  TableOptions tables;
};

bench::ScaleRates rates_of(const ScaleOptions& options, const RunDirectory& run) {
  bench::ScaleRates rates = bench::rates_of_run(run);
  const bench::FileSpeed files = bench::measure_files(run.root(), kFileSeconds);
  rates.operation_seconds = files.operation_seconds;
  rates.operations_per_second = files.operations_per_second;
  rates.bytes_per_second = files.bytes_per_second;
  if (options.games_per_second > 0) rates.games_per_second = options.games_per_second;
  if (options.load_seconds >= 0) rates.load_seconds = options.load_seconds;
  if (options.samples_per_second > 0) rates.samples_per_second = options.samples_per_second;
  if (options.operations_per_second > 0) rates.operations_per_second = options.operations_per_second;
  if (options.bytes_per_second > 0) rates.bytes_per_second = options.bytes_per_second;
  return rates;
}

void show_rates(const bench::ScaleRates& rates, const bench::ScalePlan& plan, TableWriter& out) {
  out.say(fmt::format(
      "One worker plays {:.3g} games per second in {}, a game has {:.1f} positions to learn from and {:.1f} kB,\n"
      "the trainer learns from {} samples per second, a model has {:.2f} MB, and a generation has {}; {}.\n"
      "The file system does {} operations per second, one in {:.0f} us, and writes {:.0f} MB per second.\n"
      "Assumed, not measured: {:.2g} s from a model's file to the first game, {:.0f}% of the speed with one game\n"
      "left, and a spread of {:.0f}% of the lengths of games.\n\n",
      rates.games_per_second, counted(rates.slots, "slot"), rates.positions_per_game, rates.bytes_per_game / 1e3,
      short_count(rates.samples_per_second), rates.model_bytes / 1e6, counted(plan.games, "game"),
      plan.mode == bench::ScaleMode::in_step ? "they take turns" : "both go on at once",
      short_count(rates.operations_per_second), rates.operation_seconds * 1e6, rates.bytes_per_second / 1e6,
      rates.load_seconds, 100 * rates.alone, 100 * rates.length_spread));
}

void simulate(const ScaleOptions& options) {
  const RunDirectory run(options.run);
  check_is_run(run);
  const Config config = load_run_config(run);
  bench::ScalePlan plan;
  const std::string& mode = options.mode.empty() ? config.run.mode : options.mode;
  plan.mode = mode == "continuous" ? bench::ScaleMode::at_once : bench::ScaleMode::in_step;
  plan.games = options.games > 0 ? options.games : config.selfplay.games;
  plan.samples_per_position = config.training.samples_per_position;
  if (options.range > plan.games) {
    throw UserError(
        fmt::format("--range {} is more than a generation has: {}", options.range, counted(plan.games, "game")));
  }
  plan.lease_games = options.range > 0 ? options.range : static_cast<int>(ranges_of(plan.games).front().games());
  plan.ahead = config.run.ahead;
  plan.cores = options.cores;
  plan.relay = options.relay;
  plan.poll_seconds = options.poll_seconds;
  plan.rating_seconds = options.rating_seconds;
  catch_signals();  // the files that are written to measure go in any case
  const bench::ScaleRates rates = rates_of(options, run);
  if (stop_requested()) throw Stopped("stopped before the file system was measured");
  release_signals();
  TableWriter out = table_writer(options.tables);
  show_rates(rates, plan, out);
  using enum ColumnType;
  out.begin({"scale",
             {{"workers", integer, "", "workers", 7, "{}"},
              {"games_per_second", number, "1/s", "games/s", 10, "{:.4g}"},
              {"of_ideal", number, "", "playing", 8, "{:.1f}%", 100},
              {"waiting_for_files", number, "", "files", 7, "{:.1f}%", 100},
              {"draining", number, "", "last", 7, "{:.1f}%", 100},
              {"waiting_for_model", number, "", "trainer", 8, "{:.1f}%", 100},
              {"training", number, "", "training", 9, "{:.1f}%", 100},
              {"seconds", number, "s", "generation", 11, "{:.1f} s"},
              {"operations_per_second", number, "1/s", "operations/s", 13, "{:.4g}"},
              {"files_busy", number, "", "busy", 7, "{:.1f}%", 100},
              {"shard_bytes_per_second", number, "B/s", "shards MB/s", 12, "{:.2f}", 1e-6},
              {"model_bytes_per_second", number, "B/s", "models MB/s", 12, "{:.2f}", 1e-6},
              {"models_behind", number, "", "behind", 7, "{:.2f}"}}});
  for (const int workers : options.workers) {
    plan.workers = workers;
    const bench::ScaleFigures figures = bench::simulate_scale(rates, plan);
    out.row({workers, figures.games_per_second, figures.of_ideal, figures.waiting_for_files, figures.draining,
             figures.waiting_for_model, figures.training, figures.seconds, figures.operations_per_second,
             figures.files_busy, figures.shard_bytes_per_second, figures.model_bytes_per_second,
             figures.models_behind});
  }
  out.say(
      "\nShares of the workers' time: playing; waiting for files; with empty slots at a generation's end (last);\n"
      "waiting for the trainer. Training: share of the time in which the trainer trains. Behind: newer models that\n"
      "there are when a game is learned from. docs/scale.md says what to change where a share grows.\n");
  out.finish();
}

}  // namespace

void add_simulate_scale(CommandLine& line) {
  auto options = std::make_shared<ScaleOptions>();
  const Command command = line.add_command("simulate-scale", "Predict what more workers would bring to a run");
  command.add_option("run", options->run, "Run directory, whose own speeds are used; its file system is measured")
      .type_name("DIR")
      .required();
  command.add_option("--workers", options->workers, "Numbers of workers, each on a machine like the run's")
      .range(1, 100000)
      .separated_by(',');
  command
      .add_option("--mode", options->mode,
                  "As run.mode: self-play and training in turn (step), or both all the time (continuous); default: "
                  "the run's")
      .one_of({"step", "continuous"});
  command.add_option("--games", options->games, "Games of a generation instead of the run's").range(1, 10000000);
  command.add_option("--range", options->range, "Games that a worker takes at a time instead of what this build takes")
      .range(1, 10000000);
  command
      .add_option("--worker", options->games_per_second,
                  "Games per second of one worker instead of the run's, as `koridor bench selfplay` measures them")
      .range(1e-6, 1e6);
  command.add_option("--load", options->load_seconds, "Seconds from a model's file to a worker's first game")
      .range(0.0, 1e4);
  command.add_option("--trainer", options->samples_per_second, "Samples per second instead of the run's trainer's")
      .range(1.0, 1e9);
  command.add_option("--cores", options->cores, "How many workers run at full speed; 0: all").range(0, 100000);
  command
      .add_option("--operations", options->operations_per_second,
                  "Operations per second of the file system instead of those measured")
      .range(1.0, 1e9);
  command.add_option("--bandwidth", options->bytes_per_second, "Bytes per second, likewise").range(1.0, 1e13);
  command
      .add_option("--relay", options->relay,
                  "Workers of a rack with a relay that beats, looks, reads models and writes shards for them; 0: none. "
                  "Koridor has no such process")
      .range(0, 100000);
  command.add_option("--poll", options->poll_seconds, "Seconds between two looks of a waiting worker")
      .range(0.01, 1000.0)
      .show_default();
  command
      .add_option("--rating", options->rating_seconds, "Seconds of matches after each generation, on average, in step")
      .range(0.0, 1e6)
      .show_default();
  add_tables(command, options->tables, {"scale"});
  command.runs([options] { simulate(*options); });
}

}  // namespace koridor::cli
