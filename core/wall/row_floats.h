// Sixteen floats made of the sixteen bits of a row of squares.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace koridor::wall {

// Entry i starts as `value` where bit i of `bits` is set, else as 0; add() adds in the same way. `bits` is below 2^16.
// The portable form; the tests compare the one in use with it.
class ScalarRowFloats {
 public:
  ScalarRowFloats(std::uint64_t bits, float value) { add(bits, value); }
  void add(std::uint64_t bits, float value) {
    for (int i = 0; i < 16; ++i) floats_[i] += (bits >> i & 1) != 0 ? value : 0.0f;
  }
  void store(float* out) const { std::copy(floats_.begin(), floats_.end(), out); }

 private:
  std::array<float, 16> floats_{};
};

#if defined(__AVX512F__)

class RowFloats {
 public:
  RowFloats(std::uint64_t bits, float value)
      : floats_(_mm512_maskz_mov_ps(static_cast<__mmask16>(bits), _mm512_set1_ps(value))) {}
  void add(std::uint64_t bits, float value) {
    floats_ = _mm512_mask_add_ps(floats_, static_cast<__mmask16>(bits), floats_, _mm512_set1_ps(value));
  }
  void store(float* out) const { _mm512_storeu_ps(out, floats_); }

 private:
  __m512 floats_;
};

#elif defined(__AVX2__)

class RowFloats {
 public:
  RowFloats(std::uint64_t bits, float value) : low_(chosen(bits, 0, value)), high_(chosen(bits, 8, value)) {}
  void add(std::uint64_t bits, float value) {
    low_ = _mm256_add_ps(low_, chosen(bits, 0, value));
    high_ = _mm256_add_ps(high_, chosen(bits, 8, value));
  }
  void store(float* out) const {
    _mm256_storeu_ps(out, low_);
    _mm256_storeu_ps(out + 8, high_);
  }

 private:
  static __m256 chosen(std::uint64_t bits, int first, float value) {
    const __m256i each = _mm256_slli_epi32(_mm256_setr_epi32(0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80), first);
    const __m256i all = _mm256_set1_epi32(static_cast<int>(bits));
    const __m256i set = _mm256_cmpeq_epi32(_mm256_and_si256(all, each), each);
    return _mm256_and_ps(_mm256_castsi256_ps(set), _mm256_set1_ps(value));
  }

  __m256 low_;
  __m256 high_;
};

#else

using RowFloats = ScalarRowFloats;

#endif

}  // namespace koridor::wall
