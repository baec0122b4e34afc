// A line of play, and the positions on it: what analyses are asked about.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/go/free_play.h"
#include "core/registry.h"
#include "selfplay/session/any_position.h"

namespace koridor {

struct LineMove {
  Action action = kNoAction;
  int seat = 0;  // who plays it
};

struct GameLine {
  AnyGame game;
  std::optional<AnyPosition> start{};  // of the same game; nothing: its own first position
  std::vector<LineMove> moves{};       // legal one after the other
};

template <Game G>
Position<G> start_of(const G& game, const GameLine& line) {
  return line.start ? std::get<Position<G>>(*line.start) : Position<G>(game);
}

// In Go a line may hold two moves of one player in a row, as set-up or because a pass was not written, and may go on
// when the game is over.
template <Game G>
void play_move(const G& game, Position<G>& position, const LineMove& move) {
  if constexpr (std::is_same_v<G, go::GoGame>) go::hand_to(game, position, move.seat);
  position.apply(game, move.action);
}

// The position after the first `plies` moves of the line, whose game is `game`.
template <Game G>
Position<G> position_after(const G& game, const GameLine& line, std::size_t plies) {
  Position<G> position = start_of(game, line);
  for (std::size_t i = 0; i < plies; ++i) play_move(game, position, line.moves[i]);
  return position;
}

}  // namespace koridor
