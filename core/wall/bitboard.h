// 256 squares in one vector register: 16 rows of 16 bits. Steps in a direction are shifts; a flood fill is shifts and
// ands. Squares off the board are kept out by and-ing with a board mask.
//
// Bitboard is the form in memory. ScalarBoard and VectorBoard hold the same set while one computes with it, with the
// same functions; Board is the faster one this compiler may use. Algorithms are templates over it, so that the tests
// can compare both.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace koridor::wall {

// A square of the 16x16 grid: row * 16 + column, whatever the board's size.
using Square = std::uint8_t;

constexpr Square make_square(int row, int column) {
  return static_cast<Square>(row * 16 + column);
}
constexpr int row_of(Square square) {
  return square >> 4;
}
constexpr int column_of(Square square) {
  return square & 15;
}

struct alignas(32) Bitboard {
  std::array<std::uint64_t, 4> words{};  // word i holds rows 4i..4i+3; bit of a square: row * 16 + column

  bool test(int square) const { return (words[square >> 6] >> (square & 63) & 1) != 0; }
  void set(int square) { words[square >> 6] |= std::uint64_t{1} << (square & 63); }
  void reset(int square) { words[square >> 6] &= ~(std::uint64_t{1} << (square & 63)); }
  bool any() const { return (words[0] | words[1] | words[2] | words[3]) != 0; }
  int count() const {
    return std::popcount(words[0]) + std::popcount(words[1]) + std::popcount(words[2]) + std::popcount(words[3]);
  }
  // The 16 squares of a row, bit 0 the leftmost.
  unsigned row(int row) const { return static_cast<unsigned>(words[row >> 2] >> ((row & 3) * 16) & 0xFFFF); }
  // The lowest square; the set is not empty.
  Square first() const {
    int word = 0;
    while (words[word] == 0) ++word;
    return static_cast<Square>(word * 64 + std::countr_zero(words[word]));
  }
  // Calls visit(Square) for every square of the set, in rising order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int i = 0; i < 4; ++i) {
      for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1) {
        visit(static_cast<Square>(i * 64 + std::countr_zero(rest)));
      }
    }
  }

  friend bool operator==(const Bitboard&, const Bitboard&) = default;
};

// north() is the set moved one row up (row - 1), east() one column right; what leaves the grid is lost.
class ScalarBoard {
 public:
  ScalarBoard() = default;
  explicit ScalarBoard(const Bitboard& set) : words_(set.words) {}
  static ScalarBoard of(Square square) {
    ScalarBoard result;
    result.words_[square >> 6] = std::uint64_t{1} << (square & 63);
    return result;
  }

  void store(Bitboard& out) const { out.words = words_; }
  void store(std::uint64_t* out) const { std::copy(words_.begin(), words_.end(), out); }  // 4 words, 32-byte aligned
  bool any() const { return (words_[0] | words_[1] | words_[2] | words_[3]) != 0; }

  ScalarBoard north() const {
    ScalarBoard result;
    for (int i = 0; i < 4; ++i) result.words_[i] = words_[i] >> 16 | (i < 3 ? words_[i + 1] << 48 : 0);
    return result;
  }
  ScalarBoard south() const {
    ScalarBoard result;
    for (int i = 0; i < 4; ++i) result.words_[i] = words_[i] << 16 | (i > 0 ? words_[i - 1] >> 48 : 0);
    return result;
  }
  ScalarBoard east() const {
    ScalarBoard result;
    for (int i = 0; i < 4; ++i) result.words_[i] = (words_[i] & 0x7FFF7FFF7FFF7FFFu) << 1;
    return result;
  }
  ScalarBoard west() const {
    ScalarBoard result;
    for (int i = 0; i < 4; ++i) result.words_[i] = words_[i] >> 1 & 0x7FFF7FFF7FFF7FFFu;
    return result;
  }

  friend ScalarBoard operator&(const ScalarBoard& a, const ScalarBoard& b) {
    ScalarBoard result;
    for (int i = 0; i < 4; ++i) result.words_[i] = a.words_[i] & b.words_[i];
    return result;
  }
  friend ScalarBoard operator|(const ScalarBoard& a, const ScalarBoard& b) {
    ScalarBoard result;
    for (int i = 0; i < 4; ++i) result.words_[i] = a.words_[i] | b.words_[i];
    return result;
  }
  // a without b.
  friend ScalarBoard operator-(const ScalarBoard& a, const ScalarBoard& b) {
    ScalarBoard result;
    for (int i = 0; i < 4; ++i) result.words_[i] = a.words_[i] & ~b.words_[i];
    return result;
  }

 private:
  std::array<std::uint64_t, 4> words_{};
};

#ifdef __AVX2__

class VectorBoard {
 public:
  VectorBoard() : bits_(_mm256_setzero_si256()) {}
  explicit VectorBoard(const Bitboard& set)
      : bits_(_mm256_load_si256(reinterpret_cast<const __m256i*>(set.words.data()))) {}
  static VectorBoard of(Square square) {
    Bitboard set;
    set.set(square);
    return VectorBoard(set);
  }

  void store(Bitboard& out) const { store(out.words.data()); }
  void store(std::uint64_t* out) const { _mm256_store_si256(reinterpret_cast<__m256i*>(out), bits_); }
  bool any() const { return _mm256_testz_si256(bits_, bits_) == 0; }

  VectorBoard north() const {
    const __m256i upper = _mm256_permute2x128_si256(bits_, bits_, 0x81);  // the upper half moved down, zero above
    return VectorBoard(_mm256_alignr_epi8(upper, bits_, 2));
  }
  VectorBoard south() const {
    const __m256i lower = _mm256_permute2x128_si256(bits_, bits_, 0x08);  // the lower half moved up, zero below
    return VectorBoard(_mm256_alignr_epi8(bits_, lower, 14));
  }
  VectorBoard east() const { return VectorBoard(_mm256_slli_epi16(bits_, 1)); }
  VectorBoard west() const { return VectorBoard(_mm256_srli_epi16(bits_, 1)); }

  friend VectorBoard operator&(VectorBoard a, VectorBoard b) { return VectorBoard(_mm256_and_si256(a.bits_, b.bits_)); }
  friend VectorBoard operator|(VectorBoard a, VectorBoard b) { return VectorBoard(_mm256_or_si256(a.bits_, b.bits_)); }
  // a without b.
  friend VectorBoard operator-(VectorBoard a, VectorBoard b) {
    return VectorBoard(_mm256_andnot_si256(b.bits_, a.bits_));
  }

 private:
  explicit VectorBoard(__m256i bits) : bits_(bits) {}
  __m256i bits_;
};

using Board = VectorBoard;

#else

using Board = ScalarBoard;

#endif

}  // namespace koridor::wall
