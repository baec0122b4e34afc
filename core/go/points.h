// Sets of points, one bit per point, with the operations that the rules need on many points at once.
//
// A point is the bit row * kStride + column, row 0 at the top. The stride is one more than the largest number of
// columns, and the bit behind each row's end belongs to no point: a set moved by one step runs into it instead of into
// the next row. Sets that come from moving others are intersected with sets of points before they are read.
//
// There are two sizes, so that strides and numbers of words are constants: SmallPoints for up to 9 columns and 11 rows,
// LargePoints for larger boards. LargePoints is one AVX-512 register on CPUs with VBMI2 and VPOPCNTDQ, else six words.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#if defined(__AVX512F__) && defined(__AVX512VBMI2__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && \
    defined(__AVX512VPOPCNTDQ__)
#define KORIDOR_GO_AVX512 1
#include <immintrin.h>
#endif

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace koridor::go {

inline constexpr int kMaxWords = 6;
using PointWords = std::array<std::uint64_t, kMaxWords>;

// The place of the set bit with `rank` set bits below it; rank < popcount(word).
inline int nth_bit(std::uint64_t word, int rank) {
#ifdef __BMI2__
  return std::countr_zero(_pdep_u64(std::uint64_t{1} << rank, word));
#else
  for (; rank > 0; --rank) word &= word - 1;
  return std::countr_zero(word);
#endif
}

// The bits of `bits` at the places of `mask`, moved together at the low end.
inline std::uint64_t gather_bits(std::uint64_t bits, std::uint64_t mask) {
#ifdef __BMI2__
  return _pext_u64(bits, mask);
#else
  std::uint64_t gathered = 0;
  for (int to = 0; mask != 0; mask &= mask - 1, ++to) gathered |= (bits >> std::countr_zero(mask) & 1) << to;
  return gathered;
#endif
}

// Up to 11 rows of 9 columns in one 128-bit number, with one row to spare, which Both needs.
class SmallPoints {
 public:
  static constexpr int kColumns = 9;
  static constexpr int kRows = 11;
  static constexpr int kStride = 10;
  static constexpr int kWords = 2;

  SmallPoints() = default;
  static SmallPoints load(const PointWords& words) { return SmallPoints(static_cast<Bits>(words[1]) << 64 | words[0]); }
  void store(PointWords& words) const {
    words[0] = static_cast<std::uint64_t>(bits_);
    words[1] = static_cast<std::uint64_t>(bits_ >> 64);
  }
  std::array<std::uint64_t, 2> words() const {
    return {static_cast<std::uint64_t>(bits_), static_cast<std::uint64_t>(bits_ >> 64)};
  }
  static SmallPoints of(int point) {
    const std::uint64_t bit = std::uint64_t{1} << (point & 63);
    return SmallPoints(static_cast<Bits>(point < 64 ? 0 : bit) << 64 | (point < 64 ? bit : 0));
  }

  friend SmallPoints operator&(SmallPoints a, SmallPoints b) { return SmallPoints(a.bits_ & b.bits_); }
  friend SmallPoints operator|(SmallPoints a, SmallPoints b) { return SmallPoints(a.bits_ | b.bits_); }
  friend SmallPoints operator-(SmallPoints a, SmallPoints b) { return SmallPoints(a.bits_ & ~b.bits_); }
  friend bool operator==(SmallPoints a, SmallPoints b) { return a.bits_ == b.bits_; }
  bool any() const { return bits_ != 0; }
  int count() const {
    return std::popcount(static_cast<std::uint64_t>(bits_)) + std::popcount(static_cast<std::uint64_t>(bits_ >> 64));
  }
  // The set that holds the first point alone; empty for the empty set.
  SmallPoints first() const { return SmallPoints(bits_ & -bits_); }

  // Every point moved by kBits bits.
  template <int kBits>
  SmallPoints up() const {
    return SmallPoints(bits_ << kBits);
  }
  template <int kBits>
  SmallPoints down() const {
    return SmallPoints(bits_ >> kBits);
  }
  // All neighbours of the points, and bits beyond the board's edge.
  SmallPoints neighbours() const { return SmallPoints(bits_ << 1 | bits_ >> 1 | bits_ << kStride | bits_ >> kStride); }

 private:
  using Bits = unsigned __int128;
  explicit SmallPoints(Bits bits) : bits_(bits) {}
  Bits bits_ = 0;
};

// Up to 19 rows of 19 columns in six words: the portable form.
class LargeWordPoints {
 public:
  static constexpr int kColumns = 19;
  static constexpr int kRows = 19;
  static constexpr int kStride = 20;
  static constexpr int kWords = 6;

  LargeWordPoints() = default;
  static LargeWordPoints load(const PointWords& words) { return LargeWordPoints(words); }
  void store(PointWords& words) const { words = words_; }
  const PointWords& words() const { return words_; }
  static LargeWordPoints of(int point) {
    LargeWordPoints set;
    set.words_[static_cast<std::size_t>(point >> 6)] = std::uint64_t{1} << (point & 63);
    return set;
  }

  friend LargeWordPoints operator&(const LargeWordPoints& a, const LargeWordPoints& b) {
    LargeWordPoints result;
    for (int i = 0; i < kWords; ++i) result.words_[i] = a.words_[i] & b.words_[i];
    return result;
  }
  friend LargeWordPoints operator|(const LargeWordPoints& a, const LargeWordPoints& b) {
    LargeWordPoints result;
    for (int i = 0; i < kWords; ++i) result.words_[i] = a.words_[i] | b.words_[i];
    return result;
  }
  friend LargeWordPoints operator-(const LargeWordPoints& a, const LargeWordPoints& b) {
    LargeWordPoints result;
    for (int i = 0; i < kWords; ++i) result.words_[i] = a.words_[i] & ~b.words_[i];
    return result;
  }
  friend bool operator==(const LargeWordPoints& a, const LargeWordPoints& b) {
    std::uint64_t difference = 0;
    for (int i = 0; i < kWords; ++i) difference |= a.words_[i] ^ b.words_[i];
    return difference == 0;
  }
  bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words_) all |= word;
    return all != 0;
  }
  int count() const {
    int total = 0;
    for (const std::uint64_t word : words_) total += std::popcount(word);
    return total;
  }
  LargeWordPoints first() const {
    LargeWordPoints set;
    for (int i = 0; i < kWords; ++i) {
      if (words_[i] == 0) continue;
      set.words_[i] = words_[i] & -words_[i];
      break;
    }
    return set;
  }

  template <int kBits>
  LargeWordPoints up() const {
    LargeWordPoints result;
    result.words_[0] = words_[0] << kBits;
    for (int i = 1; i < kWords; ++i) result.words_[i] = words_[i] << kBits | words_[i - 1] >> (64 - kBits);
    return result;
  }
  template <int kBits>
  LargeWordPoints down() const {
    LargeWordPoints result;
    for (int i = 0; i < kWords - 1; ++i) result.words_[i] = words_[i] >> kBits | words_[i + 1] << (64 - kBits);
    result.words_[kWords - 1] = words_[kWords - 1] >> kBits;
    return result;
  }
  LargeWordPoints neighbours() const { return up<1>() | down<1>() | up<kStride>() | down<kStride>(); }

 private:
  explicit LargeWordPoints(const PointWords& words) : words_(words) {}
  PointWords words_{};
};

#ifdef KORIDOR_GO_AVX512

// The same in one register, of which the upper two words stay zero.
class LargeVectorPoints {
 public:
  static constexpr int kColumns = 19;
  static constexpr int kRows = 19;
  static constexpr int kStride = 20;
  static constexpr int kWords = 6;

  LargeVectorPoints() : bits_(_mm512_setzero_si512()) {}
  static LargeVectorPoints load(const PointWords& words) {
    return LargeVectorPoints(_mm512_maskz_loadu_epi64(kAll, words.data()));
  }
  void store(PointWords& words) const { _mm512_mask_storeu_epi64(words.data(), kAll, bits_); }
  std::array<std::uint64_t, 8> words() const {
    std::array<std::uint64_t, 8> words;
    _mm512_storeu_si512(words.data(), bits_);
    return words;
  }
  static LargeVectorPoints of(int point) {
    return LargeVectorPoints(_mm512_maskz_set1_epi64(static_cast<__mmask8>(1 << (point >> 6)),
                                                     static_cast<long long>(std::uint64_t{1} << (point & 63))));
  }

  friend LargeVectorPoints operator&(LargeVectorPoints a, LargeVectorPoints b) {
    return LargeVectorPoints(a.bits_ & b.bits_);
  }
  friend LargeVectorPoints operator|(LargeVectorPoints a, LargeVectorPoints b) {
    return LargeVectorPoints(a.bits_ | b.bits_);
  }
  friend LargeVectorPoints operator-(LargeVectorPoints a, LargeVectorPoints b) {
    return LargeVectorPoints(a.bits_ & ~b.bits_);
  }
  friend bool operator==(LargeVectorPoints a, LargeVectorPoints b) {
    return _mm512_cmpneq_epu64_mask(a.bits_, b.bits_) == 0;
  }
  bool any() const { return _mm512_test_epi64_mask(bits_, bits_) != 0; }
  int count() const {
    const __m512i counts = _mm512_popcnt_epi64(bits_);
    // The forms with masks, since g++ 12 takes the plain ones for uninitialised reads (bug 105593).
    const __m256i four = _mm256_add_epi64(_mm512_maskz_extracti64x4_epi64(0xF, counts, 0),
                                          _mm512_maskz_extracti64x4_epi64(0xF, counts, 1));
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return static_cast<int>(_mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1));
  }
  LargeVectorPoints first() const {
    const unsigned filled = _mm512_test_epi64_mask(bits_, bits_);
    const __m512i negated = _mm512_sub_epi64(_mm512_setzero_si512(), bits_);
    return LargeVectorPoints(_mm512_maskz_and_epi64(static_cast<__mmask8>(filled & -filled), bits_, negated));
  }

  template <int kBits>
  LargeVectorPoints up() const {
    return LargeVectorPoints(_mm512_shldi_epi64(bits_, word_below(), kBits));
  }
  template <int kBits>
  LargeVectorPoints down() const {
    return LargeVectorPoints(_mm512_shrdi_epi64(bits_, word_above(), kBits));
  }
  LargeVectorPoints neighbours() const {
    const __m512i below = word_below();
    const __m512i above = word_above();
    const __m512i east = _mm512_shldi_epi64(bits_, below, 1);
    const __m512i south = _mm512_shldi_epi64(bits_, below, kStride);
    const __m512i west = _mm512_shrdi_epi64(bits_, above, 1);
    const __m512i north = _mm512_shrdi_epi64(bits_, above, kStride);
    return LargeVectorPoints((east | south) | (west | north));
  }

 private:
  static constexpr __mmask8 kAll = 0x3F;

  explicit LargeVectorPoints(__m512i bits) : bits_(bits) {}
  // The words moved up or down by one; the word that comes in is one of the two zero ones.
  __m512i word_below() const { return _mm512_maskz_alignr_epi64(0xFF, bits_, bits_, 7); }
  __m512i word_above() const { return _mm512_maskz_alignr_epi64(0xFF, bits_, bits_, 1); }

  __m512i bits_;
};

using LargePoints = LargeVectorPoints;

#else

using LargePoints = LargeWordPoints;

#endif

// Calls visit(point) for every point, in rising order.
template <class Points, class Visit>
void for_each_point(const Points& set, Visit&& visit) {
  const auto& words = set.words();
  for (int i = 0; i < Points::kWords; ++i) {
    for (std::uint64_t rest = words[static_cast<std::size_t>(i)]; rest != 0; rest &= rest - 1) {
      visit(i * 64 + std::countr_zero(rest));
    }
  }
}

// The number of a set's only point.
template <class Points>
int point_of(const Points& single) {
  const auto& words = single.words();
  int word = 0;
  while (words[static_cast<std::size_t>(word)] == 0) ++word;
  return word * 64 + std::countr_zero(words[static_cast<std::size_t>(word)]);
}

}  // namespace koridor::go
