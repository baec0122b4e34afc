// koridor train: a whole run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "core/base/shell.h"
#include "core/base/signals.h"
#include "train/run/loop.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  std::string config;
  std::string run;
  std::vector<std::string> settings;
};

void run_train(const TrainOptions& options) {
  catch_signals();
  const Config config = load_config(find_config(options.config), options.settings);
  const fs::path run = options.run.empty() ? fs::path("runs") / fs::path(options.config).stem() : fs::path(options.run);
  std::string command = fmt::format("{} train {}", shell_program(), shell_word(options.config));
  if (!options.run.empty()) command += " --run " + shell_word(options.run);
  for (const std::string& setting : options.settings) command += " --set " + shell_word(setting);
  run_loop(config, {run, programs_folder(), command}, stop_requested());
}

}  // namespace

void add_train(CommandLine& line) {
  auto options = std::make_shared<TrainOptions>();
  const Command train = line.add_command("train", "Train a network by self-play; the same command continues a run");
  train
      .add_option("config", options->config,
                  "Configuration, e.g. configs/quickstart.toml, or the name of a recipe: quickstart")
      .required();
  train.add_option("--run", options->run, "Run directory (default: runs/<name of the configuration>)");
  add_key_settings(train, options->settings);
  train.runs([options] { run_train(*options); });
}

}  // namespace koridor::cli
