// koridor engine: a model behind a protocol that other programs speak.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "cli/engine/grace_option.h"
#include "cli/engine/protocol.h"
#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "cli/seed_option.h"
#include "core/base/error.h"

namespace koridor::cli {
namespace {

struct EngineOptions {
  std::string model;
  std::string game;      // empty: the model's
  std::string protocol;  // empty: that of the first line
  int visits = 0;        // 0: not given
  double seconds = 0;    // 0: not given
  double margin = EngineSettings::kUsualMargin;
  std::string clock = "none";
  std::string level;  // empty: full strength
  double temperature = -1;
  std::string resign;  // empty: never
  int threads = 0;
  int leaves = 0;
  int memory = ThinkerSettings{}.memory_mebibytes;
  bool ponder = false;
  std::optional<std::uint64_t> seed;  // none: another one each time
  std::string notation;               // empty: the protocol's
  std::string first;                  // empty: the protocol's
  std::optional<double> grace;
  // A search of seconds evaluates more positions than the usual cache has rows; rows never written take no memory.
  Evaluation evaluation{.cache_mebibytes = 256};
  std::string algorithm = match_search().algorithm;
  std::vector<std::string> search;
  std::vector<std::string> settings;
  std::vector<std::string> given;  // the names of the options that were written
};

void set_strength(EngineSettings& settings, const EngineOptions& options) {
  settings.own = {.level = options.level, .visits = options.visits, .temperature = options.temperature};
  settings.set_level(options.level);
  settings.seconds = options.seconds;
  settings.margin = options.margin;
  settings.clock = parse_time_control(options.clock);
  if (options.resign.empty()) return;
  settings.resign = read_resign_rule(options.resign, "--resign", {.play_on = 0});
  const auto [name, players] =
      std::visit([](const auto& game) { return std::pair(game.name(), game.players()); }, settings.game);
  if (players != 2) throw UserError(fmt::format("--resign: {} has more than two players", name));
}

EngineSettings engine_settings(const EngineOptions& options) {
  auto model = std::make_shared<const Model>(load_model(find_model(options.model)));
  EngineSettings settings{.game = parse_game(options.game.empty() ? model->info.game : options.game, options.settings)};
  settings.thinker.name = options.model;
  settings.thinker.model = std::move(model);
  settings.thinker.evaluation = options.evaluation;
  settings.seed = chosen_seed(options.seed);
  settings.thinker.seed = settings.seed;
  settings.thinker.threads = options.threads;
  settings.thinker.leaves = options.leaves;
  settings.thinker.memory_mebibytes = options.memory;
  settings.thinker.search.algorithm = options.algorithm;
  apply_search_settings(settings.thinker.search, options.search);
  if (!options.notation.empty()) settings.naming = parse_naming(options.notation);
  if (!options.first.empty()) settings.first = parse_colour(options.first);
  settings.ponder = options.ponder;
  settings.grace = options.grace;
  settings.given = options.given;
  set_strength(settings, options);
  return settings;
}

void run_engine(const EngineOptions& options) {
  OutputFile file(STDOUT_FILENO);
  Output output([&](std::string_view text) { file.write(text); }, [&] { return file.gone(); });
  Engine engine(engine_settings(options), output);
  LineInput input(STDIN_FILENO, STDOUT_FILENO);
  serve(engine, input, options.protocol);
  file.require_written();
  input.require_read();
}

void add_strength(const Command& engine, EngineOptions& options) {
  engine
      .add_option("--visits", options.visits,
                  fmt::format("Simulations a move (default: {}, or no limit where time limits a move)",
                              EngineSettings::kUsualVisits))
      .range(1, 1'000'000'000);
  engine.add_option("--seconds", options.seconds, "Seconds a move at most").range(0.001, 1e6);
  engine.add_option("--clock", options.clock, "Time control, until the protocol says another: 60+0.6, 5m+5x30s, 40/5m")
      .show_default();
  engine
      .add_option("--margin", options.margin,
                  "Seconds of a move's time, at least, that are left for the way of the answer")
      .range(0.0, 10.0)
      .show_default();
  engine.add_option("--level", options.level, fmt::format("How strong it plays: {}", level_names())).type_name("LEVEL");
  engine.add_option("--temperature", options.temperature, "Of the draw among the actions; 0: the best one (default)")
      .range(0.0, 100.0);
  engine
      .add_option("--resign", options.resign,
                  "Give a game up where so little is expected for so many turns, as in value=0.02,turns=3; a share "
                  "play_on of the games (usually none) is played on all the same")
      .type_name("RULE");
  engine.add_flag("--ponder", options.ponder, "Search on in the opponent's time, in protocols that do not say when");
  engine.add_option("--threads", options.threads, "That search one position; 0: all cores")
      .range(0, 1024)
      .show_default();
  engine.add_option("--leaves", options.leaves, "Leaves in flight of one position; 0: by the threads and the visits")
      .range(0, Strength::kMostLeaves)
      .show_default();
  engine
      .add_option(
          "--memory", options.memory,
          "Of the search's trees, half of it of the present one (in the protocol analysis all searches share it, "
          "and one ends when that is used up)")
      .range(1, 1 << 20)
      .type_name("MIB")
      .show_default();
  add_seed(engine, options.seed);
}

}  // namespace

void add_engine(CommandLine& line) {
  auto options = std::make_shared<EngineOptions>();
  const Command engine = line.add_command("engine", "Speak an engine protocol on standard input and output");
  engine.add_option("game", options->game, "Game id or variant string (default: the model's)").type_name("GAME");
  engine.add_option("--model", options->model, "Model file, or the name of a trained model")
      .required()
      .type_name("FILE");
  engine
      .add_option("--protocol", options->protocol,
                  fmt::format("One of {} (default: by the first line)", protocol_names()))
      .type_name("NAME");
  add_strength(engine, *options);
  engine.add_option("--notation", options->notation, "How actions of wall games are written (default: the protocol's)")
      .one_of({"standard", "modern", "qtp"});
  engine.add_option("--first", options->first, "The colour that moves first in wall games (default: the protocol's)")
      .one_of({"black", "white"});
  add_grace(
      engine, options->grace,
      fmt::format("default: {:g}, and no limit for queries of the analysis protocol", EngineSettings::kUsualGrace));
  add_rule_settings(engine, options->settings);
  add_algorithm(engine, options->algorithm);
  add_search_settings(engine, options->search);
  add_evaluation(engine, options->evaluation, true);
  engine.runs([options, engine] {
    options->given = engine.given();
    run_engine(*options);
  });
}

}  // namespace koridor::cli
