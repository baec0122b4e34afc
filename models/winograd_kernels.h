// The inner loops of winograd.h, for CPUs with AVX-512 VNNI. The source is compiled for these whatever the rest is
// compiled for, and must not be entered on others.
#pragma once

#include <cstdint>

namespace koridor::winograd {

inline constexpr int kTile = 3;                // outputs a side of a tile
inline constexpr int kSide = 5;                // inputs a side of a tile
inline constexpr int kPoints = kSide * kSide;  // products of a tile, each a matrix product over channels
inline constexpr int kGroup = 16;              // channels at once
inline constexpr std::uint8_t kZero = 128;     // what 0 becomes among transformed inputs

// A batch of boards in tiles: [positions, tile rows, tile columns], counted on.
struct Tiles {
  int rows = 0;  // of the board
  int columns = 0;
  int channels = 0;  // a multiple of kGroup

  int down() const { return (rows + kTile - 1) / kTile; }
  int across() const { return (columns + kTile - 1) / kTile; }
  int each() const { return down() * across(); }  // a position
};

// Bytes of one position [rows, columns, channels] to its tiles `first`... of transformed [kPoints, tiles, channels]:
// B^T d B, rounded after times factors / 2^15 [kPoints, channels], plus kZero; values outside of a byte's become its
// ends.
void transform_input(const Tiles& of, const std::uint8_t* from, const std::int16_t* factors, int tiles, int first,
                     std::uint8_t* transformed);

// products [kPoints, tiles, channels] = transformed [kPoints, tiles, channels] times weights [kPoints, channels / 4,
// channels (outputs), 4], plus start [kPoints, channels].
void multiply(int channels, int tiles, const std::uint8_t* transformed, const std::int8_t* weights,
              const std::int32_t* start, std::int32_t* products);

// to = relu(A^T (products * scales) A + bias + sum * to), rounded to bytes; scales [kPoints, channels], bias
// [channels].
struct Result {
  const float* scales;
  const float* bias;
  float sum;  // 0: what is in `to` does not matter
};
void transform_output(const Tiles& of, const std::int32_t* products, int tiles, int first, const Result& result,
                      std::uint8_t* to);

}  // namespace koridor::winograd
