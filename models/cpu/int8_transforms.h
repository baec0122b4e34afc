// The transformations of int8_kernels.h. The sources of kernels include this file, each compiled for CPUs of its own:
// everything is in an unnamed namespace, so that no code for one kind of CPU is taken for another. Both give the same
// bits, as they do the same operations in the same order.
//
// `Vector` is a source's vector of floats: its Type, the number kLanes of its floats, which divides kGroup, and the
// operations below as static functions, of which fmadd(a, b, c) is a * b + c and fmsub(a, b, c) is a * b - c.
#pragma once

#include <immintrin.h>

#include "models/cpu/int8_kernels.h"

namespace koridor::int8 {
namespace {

constexpr int kFractionBits = 5;
static_assert(kFraction == 1 << kFractionBits);

// x times a factor below 1 (in units of 2^-15), rounded.
inline __m256i times(__m256i x, float factor) {
  return _mm256_mulhrs_epi16(x, _mm256_set1_epi16(static_cast<short>(factor * 32768.0f + 0.5f)));
}

// B^T of winograd.h times five numbers, in 16 bits. On both sides of bytes times kFraction the result is below 2^15.
inline void transform_five(const __m256i d[kSide], __m256i out[kSide]) {
  constexpr float kNearSquare = kNear * kNear;
  constexpr float kFarSquare = kFar * kFar;
  const auto add = [](__m256i a, __m256i b) { return _mm256_add_epi16(a, b); };
  const auto sub = [](__m256i a, __m256i b) { return _mm256_sub_epi16(a, b); };
  const __m256i even = sub(times(d[4], 1.0f / kFarSquare), d[2]);
  const __m256i odd = times(sub(times(d[3], 1.0f / kFarSquare), d[1]), kNear);
  out[0] = add(even, times(sub(d[0], times(d[2], 1.0f / kFarSquare)), kNearSquare));
  out[1] = add(even, odd);
  out[2] = sub(even, odd);
  const __m256i far_even = times(sub(d[4], times(d[2], kNearSquare)), 1.0f / kFar);
  const __m256i far_odd = sub(d[3], times(d[1], kNearSquare));
  out[3] = add(far_even, far_odd);
  out[4] = sub(far_even, far_odd);
}

// A^T of winograd.h from sums and differences of the points and their negatives.
template <class Vector>
struct Halves {
  typename Vector::Type zero;
  typename Vector::Type near_sum, near_difference;
  typename Vector::Type far_sum, far_difference;
};
template <class Vector>
inline void transform_three(const Halves<Vector>& m, typename Vector::Type out[kTile]) {
  out[0] =
      Vector::fmadd(m.far_sum, Vector::all(1.0f / kFar), Vector::fmadd(m.near_sum, Vector::all(1.0f / kNear), m.zero));
  out[1] = Vector::add(m.near_difference, m.far_difference);
  out[2] = Vector::fmadd(m.far_sum, Vector::all(kFar), Vector::mul(m.near_sum, Vector::all(kNear)));
}

void transform_input(const InputTransform& how, const std::uint8_t* from, int all, int first,
                     std::uint8_t* transformed) {
  const Tiles of = how.tiles;
  const __m256i none = _mm256_setzero_si256();
  const __m256i zero = _mm256_set1_epi8(static_cast<char>(kZero));
  const int channels = how.channels;
  const long row_bytes = static_cast<long>(of.columns) * channels;
  for (int down = 0; down < of.down(); ++down) {
    for (int channel = 0; channel < channels; channel += kInputGroup) {
      // B^T d of the columns from -1 on. Unpacking to 16 bits works within halves of a register: `low` has the first
      // eight channels of each sixteen, `high` the others. Packing restores the order.
      __m256i low[kMostColumns + kSide - kTile][kSide], high[kMostColumns + kSide - kTile][kSide];
      const int columns = of.across() * kTile + kSide - kTile;
      for (int j = 0; j < columns; ++j) {
        const int column = j - 1;
        if (column < 0 || column >= of.columns) {
          for (int i = 0; i < kSide; ++i) low[j][i] = high[j][i] = none;
          continue;
        }
        __m256i d[kSide], e[kSide];
        const std::uint8_t* at = from + static_cast<long>(column) * channels + channel;
        for (int i = 0; i < kSide; ++i) {
          const int row = down * kTile + i - 1;
          const bool inside = row >= 0 && row < of.rows;
          const __m256i bytes =
              inside ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + row * row_bytes)) : none;
          d[i] = _mm256_slli_epi16(_mm256_unpacklo_epi8(bytes, none), kFractionBits);
          e[i] = _mm256_slli_epi16(_mm256_unpackhi_epi8(bytes, none), kFractionBits);
        }
        transform_five(d, low[j]);
        transform_five(e, high[j]);
      }
      for (int across = 0; across < of.across(); ++across) {
        const auto* factor = reinterpret_cast<const __m256i*>(how.factors + channel);
        std::uint8_t* to = transformed + static_cast<long>(first + across) * channels + channel;
        const auto* l = low + across * kTile;
        const auto* h = high + across * kTile;
        for (int i = 0; i < kSide; ++i) {
          const __m256i d[kSide] = {l[0][i], l[1][i], l[2][i], l[3][i], l[4][i]};
          const __m256i e[kSide] = {h[0][i], h[1][i], h[2][i], h[3][i], h[4][i]};
          __m256i out_low[kSide], out_high[kSide];
          transform_five(d, out_low);
          transform_five(e, out_high);
          for (int j = 0; j < kSide; ++j) {
            const __m256i rounded_low = _mm256_mulhrs_epi16(out_low[j], _mm256_loadu_si256(factor));
            const __m256i rounded_high = _mm256_mulhrs_epi16(out_high[j], _mm256_loadu_si256(factor + 1));
            const __m256i bytes = _mm256_xor_si256(_mm256_packs_epi16(rounded_low, rounded_high), zero);
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
            factor += channels / kGroup;
            to += static_cast<long>(all) * channels;
          }
        }
      }
    }
    first += of.across();
  }
}

template <class Vector, bool Adds>
void transform_outputs(const OutputTransform& how, const std::int32_t* products, int all, int first, std::uint8_t* to) {
  using Floats = typename Vector::Type;
  const Tiles of = how.tiles;
  const int channels = how.channels;
  const long row_bytes = static_cast<long>(of.columns) * channels;
  const long point_stride = static_cast<long>(all) * channels;
  for (int down = 0; down < of.down(); ++down) {
    for (int across = 0; across < of.across(); ++across, ++first) {
      for (int channel = 0; channel < channels; channel += Vector::kLanes) {
        const std::int32_t* sums = products + static_cast<long>(first) * channels + channel;
        const int lane = channel % kGroup;
        const float* scales = how.scales + (channel - lane) * kPoints + lane;
        Floats rows[kSide][kTile];  // [row, column] of m A
#pragma GCC unroll 5
        for (int i = 0; i < kSide; ++i, sums += kSide * point_stride) {
          Floats m[kSide], scale[kSide];
#pragma GCC unroll 5
          for (int j = 0; j < kSide; ++j) {
            m[j] = Vector::load(sums + j * point_stride);
            scale[j] = Vector::load(scales + (i * kSide + j) * kGroup);
          }
          const Floats minus_near = Vector::mul(m[2], scale[2]);
          const Floats minus_far = Vector::mul(m[4], scale[4]);
          transform_three<Vector>({.zero = Vector::mul(m[0], scale[0]),
                                   .near_sum = Vector::fmadd(m[1], scale[1], minus_near),
                                   .near_difference = Vector::fmsub(m[1], scale[1], minus_near),
                                   .far_sum = Vector::fmadd(m[3], scale[3], minus_far),
                                   .far_difference = Vector::fmsub(m[3], scale[3], minus_far)},
                                  rows[i]);
        }
        const Floats bias = Vector::load(how.bias + channel);
#pragma GCC unroll 3
        for (int j = 0; j < kTile; ++j) {
          if (across * kTile + j >= of.columns) break;
          Floats out[kTile];
          transform_three<Vector>({.zero = rows[0][j],
                                   .near_sum = Vector::add(rows[1][j], rows[2][j]),
                                   .near_difference = Vector::sub(rows[1][j], rows[2][j]),
                                   .far_sum = Vector::add(rows[3][j], rows[4][j]),
                                   .far_difference = Vector::sub(rows[3][j], rows[4][j])},
                                  out);
          std::uint8_t* at =
              to + (static_cast<long>(down) * kTile * of.columns + across * kTile + j) * channels + channel;
#pragma GCC unroll 3
          for (int i = 0; i < kTile; ++i, at += row_bytes) {
            if (down * kTile + i >= of.rows) break;
            Floats value = Vector::add(out[i], bias);
            if constexpr (Adds) value = Vector::fmadd(Vector::load(at), Vector::all(how.sum), value);
            Vector::store(value, at);
          }
        }
      }
    }
  }
}

template <class Vector>
void transform_output(const OutputTransform& how, const std::int32_t* products, int all, int first, std::uint8_t* to) {
  const auto transform = how.sum == 0.0f ? transform_outputs<Vector, false> : transform_outputs<Vector, true>;
  transform(how, products, all, first, to);
}

template <class Vector>
void scale(const Scaling& how, int rows, const std::int32_t* products, float* to) {
  for (int row = 0; row < rows; ++row, products += how.channels, to += how.channels) {
    for (int channel = 0; channel < how.channels; channel += Vector::kLanes) {
      const auto scaled = Vector::fmadd(Vector::load(products + channel), Vector::load(how.scales + channel),
                                        Vector::load(how.bias + channel));
      Vector::store(scaled, to + channel);
    }
  }
}

}  // namespace
}  // namespace koridor::int8
