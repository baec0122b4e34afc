// The bits of a row of squares as floats.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace koridor::wall {

// Entry i starts as `value` where bit i of `bits` is set, else as 0; add() adds in the same way. `bits` is below 2^16.
// RowFloats has 16 entries; NarrowRowFloats has 8, enough for boards of at most 8 columns, and does half the work. This
// is the portable form, with which the tests compare the one in use.
template <int kFloats>
class ScalarRowFloats {
 public:
  static constexpr int kSize = kFloats;

  ScalarRowFloats(std::uint64_t bits, float value) { add(bits, value); }
  void add(std::uint64_t bits, float value) {
    for (int i = 0; i < kFloats; ++i) floats_[i] += (bits >> i & 1) != 0 ? value : 0.0f;
  }
  void multiply(float factor) {
    for (float& entry : floats_) entry *= factor;
  }
  void store(float* out) const { std::copy(floats_.begin(), floats_.end(), out); }

 private:
  std::array<float, kFloats> floats_{};
};

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

class RowFloats {
 public:
  static constexpr int kSize = 16;

  RowFloats(std::uint64_t bits, float value)
      : floats_(_mm512_maskz_mov_ps(static_cast<__mmask16>(bits), _mm512_set1_ps(value))) {}
  void add(std::uint64_t bits, float value) {
    floats_ = _mm512_mask_add_ps(floats_, static_cast<__mmask16>(bits), floats_, _mm512_set1_ps(value));
  }
  void multiply(float factor) { floats_ = _mm512_mul_ps(floats_, _mm512_set1_ps(factor)); }
  void store(float* out) const { _mm512_storeu_ps(out, floats_); }

 private:
  __m512 floats_;
};

class NarrowRowFloats {
 public:
  static constexpr int kSize = 8;

  NarrowRowFloats(std::uint64_t bits, float value)
      : floats_(_mm256_maskz_mov_ps(static_cast<__mmask8>(bits), _mm256_set1_ps(value))) {}
  void add(std::uint64_t bits, float value) {
    floats_ = _mm256_mask_add_ps(floats_, static_cast<__mmask8>(bits), floats_, _mm256_set1_ps(value));
  }
  void multiply(float factor) { floats_ = _mm256_mul_ps(floats_, _mm256_set1_ps(factor)); }
  void store(float* out) const { _mm256_storeu_ps(out, floats_); }

 private:
  __m256 floats_;
};

#elif defined(__AVX2__)

// The eight bits from bit `kFirst` on, as `value` or 0.
template <int kFirst>
__m256 chosen_floats(std::uint64_t bits, float value) {
  const __m256i each = _mm256_slli_epi32(_mm256_setr_epi32(0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80), kFirst);
  const __m256i all = _mm256_set1_epi32(static_cast<int>(bits));
  const __m256i set = _mm256_cmpeq_epi32(_mm256_and_si256(all, each), each);
  return _mm256_and_ps(_mm256_castsi256_ps(set), _mm256_set1_ps(value));
}

class RowFloats {
 public:
  static constexpr int kSize = 16;

  RowFloats(std::uint64_t bits, float value)
      : low_(chosen_floats<0>(bits, value)), high_(chosen_floats<8>(bits, value)) {}
  void add(std::uint64_t bits, float value) {
    low_ = _mm256_add_ps(low_, chosen_floats<0>(bits, value));
    high_ = _mm256_add_ps(high_, chosen_floats<8>(bits, value));
  }
  void multiply(float factor) {
    low_ = _mm256_mul_ps(low_, _mm256_set1_ps(factor));
    high_ = _mm256_mul_ps(high_, _mm256_set1_ps(factor));
  }
  void store(float* out) const {
    _mm256_storeu_ps(out, low_);
    _mm256_storeu_ps(out + 8, high_);
  }

 private:
  __m256 low_;
  __m256 high_;
};

class NarrowRowFloats {
 public:
  static constexpr int kSize = 8;

  NarrowRowFloats(std::uint64_t bits, float value) : floats_(chosen_floats<0>(bits, value)) {}
  void add(std::uint64_t bits, float value) { floats_ = _mm256_add_ps(floats_, chosen_floats<0>(bits, value)); }
  void multiply(float factor) { floats_ = _mm256_mul_ps(floats_, _mm256_set1_ps(factor)); }
  void store(float* out) const { _mm256_storeu_ps(out, floats_); }

 private:
  __m256 floats_;
};

#else

using RowFloats = ScalarRowFloats<16>;
using NarrowRowFloats = ScalarRowFloats<8>;

#endif

// Four rows of 16 whole numbers below 32, given by their binary digits: word i of `digits` holds digit i of all 64.
// This is the portable form.
template <class Row>
class DigitRows {
 public:
  explicit DigitRows(const std::array<std::uint64_t, 5>& digits) : digits_(digits) {}
  // Writes the first Row::kSize numbers of a row, times `scale`.
  void store(int row, float scale, float* out) const {
    Row floats(digits_[0] >> (16 * row) & 0xFFFF, 1.0f);
    for (int i = 1; i < 5; ++i) floats.add(digits_[i] >> (16 * row) & 0xFFFF, static_cast<float>(1 << i));
    floats.multiply(scale);
    floats.store(out);
  }

 private:
  std::array<std::uint64_t, 5> digits_;
};

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)

// All 64 numbers at once, one byte each.
template <class Row>
class FastDigitRows {
 public:
  explicit FastDigitRows(const std::array<std::uint64_t, 5>& digits) {
    __m512i bytes = _mm512_maskz_set1_epi8(digits[0], 1);
    for (int i = 1; i < 5; ++i) bytes = _mm512_or_si512(bytes, _mm512_maskz_set1_epi8(digits[i], 1 << i));
    _mm512_store_si512(bytes_, bytes);
  }
  void store(int row, float scale, float* out) const {
    const __m128i numbers = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes_ + 16 * row));
    if constexpr (Row::kSize == 8) {
      const __m256 floats = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(numbers));
      _mm256_storeu_ps(out, _mm256_mul_ps(floats, _mm256_set1_ps(scale)));
    } else {
      // The forms with masks, since g++ 12 takes the plain ones for uninitialised reads (bug 105593).
      const __m512 floats = _mm512_maskz_cvtepi32_ps(0xFFFF, _mm512_maskz_cvtepu8_epi32(0xFFFF, numbers));
      _mm512_storeu_ps(out, _mm512_mul_ps(floats, _mm512_set1_ps(scale)));
    }
  }

 private:
  alignas(64) std::uint8_t bytes_[64];
};

#else

template <class Row>
using FastDigitRows = DigitRows<Row>;

#endif

}  // namespace koridor::wall
