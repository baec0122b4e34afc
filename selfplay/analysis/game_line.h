// A line of play, and the positions on it: what analyses are asked about.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/registry.h"

namespace koridor {

namespace detail {

template <class Any>
struct StatesOf;
template <class... Games>
struct StatesOf<std::variant<Games...>> {
  using Type = std::variant<typename Games::State...>;
};

}  // namespace detail

// A position of any game.
using AnyState = detail::StatesOf<AnyGame>::Type;

struct LineMove {
  Action action = kNoAction;
  int seat = 0;  // who plays it
};

struct GameLine {
  AnyGame game;
  std::optional<AnyState> start{};  // of the same game; nothing: its own first position
  std::vector<LineMove> moves{};    // legal one after the other
};

// Makes it the player's turn. In Go a record may hold two moves of one player in a row, as set-up or because a pass was
// not written: the ko that the other player had not to take back at once is then over, and the passes begin anew.
inline void give_turn(go::State& state, int player) {
  if (state.player == player) return;
  state.player = static_cast<std::uint8_t>(player);
  state.ko = go::kNoPoint;
  state.passes = 0;
}

// Whether another player than the one to move may play next.
template <Game G>
constexpr bool takes_turns_freely(const G&) {
  return requires(typename G::State & state) {
    give_turn(state, 0);
  };
}

template <Game G>
Position<G> start_of(const G& game, const GameLine& line) {
  Position<G> position(game);
  if (line.start) position.state = std::get<typename G::State>(*line.start);
  return position;
}

template <Game G>
void play_move(const G& game, Position<G>& position, const LineMove& move) {
  if constexpr (requires { give_turn(position.state, move.seat); }) give_turn(position.state, move.seat);
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
