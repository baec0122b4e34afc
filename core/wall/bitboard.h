// 256 squares in one vector register: 16 rows of 16 bits. Steps in a direction are shifts; a flood fill is shifts and
// ands. Squares off the board are kept out by and-ing with a board mask.
#pragma once

#include <array>
#include <cstdint>

namespace koridor::wall {

struct alignas(32) Bitboard {
  std::array<std::uint64_t, 4> words{};  // word i holds rows 4i..4i+3; bit of a square: row * 16 + column

  bool test(int square) const { return (words[square >> 6] >> (square & 63) & 1) != 0; }
  void set(int square) { words[square >> 6] |= std::uint64_t{1} << (square & 63); }
  void reset(int square) { words[square >> 6] &= ~(std::uint64_t{1} << (square & 63)); }

  friend bool operator==(const Bitboard&, const Bitboard&) = default;
};

}  // namespace koridor::wall
