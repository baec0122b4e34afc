// koridor bench: how fast this machine is at each part of the work, against a limit measured in the same run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench_model.h"
#include "bench/device.h"
#include "bench/evaluator.h"
#include "bench/peers.h"
#include "bench/playouts.h"
#include "bench/rules.h"
#include "bench/selfplay.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/registry.h"
#include "train/run/config.h"

namespace koridor::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> parts;
  std::string game;
  std::string model;
  std::string config = "";
  std::vector<std::string> settings;
  double seconds = 10;
};

// The model that is named, or a random one of the configuration's size: the weights do not change the speed.
Model bench_model(const BenchOptions& options, const Config& config, const AnyGame& game) {
  if (!options.model.empty()) return load_model(options.model);
  return bench::random_network(game, config.network, config.features);
}

void run_bench(const BenchOptions& options) {
  catch_signals();
  std::vector<std::string> settings = options.settings;
  if (!options.game.empty()) settings.push_back("run.game=" + options.game);
  const Config config = options.config.empty()
                            ? parse_config("[run]\ngame = \"quoridor:5x5,walls=3\"", "defaults", settings)
                            : load_config(find_config(options.config), settings);
  const AnyGame game = parse_game(config.run.game);
  const Model model = bench_model(options, config, game);
  const auto wanted = [&](const char* part) {
    return options.parts.empty() || std::ranges::find(options.parts, part) != options.parts.end();
  };
  const std::string title = fmt::format("{}, network of {} blocks x {} channels", config.run.game,
                                        model.info.network.blocks, model.info.network.channels);
  if (wanted("rules")) bench::bench_rules(config.run.game);
  if (wanted("playouts")) bench::bench_playouts();
  if (wanted("evaluator")) {
    bench::bench_evaluator({.game = game, .model = model, .title = "evaluator: " + title});
  }
  const bench::SelfplayTask selfplay{.game = game,
                                     .model = model,
                                     .selfplay = config.selfplay,
                                     .search = config.search,
                                     .threads = config.run.threads,
                                     .seconds = options.seconds};
  if (wanted("selfplay")) bench::bench_selfplay(selfplay, stop_requested());
  // This part loads LibTorch, so it runs only where it is named.
  if (std::ranges::find(options.parts, "device") != options.parts.end())
    bench::bench_device(selfplay, stop_requested());
  if (wanted("peers")) {
    bench::bench_peers(
        {.game = options.game, .selfplay = config.selfplay, .threads = config.run.threads, .seconds = options.seconds},
        stop_requested());
  }
  if (wanted("trainer")) {
    std::fflush(stdout);
    std::vector<std::string> arguments = {(programs_folder() / "koridor-trainer").string(), "--bench"};
    if (!options.config.empty()) arguments.insert(arguments.end(), {"--config", options.config});
    for (const std::string& setting : options.settings) arguments.insert(arguments.end(), {"--set", setting});
    arguments.insert(arguments.end(), {"--set", "run.game=" + config.run.game});
    replace_process(arguments);
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Measure rules, evaluator, self-play and trainer against their limits");
  bench
      ->add_option("part", options->parts,
                   "rules, playouts, evaluator, selfplay, peers, trainer (default: all of them), device")
      ->check(CLI::IsMember({"rules", "playouts", "evaluator", "selfplay", "peers", "trainer", "device"}));
  bench->add_option("--config", options->config, "Configuration whose sizes to measure (default: Quoridor on 5x5)");
  bench->add_option("--game", options->game, "Game id or variant string instead of the configuration's");
  bench->add_option("--model", options->model, "Model file instead of a random network of the configuration's size");
  bench->add_option("--seconds", options->seconds, "How long to measure self-play, each time")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  add_key_settings(*bench, options->settings);
  bench->callback([options] { run_bench(*options); });
}

}  // namespace koridor::cli
