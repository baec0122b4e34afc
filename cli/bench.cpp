// koridor bench: how fast this machine is at each part of the work, against a limit measured in the same run.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench_model.h"
#include "bench/device.h"
#include "bench/evaluator.h"
#include "bench/measure.h"
#include "bench/peers.h"
#include "bench/play.h"
#include "bench/playouts.h"
#include "bench/protocol.h"
#include "bench/rules.h"
#include "bench/selfplay.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/process.h"
#include "core/base/signals.h"
#include "core/registry.h"
#include "models/network/fits.h"
#include "train/learner/trainer_table.h"
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
  TableOptions tables;
};

// The model that is named, or a random one of the configuration's size: the weights do not change the speed.
Model bench_model(std::optional<Model> named, const std::string& name, const Config& config, const AnyGame& game) {
  if (!named) return bench::random_network(game, config.network, config.features);
  require_fits(named->info, game, name);
  return *std::move(named);
}

// The JSON at the end of what a program put out.
nlohmann::json last_object(const std::string& output) {
  const std::size_t line = output.rfind("\n{\n");
  const std::size_t start = line == std::string::npos ? 0 : line + 1;
  return nlohmann::json::parse(output.substr(start), nullptr, false);
}

// The trainer's bench is a program of its own, since it needs LibTorch. For a person it takes this one's place; else
// its row joins the others.
void bench_trainer(const BenchOptions& options, const Config& config, TableWriter& out) {
  std::vector<std::string> arguments = {(programs_folder() / "koridor-trainer").string(), "--bench"};
  if (!options.config.empty()) arguments.insert(arguments.end(), {"--config", find_config(options.config)});
  for (const std::string& setting : options.settings) arguments.insert(arguments.end(), {"--set", setting});
  arguments.insert(arguments.end(), {"--set", "run.game=" + config.run.game});
  if (out.is_text()) {
    std::fflush(stdout);
    replace_process(arguments.front(), arguments);
  }
  arguments.push_back("--json");
  const TemporaryPath output("bench", ".log");
  Process trainer(arguments, output.path());
  while (!trainer.poll()) {
    if (stop_requested()) trainer.terminate();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  bench::require_not_stopped();
  const nlohmann::json document = last_object(read_file(output.path()));
  if (trainer.wait() != 0 || !document.is_object() || !document.contains("trainer")) {
    throw UserError(
        fmt::format("the trainer's bench ended with status {}: {}", trainer.wait(), last_line(output.path())));
  }
  const Table table = trainer_table();
  out.begin(table);
  for (const nlohmann::json& row : document["trainer"]) {
    std::vector<Cell> cells;
    for (const Column& column : table.columns()) {
      const nlohmann::json& value = row.at(column.name);
      if (column.type == ColumnType::text) {
        cells.emplace_back(value.get<std::string>());
      } else if (column.type == ColumnType::integer) {
        cells.emplace_back(value.get<std::int64_t>());
      } else {
        cells.emplace_back(value.is_number() ? Cell(value.get<double>()) : Cell());
      }
    }
    out.row(std::move(cells));
  }
}

// Throws UserError for --game or --model where none of the parts that were named takes it.
void require_used(const BenchOptions& options) {
  const auto require = [&](const std::string& option, bool given, const std::vector<std::string>& without) {
    const auto ignores = [&](const std::string& part) { return std::ranges::find(without, part) != without.end(); };
    if (!given || options.parts.empty() || !std::ranges::all_of(options.parts, ignores)) return;
    throw UserError(fmt::format("{} means nothing to {}", option, fmt::join(options.parts, " and ")));
  };
  require("--game", !options.game.empty(), {"playouts"});
  require("--model", !options.model.empty(), {"rules", "playouts", "peers", "trainer"});
  // The tables have the names of their parts but for these.
  const std::string& table = options.tables.table;
  const std::string part = table == "evaluators" || table == "differences" ? "evaluator" : table;
  const bool named = std::ranges::find(options.parts, part) != options.parts.end();
  require_option(options.tables, table, part, named || (options.parts.empty() && part != "device"));
}

void run_bench(const BenchOptions& options) {
  catch_signals();
  require_used(options);
  TableWriter out = table_writer(options.tables);
  std::optional<Model> named;
  if (!options.model.empty()) named = load_model(find_model(options.model));
  std::vector<std::string> settings = options.settings;
  if (named && options.config.empty()) settings.insert(settings.begin(), "run.game=" + named->info.game);
  if (!options.game.empty()) {
    parse_game(options.game);  // throws without the key's name
    settings.push_back("run.game=" + options.game);
  }
  const Config config = options.config.empty()
                            ? parse_config("[run]\ngame = \"quoridor:5x5,walls=3\"", "defaults", settings)
                            : load_config(find_config(options.config), settings);
  const AnyGame game = parse_game(config.run.game);
  const Model model = bench_model(std::move(named), options.model, config, game);
  const auto wanted = [&](const char* part) {
    return options.parts.empty() || std::ranges::find(options.parts, part) != options.parts.end();
  };
  const std::string title =
      fmt::format("{}, network of {} x {}", config.run.game, counted(model.info.network.blocks, "block"),
                  counted(model.info.network.channels, "channel"));
  if (wanted("rules")) bench::bench_rules(config.run.game, out);
  if (wanted("playouts")) bench::bench_playouts(out);
  if (wanted("evaluator")) {
    bench::bench_evaluator({.game = game, .model = model, .title = "evaluator: " + title}, out);
  }
  const bench::SelfplayTask selfplay{.game = game,
                                     .model = model,
                                     .selfplay = config.selfplay,
                                     .search = config.search,
                                     .threads = config.run.threads,
                                     .seconds = options.seconds};
  if (wanted("selfplay")) bench::bench_selfplay(selfplay, out, stop_requested());
  bench::require_not_stopped();
  if (wanted("protocol")) {
    bench::bench_protocol({.game = game, .model = model, .program = (programs_folder() / "koridor").string()}, out);
  }
  if (wanted("play")) bench::bench_play(selfplay, out, stop_requested());
  bench::require_not_stopped();
  // This part loads LibTorch, so it runs only where it is named.
  if (std::ranges::find(options.parts, "device") != options.parts.end())
    bench::bench_device(selfplay, out, stop_requested());
  bench::require_not_stopped();
  // Where no part is named, a game without peers leaves this one out.
  if (wanted("peers") && (!options.parts.empty() || options.game.empty() || bench::has_peer(name_of(game)))) {
    bench::bench_peers({.game = options.game.empty() ? "" : name_of(game),
                        .selfplay = config.selfplay,
                        .threads = config.run.threads,
                        .seconds = options.seconds},
                       out, stop_requested());
  }
  bench::require_not_stopped();
  if (wanted("trainer")) bench_trainer(options, config, out);
  bench::require_not_stopped();
  out.finish();
}

}  // namespace

void add_bench(CommandLine& line) {
  auto options = std::make_shared<BenchOptions>();
  const Command bench =
      line.add_command("bench", "Measure rules, evaluator, self-play and trainer against their limits");
  bench
      .add_option("part", options->parts,
                  "rules, playouts, evaluator, selfplay, play, protocol, peers, trainer, device (without: all but "
                  "device, which needs a GPU)")
      .one_of({"rules", "playouts", "evaluator", "selfplay", "play", "protocol", "peers", "trainer", "device"});
  bench.add_option("--config", options->config, "Configuration whose sizes to measure (default: Quoridor on 5x5)")
      .type_name("FILE");
  bench.add_option("--game", options->game, "Game id or variant string instead of the model's or the configuration's")
      .type_name("GAME");
  bench
      .add_option("--model", options->model,
                  "Model file or name instead of a random network of the configuration's size")
      .type_name("FILE");
  bench.add_option("--seconds", options->seconds, "How long to measure self-play, each time")
      .range(0.1, 3600.0)
      .show_default();
  add_key_settings(bench, options->settings);
  add_tables(
      bench, options->tables,
      {"rules", "playouts", "evaluators", "differences", "selfplay", "play", "protocol", "peers", "trainer", "device"});
  bench.runs([options] { run_bench(*options); });
}

}  // namespace koridor::cli
