// Activations in the layouts with which oneDNN is fast, and what the network does with them between convolutions.
//
// A map of one position is [channels / block, area, block]. Its number of channels is a multiple of 16, to which the
// network's channels are padded with zeros, and a block has 8, 16 or all of them. The loops here go over groups of
// kLanes = 8 channels, which lie side by side in every such layout.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "models/cpu/lanes.h"

namespace koridor {

inline constexpr int kChannelMultiple = 16;

constexpr int padded_channels(int channels) {
  return (channels + kChannelMultiple - 1) / kChannelMultiple * kChannelMultiple;
}

struct BlockedLayout {
  int channels = 0;
  int block = 0;
  int area = 0;

  std::size_t size() const { return static_cast<std::size_t>(channels) * static_cast<std::size_t>(area); }
  int groups() const { return channels / kLanes; }
  // The place of the group's channels on square 0; those on the next square lie `block` further.
  std::size_t at(int group) const {
    const int channel = group * kLanes;
    return static_cast<std::size_t>(channel / block) * static_cast<std::size_t>(block * area) +
           static_cast<std::size_t>(channel % block);
  }
};

// What a network is shown of one position.
struct InputNumbers {
  std::span<const float> planes;     // [planes, area]
  std::span<const float> scalars{};  // those that become constant planes behind the planes
};

// Packs the input of one position.
template <class Element>
void pack_input(const BlockedLayout& layout, const InputNumbers& input, Element* to) {
  const int planes = static_cast<int>(input.planes.size()) / layout.area;
  const int scalars = static_cast<int>(input.scalars.size());
  for (int channel = 0; channel < planes + scalars; ++channel) {
    Element* out = to + layout.at(channel / kLanes) + channel % kLanes;
    if (channel < planes) {
      const float* from = input.planes.data() + static_cast<std::ptrdiff_t>(channel) * layout.area;
      for (int square = 0; square < layout.area; ++square)
        out[square * layout.block] = from_float<Element>(from[square]);
    } else {
      const auto value = from_float<Element>(input.scalars[static_cast<std::size_t>(channel - planes)]);
      for (int square = 0; square < layout.area; ++square) out[square * layout.block] = value;
    }
  }
}

// pooled = [mean of each channel; maximum of each], for `channels` channels of one position, from `first` on (a
// multiple of 8).
template <class Element>
void pool(const BlockedLayout& layout, const Element* map, int first, int channels, float* pooled) {
  const Lanes area = Lanes{} + static_cast<float>(layout.area);
  for (int channel = 0; channel < channels; channel += kLanes) {
    const Element* from = map + layout.at((first + channel) / kLanes);
    Lanes total{};
    Lanes largest = load(from);
    for (int square = 0; square < layout.area; ++square, from += layout.block) {
      const Lanes values = load(from);
      total += values;
      largest = max(largest, values);
    }
    total /= area;
    const int count = std::min(kLanes, channels - channel);
    if (count == kLanes) {
      store(total, pooled + channel);
      store(largest, pooled + channels + channel);
      continue;
    }
    for (int lane = 0; lane < count; ++lane) {
      pooled[channel + lane] = total[lane];
      pooled[channels + channel + lane] = largest[lane];
    }
  }
}

// map = relu(map + added) for one position; `added` [layout.channels] has one number per channel.
template <class Element>
void add_relu(const BlockedLayout& layout, const float* added, Element* map) {
  for (int group = 0; group < layout.groups(); ++group) {
    Element* at = map + layout.at(group);
    const Lanes plus = load(added + group * kLanes);
    for (int square = 0; square < layout.area; ++square, at += layout.block) store(max(load(at) + plus, Lanes{}), at);
  }
}

}  // namespace koridor
