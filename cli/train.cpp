// koridor train: a whole run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/run_folder.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/base/shell.h"
#include "core/base/signals.h"
#include "train/run/join.h"
#include "train/run/loop.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  std::string config;
  std::string run;
  std::vector<std::string> settings;
  bool join = false;
  bool no_selfplay = false;
  int trainers = 1;
};

// The run's directory, by default named after its configuration.
fs::path run_of(const TrainOptions& options) {
  return options.run.empty() ? fs::path("runs") / fs::path(options.config).stem() : fs::path(options.run);
}

// The configuration's file. Throws UserError where none is named: whoever names a run's directory in its place learns
// how that run goes on.
std::string config_file(const TrainOptions& options) {
  const bool named = !options.config.empty();
  const RunDirectory run(named ? options.config : options.run);
  const bool is_run = !run.root().empty() && fs::is_regular_file(run.config());
  std::string file = options.config;
  try {
    file = find_config(options.config);
  } catch (const UserError&) {
    if (!is_run) throw;
  }
  if (is_run && file == options.config) {
    throw UserError(fmt::format("{} is the directory of a run; go on with it by `koridor train {} --run {}`",
                                run.root().string(), shell_word(run.config().string()),
                                shell_word(run.root().string())));
  }
  if (!named) throw UserError("train needs a configuration, e.g. configs/quickstart.toml");
  return file;
}

void run_join(const TrainOptions& options) {
  if (options.config.empty() && options.run.empty()) throw UserError("train --join needs --run DIR or a configuration");
  if (options.config.empty() && !options.settings.empty()) {
    throw UserError("--set: a run is joined with its own configuration; give CONFIG as well to compare them");
  }
  const RunDirectory run(run_of(options));
  require_joinable(run);
  std::optional<Config> given;
  if (!options.config.empty()) given = load_config(find_config(options.config), options.settings);
  Progress progress;
  progress.print(fmt::format("Plays along in {}. Ctrl-C ends that; the run goes on without it.", run.root().string()));
  const auto show = [&](const std::vector<std::string>& parts) { progress.live(parts); };
  const JoinEnd end = join_run(run, given, {.show = show}, stop_requested());
  progress.print(end == JoinEnd::finished ? "The run is finished." : "Stopped; what was played is kept.");
}

void run_train(const TrainOptions& options) {
  catch_signals();
  if (options.join) return run_join(options);
  const Config config = load_config(config_file(options), options.settings);
  refuse_model_names(config);
  const fs::path run = run_of(options);
  refuse_other_folder(run, "an empty folder or a new one for a new run");
  std::string command = fmt::format("{} train {}", shell_program(), shell_word(options.config));
  if (!options.run.empty()) command += " --run " + shell_word(options.run);
  if (options.no_selfplay) command += " --no-selfplay";
  if (options.trainers != 1) command += fmt::format(" --trainers {}", options.trainers);
  run_loop(config,
           {.run = run,
            .programs = programs_folder(),
            .command = command,
            .settings = options.settings,
            .selfplay = !options.no_selfplay,
            .trainers = options.trainers},
           stop_requested());
}

}  // namespace

void add_train(CommandLine& line) {
  auto options = std::make_shared<TrainOptions>();
  const Command train = line.add_command("train", "Train a network by self-play; the same command continues a run");
  train.add_option("config", options->config,
                   "Configuration, e.g. configs/quickstart.toml, or the name of a recipe: quickstart");
  train.add_option("--run", options->run, "Run directory (default: runs/<name of the configuration>)").type_name("DIR");
  train.add_flag("--join", options->join, "Play along in a run that another process leads, here or on another machine");
  train.add_flag("--no-selfplay", options->no_selfplay, "Leave all games to workers that join the run")
      .excludes("--join");
  train
      .add_option(
          "--trainers", options->trainers,
          "Processes that train together on this machine, each on a GPU of its own or its share of the cores; 0: "
          "none, since koridor-trainer --run is started elsewhere")
      .range(0, 64)
      .show_default()
      .excludes("--join");
  add_key_settings(train, options->settings);
  train.runs([options] { run_train(*options); });
}

}  // namespace koridor::cli
