// koridor train, koridor rate: a whole run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/programs.h"
#include "core/error.h"
#include "models/files.h"
#include "train/loop.h"
#include "train/process.h"
#include "train/progress.h"
#include "train/rating.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;

// The folder this executable is in: the trainer is beside it.
fs::path programs_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

struct TrainOptions {
  std::string config;
  std::string run;
  std::vector<std::string> settings;
};

void run_train(const TrainOptions& options) {
  catch_signals();
  const Config config = load_config(options.config, options.settings);
  const fs::path run = options.run.empty() ? fs::path("runs") / fs::path(options.config).stem() : fs::path(options.run);
  std::string command =
      fmt::format("{} train {}", fs::proximate(programs_folder() / "koridor").string(), options.config);
  if (!options.run.empty()) command += " --run " + options.run;
  for (const std::string& setting : options.settings) command += fmt::format(" --set '{}'", setting);
  run_loop(config, {run, programs_folder(), command}, stop_requested());
}

struct RateOptions {
  std::string run;
};

void run_rate(const RateOptions& options) {
  catch_signals();
  const RunDirectory run(options.run);
  const Config config = load_config(run.config().string());
  Ratings ratings(run, config);
  {
    Progress progress;
    for (int generation = 0; fs::exists(run.model(generation)); ++generation) {
      if (!ratings.due(generation)) continue;
      const auto show = [&](int games, int total) {
        progress.live(fmt::format("{}: {}/{} games", RunDirectory::label(generation), games, total));
      };
      if (!ratings.rate(generation, show, stop_requested())) return;
    }
  }
  fmt::print("{}", ratings.table_text());
}

}  // namespace

void add_train(CLI::App& app) {
  {
    auto options = std::make_shared<TrainOptions>();
    CLI::App* train = app.add_subcommand("train", "Train a network by self-play; the same command continues a run");
    train->add_option("config", options->config, "Configuration, e.g. configs/quickstart.toml")->required();
    train->add_option("--run", options->run, "Run directory (default: runs/<name of the configuration>)");
    train->add_option("--set", options->settings, "section.key=value, overrides the configuration")
        ->type_name("KEY=VALUE");
    train->callback([options] { run_train(*options); });
  }
  {
    auto options = std::make_shared<RateOptions>();
    CLI::App* rate = app.add_subcommand("rate", "Play the missing rating matches of a run and print its table of Elo");
    rate->add_option("run", options->run, "Run directory")->required();
    rate->callback([options] { run_rate(*options); });
  }
}

}  // namespace koridor::cli
