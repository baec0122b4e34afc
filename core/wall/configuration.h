// The walls on the board as one value, and the symmetries under which two arrangements of walls are equivalent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/random.h"
#include "core/wall/bitboard.h"
#include "core/wall/geometry.h"

namespace koridor::wall {

struct Configuration {
  Bitboard horizontal;  // anchors
  Bitboard vertical;
  int count() const { return horizontal.count() + vertical.count(); }
  friend bool operator==(const Configuration&, const Configuration&) = default;
};

struct ConfigurationHash {
  std::size_t operator()(const Configuration& walls) const {
    std::uint64_t hash = 0;
    for (int i = 0; i < 4; ++i) hash = mix64(hash ^ mix64(walls.horizontal.words[i] + i) ^ walls.vertical.words[i]);
    return hash;
  }
};

// The symmetries of two-player games: bit 0 mirrors the board left to right, bit 1 turns it and swaps the players.
inline constexpr int kMirror = 1;
inline constexpr int kHalfTurn = 2;

inline Configuration transformed(const Geometry& geometry, const Configuration& walls, int symmetry) {
  if (symmetry == 0) return walls;
  const bool flip_rows = (symmetry & kHalfTurn) != 0;
  const bool flip_columns = ((symmetry & kMirror) != 0) != flip_rows;
  const auto flip = [&](const Bitboard& set) {
    return flipped(set, geometry.rows - 1, geometry.columns - 1, flip_rows, flip_columns);
  };
  return {flip(walls.horizontal), flip(walls.vertical)};
}

struct Canonical {
  Configuration walls;  // the least of the symmetric ones
  int symmetry = 0;     // takes the given walls to these; it is its own inverse
};

// `symmetries` is 2 for the mirror alone, 4 for both.
inline Canonical canonical(const Geometry& geometry, const Configuration& walls, int symmetries) {
  const auto before = [](const Configuration& a, const Configuration& b) {
    return a.horizontal.words != b.horizontal.words ? a.horizontal.words < b.horizontal.words
                                                    : a.vertical.words < b.vertical.words;
  };
  Canonical least{walls, 0};
  for (int symmetry = 1; symmetry < symmetries; ++symmetry) {
    const Configuration other = transformed(geometry, walls, symmetry);
    if (before(other, least.walls)) least = {other, symmetry};
  }
  return least;
}

}  // namespace koridor::wall
