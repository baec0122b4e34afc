// koridor yardstick-set: makes a set of positions for `koridor yardstick`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/evaluation_options.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/solver_limits.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/base/stopped.h"
#include "core/base/terminal.h"
#include "core/solve/solver.h"
#include "selfplay/matches/yardstick/draw.h"
#include "selfplay/matches/yardstick/measure.h"
#include "selfplay/matches/yardstick/set_file.h"
#include "train/run/output_file.h"

namespace koridor::cli {
namespace {

struct SetOptions {
  std::string game;
  std::vector<std::string> settings;
  std::string out;
  std::string check;
  std::string player;
  int visits = 3200;
  int positions = 1000;
  std::uint64_t seed = 1;
  int mebibytes = static_cast<int>(SolveLimits{}.mebibytes);
  YardstickOptions measure;
};

YardstickSet solved_set(const AnyGame& game, const SetOptions& options) {
  Progress progress;
  SolveLimits limits = limits_until_stopped(options.mebibytes);
  limits.progress = [&](std::uint64_t done, std::uint64_t total) {
    progress.live(fmt::format("{} of {} positions solved", short_count(static_cast<double>(done)),
                              short_count(static_cast<double>(total))));
  };
  const AnySolver solution = [&] {
    try {
      return solve_game(game, limits);
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}; or take the judgement of a model, by --player", error.what()));
    }
  }();
  YardstickSet set = draw_proven_set(game, solution, options.positions, options.seed);
  if (set.positions.empty()) throw UserError(fmt::format("{}: no action ever gives anything away", set.game));
  return set;
}

YardstickSet referred_set(const AnyGame& game, SetOptions options) {
  YardstickSet set = draw_open_set(game, options.positions, options.seed);
  if (set.positions.empty()) throw UserError(fmt::format("{}: there is never anything to choose", set.game));
  Progress progress;
  options.measure.progress = [&](int done, int total) {
    progress.live(fmt::format("{} of {} positions", done, total));
  };
  options.measure.seed = options.seed;
  refer_to(set, {find_player(options.player), match_search()}, options.visits, options.measure, stop_requested());
  set.reference.player = options.player;
  return set;
}

// The set to compare with. Throws UserError where it is of another game.
YardstickSet set_to_check(const std::string& file, const AnyGame& game) {
  YardstickSet set = read_yardstick_set(find_yardstick(file));
  if (set.game != name_of(game)) throw UserError(fmt::format("{} is of {}, not of {}", file, set.game, name_of(game)));
  return set;
}

// Throws UserError unless the file's set, `other`, holds exactly these positions.
void compare(const YardstickSet& set, const YardstickSet& other, const std::string& file) {
  const YardstickSet there = parse_yardstick_set(yardstick_bytes(set), "the set just made");  // as a file rounds it
  if (there.positions.size() != other.positions.size()) {
    throw UserError(fmt::format("{} has {}, and {} were found now", file,
                                counted(std::ssize(other.positions), "position"), there.positions.size()));
  }
  const auto [mine, its] = std::ranges::mismatch(there.positions, other.positions);
  if (mine == there.positions.end() && its == other.positions.end()) return;
  throw UserError(fmt::format("{}: position {} is not what was found now", file, mine - there.positions.begin() + 1));
}

void run(const SetOptions& options) {
  if (options.out.empty() == options.check.empty()) throw UserError("name the file by one of --out and --check");
  catch_signals();
  if (!options.out.empty()) {
    check_not_read("--out", options.out, files_of_player(options.player));
    check_output("--out", options.out);
  }
  const AnyGame game = find_game(options.game, options.settings);
  std::optional<YardstickSet> other;
  if (!options.check.empty()) other = set_to_check(options.check, game);
  check_set_fits(game, options.positions, options.player);
  const YardstickSet set = options.player.empty() ? solved_set(game, options) : referred_set(game, options);
  if (stop_requested()) throw Stopped("stopped before the set was made");
  const std::string what = fmt::format("{} of {}", counted(std::ssize(set.positions), "position"), set.game);
  if (!options.check.empty()) {
    compare(set, *other, options.check);
    fmt::print("{}: {}, as found now\n", printable(options.check), what);
    return;
  }
  write_yardstick_set(options.out, set);
  fmt::print("{}: {}\n", printable(options.out), what);
}

// What only one of the two kinds of sets knows.
void refuse_foreign_options(const Command& command, bool judged) {
  const auto refuse = [&](const char* option, const char* why) {
    if (command.given(option)) throw UserError(fmt::format("{}: {}", option, why));
  };
  if (judged) return refuse("--megabytes", "it is of the solver, and with --player a model judges");
  for (const char* option : {"--visits", "--threads", "--backend", "--precision", "--device", "--cache"}) {
    refuse(option, "it is of --player, and without it the game is solved");
  }
}

}  // namespace

void add_yardstick_set(CommandLine& line) {
  auto options = std::make_shared<SetOptions>();
  options->measure.batch.evaluation = match_evaluation();
  const Command command = line.add_command("yardstick-set", "Make a set of positions for `koridor yardstick`");
  command.footer(
      "A small game is solved, and the set has the proven value of every action. Of any other game the set has what a "
      "player's search says (--player MODEL --visits 3200). The positions depend on game and seed alone.");
  command.add_option("game", options->game, "Game id or variant string, e.g. quoridor:5x5,walls=3")
      .type_name("GAME")
      .required();
  add_rule_settings(command, options->settings);
  command.add_option("--out", options->out, "File to write").type_name("FILE");
  command.add_option("--check", options->check, "Write nothing and compare with this file, or with a set by its name")
      .type_name("SET");
  command.add_option("--positions", options->positions, "So many, or fewer where there are no more")
      .range(1, 1000000)
      .show_default();
  command.add_option("--seed", options->seed, "Of the games from which they are drawn").show_default();
  command.add_option("--player", options->player, "Whose judgement is taken: a model; without it the game is solved")
      .type_name("PLAYER");
  command.add_option("--visits", options->visits, "Of --player: simulations per position")
      .range(1, 1000000)
      .show_default();
  command.add_option("--megabytes", options->mebibytes, "Memory for the solver's tables, in MiB")
      .range(1, 1 << 20)
      .show_default();
  command.add_option("--threads", options->measure.threads, "Of --player; 0: all cores").range(0, 1024).show_default();
  add_evaluation(command, options->measure.batch.evaluation, true);
  command.runs([options, command] {
    refuse_foreign_options(command, !options->player.empty());
    run(*options);
  });
}

}  // namespace koridor::cli
