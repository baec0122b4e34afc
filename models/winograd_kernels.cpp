#include "models/winograd_kernels.h"

#include <immintrin.h>

namespace koridor::winograd {
namespace {

// B^T of winograd.h times five numbers, in 16 bits: of bytes at most 6 * 255 in size, after both sides 36 * 255.
inline void transform_five(const __m256i d[kSide], __m256i out[kSide]) {
  const __m256i twice1 = _mm256_slli_epi16(d[1], 1);
  const __m256i three_one = _mm256_sub_epi16(d[3], d[1]);
  const __m256i three_two = _mm256_sub_epi16(d[3], d[2]);
  out[0] = _mm256_add_epi16(_mm256_slli_epi16(_mm256_sub_epi16(d[0], d[2]), 1), three_one);
  out[1] = _mm256_sub_epi16(three_two, twice1);
  out[2] = _mm256_sub_epi16(_mm256_add_epi16(three_two, twice1), _mm256_slli_epi16(d[2], 1));
  out[3] = three_one;
  out[4] = _mm256_sub_epi16(_mm256_add_epi16(twice1, d[4]), _mm256_add_epi16(d[2], _mm256_slli_epi16(d[3], 1)));
}

// A^T of winograd.h times five numbers.
inline void transform_three(const __m512 m[kSide], __m512 out[kTile]) {
  const __m512 sum = _mm512_add_ps(m[1], m[2]);
  const __m512 difference = _mm512_sub_ps(m[1], m[2]);
  out[0] = _mm512_add_ps(_mm512_add_ps(m[0], sum), m[3]);
  out[1] = _mm512_fmadd_ps(_mm512_set1_ps(2.0f), m[3], difference);
  out[2] = _mm512_add_ps(_mm512_fmadd_ps(_mm512_set1_ps(4.0f), m[3], sum), m[4]);
}

// Rows x Groups accumulators stay in registers; g++ 12 keeps them there only when the instruction is written so.
inline void dot(__m512i& sum, __m512i bytes, __m512i weights) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(bytes), "v"(weights));
}

// `Rows` tiles, `Groups` groups of outputs from `output` on.
template <int Rows, int Groups>
inline __attribute__((always_inline)) void multiply_block(int channels, const std::uint8_t* transformed,
                                                          const std::int8_t* weights, const std::int32_t* start,
                                                          std::int32_t* products) {
  __m512i sums[Rows][Groups];
#pragma GCC unroll 8
  for (int group = 0; group < Groups; ++group) {
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) sums[row][group] = _mm512_loadu_si512(start + group * kGroup);
  }
  for (int input = 0; input < channels; input += 4) {
    __m512i weight[Groups];
#pragma GCC unroll 8
    for (int group = 0; group < Groups; ++group) {
      weight[group] = _mm512_loadu_si512(weights + static_cast<long>(input) * channels + group * kGroup * 4);
    }
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) {
      const __m512i four =
          _mm512_set1_epi32(*reinterpret_cast<const int*>(transformed + static_cast<long>(row) * channels + input));
#pragma GCC unroll 8
      for (int group = 0; group < Groups; ++group) dot(sums[row][group], four, weight[group]);
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) {
#pragma GCC unroll 8
    for (int group = 0; group < Groups; ++group) {
      _mm512_storeu_si512(products + static_cast<long>(row) * channels + group * kGroup, sums[row][group]);
    }
  }
}

// One of the points' products, for `Groups` groups of outputs.
template <int Rows, int Groups>
void multiply_point(int channels, int tiles, const std::uint8_t* transformed, const std::int8_t* weights,
                    const std::int32_t* start, std::int32_t* products) {
  int tile = 0;
  for (; tile + Rows <= tiles; tile += Rows) {
    const long at = static_cast<long>(tile) * channels;
    multiply_block<Rows, Groups>(channels, transformed + at, weights, start, products + at);
  }
  for (; tile < tiles; ++tile) {
    const long at = static_cast<long>(tile) * channels;
    multiply_block<1, Groups>(channels, transformed + at, weights, start, products + at);
  }
}

}  // namespace

void transform_input(const Tiles& of, const std::uint8_t* from, const std::int16_t* factors, int tiles, int first,
                     std::uint8_t* transformed) {
  const __m256i zero = _mm256_set1_epi16(kZero);
  for (int down = 0; down < of.down(); ++down) {
    for (int across = 0; across < of.across(); ++across, ++first) {
      for (int channel = 0; channel < of.channels; channel += kGroup) {
        __m256i columns[kSide][kSide];  // [column, row] of B^T d
        for (int j = 0; j < kSide; ++j) {
          const int column = across * kTile + j - 1;
          __m256i d[kSide];
          for (int i = 0; i < kSide; ++i) {
            const int row = down * kTile + i - 1;
            const bool inside = row >= 0 && row < of.rows && column >= 0 && column < of.columns;
            d[i] = inside ? _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(
                                from + (static_cast<long>(row) * of.columns + column) * of.channels + channel)))
                          : _mm256_setzero_si256();
          }
          transform_five(d, columns[j]);
        }
        for (int i = 0; i < kSide; ++i) {
          const __m256i d[kSide] = {columns[0][i], columns[1][i], columns[2][i], columns[3][i], columns[4][i]};
          __m256i out[kSide];
          transform_five(d, out);
          for (int j = 0; j < kSide; ++j) {
            const int point = i * kSide + j;
            const __m256i factor =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(factors + point * of.channels + channel));
            const __m256i rounded = _mm256_add_epi16(_mm256_mulhrs_epi16(out[j], factor), zero);
            // Saturating from 16 bits with a sign to bytes without one.
            const __m128i bytes =
                _mm_packus_epi16(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(
                                 transformed + (static_cast<long>(point) * tiles + first) * of.channels + channel),
                             bytes);
          }
        }
      }
    }
  }
}

void multiply(int channels, int tiles, const std::uint8_t* transformed, const std::int8_t* weights,
              const std::int32_t* start, std::int32_t* products) {
  const long area = static_cast<long>(tiles) * channels;
  for (int point = 0; point < kPoints; ++point) {
    for (int output = 0; output < channels;) {
      const std::int8_t* weight = weights + (static_cast<long>(point) * channels * channels + output * 4);
      const std::int32_t* begin = start + point * channels + output;
      std::int32_t* product = products + point * area + output;
      const std::uint8_t* input = transformed + point * area;
      // As many accumulators as registers allow: 24 of 32, with the weights and the inputs besides.
      const int groups = (channels - output) / kGroup;
      if (groups == 6) {
        multiply_point<4, 6>(channels, tiles, input, weight, begin, product);
        output += 6 * kGroup;
      } else if (groups >= 4) {
        multiply_point<6, 4>(channels, tiles, input, weight, begin, product);
        output += 4 * kGroup;
      } else if (groups >= 2) {
        multiply_point<8, 2>(channels, tiles, input, weight, begin, product);
        output += 2 * kGroup;
      } else {
        multiply_point<8, 1>(channels, tiles, input, weight, begin, product);
        output += kGroup;
      }
    }
  }
}

void transform_output(const Tiles& of, const std::int32_t* products, int tiles, int first, const Result& result,
                      std::uint8_t* to) {
  for (int down = 0; down < of.down(); ++down) {
    for (int across = 0; across < of.across(); ++across, ++first) {
      for (int channel = 0; channel < of.channels; channel += kGroup) {
        __m512 columns[kSide][kTile];  // [column, row] of A^T m
        for (int j = 0; j < kSide; ++j) {
          __m512 m[kSide];
          for (int i = 0; i < kSide; ++i) {
            const int point = i * kSide + j;
            const __m512i sums =
                _mm512_loadu_si512(products + (static_cast<long>(point) * tiles + first) * of.channels + channel);
            m[i] =
                _mm512_mul_ps(_mm512_cvtepi32_ps(sums), _mm512_loadu_ps(result.scales + point * of.channels + channel));
          }
          transform_three(m, columns[j]);
        }
        const __m512 bias = _mm512_loadu_ps(result.bias + channel);
        for (int i = 0; i < kTile && down * kTile + i < of.rows; ++i) {
          const __m512 m[kSide] = {columns[0][i], columns[1][i], columns[2][i], columns[3][i], columns[4][i]};
          __m512 out[kTile];
          transform_three(m, out);
          for (int j = 0; j < kTile && across * kTile + j < of.columns; ++j) {
            auto* at = reinterpret_cast<__m128i*>(
                to + (static_cast<long>(down * kTile + i) * of.columns + across * kTile + j) * of.channels + channel);
            __m512 value = _mm512_add_ps(out[j], bias);
            if (result.sum != 0.0f) {
              const __m512 before = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(at)));
              value = _mm512_fmadd_ps(before, _mm512_set1_ps(result.sum), value);
            }
            const __m512i rounded = _mm512_cvtps_epi32(_mm512_max_ps(value, _mm512_setzero_ps()));
            _mm_storeu_si128(at, _mm512_cvtusepi32_epi8(rounded));
          }
        }
      }
    }
  }
}

}  // namespace koridor::winograd
