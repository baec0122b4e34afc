// Convolutions in vectors of 128 bits, which every CPU of the last twenty years and WebAssembly have. All channels of a
// square lie side by side; sums are kept in registers for a few squares of a row and eight outputs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "models/cpu/aligned.h"
#include "models/cpu/lanes.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace koridor::simd {

using Floats4 [[gnu::vector_size(16)]] = float;
using Ints4 [[gnu::vector_size(16)]] = std::int32_t;
using Shorts8 [[gnu::vector_size(16)]] = std::int16_t;

inline constexpr int kOutputs = 8;  // that are summed at once, in two vectors

// sum + products of pairs: entry i gains a[2i] * b[2i] + a[2i + 1] * b[2i + 1], exactly.
inline Ints4 add_pairs(Ints4 sum, Shorts8 a, Shorts8 b) {
#if defined(__wasm_simd128__)
  return sum + std::bit_cast<Ints4>(wasm_i32x4_dot_i16x8(std::bit_cast<v128_t>(a), std::bit_cast<v128_t>(b)));
#elif defined(__SSE2__)
  return sum + std::bit_cast<Ints4>(_mm_madd_epi16(std::bit_cast<__m128i>(a), std::bit_cast<__m128i>(b)));
#else
  for (int i = 0; i < 4; ++i) sum[i] += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sum;
#endif
}

// What is multiplied and summed in float32.
struct SingleArithmetic {
  using Source = float;  // an activation, as it is multiplied
  using Weight = float;
  using Sum = Floats4;
  static constexpr int kInputs = 1;  // that are multiplied at once, for each output

  static Sum splat(const Source* from) { return Sum{} + *from; }
  static Sum weights(const Weight* from) {
    Sum values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
  static Sum add(Sum sum, Sum source, Sum weight) { return sum + source * weight; }
  static Floats4 floats(Sum sum) { return sum; }
};

// Bytes (int8): 16 bits each, so that two products are one instruction; sums are exact.
struct ByteArithmetic {
  using Source = std::int16_t;
  using Weight = std::int16_t;
  using Sum = Ints4;
  static constexpr int kInputs = 2;

  static Shorts8 splat(const Source* from) {
    std::int32_t pair;
    std::memcpy(&pair, from, sizeof pair);
    return std::bit_cast<Shorts8>(Ints4{} + pair);
  }
  static Shorts8 weights(const Weight* from) {
    Shorts8 values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
  static Sum add(Sum sum, Shorts8 source, Shorts8 weight) { return add_pairs(sum, source, weight); }
  static Floats4 floats(Sum sum) { return __builtin_convertvector(sum, Floats4); }
};

// A map of activations with room around it: [rows + 2 * border, columns + 2 * border, channels], zero outside the
// board.
template <class Source>
class Frame {
 public:
  Frame(int rows, int columns, int channels, int border)
      : rows_(rows), columns_(columns), channels_(channels), border_(border) {
    values_.resize(static_cast<std::size_t>((rows + 2 * border) * (columns + 2 * border) * channels));
  }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int stride() const { return (columns_ + 2 * border_) * channels_; }  // from a row to the next
  // The channels of a square; row and column may be outside of the board by the border.
  Source* at(int row, int column) {
    return values_.data() + (row + border_) * stride() + (column + border_) * channels_;
  }
  const Source* at(int row, int column) const {
    return values_.data() + (row + border_) * stride() + (column + border_) * channels_;
  }
  // Copies a map [rows * columns, channels].
  template <class Element>
  void fill(const Element* map) {
    const auto row_size = static_cast<std::ptrdiff_t>(columns_) * channels_;
    for (int row = 0; row < rows_; ++row) std::copy_n(map + row * row_size, row_size, at(row, 0));
  }

 private:
  int rows_, columns_, channels_, border_;
  AlignedVector<Source> values_;
};

struct ConvolutionShape {
  int outputs = 0;
  int inputs = 0;
  int side = 3;      // of the kernel: 1 or 3
  int channels = 0;  // of the maps read: at least `inputs`, and a multiple of 16
};

// The weights of a convolution, side by side in the order in which they are needed.
template <class Arithmetic>
class Convolution {
 public:
  using Source = typename Arithmetic::Source;

  // weight [outputs, inputs, side, side], which rounds(output, weight) turns into a Weight.
  template <class Rounds>
  Convolution(std::span<const float> weight, const ConvolutionShape& shape, const Rounds& rounds)
      : side_(shape.side), channels_(shape.channels), groups_((shape.outputs + kOutputs - 1) / kOutputs) {
    const int taps = shape.side * shape.side;
    weights_.resize(static_cast<std::size_t>(groups_ * kOutputs * taps * shape.channels));
    for (int output = 0; output < shape.outputs; ++output) {
      for (int input = 0; input < shape.inputs; ++input) {
        for (int tap = 0; tap < taps; ++tap) {
          const float value = weight[static_cast<std::size_t>((output * shape.inputs + input) * taps + tap)];
          weights_[place(output, input, tap)] = static_cast<typename Arithmetic::Weight>(rounds(output, value));
        }
      }
    }
  }

  // Calls finish(square, output, sums): the sums of eight outputs from `output` on, two vectors.
  template <class Finish>
  void run(const Frame<Source>& source, const Finish& finish) const {
    for (int group = 0; group < groups_; ++group) {
      for (int row = 0; row < source.rows(); ++row) run_row(source, group, row, finish);
    }
  }

 private:
  static constexpr int kMostSquares = 5;

  std::size_t place(int output, int input, int tap) const {
    constexpr int kInputs = Arithmetic::kInputs;
    const int taps = side_ * side_;
    const int run = ((output / kOutputs * taps + tap) * channels_ + input / kInputs * kInputs) * kOutputs;
    return static_cast<std::size_t>(run + output % kOutputs * kInputs + input % kInputs);
  }

  // A row in parts of about the same width.
  template <class Finish>
  void run_row(const Frame<Source>& source, int group, int row, const Finish& finish) const {
    const int columns = source.columns();
    const int parts = (columns + kMostSquares - 1) / kMostSquares;
    for (int part = 0; part < parts; ++part) {
      const int begin = columns * part / parts;
      switch (columns * (part + 1) / parts - begin) {
        case 1:
          run_squares<1>(source, group, row, begin, finish);
          break;
        case 2:
          run_squares<2>(source, group, row, begin, finish);
          break;
        case 3:
          run_squares<3>(source, group, row, begin, finish);
          break;
        case 4:
          run_squares<4>(source, group, row, begin, finish);
          break;
        default:
          run_squares<kMostSquares>(source, group, row, begin, finish);
      }
    }
  }

  template <int kSquares, class Finish>
  void run_squares(const Frame<Source>& source, int group, int row, int column, const Finish& finish) const {
    constexpr int kInputs = Arithmetic::kInputs;
    constexpr int kVector = kOutputs / 2 * kInputs;  // weights in a vector
    typename Arithmetic::Sum sums[kSquares][2] = {};
    const auto* weight = weights_.data() + place(group * kOutputs, 0, 0);
    const int border = side_ / 2;
    for (int tap = 0; tap < side_ * side_; ++tap) {
      const Source* from = source.at(row + tap / side_ - border, column + tap % side_ - border);
      for (int input = 0; input < channels_; input += kInputs, weight += 2 * kVector) {
        const auto low = Arithmetic::weights(weight);
        const auto high = Arithmetic::weights(weight + kVector);
        for (int square = 0; square < kSquares; ++square) {
          const auto value = Arithmetic::splat(from + square * channels_ + input);
          sums[square][0] = Arithmetic::add(sums[square][0], value, low);
          sums[square][1] = Arithmetic::add(sums[square][1], value, high);
        }
      }
    }
    for (int square = 0; square < kSquares; ++square) {
      const Floats4 both[2] = {Arithmetic::floats(sums[square][0]), Arithmetic::floats(sums[square][1])};
      finish(row * source.columns() + column + square, group * kOutputs, both);
    }
  }

  int side_;
  int channels_;
  int groups_;
  AlignedVector<typename Arithmetic::Weight> weights_;  // [groups, taps, channels / kInputs, kOutputs, kInputs]
};

}  // namespace koridor::simd
