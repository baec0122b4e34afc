#include <cstdio>
#include <variant>

#include "core/registry.h"

// Prints the name of a game and the number of actions that are legal at its start: "quoridor:5x5,walls=3 35".
int main() {
  std::visit(
      [](const auto& game) {
        koridor::Position position(game);
        koridor::ActionMask legal;
        game.legal_actions(position.state, position.history, legal);
        std::printf("%s %d\n", game.name().c_str(), legal.count());
      },
      koridor::parse_game("quoridor:5x5,walls=3"));
}
