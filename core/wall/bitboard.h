// 256 squares in one vector register: 16 rows of 16 bits. Steps in a direction are shifts; a flood fill is shifts and
// ands. A mask of the board keeps out the squares off it.
//
// Bitboard is the form in memory. ScalarBoard and VectorBoard, which have the same functions, hold a set during
// computations; Board is the faster of them that this compiler may use. Algorithms are templates over it, so that the
// tests can compare both.
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

// The set on a board of rows x columns with its rows reversed, or its columns, or both (half a turn).
inline Bitboard flipped(const Bitboard& set, int rows, int columns, bool flip_rows, bool flip_columns) {
  // First within the whole grid...
  std::array<std::uint64_t, 8> words{};  // the upper half stays empty
  for (int i = 0; i < 4; ++i) {
    std::uint64_t word = set.words[i];
    if (flip_columns) {
      const auto swap_neighbours = [&word](int bits, std::uint64_t low) {
        word = (word >> bits & low) | (word & low) << bits;
      };
      swap_neighbours(1, 0x5555555555555555u);
      swap_neighbours(2, 0x3333333333333333u);
      swap_neighbours(4, 0x0F0F0F0F0F0F0F0Fu);
      swap_neighbours(8, 0x00FF00FF00FF00FFu);
    }
    if (flip_rows) {
      word = (word >> 16 & 0x0000FFFF0000FFFFu) | (word & 0x0000FFFF0000FFFFu) << 16;
      word = std::rotl(word, 32);
    }
    words[flip_rows ? 3 - i : i] = word;
  }
  // ...then back to its corner: rows follow each other without gaps, so that is one long shift.
  const int shift = (flip_rows ? (16 - rows) * 16 : 0) + (flip_columns ? 16 - columns : 0);
  const int skip = shift / 64;
  const int bits = shift % 64;
  Bitboard result;
  for (int i = 0; i < 4; ++i) {
    result.words[i] = words[i + skip] >> bits | (bits == 0 ? 0 : words[i + skip + 1] << (64 - bits));
  }
  return result;
}

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

  static ScalarBoard fresh(const Bitboard& set) { return ScalarBoard(set); }
  static ScalarBoard stored(const std::uint64_t* words) {  // 4 words, 32-byte aligned
    ScalarBoard result;
    std::copy_n(words, 4, result.words_.begin());
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
    // In the other words the shift is less than 0 or more than 63, which leaves zero.
    const __m256i first = _mm256_setr_epi64x(0, 64, 128, 192);
    const __m256i places = _mm256_sub_epi64(_mm256_set1_epi64x(square), first);
    return VectorBoard(_mm256_sllv_epi64(_mm256_set1_epi64x(1), places));
  }
  // For sets whose words were only just written: a load of all four at once would wait for these stores.
  static VectorBoard fresh(const Bitboard& set) {
    const __m128i low = _mm_insert_epi64(_mm_cvtsi64_si128(static_cast<long long>(set.words[0])),
                                         static_cast<long long>(set.words[1]), 1);
    const __m128i high = _mm_insert_epi64(_mm_cvtsi64_si128(static_cast<long long>(set.words[2])),
                                          static_cast<long long>(set.words[3]), 1);
    return VectorBoard(_mm256_set_m128i(high, low));
  }

  static VectorBoard stored(const std::uint64_t* words) {  // 4 words, 32-byte aligned
    return VectorBoard(_mm256_load_si256(reinterpret_cast<const __m256i*>(words)));
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
