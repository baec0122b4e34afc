// What each wall would do to the shortest ways to the goal: the inputs `network.wall_effects` and `network.ways`.
#pragma once

#include <algorithm>
#include <array>

#include "core/wall/bitboard.h"
#include "core/wall/geometry.h"
#include "core/wall/paths.h"

namespace koridor::wall {

// All shortest ways from a square to a set of squares.
template <class B>
struct ShortestWays {
  int length = kUnreachable;  // steps
  B squares;                  // that lie on some shortest way, both ends included
  // The walls that cut one of these ways, which is the same one every time; every other wall leaves the length as it
  // is.
  B cut_horizontal, cut_vertical;
};

// Room for the layers of a flood. It is large, so that callers make it once for many floods.
using FloodLayers = std::array<Bitboard, kUnreachable>;

// Finds them. Nothing but the length is set where there is no way.
template <class B, class Steps>
ShortestWays<B> shortest_ways(const Steps& steps, Square from, const Bitboard& goal, FloodLayers& layers) {
  ShortestWays<B> ways;
  const B start = B::of(from);
  for_each_layer(steps, B(goal), [&](int distance, B layer) {
    layer.store(layers[static_cast<std::size_t>(distance)]);
    if (!(layer & start).any()) return true;
    ways.length = distance;
    return false;
  });
  if (ways.length == kUnreachable) return ways;

  ways.squares = start;
  B front = start;
  Bitboard down;   // squares whose southern border the one way crosses
  Bitboard right;  // squares whose eastern border it crosses
  Square square = from;
  for (int distance = ways.length - 1; distance >= 0; --distance) {
    const B nearer(layers[static_cast<std::size_t>(distance)]);
    front = steps.spread(front) & nearer;
    ways.squares = ways.squares | front;
    Bitboard choices;
    (steps.spread(B::of(square)) & nearer).store(choices);
    const Square next = choices.first();
    const int upper = std::min(row_of(square), row_of(next));
    const int left = std::min(column_of(square), column_of(next));
    // A diagonal step crosses two borders, and goes round the corner by one side or the other.
    if (row_of(square) != row_of(next)) {
      down.set(make_square(upper, column_of(square)));
      down.set(make_square(upper, column_of(next)));
    }
    if (column_of(square) != column_of(next)) {
      right.set(make_square(row_of(square), left));
      right.set(make_square(row_of(next), left));
    }
    square = next;
  }
  const B lower_borders = B::fresh(down);
  const B right_borders = B::fresh(right);
  ways.cut_horizontal = lower_borders | lower_borders.west();
  ways.cut_vertical = right_borders | right_borders.north();
  return ways;
}

// Calls visit(kind, anchor, longer) for each wall among the candidates that would make the shortest way longer: by
// `longer` steps, or kUnreachable where it would close the last one. `ways` are those without it, and
// make_steps(horizontal, vertical) gives the steps between walls.
//
// Only walls that cut every shortest way known so far are tried. A wall that leaves the length as it is shows another
// such way, which acquits all candidates that do not cut it.
template <class B, class MakeSteps, class Visit>
void for_each_lengthening_wall(const WallSets& walls, const WallSets& candidates, Square from, const Bitboard& goal,
                               const ShortestWays<B>& ways, MakeSteps&& make_steps, FloodLayers& layers,
                               Visit&& visit) {
  const B horizontal(walls.horizontal);
  const B vertical(walls.vertical);
  B left_horizontal = B(candidates.horizontal) & ways.cut_horizontal;
  B left_vertical = B(candidates.vertical) & ways.cut_vertical;
  while ((left_horizontal | left_vertical).any()) {
    const bool is_horizontal = left_horizontal.any();
    Bitboard left;
    (is_horizontal ? left_horizontal : left_vertical).store(left);
    const Square anchor = left.first();
    const B wall = B::of(anchor);
    const ShortestWays<B> then = shortest_ways<B>(
        make_steps(is_horizontal ? horizontal | wall : horizontal, is_horizontal ? vertical : vertical | wall), from,
        goal, layers);
    B& tried = is_horizontal ? left_horizontal : left_vertical;
    tried = tried - wall;
    if (then.length == ways.length) {
      left_horizontal = left_horizontal & then.cut_horizontal;
      left_vertical = left_vertical & then.cut_vertical;
      continue;
    }
    visit(is_horizontal ? ActionKind::horizontal : ActionKind::vertical, anchor,
          then.length == kUnreachable ? kUnreachable : then.length - ways.length);
  }
}

}  // namespace koridor::wall
