// Chains, captures and legality on sets of points. `Points` is SmallPoints or LargePoints.
//
// Only the stones are kept from move to move. A chain's liberties are worked out when a move makes them matter, and
// mostly without a search, since a stone beside an empty point is alive. The set `breathing` below holds the points
// beside an empty one; the chain of a stone outside of it is followed only until it meets a stone inside.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/go/geometry.h"
#include "core/go/points.h"

namespace koridor::go {

// Calls `work` with the set of points that fits the board as its template argument.
template <class Work>
auto with_points(const Geometry& geometry, Work&& work) {
  return geometry.small ? work.template operator()<SmallPoints>() : work.template operator()<LargePoints>();
}

// A position as one player sees it, usually the player whose move is tried.
template <class Points>
struct Side {
  Points own;
  Points other;
  Points empty;
};

template <class Points>
Side<Points> side_of(const Geometry& geometry, const std::array<PointWords, 2>& stones, int player) {
  const Points own = Points::load(stones[static_cast<std::size_t>(player)]);
  const Points other = Points::load(stones[static_cast<std::size_t>(player ^ 1)]);
  return {own, other, Points::load(geometry.board) - own - other};
}

// The set with one bit per action. Points in rising order are actions in rising order, so that only the bits between
// the rows are taken out.
template <class Points>
PointWords as_actions(const Geometry& geometry, const Points& points) {
  const auto& words = points.words();
  PointWords actions{};
  std::size_t first = 0;
  for (std::size_t i = 0; i < Points::kWords; ++i) {
    const std::uint64_t bits = gather_bits(words[i], geometry.board[i]);
    const std::size_t shift = first & 63;
    actions[first >> 6] |= bits << shift;
    if (shift != 0 && bits >> (64 - shift) != 0) actions[(first >> 6) + 1] |= bits >> (64 - shift);
    first += static_cast<std::size_t>(std::popcount(geometry.board[i]));
  }
  return actions;
}

// The points of which at least one, two or three neighbours are in a set.
template <class Points>
struct Neighbours {
  Points one, two, three;

  explicit Neighbours(const Points& set) {
    const Points a = set.template up<1>();
    const Points b = set.template down<1>();
    const Points c = set.template up<Points::kStride>();
    const Points d = set.template down<Points::kStride>();
    const Points either_of_row = a | b;
    const Points either_of_column = c | d;
    const Points both_of_row = a & b;
    const Points both_of_column = c & d;
    one = either_of_row | either_of_column;
    two = both_of_row | both_of_column | (either_of_row & either_of_column);
    three = (both_of_row & either_of_column) | (both_of_column & either_of_row);
  }
};

// All of `stones` connected with `seed`, which is part of them. It is marked inline because g++ otherwise makes it a
// call, through memory, where two large boards are worked on at once.
template <class Points>
inline Points connected(Points seed, const Points& stones) {
  for (;;) {
    const Points next = (seed.neighbours() | seed) & stones;
    if (next == seed) return seed;
    seed = next;
  }
}

// Grows `chain` within `stones` until it meets `breathing` (true) or is whole (false).
template <class Points>
bool breathes(Points& chain, const Points& stones, const Points& breathing) {
  for (;;) {
    if ((chain & breathing).any()) return true;
    const Points next = (chain.neighbours() | chain) & stones;
    if (next == chain) return false;
    chain = next;
  }
}

// The other side's stones that lose their last liberty when `point` is taken. `beside` are the point's neighbours,
// `breathing` all neighbours of empty points without it.
template <class Points>
Points captured_by(const Side<Points>& side, const Points& beside, const Points& breathing) {
  Points captured;
  Points doubtful = (beside & side.other) - breathing;
  while (doubtful.any()) {
    Points chain = doubtful.first();
    if (!breathes(chain, side.other, breathing)) captured = captured | chain;
    doubtful = doubtful - chain;
  }
  return captured;
}

// Whether a stone on the empty `point`, which has no empty neighbour, ends up with a liberty: because it captures, or
// because an own chain beside it has another liberty.
template <class Points>
bool lives_without_empty_neighbour(const Side<Points>& side, const Points& point) {
  const Points beside = point.neighbours();
  const Points breathing = (side.empty - point).neighbours();
  const Points friends = beside & side.own;
  if ((friends & breathing).any()) return true;
  Points doubtful = (beside & side.other) - breathing;
  while (doubtful.any()) {
    Points chain = doubtful.first();
    if (!breathes(chain, side.other, breathing)) return true;
    doubtful = doubtful - chain;
  }
  if (!friends.any()) return false;
  Points chain = friends;  // all chains beside the point at once: one liberty is enough
  return breathes(chain, side.own, breathing);
}

// Those of `stones` with two empty neighbours or more; their chains certainly have two liberties.
template <class Points>
Points open_stones(const Points& stones, const Points& empty) {
  return stones & Neighbours<Points>(empty).two;
}
template <class Points>
Points chains_with_open_stone(const Points& stones, const Points& empty) {
  return connected(open_stones(stones, empty), stones);
}

// The chains of `stones` with exactly one liberty.
template <class Points>
Points chains_in_atari(const Points& stones, const Points& empty) {
  Points found;
  Points rest = stones - chains_with_open_stone(stones, empty);
  while (rest.any()) {
    const Points chain = connected(rest.first(), stones);
    rest = rest - chain;
    const Points liberties = chain.neighbours() & empty;
    if (liberties == liberties.first()) found = found | chain;
  }
  return found;
}

// The legal points that are an own chain's only liberty and leave it two or more.
template <class Points>
Points saving_points(const Side<Points>& side, const Points& legal) {
  Points saving;
  Points rest = chains_in_atari(side.own, side.empty);
  while (rest.any()) {
    const Points chain = connected(rest.first(), side.own);
    rest = rest - chain;
    const Points point = chain.neighbours() & side.empty & legal;
    if (!point.any()) continue;
    const Points breathing = (side.empty - point).neighbours();
    const Points captured = captured_by(side, point.neighbours(), breathing);
    const Points saved = connected(point, side.own | point);
    const Points liberties = saved.neighbours() & ((side.empty - point) | captured);
    if (liberties.any() && !(liberties == liberties.first())) saving = saving | point;
  }
  return saving;
}

// The empty points where a stone of the own side has a liberty once captured stones are off.
template <class Points>
Points points_without_suicide(const Side<Points>& side) {
  Points legal = side.empty & side.empty.neighbours();
  const Points closed = side.empty - legal;
  Points rest = closed;
  while (rest.any()) {
    const Points point = rest.first();
    rest = rest - point;
    if (lives_without_empty_neighbour(side, point)) legal = legal | point;
  }
  return legal;
}

// Points where a stone of the own side dies: they have no empty and no own neighbour, and all chains around certainly
// have two liberties. Not all such points are found, but all at once. `open` are the neighbours of empty points.
template <class Points>
Points certain_suicides(const Side<Points>& side, const Points& open) {
  const Points alone = side.empty - open - side.own.neighbours();
  if (!alone.any()) return alone;
  constexpr int kSteps = 4;  // how far from its open stone a chain is followed
  Points firm = open_stones(side.other, side.empty);
  for (int i = 0; i < kSteps; ++i) firm = firm | (firm.neighbours() & side.other);
  return alone - (side.other - firm).neighbours();
}

// The empty points whose neighbours are all own stones and that the other side cannot make false eyes: fewer than two
// of the diagonal points, or on the edge none, are the other side's. `edge` are the board's outermost points.
template <class Points>
Points own_eyes(const Side<Points>& side, const Points& edge) {
  constexpr int kStride = Points::kStride;
  const Points surrounded = side.empty - (side.empty | side.other).neighbours();
  if (!surrounded.any()) return surrounded;
  const Points a = side.other.template up<kStride + 1>();
  const Points b = side.other.template up<kStride - 1>();
  const Points c = side.other.template down<kStride + 1>();
  const Points d = side.other.template down<kStride - 1>();
  const Points one = a | b | c | d;
  const Points two = (a & b) | (c & d) | ((a | b) & (c | d));
  return surrounded - two - (one & edge);
}

// The empty points from which only stones of one side are reached.
template <class Points>
struct Territory {
  Points own;
  Points other;
};

template <class Points>
Territory<Points> territory(const Side<Points>& side) {
  const Points reached_by_own = connected(side.own.neighbours() & side.empty, side.empty);
  const Points reached_by_other = connected(side.other.neighbours() & side.empty, side.empty);
  return {reached_by_own - reached_by_other, reached_by_other - reached_by_own};
}

}  // namespace koridor::go
