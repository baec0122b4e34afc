// The operations of blocked.h for activations that are bytes (int8), on sixteen channels at once. All channels of a
// square lie side by side (BlockedLayout::block is the number of channels, a multiple of 16).
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "models/cpu/blocked.h"
#include "models/cpu/lanes.h"

namespace koridor {

inline constexpr int kByteLanes = 16;
using Bytes16 [[gnu::vector_size(kByteLanes)]] = Byte;
using Shorts16 [[gnu::vector_size(2 * kByteLanes)]] = std::uint16_t;
using Ints16 [[gnu::vector_size(4 * kByteLanes)]] = std::int32_t;
using Floats16 [[gnu::vector_size(4 * kByteLanes)]] = float;

inline Bytes16 load_bytes(const Byte* from) {
  Bytes16 bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

// Goes by way of 16 bits, since g++ 12 converts from 8 to 32 bits number by number.
inline Floats16 to_floats(Bytes16 bytes) {
  return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(bytes, Shorts16), Ints16), Floats16);
}

// Rounds to the nearest (halves up), clamped to [0, 255].
inline Bytes16 to_bytes(Floats16 values) {
  const Floats16 least{};
  const Floats16 most = least + 255.0f;
  values = values > least ? values : least;
  values = values < most ? values : most;
  return __builtin_convertvector(__builtin_convertvector(values + 0.5f, Ints16), Bytes16);
}

inline void transpose(std::array<Bytes16, kByteLanes>& rows) {
  // Each round interleaves the first half of the rows with the second half; after four rounds all bytes are in place.
  std::array<Bytes16, kByteLanes> other;
  const auto interleave = [](const std::array<Bytes16, kByteLanes>& from, std::array<Bytes16, kByteLanes>& to) {
    for (std::size_t i = 0; i < kByteLanes / 2; ++i) {
      const Bytes16 a = from[i];
      const Bytes16 b = from[i + kByteLanes / 2];
      to[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      to[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
  };
  interleave(rows, other);
  interleave(other, rows);
  interleave(rows, other);
  interleave(other, rows);
}

class BytePacker {
 public:
  BytePacker() = default;
  explicit BytePacker(const BlockedLayout& layout)
      : layout_(layout), stride_((layout.area + kByteLanes - 1) / kByteLanes * kByteLanes) {
    planes_.resize(static_cast<std::size_t>(layout.channels) * stride_);
  }

  // As pack_input in blocked.h, each number times `factor`; the channels behind the scalars become zero.
  void pack(const InputNumbers& input, float factor, Byte* to) {
    const int planes = static_cast<int>(input.planes.size()) / layout_.area;
    for (int plane = 0; plane < planes; ++plane) {
      const float* from = input.planes.data() + static_cast<std::ptrdiff_t>(plane) * layout_.area;
      for (int square = 0; square < layout_.area; square += kByteLanes) {
        Floats16 values{};
        if (square + kByteLanes <= layout_.area) {
          std::memcpy(&values, from + square, sizeof values);
        } else {
          for (int i = 0; square + i < layout_.area; ++i) values[i] = from[square + i];
        }
        const Bytes16 bytes = to_bytes(factor * values);
        std::memcpy(row(plane) + square, &bytes, sizeof bytes);
      }
    }
    int behind = planes;
    for (const float scalar : input.scalars) std::memset(row(behind++), from_float<Byte>(factor * scalar), stride_);
    std::array<Bytes16, kByteLanes> tile;
    for (int channel = 0; channel < layout_.channels; channel += kByteLanes) {
      for (int square = 0; square < layout_.area; square += kByteLanes) {
        for (int i = 0; i < kByteLanes; ++i) tile[static_cast<std::size_t>(i)] = load_bytes(row(channel + i) + square);
        transpose(tile);
        const int count = std::min(kByteLanes, layout_.area - square);
        for (int i = 0; i < count; ++i) {
          std::memcpy(to + static_cast<std::ptrdiff_t>(square + i) * layout_.channels + channel,
                      &tile[static_cast<std::size_t>(i)], sizeof(Bytes16));
        }
      }
    }
  }

 private:
  Byte* row(int channel) { return planes_.data() + static_cast<std::size_t>(channel) * stride_; }

  BlockedLayout layout_;
  std::size_t stride_ = 0;
  std::vector<Byte> planes_;  // [channels, area rounded up]
};

// As pool in blocked.h, for the first `channels` channels; 1 of a byte stands for `unit`.
inline void pool(const BlockedLayout& layout, const Byte* map, int channels, float unit, float* pooled) {
  constexpr int kRun = 256;  // the sum of this many squares certainly fits into 16 bits
  const float mean_unit = unit / static_cast<float>(layout.area);
  for (int channel = 0; channel < channels; channel += kByteLanes) {
    const Byte* from = map + channel;
    Ints16 total{};
    Bytes16 largest{};
    for (int first = 0; first < layout.area; first += kRun) {
      Shorts16 sum{};
      const int end = std::min(layout.area, first + kRun);
      for (int square = first; square < end; ++square, from += layout.channels) {
        const Bytes16 bytes = load_bytes(from);
        sum += __builtin_convertvector(bytes, Shorts16);
        largest = bytes > largest ? bytes : largest;
      }
      total += __builtin_convertvector(sum, Ints16);
    }
    const int count = std::min(kByteLanes, channels - channel);
    for (int lane = 0; lane < count; ++lane) {
      pooled[channel + lane] = static_cast<float>(total[lane]) * mean_unit;
      pooled[channels + channel + lane] = static_cast<float>(largest[lane]) * unit;
    }
  }
}

// map = relu(factor * map + added) for one position; `added` [layout.channels] has one number per channel.
inline void add_relu(const BlockedLayout& layout, float factor, const float* added, Byte* map) {
  for (int channel = 0; channel < layout.channels; channel += kByteLanes) {
    Floats16 plus;
    std::memcpy(&plus, added + channel, sizeof plus);
    Byte* at = map + channel;
    for (int square = 0; square < layout.area; ++square, at += layout.channels) {
      const Bytes16 bytes = to_bytes(factor * to_floats(load_bytes(at)) + plus);
      std::memcpy(at, &bytes, sizeof bytes);
    }
  }
}

}  // namespace koridor
