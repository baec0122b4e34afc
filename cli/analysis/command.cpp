// koridor analyze: positions of games as lines of JSON in, what a search finds of each out.
#include <unistd.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/analysis/server.h"
#include "cli/commands.h"
#include "cli/engine/grace_option.h"
#include "cli/engine/lines.h"
#include "cli/engine/output.h"
#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/search_options.h"
#include "models/network/fits.h"

namespace koridor::cli {
namespace {

struct AnalyzeOptions {
  std::string model;
  std::string game;  // empty: the model's
  std::string perspective;
  int visits = 400;
  double seconds = 0;
  int threads = 0;
  int positions = 0;
  int leaves = 8;
  int memory = 1024;
  std::uint64_t seed = 0;
  Notation notation = Notation::standard;
  std::optional<double> grace;
  Evaluation evaluation{};
  std::string algorithm = match_search().algorithm;
  std::vector<std::string> search;
  std::vector<std::string> settings;
};

AnalysisSettings analysis_settings(const AnalyzeOptions& options) {
  const auto model = std::make_shared<const Model>(load_model(find_model(options.model)));
  AnalysisSettings settings{
      .defaults = {.game = parse_game(options.game.empty() ? model->info.game : options.game, options.settings)}};
  require_fits(model->info, settings.defaults.game, options.model);  // said now, and not of every query
  settings.pool.model = model;
  settings.pool.name = options.model;
  settings.pool.evaluation = options.evaluation;
  settings.pool.search.algorithm = options.algorithm;
  apply_search_settings(settings.pool.search, options.search);
  settings.pool.threads = options.threads;
  settings.pool.positions = options.positions;
  settings.pool.leaves = options.leaves;
  settings.pool.memory_mebibytes = static_cast<std::size_t>(options.memory);
  settings.pool.seed = options.seed;
  settings.defaults.notation = options.notation;
  settings.defaults.visits = options.visits;
  settings.defaults.seconds = options.seconds;
  const int players = players_of(settings.defaults.game);
  settings.defaults.perspective =
      options.perspective.empty() ? usual_perspective(players) : parse_perspective(options.perspective);
  return settings;
}

void run_analyze(const AnalyzeOptions& options) {
  AnalysisSettings settings = analysis_settings(options);
  OutputFile file(STDOUT_FILENO);
  AnalysisServer server(std::move(settings), [&](std::string_view line) { file.write(line); });
  LineInput input(STDIN_FILENO, STDOUT_FILENO);
  while (!file.gone()) {
    const auto line = input.next();
    if (!line) break;
    line->cut ? server.refuse_long_line(LineInput::kLongest) : server.line(line->text);
  }
  server.end(options.grace.value_or(std::numeric_limits<double>::infinity()), [&] { return file.gone(); });
  file.require_written();
  input.require_read();
}

void add_limits(const Command& command, AnalyzeOptions& options) {
  command.add_option("--visits", options.visits, "Simulations of a position whose query does not say how many")
      .range(1, 1'000'000'000)
      .show_default();
  command.add_option("--seconds", options.seconds, "Seconds that the search of a position takes at most; 0: no limit")
      .range(0.0, 1e6)
      .show_default();
  command.add_option("--threads", options.threads, "Threads; 0: one per core").range(0, 1024).show_default();
  command.add_option("--positions", options.positions, "Positions searched at a time, at most; 0: 16 per thread")
      .range(0, 65536)
      .show_default();
  command
      .add_option("--leaves", options.leaves,
                  "Leaves in flight of one position where there are few; 1: results do not depend on timing")
      .range(1, 1024)
      .show_default();
  command
      .add_option("--memory", options.memory,
                  "Of all search trees together, in MiB; a full tree ends its search, with a warning")
      .range(16, 1 << 24)
      .type_name("MIB")
      .show_default();
}

}  // namespace

void add_analyze(CommandLine& line) {
  auto options = std::make_shared<AnalyzeOptions>();
  const Command command = line.add_command("analyze", "Analyse positions that come as lines of JSON, many at once");
  command.footer(
      "Queries come on standard input and answers go to standard output, one JSON object per line, as they are "
      "ready; the end of input ends the program when all is answered, or after --grace. docs/analysis.md describes "
      "both. In Go it is the protocol of KataGo's analysis engine.");
  command.add_option("game", options->game, "Game id or variant string (default: the model's)").type_name("GAME");
  command.add_option("--model", options->model, "Model file, or the name of a trained model")
      .required()
      .type_name("FILE");
  add_limits(command, *options);
  command
      .add_option("--perspective", options->perspective,
                  "Whose win rates are told: black (player 1), white (player 2) or sidetomove (default: black, "
                  "with more than two players sidetomove)")
      .type_name("NAME");
  command.add_option("--seed", options->seed, "Of the searches").show_default();
  add_notation(command, options->notation, "How actions of wall games are written");
  add_rule_settings(command, options->settings);
  add_grace(command, options->grace, "default: until every query is answered");
  add_algorithm(command, options->algorithm);
  add_search_settings(command, options->search);
  add_evaluation(command, options->evaluation, true);
  command.runs([options] { run_analyze(*options); });
}

}  // namespace koridor::cli
