// What the tests of Go share: games from names, boards as rows of characters, moves as words.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"

namespace koridor::go {

inline GoGame go_game(std::string_view variant) {
  return std::get<GoGame>(parse_game(variant));
}

// The board as rows of '.', 'X' (black) and 'O' (white), row 0 at the top.
inline std::vector<std::string> board_of(const GoGame& game, const State& state) {
  std::vector<std::string> rows;
  for (int row = 0; row < game.rules().rows; ++row) {
    std::string& line = rows.emplace_back();
    for (int column = 0; column < game.rules().columns; ++column) {
      const int point = game.geometry().point_at(row, column);
      const auto has = [&](std::size_t colour) {
        return (state.stones[colour][static_cast<std::size_t>(point >> 6)] >> (point & 63) & 1) != 0;
      };
      line += has(0) ? 'X' : has(1) ? 'O' : '.';
    }
  }
  return rows;
}

// The same as Score::by_territory(), counted as on a board: territory, prisoners, and the free stones of CLEANUP.
inline int by_territory_and_prisoners(const Score& score) {
  const auto points = [&](std::size_t colour) {
    return score.territory[colour] + score.prisoners[colour] + score.placed_in_cleanup[colour];
  };
  return points(0) - points(1);
}

// The position on this board, row 0 at the top.
inline Position<GoGame> set_up(const GoGame& game, const std::vector<std::string>& rows, int player) {
  std::vector<std::pair<int, int>> black, white;
  for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
    for (int column = 0; column < static_cast<int>(rows[static_cast<std::size_t>(row)].size()); ++column) {
      const char stone = rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      if (stone == 'X') black.emplace_back(row, column);
      if (stone == 'O') white.emplace_back(row, column);
    }
  }
  Position<GoGame> position(game);
  const auto state = game.setup_state(black, white, player);
  EXPECT_TRUE(state.has_value());
  if (state) position.state = *state;
  return position;
}

// Plays "D4 E5 pass"; says where a move is not legal.
inline void play(const GoGame& game, Position<GoGame>& position, const std::string& moves) {
  std::istringstream words(moves);
  for (std::string word; words >> word;) {
    const auto action = game.parse_action(position.state, position.history, word);
    ASSERT_TRUE(action.has_value()) << word << "\n" << game.print_board(position.state, Notation::standard, false);
    position.apply(game, *action);
  }
}

inline bool is_legal(const GoGame& game, const Position<GoGame>& position, const std::string& move) {
  return game.parse_action(position.state, position.history, move).has_value();
}

inline std::set<std::string> legal_names(const GoGame& game, const Position<GoGame>& position) {
  ActionMask legal;
  game.legal_actions(position.state, position.history, legal);
  std::set<std::string> names;
  legal.for_each([&](Action action) { names.insert(game.print_action(position.state, action)); });
  return names;
}

}  // namespace koridor::go
