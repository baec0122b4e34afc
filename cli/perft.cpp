// koridor perft: leaves of the tree of legal actions, against which rules are checked.
#include "core/perft.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <variant>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/registry.h"

namespace koridor::cli {
namespace {

struct PerftOptions {
  std::string game;
  int depth = 3;
  bool divide = false;
  bool no_pass = false;
  std::string moves;
  Notation notation = Notation::standard;
  std::vector<std::string> settings;
  TableOptions tables;
};

using enum ColumnType;

Table actions_table() {
  return {"actions",
          {{"action", text, "", "", -6, "{}"}, {"leaves", integer, "", "", 0, "{}"}},
          [](const TableRow& row) { return fmt::format("{:<6} {}\n", row.text("action"), row.integer("leaves")); }};
}

Table perft_table() {
  return {"perft",
          {{"game", text},
           {"depth", integer, "plies"},
           {"leaves", integer},
           {"seconds", number, "s"},
           {"leaves_per_second", number, "1/s"}},
          [](const TableRow& row) {
            return fmt::format("{} depth {}: {} leaves in {:.3f} s ({:.1f} M/s)\n", row.text("game"),
                               row.integer("depth"), row.integer("leaves"), row.number("seconds"),
                               row.number("leaves_per_second") / 1e6);
          }};
}

void run_perft(const PerftOptions& options) {
  require_option(options.tables, "actions", "--divide", options.divide);
  TableWriter out = table_writer(options.tables);
  std::visit(
      [&](const auto& game) {
        Position position(game);
        play_moves(game, position, options.moves, options.notation);
        const auto start = std::chrono::steady_clock::now();
        std::uint64_t total = 0;
        const Passes passes = options.no_pass ? Passes::left_out : Passes::counted;
        if (options.divide && options.depth > 0) {
          out.begin(actions_table());
          for (const auto& [action, leaves] : perft_divide(game, position, options.depth, passes)) {
            out.row({game.print_action(position.state, action, options.notation), leaves});
            total += leaves;
          }
        } else {
          total = perft(game, position, options.depth, passes);
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        out.begin(perft_table());
        out.row({game.name(), options.depth, total, seconds.count(),
                 static_cast<double>(total) / std::max(seconds.count(), 1e-9)});
      },
      find_game(options.game, options.settings));
  out.finish();
}

}  // namespace

void add_perft(CommandLine& line) {
  auto options = std::make_shared<PerftOptions>();
  const Command perft = line.add_command("perft", "Count the leaves of the tree of legal actions (checks the rules)");
  perft.add_option("game", options->game, "Game id or variant string, e.g. quoridor:5x5,walls=2")
      .type_name("GAME")
      .required();
  perft.add_option("--depth", options->depth, "Plies").range(0, 20).show_default();
  perft.add_flag("--divide", options->divide, "The count behind each first action");
  perft.add_flag("--no-pass", options->no_pass, "Leave passes out");
  perft.add_option("--moves", options->moves, "Actions to play first, e.g. \"e8 e2 e3h\" for quoridor");
  add_notation(perft, options->notation, "Of --moves and of the output");
  add_rule_settings(perft, options->settings);
  add_tables(perft, options->tables, {"actions", "perft"});
  perft.runs([options] { run_perft(*options); });
}

}  // namespace koridor::cli
