#include "models/cpu/amx_convolution.h"

#include <cmath>
#include <cstddef>

#include "models/cpu/blocked.h"
#include "models/network/weight_units.h"

namespace koridor {
namespace {

using amx::kRowBytes;
using amx::kRows;
using amx::kTileBytes;

// The output in a column of a tile.
int output_of(int tile, int column, int outputs) {
  constexpr int kPair = amx::kBlock * kRows;
  const int pair = tile / amx::kBlock * kPair;
  return pair + kPair <= outputs ? pair + amx::paired_output(tile % amx::kBlock, column) : tile * kRows + column;
}

}  // namespace

AmxConvolution::AmxConvolution(const AmxSpec& spec, std::span<const float> weight, std::span<const float> bias)
    : board_(spec.board),
      channels_(amx::map_channels(spec.inputs)),
      outputs_(padded_channels(static_cast<int>(bias.size()))),
      result_channels_(amx::map_channels(static_cast<int>(bias.size()))),
      sum_(spec.sum_unit / spec.result_unit),
      places_(static_cast<std::size_t>(spec.board.computed()), static_cast<std::int16_t>(amx::kNowhere)) {
  for (int row = 0; row < board_.rows; ++row) {
    for (int column = 0; column < board_.columns; ++column) {
      places_[static_cast<std::size_t>(row * board_.line() + column)] =
          static_cast<std::int16_t>(row * board_.columns + column);
    }
  }
  // The taps of one row of the kernel, all their channels, lie side by side in a map.
  const int pieces = (spec.kernel * channels_ + kRowBytes - 1) / kRowBytes;
  const int reach = spec.kernel / 2;
  for (int down = -reach; down <= reach; ++down) {
    for (int piece = 0; piece < pieces; ++piece) {
      offsets_.push_back((down * board_.line() - reach) * channels_ + piece * kRowBytes);
    }
  }
  const std::vector<float> units = weight_units(weight, static_cast<int>(bias.size()), outputs_, 127.0f);
  bias_.assign(bias.begin(), bias.end());
  for (float& entry : bias_) entry /= spec.result_unit;
  bias_.resize(static_cast<std::size_t>(outputs_));
  for (const float unit : units) scales_.push_back(unit * spec.source_unit / spec.result_unit);
  const auto steps = static_cast<int>(offsets_.size());
  weights_.resize(static_cast<std::size_t>(outputs_ / kRows * steps * kTileBytes));
  for (int place = 0; place < outputs_; ++place) {
    const int output = output_of(place / kRows, place % kRows, outputs_);
    if (output >= static_cast<int>(bias.size())) continue;
    const float* value = weight.data() + output * spec.inputs * spec.kernel * spec.kernel;
    for (int input = 0; input < spec.inputs; ++input) {
      for (int down = 0; down < spec.kernel; ++down) {
        for (int right = 0; right < spec.kernel; ++right, ++value) {
          const int byte = right * channels_ + input;
          const int tile = place / kRows * steps + down * pieces + byte / kRowBytes;
          const int in_row = byte % kRowBytes;
          weights_[static_cast<std::size_t>(tile * kTileBytes + in_row / 4 * kRowBytes + place % kRows * 4 +
                                            in_row % 4)] =
              static_cast<std::int8_t>(std::nearbyint(*value / units[static_cast<std::size_t>(output)]));
        }
      }
    }
  }
}

void AmxConvolution::run(int positions, const Byte* from, Byte* to) const {
  run(positions, from, bias_.data(), 0, to);
}

void AmxConvolution::run(int positions, const Byte* from, std::span<const float> biases, Byte* to) const {
  run(positions, from, biases.data(), outputs_, to);
}

void AmxConvolution::run(const Byte* from, float* to) const {
  const Byte* first = from + board_.first() * channels_;
  amx::Convolution to_floats = convolution();
  to_floats.result_channels = outputs_;
  amx::convolve(to_floats, {.positions = 1, .from = first, .bias = bias_.data(), .to = to});
}

void AmxConvolution::run(int positions, const Byte* from, const float* bias, int bias_stride, Byte* to) const {
  const amx::Maps<Byte> maps{.positions = positions,
                             .from = from + board_.first() * channels_,
                             .from_stride = board_.bytes(channels_),
                             .bias = bias,
                             .bias_stride = bias_stride,
                             .to = to + board_.first() * result_channels_,
                             .to_stride = board_.bytes(result_channels_)};
  amx::convolve(convolution(), maps, sum_);
}

amx::Convolution AmxConvolution::convolution() const {
  return {.channels = channels_,
          .outputs = outputs_,
          .result_channels = result_channels_,
          .computed = board_.computed(),
          .steps = static_cast<int>(offsets_.size()),
          .offsets = offsets_.data(),
          .weights = weights_.data(),
          .scales = scales_.data(),
          .places = places_.data()};
}

}  // namespace koridor
