// The kernels for CPUs with AVX-512 VNNI. The source is compiled for these CPUs whatever the rest is compiled for.
#include <immintrin.h>

#include <cstring>

#include "models/cpu/int8_kernels.h"
#include "models/cpu/int8_transforms.h"

namespace koridor::int8 {
namespace {

struct Vector {
  using Type = __m512;
  static constexpr int kLanes = 16;

  static Type all(float value) { return _mm512_set1_ps(value); }
  static Type add(Type a, Type b) { return _mm512_add_ps(a, b); }
  static Type sub(Type a, Type b) { return _mm512_sub_ps(a, b); }
  static Type mul(Type a, Type b) { return _mm512_mul_ps(a, b); }
  static Type fmadd(Type a, Type b, Type c) { return _mm512_fmadd_ps(a, b, c); }
  static Type fmsub(Type a, Type b, Type c) { return _mm512_fmsub_ps(a, b, c); }

  static Type load(const float* from) { return _mm512_loadu_ps(from); }
  static Type load(const std::int32_t* from) { return _mm512_cvtepi32_ps(_mm512_loadu_si512(from)); }
  static Type load(const std::uint8_t* from) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
  }
  static void store(Type values, float* to) { _mm512_storeu_ps(to, values); }
  // Rounds to the nearest, clamped to [0, 255].
  static void store(Type values, std::uint8_t* to) {
    const __m512i rounded = _mm512_cvtps_epi32(_mm512_max_ps(values, _mm512_setzero_ps()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtusepi32_epi8(rounded));
  }
};

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
      int inputs;
      std::memcpy(&inputs, from + static_cast<long>(row) * product.stride + input, sizeof(inputs));
      const __m512i four = _mm512_set1_epi32(inputs);
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

}  // namespace

constinit const Kernels kAvx512Vnni = {.transform_input = transform_input,
                                       .multiply = multiply,
                                       .transform_output = transform_output<Vector>,
                                       .scale = scale<Vector>};

}  // namespace koridor::int8
