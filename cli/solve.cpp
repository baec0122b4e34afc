// koridor solve: the exact value of a position, proven.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <set>
#include <variant>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/progress.h"
#include "core/base/signals.h"
#include "core/registry.h"
#include "core/solve/solver.h"

namespace koridor::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct SolveOptions {
  std::string game;
  std::string moves;
  Notation notation = Notation::standard;
  std::vector<std::string> settings;
  double seconds = 600;
  int mebibytes = 2048;
  bool actions = false;
  TableOptions tables;
};

using enum ColumnType;

// The player who wins, from 1; nothing for a draw.
Cell winner_of(Proof value, int player) {
  if (value == Proof::draw) return {};
  return (value == Proof::win ? player : 1 - player) + 1;
}

// The plies to the end; nothing for a draw, and where the solver counts none.
Cell plies_of(int distance) {
  return distance == 0 ? Cell() : Cell(distance);
}

// "player 2 wins in 12 plies", of a row with the columns `winner` and `plies`.
std::string value_text(const TableRow& row) {
  if (row.empty("winner")) return "a draw";
  if (row.empty("plies")) return fmt::format("player {} wins", row.integer("winner"));
  return fmt::format("player {} wins in {}", row.integer("winner"), counted(row.integer("plies"), "ply", "plies"));
}

Table position_table() {
  return {"position",
          {{"game", text},
           {"player_to_move", integer},
           {"winner", integer},
           {"plies", integer, "plies"},
           {"best_actions", text},
           {"best_play", text}},
          [](const TableRow& row) {
            return fmt::format("{}, player {} to move: {}\nbest actions  {}\nbest play     {}\n", row.text("game"),
                               row.integer("player_to_move"), value_text(row), row.text("best_actions"),
                               row.text("best_play"));
          }};
}

Table solved_actions_table() {
  return {"actions", {{"action", text}, {"winner", integer}, {"plies", integer, "plies"}}, [](const TableRow& row) {
            return fmt::format("  {:<6} {}\n", row.text("action"), value_text(row));
          }};
}

Table effort_table(const std::string& proven) {
  return {"effort",
          {{"positions", integer},
           {"drawn_positions", integer},
           {"wall_arrangements", integer},
           {"longest_win", integer, "plies"},
           {"seconds", number, "s"},
           {"bytes_kept", integer, "bytes"}},
          [proven](const TableRow& row) {
            return fmt::format("proven        {}\neffort        {:.1f} s, {:.0f} MiB kept\n", proven,
                               row.number("seconds"), row.number("bytes_kept") / (1 << 20));
          }};
}

// The best play of both players to the end, or until a position occurs for the third time.
template <Game G>
std::string best_line(const G& game, Position<G> position, std::shared_ptr<const Solver<G>> solver,
                      const SolveLimits& limits, Notation notation) {
  std::string line;
  std::multiset<std::uint64_t> seen;
  for (int ply = 0; !game.outcome(position.state, position.history).over(); ++ply) {
    const std::uint64_t key = game.repetition_key(position.state);
    seen.insert(key);
    if (seen.count(key) == 3) return line + " and so on";
    Action action{};
    // The value is proven; the line is only an extra, for which there may be no memory or no time left.
    try {
      if (!solver->covers(position)) solver = std::make_shared<const Solver<G>>(game, position, limits);
      action = solver->solution(position).best.front();
    } catch (const UserError&) {
      return line + " ...";
    } catch (const SolveStopped&) {
      return line + " ...";
    }
    line += fmt::format("{}{}", ply == 0 ? "" : " ", game.print_action(position.state, action, notation));
    position.apply(game, action);
  }
  return line;
}

template <Game G>
void solve(const G& game, const SolveOptions& options, TableWriter& out) {
  const Notation notation = options.notation;
  Position<G> position(game);
  play_moves(game, position, options.moves, notation);
  if (game.outcome(position.state, position.history).over()) throw UserError("--moves: the game is over then");

  const auto start = Clock::now();
  SolveLimits limits{.mebibytes = static_cast<std::size_t>(options.mebibytes), .keep_all = false};
  limits.keep_going = [&] { return !stop_requested() && seconds_since(start) < options.seconds; };
  std::shared_ptr<const Solver<G>> solver;
  {
    Progress progress;
    if (::isatty(STDOUT_FILENO) == 1) {
      limits.progress = [&, shown = start](std::uint64_t done, std::uint64_t total) mutable {
        if (seconds_since(shown) < 0.2) return;
        shown = Clock::now();
        progress.live(fmt::format("{} of {} positions", short_count(static_cast<double>(done)),
                                  short_count(static_cast<double>(total))));
      };
    }
    try {
      solver = std::make_shared<const Solver<G>>(game, position, limits);
    } catch (const SolveStopped& stopped) {
      if (stop_requested()) throw;
      throw UserError(fmt::format("{} was not solved in the time given: {}; give more than {:g} s by --seconds",
                                  game.name(), stopped.reached(), options.seconds));
    }
  }
  const double seconds = seconds_since(start);
  limits.progress = {};

  const int player = game.player_to_move(position.state);
  const Solution solution = solver->solution(position);
  const SolveReport report = solver->report();  // without what the line of best play asks for
  std::vector<std::string> best;
  for (const Action action : solution.best) best.push_back(game.print_action(position.state, action, notation));
  out.begin(position_table());
  out.row({game.name(), player + 1, winner_of(solution.value, player), plies_of(solution.distance),
           fmt::format("{}", fmt::join(best, " ")), best_line(game, position, solver, limits, notation)});
  if (options.actions) {
    out.begin(solved_actions_table());
    for (const SolvedAction& solved : solution.actions) {
      out.row({game.print_action(position.state, solved.action, notation), winner_of(solved.value, player),
               plies_of(solved.distance)});
    }
  }
  out.begin(effort_table(report.summary(game.max_plies())));
  out.row({report.positions, report.drawn, report.configurations, report.longest, seconds, report.bytes});
  out.finish();
}

}  // namespace

void add_solve(CommandLine& line) {
  auto options = std::make_shared<SolveOptions>();
  const Command solve_command = line.add_command("solve", "Prove the value of a position of a small game");
  solve_command.footer("Exact, not estimated: who wins with best play of both, in how many plies, by which actions.");
  solve_command.add_option("game", options->game, "Game id or variant string, e.g. quoridor:5x5,walls=3")
      .type_name("GAME")
      .required();
  solve_command.add_option("--moves", options->moves, "Actions to play first, e.g. \"c4 c2 b3h\" for quoridor:5x5");
  add_notation(solve_command, options->notation, "Of --moves and of the output");
  add_rule_settings(solve_command, options->settings);
  solve_command.add_option("--seconds", options->seconds, "Give up after so long").range(0.0, 1e9).show_default();
  solve_command.add_option("--megabytes", options->mebibytes, "Memory for tables, in MiB")
      .range(1, 1 << 20)
      .show_default();
  solve_command.add_flag("--actions", options->actions, "The value of every legal action too");
  add_tables(solve_command, options->tables, {"position", "actions", "effort"});
  solve_command.runs([options] {
    catch_signals();
    require_option(options->tables, "actions", "--actions", options->actions);
    TableWriter out = table_writer(options->tables);
    std::visit([&](const auto& game) { solve(game, *options, out); }, find_game(options->game, options->settings));
  });
}

}  // namespace koridor::cli
