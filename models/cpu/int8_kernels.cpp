#include "models/cpu/int8_kernels.h"

#include <immintrin.h>

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
struct Halves {
  __m512 zero;
  __m512 near_sum, near_difference;
  __m512 far_sum, far_difference;
};
inline void transform_three(const Halves& m, __m512 out[kTile]) {
  out[0] = _mm512_fmadd_ps(m.far_sum, _mm512_set1_ps(1.0f / kFar),
                           _mm512_fmadd_ps(m.near_sum, _mm512_set1_ps(1.0f / kNear), m.zero));
  out[1] = _mm512_add_ps(m.near_difference, m.far_difference);
  out[2] = _mm512_fmadd_ps(m.far_sum, _mm512_set1_ps(kFar), _mm512_mul_ps(m.near_sum, _mm512_set1_ps(kNear)));
}

// Adds products to an accumulator. g++ 12 keeps Rows x Groups accumulators in registers only with this assembly.
inline void dot(__m512i& sum, __m512i bytes, __m512i weights) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(bytes), "v"(weights));
}

// Computes `Rows` rows and `Groups` groups of outputs, from where weights, start and to point.
template <int Rows, int Groups>
inline __attribute__((always_inline)) void multiply_block(const Product& product, const std::uint8_t* from,
                                                          std::int32_t* to) {
  __m512i sums[Rows][Groups];
#pragma GCC unroll 8
  for (int group = 0; group < Groups; ++group) {
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) sums[row][group] = _mm512_loadu_si512(product.start + group * kGroup);
  }
  const std::int8_t* weights = product.weights;
  for (int input = 0; input < product.inputs; input += 4, weights += product.outputs * 4) {
    __m512i weight[Groups];
#pragma GCC unroll 8
    for (int group = 0; group < Groups; ++group) weight[group] = _mm512_loadu_si512(weights + group * kGroup * 4);
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) {
      const __m512i four =
          _mm512_set1_epi32(*reinterpret_cast<const int*>(from + static_cast<long>(row) * product.stride + input));
#pragma GCC unroll 8
      for (int group = 0; group < Groups; ++group) dot(sums[row][group], four, weight[group]);
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) {
#pragma GCC unroll 8
    for (int group = 0; group < Groups; ++group) {
      _mm512_storeu_si512(to + static_cast<long>(row) * product.outputs + group * kGroup, sums[row][group]);
    }
  }
}

// All rows of one point.
template <int Rows, int Groups>
void multiply_point(const Product& product, int rows, const std::uint8_t* from, std::int32_t* to) {
  int row = 0;
  for (; row + Rows <= rows; row += Rows) {
    multiply_block<Rows, Groups>(product, from + static_cast<long>(row) * product.stride,
                                 to + static_cast<long>(row) * product.outputs);
  }
  for (; row < rows; ++row) {
    multiply_block<1, Groups>(product, from + static_cast<long>(row) * product.stride,
                              to + static_cast<long>(row) * product.outputs);
  }
}

}  // namespace

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

void multiply(const Product& product, int rows, const std::uint8_t* from, std::int32_t* to) {
  Product part = product;
  for (int point = 0; point < product.points; ++point) {
    for (int output = 0; output < product.outputs;) {
      part.weights = product.weights + (static_cast<long>(point) * product.inputs * product.outputs + output * 4);
      part.start = product.start + point * product.outputs + output;
      const std::uint8_t* bytes = from + static_cast<long>(point) * rows * product.stride;
      std::int32_t* sums = to + static_cast<long>(point) * rows * product.outputs + output;
      // As many accumulators as the registers allow: 24 of 32, since weights and inputs take some.
      const int groups = (product.outputs - output) / kGroup;
      if (groups == 6) {
        multiply_point<4, 6>(part, rows, bytes, sums);
        output += 6 * kGroup;
      } else if (groups >= 4) {
        multiply_point<6, 4>(part, rows, bytes, sums);
        output += 4 * kGroup;
      } else if (groups >= 2) {
        multiply_point<8, 2>(part, rows, bytes, sums);
        output += 2 * kGroup;
      } else {
        multiply_point<8, 1>(part, rows, bytes, sums);
        output += kGroup;
      }
    }
  }
}

namespace {

template <bool Adds>
void transform_outputs(const OutputTransform& how, const std::int32_t* products, int all, int first, std::uint8_t* to) {
  const Tiles of = how.tiles;
  const int channels = how.channels;
  const long row_bytes = static_cast<long>(of.columns) * channels;
  const long point_stride = static_cast<long>(all) * channels;
  for (int down = 0; down < of.down(); ++down) {
    for (int across = 0; across < of.across(); ++across, ++first) {
      for (int channel = 0; channel < channels; channel += kGroup) {
        const std::int32_t* sums = products + static_cast<long>(first) * channels + channel;
        const float* scales = how.scales + channel * kPoints;
        __m512 rows[kSide][kTile];  // [row, column] of m A
#pragma GCC unroll 5
        for (int i = 0; i < kSide; ++i, sums += kSide * point_stride) {
          __m512 m[kSide], scale[kSide];
#pragma GCC unroll 5
          for (int j = 0; j < kSide; ++j) {
            m[j] = _mm512_cvtepi32_ps(_mm512_loadu_si512(sums + j * point_stride));
            scale[j] = _mm512_loadu_ps(scales + (i * kSide + j) * kGroup);
          }
          const __m512 minus_near = _mm512_mul_ps(m[2], scale[2]);
          const __m512 minus_far = _mm512_mul_ps(m[4], scale[4]);
          transform_three({.zero = _mm512_mul_ps(m[0], scale[0]),
                           .near_sum = _mm512_fmadd_ps(m[1], scale[1], minus_near),
                           .near_difference = _mm512_fmsub_ps(m[1], scale[1], minus_near),
                           .far_sum = _mm512_fmadd_ps(m[3], scale[3], minus_far),
                           .far_difference = _mm512_fmsub_ps(m[3], scale[3], minus_far)},
                          rows[i]);
        }
        const __m512 bias = _mm512_loadu_ps(how.bias + channel);
#pragma GCC unroll 3
        for (int j = 0; j < kTile; ++j) {
          if (across * kTile + j >= of.columns) break;
          __m512 out[kTile];
          transform_three({.zero = rows[0][j],
                           .near_sum = _mm512_add_ps(rows[1][j], rows[2][j]),
                           .near_difference = _mm512_sub_ps(rows[1][j], rows[2][j]),
                           .far_sum = _mm512_add_ps(rows[3][j], rows[4][j]),
                           .far_difference = _mm512_sub_ps(rows[3][j], rows[4][j])},
                          out);
          std::uint8_t* column =
              to + (static_cast<long>(down) * kTile * of.columns + across * kTile + j) * channels + channel;
#pragma GCC unroll 3
          for (int i = 0; i < kTile; ++i, column += row_bytes) {
            if (down * kTile + i >= of.rows) break;
            auto* at = reinterpret_cast<__m128i*>(column);
            __m512 value = _mm512_add_ps(out[i], bias);
            if constexpr (Adds) {
              const __m512 before = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(at)));
              value = _mm512_fmadd_ps(before, _mm512_set1_ps(how.sum), value);
            }
            const __m512i rounded = _mm512_cvtps_epi32(_mm512_max_ps(value, _mm512_setzero_ps()));
            _mm_storeu_si128(at, _mm512_cvtusepi32_epi8(rounded));
          }
        }
      }
    }
  }
}

}  // namespace

void transform_output(const OutputTransform& how, const std::int32_t* products, int all, int first, std::uint8_t* to) {
  const auto transform = how.sum == 0.0f ? transform_outputs<false> : transform_outputs<true>;
  transform(how, products, all, first, to);
}

void scale(const Scaling& how, int rows, const std::int32_t* products, float* to) {
  for (int row = 0; row < rows; ++row, products += how.channels, to += how.channels) {
    for (int channel = 0; channel < how.channels; channel += kGroup) {
      const __m512 sums = _mm512_cvtepi32_ps(_mm512_loadu_si512(products + channel));
      _mm512_storeu_ps(to + channel, _mm512_fmadd_ps(sums, _mm512_loadu_ps(how.scales + channel),
                                                     _mm512_loadu_ps(how.bias + channel)));
    }
  }
}

}  // namespace koridor::int8
