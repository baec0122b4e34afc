// A set of points for each of two sides, so that one step works on both. Following chains, where each step waits for
// the one before it, then takes the time of one side instead of two.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/go/points.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace koridor::go {

// The operations of Points, applied to both sets.
template <class Points>
class Both {
 public:
  static constexpr int kStride = Points::kStride;

  Both() = default;
  Both(const Points& one, const Points& two) : one_(one), two_(two) {}

  // The union of the two sets.
  Points joined() const { return one_ | two_; }

  friend Both operator&(const Both& a, const Both& b) { return {a.one_ & b.one_, a.two_ & b.two_}; }
  friend Both operator|(const Both& a, const Both& b) { return {a.one_ | b.one_, a.two_ | b.two_}; }
  friend Both operator-(const Both& a, const Both& b) { return {a.one_ - b.one_, a.two_ - b.two_}; }
  friend bool operator==(const Both& a, const Both& b) { return a.one_ == b.one_ && a.two_ == b.two_; }
  bool any() const { return joined().any(); }
  Both first() const { return {one_.first(), two_.first()}; }
  // Each set where its counterpart in `of` has more than `points` points, else the empty set.
  Both where_more(int points, const Both& of) const {
    return {of.one_.count() > points ? one_ : Points(), of.two_.count() > points ? two_ : Points()};
  }

  template <int kBits>
  Both up() const {
    return {one_.template up<kBits>(), two_.template up<kBits>()};
  }
  template <int kBits>
  Both down() const {
    return {one_.template down<kBits>(), two_.template down<kBits>()};
  }
  Both neighbours() const { return {one_.neighbours(), two_.neighbours()}; }

 private:
  Points one_, two_;
};

#ifdef __AVX2__

// Two small boards in the halves of a register. The two words of a set are moved as a ring, which is quicker than as a
// line: bits that leave at one end come in at the other, in a row that holds no points.
template <>
class Both<SmallPoints> {
 public:
  static constexpr int kStride = SmallPoints::kStride;
  static_assert((SmallPoints::kRows + 1) * kStride <= 128);

  Both() : bits_(_mm256_setzero_si256()) {}
  Both(const SmallPoints& one, const SmallPoints& two) {
    const auto a = one.words();
    const auto b = two.words();
    bits_ = _mm256_set_epi64x(static_cast<long long>(b[1]), static_cast<long long>(b[0]), static_cast<long long>(a[1]),
                              static_cast<long long>(a[0]));
  }

  SmallPoints joined() const {
    const __m128i all = _mm_or_si128(_mm256_castsi256_si128(bits_), _mm256_extracti128_si256(bits_, 1));
    return SmallPoints::load(
        {static_cast<std::uint64_t>(_mm_cvtsi128_si64(all)), static_cast<std::uint64_t>(_mm_extract_epi64(all, 1))});
  }

  friend Both operator&(Both a, Both b) { return Both(_mm256_and_si256(a.bits_, b.bits_)); }
  friend Both operator|(Both a, Both b) { return Both(_mm256_or_si256(a.bits_, b.bits_)); }
  friend Both operator-(Both a, Both b) { return Both(_mm256_andnot_si256(b.bits_, a.bits_)); }
  friend bool operator==(Both a, Both b) {
    const __m256i difference = _mm256_xor_si256(a.bits_, b.bits_);
    return _mm256_testz_si256(difference, difference) != 0;
  }
  bool any() const { return _mm256_testz_si256(bits_, bits_) == 0; }
  Both first() const {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i lowest = _mm256_and_si256(bits_, _mm256_sub_epi64(zero, bits_));  // of each word
    const __m256i is_zero = _mm256_cmpeq_epi64(bits_, zero);
    // An upper word counts where the lower one is empty.
    const __m256i counts = _mm256_or_si256(_mm256_slli_si256(is_zero, 8), _mm256_set_epi64x(0, -1, 0, -1));
    return Both(_mm256_and_si256(lowest, counts));
  }
  Both where_more(int points, Both of) const {
#ifdef KORIDOR_GO_AVX512
    const __m256i of_words = _mm256_popcnt_epi64(of.bits_);
    const __m256i counts = _mm256_add_epi64(of_words, exchanged(of_words));
    return Both(_mm256_maskz_mov_epi64(_mm256_cmpgt_epi64_mask(counts, _mm256_set1_epi64x(points)), bits_));
#else
    alignas(32) std::array<std::uint64_t, 4> words;
    _mm256_store_si256(reinterpret_cast<__m256i*>(words.data()), of.bits_);
    const bool one = std::popcount(words[0]) + std::popcount(words[1]) > points;
    const bool two = std::popcount(words[2]) + std::popcount(words[3]) > points;
    return Both(_mm256_and_si256(bits_, _mm256_set_epi64x(-two, -two, -one, -one)));
#endif
  }

  template <int kBits>
  Both up() const {
    return Both(risen<kBits>(exchanged(bits_)));
  }
  template <int kBits>
  Both down() const {
    return Both(sunk<kBits>(exchanged(bits_)));
  }
  Both neighbours() const {
    const __m256i other = exchanged(bits_);
    return Both((risen<1>(other) | risen<kStride>(other)) | (sunk<1>(other) | sunk<kStride>(other)));
  }

 private:
  explicit Both(__m256i bits) : bits_(bits) {}

  // The two words of each set exchanged.
  static __m256i exchanged(__m256i words) {
    return _mm256_shuffle_epi32(words, _MM_SHUFFLE(1, 0, 3, 2));
  }
  // Each word moved, with the bits that come in from the other word.
  template <int kBits>
  __m256i risen(__m256i other) const {
#ifdef KORIDOR_GO_AVX512
    return _mm256_shldi_epi64(bits_, other, kBits);
#else
    return _mm256_or_si256(_mm256_slli_epi64(bits_, kBits), _mm256_srli_epi64(other, 64 - kBits));
#endif
  }
  template <int kBits>
  __m256i sunk(__m256i other) const {
#ifdef KORIDOR_GO_AVX512
    return _mm256_shrdi_epi64(bits_, other, kBits);
#else
    return _mm256_or_si256(_mm256_srli_epi64(bits_, kBits), _mm256_slli_epi64(other, 64 - kBits));
#endif
  }

  __m256i bits_;
};

#endif

}  // namespace koridor::go
