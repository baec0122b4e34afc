// Perft: the number of leaves of the tree of legal actions; a finished game has no children. One wrong rule changes the
// count, so tests compare it with known numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/game.h"

namespace koridor {

// A game that counts legal actions faster than it lists them.
template <class G>
concept CountsActions = requires(const G game, const typename G::State& state) {
  { game.count_legal_actions(state) } -> std::convertible_to<int>;
};

// Whether a pass, the last action of every game, counts as an action.
enum class Passes { counted, left_out };

namespace detail {

template <Game G>
void list_actions(const G& game, const typename G::State& state, const History& history, Passes passes,
                  ActionMask& mask) {
  game.legal_actions(state, history, mask);
  if (passes == Passes::left_out) mask.reset(Action{static_cast<std::uint16_t>(game.num_actions() - 1)});
}

template <Game G>
std::uint64_t perft(const G& game, const typename G::State& state, History& history, int depth, Passes passes) {
  if (depth == 0) return 1;
  if (game.outcome(state, history).over()) return 0;
  if constexpr (CountsActions<G>) {
    if (depth == 1 && passes == Passes::counted) return static_cast<std::uint64_t>(game.count_legal_actions(state));
  }
  ActionMask mask;
  list_actions(game, state, history, passes, mask);
  if (depth == 1) return static_cast<std::uint64_t>(mask.count());
  const std::size_t mark = history.size();
  remember(game, state, history);
  std::uint64_t leaves = 0;
  mask.for_each([&](Action action) {
    typename G::State next = state;
    game.apply(next, action);
    leaves += perft(game, next, history, depth - 1, passes);
  });
  history.truncate(mark);
  return leaves;
}

}  // namespace detail

// Leaves `depth` plies below the position; depth >= 0.
template <Game G>
std::uint64_t perft(const G& game, const Position<G>& position, int depth, Passes passes = Passes::counted) {
  History history = position.history;
  return detail::perft(game, position.state, history, depth, passes);
}

// The leaves below each first action; depth >= 1. Their sum is perft(game, position, depth).
template <Game G>
std::vector<std::pair<Action, std::uint64_t>> perft_divide(const G& game, const Position<G>& position, int depth,
                                                           Passes passes = Passes::counted) {
  std::vector<std::pair<Action, std::uint64_t>> counts;
  if (game.outcome(position.state, position.history).over()) return counts;
  ActionMask mask;
  detail::list_actions(game, position.state, position.history, passes, mask);
  mask.for_each([&](Action action) {
    Position<G> next = position;
    next.apply(game, action);
    counts.emplace_back(action, perft(game, next, depth - 1, passes));
  });
  return counts;
}

}  // namespace koridor
