// What each wall would do to the shortest ways to the goal: the inputs `network.wall_effects` and `network.ways`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/wall/bitboard.h"
#include "core/wall/geometry.h"
#include "core/wall/paths.h"

namespace koridor::wall {

// The layers of a flood, from layer 0 on: the squares 0, 1, 2... steps away from where it began.
class FloodLayers {
 public:
  FloodLayers() {}  // leaves the words as they are: a flood fills those that are read

  const std::uint64_t* words(int distance) const { return &words_[static_cast<std::size_t>(4 * distance)]; }
  template <class B>
  B at(int distance) const {
    return B::stored(words(distance));
  }
  template <class B>
  void set(int distance, B layer) {
    layer.store(&words_[static_cast<std::size_t>(4 * distance)]);
  }

 private:
  alignas(32) std::array<std::uint64_t, 4 * (kUnreachable + 1)> words_;
};

// How far a flood has come: its last layer, that many steps away from where it began, and the one before.
template <class B>
struct FloodEdge {
  B before;
  B layer;
  int distance;
};

// Goes on with a flood until it meets a square; returns how far away that is. kUnreachable: there is no way to it of
// less than `most` steps. The new layers are kept.
template <class B, class Steps>
int flood_on(const Steps& steps, FloodEdge<B> edge, Square to, int most, FloodLayers& layers) {
  const B end = B::of(to);
  while (!(edge.layer & end).any()) {
    // What was reached earlier lies at least two layers back, which no step leads to.
    const B next = steps.spread(edge.layer) - (edge.layer | edge.before);
    if (++edge.distance >= most || !next.any()) return kUnreachable;
    layers.set(edge.distance, next);
    edge.before = edge.layer;
    edge.layer = next;
  }
  return edge.distance;
}

// One of the shortest ways from a square down the layers of a flood, and the walls that cut it.
template <class B, class LayerOf>
PathCuts<B> cuts_of_way(const EightSteps<B>& steps, Square from, int length, LayerOf&& layer_of) {
  Bitboard down;   // squares whose southern border the way crosses
  Bitboard right;  // squares whose eastern border it crosses
  Square square = from;
  for (int distance = length - 1; distance >= 0; --distance) {
    Bitboard choices;
    (steps.spread(B::of(square)) & B::stored(layer_of(distance))).store(choices);
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
  return {true, lower_borders | lower_borders.west(), right_borders | right_borders.north()};
}

// The squares between which a wall may close a step.
template <class B>
B squares_beside(const OpenSteps<B>&, B wall, bool is_horizontal) {
  const B along = wall | (is_horizontal ? wall.east() : wall.south());
  return along | (is_horizontal ? along.south() : along.east());
}
template <class B>
B squares_beside(const EightSteps<B>& steps, B wall, bool is_horizontal) {
  const B straight = squares_beside(steps.open, wall, is_horizontal);
  // Diagonal steps round the ends of the wall.
  return straight | (is_horizontal ? straight.west() | straight.east() : straight.north() | straight.south());
}

// The shortest ways from a square to a goal.
struct ShortestWays {
  Square from = 0;
  int length = kUnreachable;  // steps
  FloodLayers layers;         // of a flood from the goal, up to the square
};

template <class B, class Steps>
void find_shortest_ways(const Steps& steps, Square from, const Bitboard& goal, ShortestWays& ways) {
  ways.from = from;
  ways.layers.set(0, B(goal));
  ways.length = flood_on(steps, FloodEdge<B>{B(), B(goal), 0}, from, kUnreachable, ways.layers);
}

// The squares that lie on some shortest way, both ends included; none where there is no way.
template <class B, class Steps>
B squares_on(const Steps& steps, const ShortestWays& ways) {
  if (ways.length == kUnreachable) return B();
  B front = B::of(ways.from);
  B squares = front;
  for (int distance = ways.length - 1; distance >= 0; --distance) {
    front = steps.spread(front) & ways.layers.template at<B>(distance);
    squares = squares | front;
  }
  return squares;
}

// Walls to be tried beside those that stand.
struct WallTrial {
  WallSets walls;       // that stand
  WallSets candidates;  // to be tried, one by one
  int most;             // steps: the largest effect that is told apart
};

// Calls visit(kind, anchor, longer) for each wall among the candidates that would make the shortest way longer: by
// `longer` steps, or by trial.most where it would make it longer than that or close the last one. `ways` are those
// without it, and make_steps(horizontal, vertical) gives the steps between walls.
//
// Only walls that cut every shortest way known so far are tried. A wall that leaves the length as it is shows another
// such way, which acquits all candidates that do not cut it. A wall leaves the layers of the flood from the goal as
// they are up to the first one that it touches, so that the flood is repeated from there only.
template <class B, class Steps, class MakeSteps, class Visit>
void for_each_lengthening_wall(const WallTrial& trial, const Steps& steps, const ShortestWays& ways,
                               MakeSteps&& make_steps, Visit&& visit) {
  if (ways.length == kUnreachable) return;
  const B horizontal(trial.walls.horizontal);
  const B vertical(trial.walls.vertical);
  const PathCuts<B> one = cuts_of_way(steps, ways.from, ways.length, [&](int i) { return ways.layers.words(i); });
  B left_horizontal = B(trial.candidates.horizontal) & one.horizontal;
  B left_vertical = B(trial.candidates.vertical) & one.vertical;
  FloodLayers changed;
  while ((left_horizontal | left_vertical).any()) {
    const bool is_horizontal = left_horizontal.any();
    B& left = is_horizontal ? left_horizontal : left_vertical;
    Bitboard stored;
    left.store(stored);
    const Square anchor = stored.first();
    const B wall = B::of(anchor);
    left = left - wall;
    const Steps then =
        make_steps(is_horizontal ? horizontal | wall : horizontal, is_horizontal ? vertical : vertical | wall);
    const B beside = squares_beside(steps, wall, is_horizontal);
    int same = 0;  // the last layer that is as it was
    while (same < ways.length && !(ways.layers.template at<B>(same) & beside).any()) ++same;
    const B before = same > 0 ? ways.layers.template at<B>(same - 1) : B();
    const int length = flood_on(then, FloodEdge<B>{before, ways.layers.template at<B>(same), same}, ways.from,
                                ways.length + trial.most, changed);
    if (length == ways.length) {
      const PathCuts<B> other = cuts_of_way(then, ways.from, length, [&](int distance) {
        return distance > same ? changed.words(distance) : ways.layers.words(distance);
      });
      left_horizontal = left_horizontal & other.horizontal;
      left_vertical = left_vertical & other.vertical;
      continue;
    }
    visit(is_horizontal ? ActionKind::horizontal : ActionKind::vertical, anchor,
          length == kUnreachable ? trial.most : length - ways.length);
  }
}

}  // namespace koridor::wall
