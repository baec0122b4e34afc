// The inner loops of our own convolutions in int8 (winograd.h, int8_network.h), for CPUs with AVX-512 VNNI. The source
// is compiled for these whatever the rest is compiled for, and must not be entered on others. Arrays start at a cache
// line (aligned.h): sums that cross two cost a quarter more.
#pragma once

#include <cstdint>

namespace koridor::int8 {

inline constexpr int kTile = 3;                // outputs a side of a tile
inline constexpr int kSide = 5;                // inputs a side of a tile
inline constexpr int kPoints = kSide * kSide;  // products of a tile, each a matrix product over channels
inline constexpr float kNear = 0.8f;           // the points are 0, kNear, -kNear, kFar, -kFar
inline constexpr float kFar = 3.0f;
inline constexpr int kFraction = 32;     // what 1 of a byte is before B^T: it takes fractions
inline constexpr int kGroup = 16;        // sums at once
inline constexpr int kInputGroup = 32;   // inputs transformed at once
inline constexpr int kZero = 128;        // what 0 becomes among transformed inputs
inline constexpr int kMostColumns = 30;  // of a board

// Boards in tiles: [positions, tile rows, tile columns], counted on.
struct Tiles {
  int rows = 0;  // of the board
  int columns = 0;

  int down() const { return (rows + kTile - 1) / kTile; }
  int across() const { return (columns + kTile - 1) / kTile; }
  int each() const { return down() * across(); }  // a position
};

// Bytes of one position [rows, columns, channels] to its tiles `first`... of transformed [kPoints, all, channels],
// where `all` counts all positions' tiles: B^T d B, rounded after times factors / 2^15, plus kZero; values outside of a
// byte's become its ends.
struct InputTransform {
  Tiles tiles;
  int channels;                 // a multiple of kInputGroup
  const std::int16_t* factors;  // [kPoints, channels], of each kInputGroup in the order of unpacked_place()
};
void transform_input(const InputTransform& how, const std::uint8_t* from, int all, int first,
                     std::uint8_t* transformed);

// Where a channel's factor stands: bytes are unpacked to 16 bits in halves of a register, the first eight of each
// sixteen channels before the others.
constexpr int unpacked_place(int channel) {
  const int in_group = channel % kInputGroup;
  return channel - in_group + in_group / 8 % 2 * kGroup + in_group / 16 * 8 + in_group % 8;
}

// to [points, rows, outputs] = from [points, rows, stride] times weights [points, inputs / 4, outputs, 4], plus start
// [points, outputs].
struct Product {
  int points;
  int inputs;  // a multiple of 4, at most
  int stride;
  int outputs;  // a multiple of kGroup
  const std::int8_t* weights;
  const std::int32_t* start;
};
void multiply(const Product& product, int rows, const std::uint8_t* from, std::int32_t* to);

// Tiles `first`... of products [kPoints, all, channels] to one position [rows, columns, channels]:
// relu(A^T (products * scales) A + bias + sum * to), rounded to bytes.
struct OutputTransform {
  Tiles tiles;
  int channels;         // a multiple of kGroup
  const float* scales;  // [channels / kGroup, kPoints, kGroup]
  const float* bias;    // [channels]
  float sum;            // 0: what is in `to` does not matter
};
void transform_output(const OutputTransform& how, const std::int32_t* products, int all, int first, std::uint8_t* to);

// to [rows, channels] = products [rows, channels] * scales [channels] + bias [channels].
struct Scaling {
  int channels;  // a multiple of kGroup
  const float* scales;
  const float* bias;
};
void scale(const Scaling& how, int rows, const std::int32_t* products, float* to);

}  // namespace koridor::int8
