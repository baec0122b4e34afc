// The kernels for CPUs with AVX2 and FMA. They have no instruction that multiplies bytes exactly: bytes become 16 bits,
// of which sixteen products are one instruction. The source is compiled for these CPUs whatever the rest is compiled
// for.
#include <immintrin.h>

#include <algorithm>

#include "models/cpu/int8_kernels.h"
#include "models/cpu/int8_transforms.h"

namespace koridor::int8 {
namespace {

struct Vector {
  using Type = __m256;
  static constexpr int kLanes = 8;

  static Type all(float value) { return _mm256_set1_ps(value); }
  static Type add(Type a, Type b) { return _mm256_add_ps(a, b); }
  static Type sub(Type a, Type b) { return _mm256_sub_ps(a, b); }
  static Type mul(Type a, Type b) { return _mm256_mul_ps(a, b); }
  static Type fmadd(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
  static Type fmsub(Type a, Type b, Type c) { return _mm256_fmsub_ps(a, b, c); }

  static Type load(const float* from) { return _mm256_loadu_ps(from); }
  static Type load(const std::int32_t* from) {
    return _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static Type load(const std::uint8_t* from) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
  }
  static void store(Type values, float* to) { _mm256_storeu_ps(to, values); }
  // Rounds to the nearest, clamped to [0, 255].
  static void store(Type values, std::uint8_t* to) {
    const __m256 clamped = _mm256_min_ps(_mm256_max_ps(values, _mm256_setzero_ps()), all(255.0f));
    const __m256i rounded = _mm256_cvtps_epi32(clamped);
    const __m128i shorts = _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(shorts, shorts));
  }
};

constexpr int kRows = 6;     // computed at once: 12 sums of 16 registers
constexpr int kOutputs = 8;  // computed at once, in two registers: each has two sums for four outputs

// Some rows of bytes as 16 bits each.
struct WideRows {
  alignas(64) std::int16_t values[kRows][kMostInputs];

  void fill(const Product& product, int rows, const std::uint8_t* from) {
    for (int row = 0; row < rows; ++row, from += product.stride) {
      for (int input = 0; input < product.inputs; input += 16) {  // rows are filled up to a multiple of kInputGroup
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + input));
        _mm256_store_si256(reinterpret_cast<__m256i*>(values[row] + input), _mm256_cvtepu8_epi16(bytes));
      }
    }
  }
};

inline __m256i widen(const std::int8_t* from) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

// Adds the products of four inputs of a row. g++ 12 keeps all sums of a block in registers only with this assembly.
inline void dot(__m256i sums[2], const std::int16_t* from, __m256i low, __m256i high) {
  using Bits [[gnu::may_alias]] = std::int64_t;
  __m256i four, products;
  asm("vpbroadcastq %[from], %[four]\n\t"
      "vpmaddwd %[low], %[four], %[products]\n\t"
      "vpaddd %[products], %[first], %[first]\n\t"
      "vpmaddwd %[high], %[four], %[four]\n\t"
      "vpaddd %[four], %[second], %[second]"
      : [first] "+&x"(sums[0]), [second] "+&x"(sums[1]), [four] "=&x"(four), [products] "=&x"(products)
      : [from] "m"(*reinterpret_cast<const Bits*>(from)), [low] "x"(low), [high] "x"(high));
}

// Computes `Rows` rows and kOutputs outputs, from where weights and start point.
template <int Rows>
void multiply_block(const Product& product, const WideRows& from, const std::int8_t* weights, const std::int32_t* start,
                    std::int32_t* to) {
  __m256i sums[Rows][2];
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row) sums[row][0] = sums[row][1] = _mm256_setzero_si256();
  for (int input = 0; input < product.inputs; input += 4, weights += product.outputs * 4) {
    const __m256i low = widen(weights);
    const __m256i high = widen(weights + 16);
#pragma GCC unroll 8
    for (int row = 0; row < Rows; ++row) dot(sums[row], from.values[row] + input, low, high);
  }
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start));
#pragma GCC unroll 8
  for (int row = 0; row < Rows; ++row, to += product.outputs) {
    // Adding pairs works within halves of a register, which leaves outputs 0, 1, 4, 5, 2, 3, 6, 7.
    const __m256i pairs = _mm256_hadd_epi32(sums[row][0], sums[row][1]);
    const __m256i all = _mm256_permute4x64_epi64(pairs, 0b11011000);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_add_epi32(all, first));
  }
}

void multiply(const Product& product, int rows, const std::uint8_t* from, std::int32_t* to) {
  using Block = void (*)(const Product&, const WideRows&, const std::int8_t*, const std::int32_t*, std::int32_t*);
  constexpr Block kBlocks[kRows + 1] = {nullptr,           multiply_block<1>, multiply_block<2>, multiply_block<3>,
                                        multiply_block<4>, multiply_block<5>, multiply_block<6>};
  WideRows wide;
  for (int point = 0; point < product.points; ++point) {
    const std::int8_t* weights = product.weights + static_cast<long>(point) * product.inputs * product.outputs;
    const std::int32_t* start = product.start + point * product.outputs;
    for (int row = 0; row < rows; row += kRows) {
      const int count = std::min(kRows, rows - row);
      wide.fill(product, count, from);
      for (int output = 0; output < product.outputs; output += kOutputs) {
        kBlocks[count](product, wide, weights + output * 4, start + output, to + output);
      }
      from += static_cast<long>(count) * product.stride;
      to += static_cast<long>(count) * product.outputs;
    }
  }
}

}  // namespace

constinit const Kernels kAvx2 = {.transform_input = transform_input,
                                 .multiply = multiply,
                                 .transform_output = transform_output<Vector>,
                                 .scale = scale<Vector>};

}  // namespace koridor::int8
