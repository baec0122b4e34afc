// koridor openings: draws even openings for matches and ratings.
#include "selfplay/matches/openings.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/terminal.h"
#include "core/saved_game.h"
#include "selfplay/matches/player_text.h"
#include "selfplay/matches/yardstick/measure.h"
#include "train/run/output_file.h"

namespace koridor::cli {
namespace {

struct OpeningsOptions {
  std::string game;
  std::vector<std::string> settings;
  std::string model;
  std::string out;
  double temperature = 1.5;
  int visits = 64;
  OpeningDraw draw;
};

std::vector<DrawnOpening> draw(const AnyGame& game, const OpeningsOptions& options) {
  if (!split_player(options.model).options.empty()) {
    throw UserError(fmt::format("--model: it takes no options, as in {}", options.model));
  }
  MatchPlayer judge = load_untimed({find_model_player(options.model), match_search()}, options.visits);
  judge.name = options.model;
  if (!judge.model) throw UserError(fmt::format("--model: {} is no model", options.model));
  const MatchPlayer opener = load_found_player(
      fmt::format("{},visits=0,temperature={}", options.model, options.temperature), options.visits, match_search());
  Progress progress;
  OpeningDraw drawing = options.draw;
  drawing.progress = [&](int found) {
    progress.live(fmt::format("{} of {}", found, counted(drawing.openings, "opening")));
  };
  return draw_openings(game, opener, judge, drawing, stop_requested());
}

void run(const OpeningsOptions& options) {
  catch_signals();
  const AnyGame game = find_game(options.game, options.settings);
  check_not_read("--out", options.out, files_of_player(find_model_player(options.model)));
  check_output("--out", options.out);
  const std::vector<DrawnOpening> openings = draw(game, options);
  if (stop_requested()) throw Stopped(fmt::format("stopped; {} was not written", options.out));
  if (openings.empty()) {
    throw UserError(fmt::format("no opening of {} was even; allow more by --even, or other lengths by --plies",
                                counted(options.draw.plies, "ply", "plies")));
  }
  std::string text;
  for (const DrawnOpening& opening : openings) {
    text += write_saved_game({.game = game,
                              .actions = opening.actions,
                              .headers = {{"Opening", fmt::format("{} of seed {}", options.model, options.draw.seed)},
                                          {"Expected", fmt::format("{:.2f} points for the next to move, {}",
                                                                   opening.value, counted(options.visits, "visit"))}}});
    text += '\n';
  }
  write_file_atomically(options.out, text);
  fmt::print("{}: {} of {}\n", printable(options.out), counted(std::ssize(openings), "opening"), name_of(game));
  if (std::ssize(openings) < options.draw.openings) {
    fmt::print("No more were found. Another --plies, --temperature or --even brings others.\n");
  }
}

}  // namespace

void add_openings(CommandLine& line) {
  auto options = std::make_shared<OpeningsOptions>();
  options->draw.batch.evaluation = match_evaluation();
  const Command command = line.add_command("openings", "Draw even openings for matches and ratings");
  command.footer(
      "A model plays both sides by lot, and another opening is drawn where it then expects a winner. All lead to "
      "different positions. `koridor match --openings FILE` begins with them, and so do the ratings of a run and the "
      "matches of `koridor compare` with --set rating.openings=FILE.");
  command.add_option("game", options->game, "Game id or variant string, e.g. quoridor").type_name("GAME").required();
  add_rule_settings(command, options->settings);
  command.add_option("--model", options->model, "Model file, or the name of a trained model")
      .type_name("FILE")
      .required();
  command.add_option("--out", options->out, "File to write: notation text, or SGF for Go").type_name("FILE").required();
  command.add_option("--count", options->draw.openings, "So many, or fewer where there are no more")
      .range(1, 100000)
      .show_default();
  command.add_option("--plies", options->draw.plies, "Of each opening").range(1, 1000).show_default();
  command
      .add_option("--temperature", options->temperature,
                  "Of the model's raw policy: the higher, the more varied the openings, and the weaker")
      .range(0.01, 100.0)
      .show_default();
  command.add_option("--even", options->draw.even, "The model expects 0.5 points, or at most so much more or less")
      .range(0.0, 0.5)
      .show_default();
  command.add_option("--visits", options->visits, "Simulations by which the model judges an opening")
      .range(1, 1000000)
      .show_default();
  command.add_option("--seed", options->draw.seed, "The same seed draws the same openings").show_default();
  command.add_option("--threads", options->draw.threads, "0: all cores").range(0, 1024).show_default();
  add_evaluation(command, options->draw.batch.evaluation, true);
  command.runs([options] { run(*options); });
}

}  // namespace koridor::cli
