// The inner loops of convolutions in int8 on a CPU's matrix unit (Intel AMX), for amx_convolution.h. They must not run
// where has_amx() (amx_cpu.h) is false.
//
// The matrix unit multiplies tiles of 16 rows of 64 bytes by tiles of 64 bytes for each of 16 outputs, a thousand
// multiply-adds per cycle. Nothing is gathered for that: a row of a tile is a piece of the map as it lies in memory,
// the channels of neighbouring squares side by side, and the next row begins one square further. A map with a column of
// zeros between its rows thus serves every tap of a 3x3 kernel; the sums of the squares in that column are left out.
#pragma once

#include <cstdint>

namespace koridor::amx {

inline constexpr int kRows = 16;      // of a tile: squares, or outputs
inline constexpr int kRowBytes = 64;  // of a tile
inline constexpr int kTileBytes = kRows * kRowBytes;
inline constexpr int kBlock = 2;  // tiles of squares, and tiles of outputs, that are multiplied together
inline constexpr int kNowhere = -1;

// The bytes of a square in a map of so many channels, those of padding counted: a multiple of 16, and whole cache lines
// where a row of three taps takes no more pieces of kRowBytes bytes for it. A row of a tile that begins in the middle
// of a line takes two lines to load: with 48 channels that was a fifth of a convolution.
constexpr int map_channels(int channels) {
  const auto rounded = [](int number, int multiple) { return (number + multiple - 1) / multiple * multiple; };
  const int few = rounded(channels, kRows);
  const int lines = rounded(channels, kRowBytes);
  return rounded(3 * few, kRowBytes) == 3 * lines ? lines : few;
}

// Sets up the matrix unit of the calling thread for convolve() as long as it lives: one at a time per thread.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

// A map of bytes [squares(), channels] of a board: behind each row, and above and below the board, are squares of
// zeros, so that the taps of a kernel at the edge find zeros. The column behind a row is also the one before the next.
struct Board {
  int rows = 0;
  int columns = 0;

  int line() const { return columns + 1; }
  // The place of the board's first square.
  int first() const { return line() + 1; }
  // The squares from there to the last one, those between rows counted.
  int span() const { return (rows - 1) * line() + columns; }
  // The squares whose sums are computed.
  int computed() const { return (span() + kRows - 1) / kRows * kRows; }
  // All squares of a map: behind the last one computed, the taps of the kernel's last row.
  int squares() const { return first() + computed() + first() + 1; }
  // The bytes from one map to the next: whole cache lines, with kRowBytes or more behind the last square, since what
  // the last piece of a row of taps is filled up with may be read.
  long bytes(int channels) const {
    return (static_cast<long>(squares()) * channels + 2 * kRowBytes - 1) / kRowBytes * kRowBytes;
  }
};

// A convolution from maps of bytes. The calling thread has a Session.
struct Convolution {
  int channels = 0;                       // of the map: map_channels()
  int outputs = 0;                        // a multiple of 16
  int result_channels = 0;                // from one square of the result to the next, at least `outputs`
  int computed = 0;                       // squares, a multiple of kRows
  int steps = 0;                          // pieces of kRowBytes bytes of the rows of a kernel's taps
  const std::int32_t* offsets = nullptr;  // [steps]: bytes from a square to each piece
  // [outputs / kRows, steps, kRows, kRows outputs, 4]: of each piece 16 rows, which have four consecutive bytes of it
  // for each of 16 outputs. If both tiles of a group of 32 outputs exist, their outputs are those of paired_output().
  const std::int8_t* weights = nullptr;
  const float* scales = nullptr;  // [outputs]
  // [computed]: the board's square, or kNowhere.
  const std::int16_t* places = nullptr;
};

// The output, of the 32 of a pair of tiles, in column `column` of tile `tile`: packing the sums of both to bytes
// restores the order.
constexpr int paired_output(int tile, int column) {
  return column / 4 * 8 + tile * 4 + column % 4;
}

// The maps of some positions, each `stride` bytes or numbers after the one before.
template <class Element>
struct Maps {
  int positions = 0;
  const std::uint8_t* from = nullptr;  // square 0 of the board
  long from_stride = 0;
  const float* bias = nullptr;  // [outputs]
  long bias_stride = 0;         // 0: the same of all positions
  Element* to = nullptr;
  long to_stride = 0;
};

// to = relu(products * scales + bias + sum * to), rounded to bytes, from square 0 of the board on, zero between the
// rows and behind the last; with `sum` = 0, `to` is only written.
void convolve(const Convolution& convolution, const Maps<std::uint8_t>& maps, float sum);
// to [area, result_channels] = products * scales + bias.
void convolve(const Convolution& convolution, const Maps<float>& maps);

// The mean and the largest of each channel of a map.
struct Pooled {
  float* means;    // [channels]
  float* largest;  // [channels]
};
// Of a map from square 0 of the board on; 1 of a byte stands for `unit`.
void pool(const Board& board, int channels, const std::uint8_t* map, float unit, const Pooled& to);

// map = relu(factor * map + added [channels]), rounded to bytes, on the board's squares; from square 0 on.
void add_relu(const Board& board, int channels, float factor, const float* added, std::uint8_t* map);

}  // namespace koridor::amx
