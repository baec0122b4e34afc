// Ways through the walls: flood fills, distances, and which walls would close the last way.
#pragma once

#include <array>

#include "core/wall/bitboard.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

// Longer than any path: the largest board has 11 x 14 squares.
inline constexpr int kUnreachable = 160;

// Both kinds of walls as sets of anchors.
struct WallSets {
  Bitboard horizontal;
  Bitboard vertical;
};

// The squares from which a step in each direction meets no wall and no edge.
template <class B>
struct OpenSteps {
  B north, east, south, west;

  OpenSteps(const Geometry& geometry, B horizontal, B vertical) {
    south = B(geometry.inner_south) - (horizontal | horizontal.east());
    east = B(geometry.inner_east) - (vertical | vertical.south());
    north = south.south();
    west = east.east();
  }

  // The set and every square one step away.
  B spread(B from) const {
    return (from | (from & north).north()) | ((from & south).south()) | ((from & east).east() | (from & west).west());
  }
};

// Steps in all 8 directions. By the rule, one or both of the ways round the corner of a diagonal step must be open.
template <class B>
struct EightSteps {
  OpenSteps<B> open;
  bool both;

  EightSteps(const OpenSteps<B>& steps, DiagonalStep rule) : open(steps), both(rule == DiagonalStep::both) {}

  // The set and every square one step away.
  B spread(B from) const {
    const B north = (from & open.north).north();
    const B south = (from & open.south).south();
    const B east = (from & open.east).east();
    const B west = (from & open.west).west();
    const B straight = (from | north) | (south | (east | west));
    const auto corner = [this](B one, B other) { return both ? one & other : one | other; };
    const B north_east = corner((north & open.east).east(), (east & open.north).north());
    const B north_west = corner((north & open.west).west(), (west & open.north).north());
    const B south_east = corner((south & open.east).east(), (east & open.south).south());
    const B south_west = corner((south & open.west).west(), (west & open.south).south());
    return straight | ((north_east | north_west) | (south_east | south_west));
  }
};

// Calls visit(distance, squares) for distances 0, 1, 2... from the set, until no square is left or visit returns false.
template <class B, class Steps, class Visit>
void for_each_layer(const Steps& steps, B from, Visit&& visit) {
  B reached = from;
  B layer = from;
  for (int distance = 0; layer.any(); ++distance) {
    if (!visit(distance, layer)) return;
    layer = steps.spread(layer) - reached;
    reached = reached | layer;
  }
}

// Steps from a square to the nearest of a set; kUnreachable where there is no way.
template <class B, class Steps>
int distance_to(const Steps& steps, Square from, B goal) {
  int found = kUnreachable;
  for_each_layer(steps, B::of(from), [&](int distance, B layer) {
    if (!(layer & goal).any()) return true;
    found = distance;
    return false;
  });
  return found;
}

// The walls that would cut a shortest path.
template <class B>
struct PathCuts {
  bool exists = false;
  B horizontal, vertical;  // anchors of walls that cut this path; valid where it exists
};

// Follows a way from a square through layer length - 1, length - 2, ... down to layer 0 of a flood, of which
// layer_of(distance) gives the four words. The square lies on layer `length`.
template <class B, class LayerOf>
[[gnu::always_inline]] inline PathCuts<B> cuts_of_way(const OpenSteps<B>& open, Square from, int length,
                                                      LayerOf&& layer_of) {
  Bitboard north, south, west;
  open.north.store(north);
  open.south.store(south);
  open.west.store(west);
  Bitboard down;   // squares whose southern border the path crosses
  Bitboard right;  // squares whose eastern border the path crosses
  int square = from;
  for (int distance = length - 1; distance >= 0; --distance) {
    const std::uint64_t* const layer = layer_of(distance);
    const auto on_layer = [layer](int place) { return (layer[place >> 6] >> (place & 63) & 1) != 0; };
    if (north.test(square) && on_layer(square - 16)) {
      square -= 16;
      down.set(square);
    } else if (south.test(square) && on_layer(square + 16)) {
      down.set(square);
      square += 16;
    } else if (west.test(square) && on_layer(square - 1)) {
      square -= 1;
      right.set(square);
    } else {
      right.set(square);
      square += 1;
    }
  }
  PathCuts<B> cuts;
  cuts.exists = true;
  cuts.horizontal = B(down) | B(down).west();
  cuts.vertical = B(right) | B(right).north();
  return cuts;
}

template <class B>
PathCuts<B> shortest_path(const OpenSteps<B>& open, Square from, B goal) {
  alignas(32) std::array<std::uint64_t, 4 * kUnreachable> layers;  // uninitialised on purpose: filled as needed
  int length = -1;
  Bitboard end;
  for_each_layer(open, B::of(from), [&](int distance, B layer) {
    layer.store(&layers[4 * distance]);
    const B arrived = layer & goal;
    if (!arrived.any()) return true;
    arrived.store(end);
    length = distance;
    return false;
  });
  if (length < 0) return {};
  return cuts_of_way(open, end.first(), length, [&](int distance) { return &layers[4 * distance]; });
}

// The walls that overlap and cross none of those placed.
template <class B>
void free_walls(const Geometry& geometry, B horizontal, B vertical, B& free_horizontal, B& free_vertical) {
  const B anchors(geometry.anchors);
  free_horizontal = anchors - (horizontal | horizontal.east() | horizontal.west() | vertical);
  free_vertical = anchors - (vertical | vertical.north() | vertical.south() | horizontal);
}

// Those of the free walls that could close a way at all. A wall cuts the board in two only if it joins walls or edges
// that are there already, so at least two of its three points (both ends and the middle) must touch one. Points are
// numbered like anchors; points outside the lattice of anchors lie on the edge.
template <class B>
void joining_walls(const Geometry& geometry, B horizontal, B vertical, B& free_horizontal, B& free_vertical) {
  const B touched = horizontal | horizontal.east() | horizontal.west() | vertical | vertical.north() | vertical.south();
  const B left = touched.east() | B(geometry.first_column);
  const B right = touched.west() | B(geometry.last_column);
  const B above = touched.south() | B(geometry.first_row);
  const B below = touched.north() | B(geometry.last_row);
  free_horizontal = free_horizontal & ((left & right) | (touched & (left | right)));
  free_vertical = free_vertical & ((above & below) | (touched & (above | below)));
}

// A way that no wall may close: from a square to any square of a set.
struct Way {
  Square from = 0;
  const Bitboard* to = nullptr;
};

// All ways of a position: at most one per pawn and, per player, one between its goal squares.
class Ways {
 public:
  void add(Way way) { ways_[static_cast<std::size_t>(count_++)] = way; }
  const Way* begin() const { return ways_.data(); }
  const Way* end() const { return ways_.data() + count_; }

 private:
  std::array<Way, kMaxPlayers*(kMaxPawns + 1)> ways_;
  int count_ = 0;
};

// Which kinds of walls there are to place.
struct Stock {
  bool horizontal = true;
  bool vertical = true;
};

// The walls that may be placed: free ones of a kind in stock that close none of the ways, all of which are open now.
//
// Only joining walls need a test, and of these only those that cut every path known so far. While such suspects remain,
// one is tried: either there is a new path, which acquits all suspects that do not cut it, or the wall is illegal.
template <class B>
WallSets legal_walls(const Geometry& geometry, const Bitboard& horizontal, const Bitboard& vertical, const Ways& ways,
                     Stock stock = {}) {
  const B placed_h(horizontal);
  const B placed_v(vertical);
  B free_h, free_v;
  free_walls(geometry, placed_h, placed_v, free_h, free_v);
  if (!stock.horizontal) free_h = B();
  if (!stock.vertical) free_v = B();
  WallSets legal;
  free_h.store(legal.horizontal);
  free_v.store(legal.vertical);
  joining_walls(geometry, placed_h, placed_v, free_h, free_v);
  if (!(free_h | free_v).any()) return legal;

  const OpenSteps<B> open(geometry, placed_h, placed_v);
  for (const Way& way : ways) {
    const B goal(*way.to);
    PathCuts<B> path = shortest_path(open, way.from, goal);
    B suspect_h = free_h & path.horizontal;
    B suspect_v = free_v & path.vertical;
    while ((suspect_h | suspect_v).any()) {
      Bitboard suspects;
      const bool is_horizontal = suspect_h.any();
      (is_horizontal ? suspect_h : suspect_v).store(suspects);
      const Square square = suspects.first();
      const B wall = B::of(square);
      path = shortest_path(OpenSteps<B>(geometry, is_horizontal ? placed_h | wall : placed_h,
                                        is_horizontal ? placed_v : placed_v | wall),
                           way.from, goal);
      if (path.exists) {
        suspect_h = suspect_h & path.horizontal;
        suspect_v = suspect_v & path.vertical;
      } else if (is_horizontal) {
        legal.horizontal.reset(square);
        free_h = free_h - wall;
        suspect_h = suspect_h - wall;
      } else {
        legal.vertical.reset(square);
        free_v = free_v - wall;
        suspect_v = suspect_v - wall;
      }
    }
  }
  return legal;
}

}  // namespace koridor::wall
