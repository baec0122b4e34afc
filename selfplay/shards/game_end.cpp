#include "selfplay/shards/game_end.h"

#include <fmt/format.h>

#include <variant>

namespace koridor {
namespace {

std::string action_order(const wall::WallGame& game) {
  const int area = game.rules().rows * game.rules().columns;
  if (game.rules().pawns == 2) {
    return fmt::format(
        "plane * {} + row * {} + column; row 0 is player one's goal side, column 0 the left as player one sees it; "
        "planes 0 and 1: the destination of the mover's pawn on the lower and on the higher square, plane 2: a "
        "horizontal wall, plane 3: a vertical wall, both named by the square north-west of the wall's middle; {}: pass",
        area, game.rules().columns, 4 * area);
  }
  return fmt::format(
      "plane * {} + row * {} + column; row 0 is player one's goal side, column 0 the left as player one sees it; plane "
      "0: a pawn's destination, plane 1: a horizontal wall, plane 2: a vertical wall, both named by the square "
      "north-west of the wall's middle; {}: pass",
      area, game.rules().columns, 3 * area);
}

std::string action_order(const go::GoGame& game) {
  return fmt::format("row * {} + column; row 0 is the top, column 0 the left; {}: pass", game.rules().columns,
                     game.num_actions() - 1);
}

}  // namespace

ShardInfo describe_game(const AnyGame& any) {
  ShardInfo info;
  for (const auto& [name, value] : rule_parameters(any)) info.rules[name] = value;
  std::visit(
      [&](const auto& game) {
        info.game = game.name();
        info.action_order = action_order(game);
        info.players = game.players();
        info.state_bytes = game.packed_size();
      },
      any);
  return info;
}

}  // namespace koridor
