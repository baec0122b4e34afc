// Activations in the layouts oneDNN computes fast with, and what the network does with them between convolutions.
//
// A map of one position has `channels` channels (a multiple of 16; what the network has less is filled up with zeros)
// in blocks of `block` (8, 16, or all of them):  [channels / block, area, block].  Loops here go over groups of
// kLanes = 8 channels, which lie side by side in every such layout.
#pragma once

#include <algorithm>
#include <cstddef>

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
  // Where the group's channels of square 0 lie; those of the next square lie `block` further.
  std::size_t at(int group) const {
    const int channel = group * kLanes;
    return static_cast<std::size_t>(channel / block) * static_cast<std::size_t>(block * area) +
           static_cast<std::size_t>(channel % block);
  }
};

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

// map = relu(map + added), `added` [layout.channels] a channel; of one position.
template <class Element>
void add_relu(const BlockedLayout& layout, const float* added, Element* map) {
  for (int group = 0; group < layout.groups(); ++group) {
    Element* at = map + layout.at(group);
    const Lanes plus = load(added + group * kLanes);
    for (int square = 0; square < layout.area; ++square, at += layout.block) store(max(load(at) + plus, Lanes{}), at);
  }
}

}  // namespace koridor
