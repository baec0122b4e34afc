// koridor games: what can be played.
#include <fmt/format.h>

#include <variant>

#include "cli/commands.h"
#include "core/registry.h"

namespace koridor::cli {
namespace {

void list_games() {
  fmt::print("{:<16} {:>7} {:>7} {:>8}  {}\n", "id", "players", "board", "actions", "");
  for (const GameInfo& info : registered_games()) {
    std::visit(
        [&](const auto& game) {
          const EncodingShape shape = game.encoding(Features{});
          fmt::print("{:<16} {:>7} {:>7} {:>8}  {}\n", info.id, game.players(),
                     fmt::format("{}x{}", shape.columns, shape.rows), game.num_actions(), info.title);
        },
        parse_game(info.id));
  }
  fmt::print("\nEvery size and rule is a variant string: quoridor:5x5,walls=3 or go:9x9,japanese,komi=5.5.\n");
}

}  // namespace

void add_games(CLI::App& app) {
  app.add_subcommand("games", "List the games: ids, players, boards, number of actions")->callback(list_games);
}

}  // namespace koridor::cli
