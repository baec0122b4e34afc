// Small helpers of the wall-game tests: play a line of moves or a random one, list actions by name.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "core/base/random.h"
#include "core/registry.h"

namespace koridor::wall {

inline WallGame make_game(std::string_view variant) {
  return std::get<WallGame>(parse_game(variant));
}

// Plays actions in the standard notation, separated by spaces; fails the test at an illegal one.
inline Position<WallGame> play(const WallGame& game, const std::string& actions) {
  Position<WallGame> position(game);
  std::istringstream words(actions);
  for (std::string word; words >> word;) {
    const auto action = game.parse_action(position.state, position.history, word);
    if (!action) {
      ADD_FAILURE() << word << " is not legal\n" << game.print_board(position.state, Notation::standard, false);
      break;
    }
    position.apply(game, *action);
  }
  return position;
}

// A position after random actions, walls as often as pawn moves; not over.
inline Position<WallGame> random_position(const WallGame& game, int plies, Random& random) {
  Position<WallGame> position(game);
  for (int ply = 0; ply < plies; ++ply) {
    Position<WallGame> next = position;
    Action action = game.random_legal_action(position.state, random);
    if (random.chance(0.5)) {
      const auto pawn = [&] { return game.geometry().meaning[static_cast<std::size_t>(index(action))].kind; };
      for (int i = 0; i < 50 && pawn() != ActionKind::pawn; ++i) {
        action = game.random_legal_action(position.state, random);
      }
    }
    next.apply(game, action);
    if (game.outcome(next.state, next.history).over()) break;
    position = next;
  }
  return position;
}

inline bool has_walls(const State& state, int player) {
  return state.walls_left[static_cast<std::size_t>(player * 2)] +
             state.walls_left[static_cast<std::size_t>(player * 2 + 1)] >
         0;
}

inline std::set<std::string> legal_names(const WallGame& game, const State& state) {
  ActionMask mask;
  game.legal_actions(state, History(), mask);
  std::set<std::string> names;
  mask.for_each([&](Action action) { names.insert(game.print_action(state, action)); });
  return names;
}

// Only the pawn's destinations.
inline std::set<std::string> pawn_names(const WallGame& game, const State& state) {
  std::set<std::string> names = legal_names(game, state);
  std::erase_if(names, [](const std::string& name) { return name.back() == 'h' || name.back() == 'v'; });
  return names;
}

// "e8" in the standard notation.
inline Square square_named(std::string_view name) {
  return make_square(name[1] - '1', name[0] - 'a');
}

inline void put_pawn(State& state, int player, std::string_view name) {
  state.pawns[static_cast<std::size_t>(player * kMaxPawns)] = square_named(name);
}

}  // namespace koridor::wall
