// koridor games: what can be played.
#include <fmt/format.h>

#include <memory>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/registry.h"

namespace koridor::cli {
namespace {

void list_games(const TableOptions& options) {
  TableWriter out = table_writer(options);
  using enum ColumnType;
  out.begin({"games",
             {{"id", text, "", "id", -16, "{}"},
              {"players", integer, "", "players", 7, "{}"},
              {"board", text, "points", "board", 7, "{}"},
              {"columns", integer},
              {"rows", integer},
              {"actions", integer, "", "actions", 8, "{}"},
              {"title", text, "", " ", 0, " {}"}}});
  for (const GameInfo& info : registered_games()) {
    std::visit(
        [&](const auto& game) {
          const EncodingShape shape = game.encoding(Features{});
          out.row({info.id, game.players(), fmt::format("{}x{}", shape.columns, shape.rows), shape.columns, shape.rows,
                   game.num_actions(), info.title});
        },
        parse_game(info.id));
  }
  const Table learned{"models", {{"model", text, "", "model", -24, "{}"}, {"game", text, "", "game", 0, "{}"}}};
  out.expect(learned);
  const std::vector<TrainedModel> models = trained_models();
  if (!models.empty()) {
    out.say("\nTrained models, for `koridor play --model NAME` and other commands:\n");
    out.begin(learned);
  }
  for (const TrainedModel& model : models) {
    for (const std::string& game : model.games) out.row({model.name, game});
  }
  out.say(
      "\nSizes and rules follow the id: quoridor:5x5,walls=3 or go:9x9,japanese,komi=5.5.\n"
      "core/README.md, \"Names\", has all of them.\n");
  out.finish();
}

}  // namespace

void add_games(CommandLine& line) {
  auto options = std::make_shared<TableOptions>();
  const Command games = line.add_command("games", "List the games: ids, players, boards, number of actions");
  add_tables(games, *options, {"games", "models"});
  games.runs([options] { list_games(*options); });
}

}  // namespace koridor::cli
