#include "selfplay/shards/describe_game.h"

#include <variant>

namespace koridor {

ShardInfo describe_game(const AnyGame& any) {
  ShardInfo info;
  for (const auto& [name, value] : rule_parameters(any)) info.rules[name] = value;
  std::visit(
      [&](const auto& game) {
        info.game = game.name();
        info.action_order = game.action_order();
        info.players = game.players();
        info.state_bytes = game.packed_size();
      },
      any);
  return info;
}

}  // namespace koridor
