#include "tests/models/emulated_tiles.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/cpu_features.h"
#include "models/cpu/amx_cpu.h"

namespace koridor {

// For the whole of this program: what the kernels need beside tiles.
bool has_amx() {
  return machine_has(CpuFeature::avx512f) && machine_has(CpuFeature::avx512bw) && machine_has(CpuFeature::avx512dq) &&
         machine_has(CpuFeature::avx512vl) && machine_has(CpuFeature::avx2) && machine_has(CpuFeature::fma);
}

}  // namespace koridor

namespace koridor::test {
namespace {

constexpr int kTiles = 8;
constexpr int kRows = 16;
constexpr int kRowBytes = 64;
constexpr int kColumns = kRowBytes / 4;  // of sums, or of groups of four bytes

struct Tile {
  std::uint8_t bytes[kRows][kRowBytes];
};

thread_local bool configured = false;
thread_local Tile tiles[kTiles];

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "emulated tiles: %s\n", what);
  std::abort();
}

Tile& tile_of(int tile) {
  expect(configured, "a tile without a configuration");
  return tiles[tile];
}

}  // namespace

void load_tile_configuration(const void* configuration) {
  std::uint8_t bytes[64];
  std::memcpy(bytes, configuration, sizeof bytes);
  expect(bytes[0] == 1 && bytes[1] == 0, "a palette other than 1, or a first row other than 0");
  for (int tile = 0; tile < kTiles; ++tile) {
    std::uint16_t row_bytes = 0;
    std::memcpy(&row_bytes, bytes + 16 + 2 * tile, sizeof row_bytes);
    expect(row_bytes == kRowBytes && bytes[48 + tile] == kRows, "a tile that is not of 16 rows of 64 bytes");
  }
  configured = true;
  for (Tile& tile : tiles) tile = {};
}

void release_tiles() {
  configured = false;
}

void zero_tile(int tile) {
  tile_of(tile) = {};
}

void load_tile(int tile, const void* from, long stride) {
  Tile& to = tile_of(tile);
  for (int row = 0; row < kRows; ++row) {
    std::memcpy(to.bytes[row], static_cast<const std::uint8_t*>(from) + row * stride, kRowBytes);
  }
}

void store_tile(int tile, void* to, long stride) {
  const Tile& from = tile_of(tile);
  for (int row = 0; row < kRows; ++row) {
    std::memcpy(static_cast<std::uint8_t*>(to) + row * stride, from.bytes[row], kRowBytes);
  }
}

// Nearly all of the tests' time is spent here, and all memory is this file's own, so that no sanitizer looks at it.
[[gnu::no_sanitize_address, gnu::no_sanitize_undefined]] void multiply_tiles(int to, int a, int b) {
  Tile& sums = tile_of(to);
  const Tile& left = tile_of(a);
  const Tile& right = tile_of(b);
  // Of each byte of a row of `left`, what it is multiplied by for each column.
  std::int32_t factors[kRowBytes][kColumns];
  for (int byte = 0; byte < kRowBytes; ++byte) {
    for (int column = 0; column < kColumns; ++column) {
      factors[byte][column] = static_cast<std::int8_t>(right.bytes[byte / 4][4 * column + byte % 4]);
    }
  }
  for (int row = 0; row < kRows; ++row) {
    std::int32_t of_row[kColumns];
    std::memcpy(of_row, sums.bytes[row], sizeof of_row);
    for (int byte = 0; byte < kRowBytes; ++byte) {
      const std::int32_t factor = left.bytes[row][byte];
      for (int column = 0; column < kColumns; ++column) of_row[column] += factor * factors[byte][column];
    }
    std::memcpy(sums.bytes[row], of_row, sizeof of_row);
  }
}

}  // namespace koridor::test
