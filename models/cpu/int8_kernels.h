// The inner loops of our own convolutions in int8 (winograd.h, int8_network.h), for CPUs with AVX-512 VNNI and for
// those with AVX2 and FMA. Both take the same bytes and give the same bits; on other CPUs they must not run. Arrays
// start at a cache line (aligned.h): sums that cross a line cost a quarter more.
#pragma once

#include <cstdint>

namespace koridor::int8 {

inline constexpr int kTile = 3;                // outputs per side of a tile
inline constexpr int kSide = 5;                // inputs per side of a tile
inline constexpr int kPoints = kSide * kSide;  // products per tile, each a matrix product over channels
inline constexpr float kNear = 0.8f;           // the points are 0, kNear, -kNear, kFar, -kFar
inline constexpr float kFar = 3.0f;
inline constexpr int kFraction = 32;     // bytes are multiplied by this before B^T, which leaves fractions
inline constexpr int kGroup = 16;        // sums computed at once
inline constexpr int kInputGroup = 32;   // inputs transformed at once
inline constexpr int kZero = 128;        // the transformed input that stands for 0
inline constexpr int kMostColumns = 30;  // of a board
inline constexpr int kMostInputs = 512;  // of a product

// The tiles of boards, numbered through [positions, tile rows, tile columns].
struct Tiles {
  int rows = 0;  // of the board
  int columns = 0;

  int down() const { return (rows + kTile - 1) / kTile; }
  int across() const { return (columns + kTile - 1) / kTile; }
  int each() const { return down() * across(); }  // per position
};

// Transforms the bytes of one position [rows, columns, channels] to B^T d B, times factors / 2^15, rounded, plus kZero,
// clamped to [0, 255]. The result goes to the tiles from `first` on of transformed [kPoints, all, channels], where
// `all` is the number of tiles of all positions.
struct InputTransform {
  Tiles tiles;
  int channels;                 // a multiple of kInputGroup
  const std::int16_t* factors;  // [kPoints, channels], each kInputGroup of them in the order of unpacked_place()
};
using TransformInput = void(const InputTransform& how, const std::uint8_t* from, int all, int first,
                            std::uint8_t* transformed);

// The place of a channel's factor. Bytes are unpacked to 16 bits within halves of a register, which puts the first
// eight of each sixteen channels before the others.
constexpr int unpacked_place(int channel) {
  const int in_group = channel % kInputGroup;
  return channel - in_group + in_group / 8 % 2 * kGroup + in_group / 16 * 8 + in_group % 8;
}

// to [points, rows, outputs] = from [points, rows, stride] times weights [points, inputs / 4, outputs, 4], plus start
// [points, outputs].
struct Product {
  int points;
  int inputs;   // a multiple of 4, at most `stride` and kMostInputs
  int stride;   // a multiple of kInputGroup
  int outputs;  // a multiple of kGroup
  const std::int8_t* weights;
  const std::int32_t* start;
};
using Multiply = void(const Product& product, int rows, const std::uint8_t* from, std::int32_t* to);

// Transforms the tiles from `first` on of products [kPoints, all, channels] to one position [rows, columns, channels]:
// to = relu(A^T (products * scales) A + bias + sum * to), rounded to bytes.
struct OutputTransform {
  Tiles tiles;
  int channels;         // a multiple of kGroup
  const float* scales;  // [channels / kGroup, kPoints, kGroup]
  const float* bias;    // [channels]
  float sum;            // with 0, `to` is only written
};
using TransformOutput = void(const OutputTransform& how, const std::int32_t* products, int all, int first,
                             std::uint8_t* to);

// to [rows, channels] = products [rows, channels] * scales [channels] + bias [channels].
struct Scaling {
  int channels;  // a multiple of kGroup
  const float* scales;
  const float* bias;
};
using Scale = void(const Scaling& how, int rows, const std::int32_t* products, float* to);

struct Kernels {
  TransformInput* transform_input;
  Multiply* multiply;
  TransformOutput* transform_output;
  Scale* scale;
};
extern const Kernels kAvx512Vnni;
extern const Kernels kAvx2;

}  // namespace koridor::int8
