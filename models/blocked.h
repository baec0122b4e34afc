// Activations in the layouts oneDNN computes fast with, and what the network does with them between convolutions.
//
// A map of one position has `channels` channels (a multiple of 16; what the network has less is filled up with zeros)
// in blocks of `block` (8, 16, or all of them):  [channels / block, area, block].  Loops here go over groups of
// kLanes = 8 channels, which lie side by side in every such layout.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace koridor {

inline constexpr int kLanes = 8;
inline constexpr int kChannelMultiple = 16;

constexpr int padded_channels(int channels) {
  return (channels + kChannelMultiple - 1) / kChannelMultiple * kChannelMultiple;
}

// bfloat16: the upper half of a float.
enum class Bf16 : std::uint16_t {};

inline float to_float(float value) {
  return value;
}
inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<std::uint16_t>(value)) << 16);
}
template <class Element>
Element from_float(float value);
template <>
inline float from_float<float>(float value) {
  return value;
}
template <>
inline Bf16 from_float<Bf16>(float value) {  // to nearest, ties to even
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<Bf16>(static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16));
}

struct BlockedLayout {
  int channels = 0;
  int block = 0;
  int area = 0;

  std::size_t size() const { return static_cast<std::size_t>(channels) * static_cast<std::size_t>(area); }
  int groups() const { return channels / kLanes; }
  // Where the group's channels of square 0 lie; those of the next square lie `block` further.
  std::size_t at(int group) const {
    const int channel = group * kLanes;
    return static_cast<std::size_t>(channel / block) * static_cast<std::size_t>(block * area) +
           static_cast<std::size_t>(channel % block);
  }
};

using Lanes = std::array<float, kLanes>;

// One position's planes [planes, area] and scalars, the latter as constant planes behind the former.
template <class Element>
void pack_input(const BlockedLayout& layout, const float* planes, int num_planes, const float* scalars, int num_scalars,
                Element* to) {
  for (int channel = 0; channel < num_planes + num_scalars; ++channel) {
    Element* out = to + layout.at(channel / kLanes) + channel % kLanes;
    if (channel < num_planes) {
      const float* from = planes + static_cast<std::ptrdiff_t>(channel) * layout.area;
      for (int square = 0; square < layout.area; ++square)
        out[square * layout.block] = from_float<Element>(from[square]);
    } else {
      const auto value = from_float<Element>(scalars[channel - num_planes]);
      for (int square = 0; square < layout.area; ++square) out[square * layout.block] = value;
    }
  }
}

// pooled = [mean of each of `channels` channels from `first` (a multiple of 8) on; maximum of each]; of one position.
template <class Element>
void pool(const BlockedLayout& layout, const Element* map, int first, int channels, float* pooled) {
  for (int group = 0; group * kLanes < channels; ++group) {
    const Element* from = map + layout.at(first / kLanes + group);
    Lanes total{};
    Lanes largest;
    for (int lane = 0; lane < kLanes; ++lane) largest[lane] = to_float(from[lane]);
    for (int square = 0; square < layout.area; ++square, from += layout.block) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const float value = to_float(from[lane]);
        total[lane] += value;
        largest[lane] = largest[lane] < value ? value : largest[lane];
      }
    }
    const int count = std::min(kLanes, channels - group * kLanes);
    for (int lane = 0; lane < count; ++lane) {
      pooled[group * kLanes + lane] = total[lane] / static_cast<float>(layout.area);
      pooled[channels + group * kLanes + lane] = largest[lane];
    }
  }
}

// map = relu(map + added), `added` [layout.channels] a channel; of one position.
template <class Element>
void add_relu(const BlockedLayout& layout, const float* added, Element* map) {
  for (int group = 0; group < layout.groups(); ++group) {
    Element* at = map + layout.at(group);
    Lanes plus;
    std::copy_n(added + group * kLanes, kLanes, plus.begin());
    for (int square = 0; square < layout.area; ++square, at += layout.block) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const float value = to_float(at[lane]) + plus[lane];
        at[lane] = from_float<Element>(value < 0.0f ? 0.0f : value);
      }
    }
  }
}

}  // namespace koridor
