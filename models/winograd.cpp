#include "models/winograd.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/blocked.h"
#include "models/onednn_cpu.h"

namespace koridor {
namespace {

using winograd::kPoints;
using winograd::kSide;
using winograd::kTile;

constexpr std::array<std::array<double, 3>, kSide> kG = {{{1.0 / 2, 0.0, 0.0},
                                                          {-1.0 / 2, -1.0 / 2, -1.0 / 2},
                                                          {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                                          {1.0 / 6, 1.0 / 3, 2.0 / 3},
                                                          {0.0, 0.0, 1.0}}};
constexpr std::array<std::array<float, kSide>, kSide> kB = {
    {{2, -1, -2, 1, 0}, {0, -2, -1, 1, 0}, {0, 2, -3, 1, 0}, {0, -1, 0, 1, 0}, {0, 2, -1, -2, 1}}};

constexpr int kLeastChannels = 64;  // below, the transformations take longer than the products they save
constexpr float kMargin = 1.8f;     // of ranges: activations beyond them, on positions unlike those measured, cost far
                                    // more than coarser steps do
constexpr float kLargest = 127.0f;

}  // namespace

bool winograd_pays(const winograd::Tiles& tiles) {
  if (!cpu_has(dnnl::cpu_isa::avx512_core_vnni) || cpu_has(dnnl::cpu_isa::avx512_core_amx)) return false;
  const int direct = 9 * tiles.rows * tiles.columns;
  return tiles.channels >= kLeastChannels && kPoints * tiles.each() * 16 <= direct * 9;
}

void widen_ranges(const winograd::Tiles& tiles, const float* map, std::span<float> ranges) {
  const BlockedLayout layout{tiles.channels, kChannelMultiple, tiles.rows * tiles.columns};
  const auto value = [&](int channel, int row, int column) {
    if (row < 0 || row >= tiles.rows || column < 0 || column >= tiles.columns) return 0.0f;
    const int square = row * tiles.columns + column;
    return map[layout.at(channel / kLanes) + static_cast<std::size_t>(square * layout.block + channel % kLanes)];
  };
  for (int tile = 0; tile < tiles.each(); ++tile) {
    const int top = tile / tiles.across() * kTile - 1;
    const int left = tile % tiles.across() * kTile - 1;
    for (int channel = 0; channel < tiles.channels; ++channel) {
      float half[kSide][kSide] = {};  // B^T d
      for (int j = 0; j < kSide; ++j) {
        for (int k = 0; k < kSide; ++k) {
          const float d = value(channel, top + k, left + j);
          for (int i = 0; i < kSide; ++i) half[i][j] += kB[i][k] * d;
        }
      }
      for (int i = 0; i < kSide; ++i) {
        for (int j = 0; j < kSide; ++j) {
          float sum = 0.0f;
          for (int k = 0; k < kSide; ++k) sum += half[i][k] * kB[j][k];
          float& range = ranges[static_cast<std::size_t>((i * kSide + j) * tiles.channels + channel)];
          range = std::max(range, std::abs(sum));
        }
      }
    }
  }
}

WinogradConvolution::WinogradConvolution(const WinogradSpec& spec, std::span<const float> weight,
                                         std::span<const float> bias, int columns, std::span<const float> ranges)
    : tiles_(spec.tiles), sum_(spec.sum_unit / spec.result_unit) {
  const int channels = tiles_.channels;
  const auto points = static_cast<std::size_t>(kPoints * channels);
  factors_.resize(points);
  start_.resize(points);
  scales_.resize(points);
  bias_.resize(static_cast<std::size_t>(channels));
  weights_.resize(points * static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < bias.size(); ++i) bias_[i] = bias[i] / spec.result_unit;

  // What 1 of a transformed byte stands for. Finer than a step of the exact 16 bits is no use.
  std::vector<float> units(points);
  for (std::size_t i = 0; i < points; ++i) {
    const float unit = std::max(kMargin * ranges[i] / kLargest, spec.source_unit * 32768.0f / 32767.0f);
    factors_[i] = static_cast<std::int16_t>(std::min(32767.0f, std::nearbyint(32768.0f * spec.source_unit / unit)));
    units[i] = spec.source_unit * 32768.0f / static_cast<float>(std::max<int>(factors_[i], 1));
  }
  std::vector<double> row(static_cast<std::size_t>(columns));
  for (int point = 0; point < kPoints; ++point) {
    const auto& down = kG[static_cast<std::size_t>(point / kSide)];
    const auto& across = kG[static_cast<std::size_t>(point % kSide)];
    for (std::size_t output = 0; output < bias.size(); ++output) {
      double largest = 0.0;
      for (int input = 0; input < columns; ++input) {
        const float* taps =
            weight.data() + (output * static_cast<std::size_t>(columns) + static_cast<std::size_t>(input)) * 9;
        double sum = 0.0;
        for (std::size_t a = 0; a < 3; ++a) {
          for (std::size_t b = 0; b < 3; ++b) sum += down[a] * across[b] * taps[a * 3 + b];
        }
        row[static_cast<std::size_t>(input)] = sum * units[static_cast<std::size_t>(point * channels + input)];
        largest = std::max(largest, std::abs(row[static_cast<std::size_t>(input)]));
      }
      const auto place = static_cast<std::size_t>(point * channels) + output;
      const double unit = largest > 0.0 ? largest / kLargest : 1.0;
      scales_[place] = static_cast<float>(unit / spec.result_unit);
      int total = 0;
      for (int input = 0; input < columns; ++input) {
        const int rounded = static_cast<int>(std::nearbyint(row[static_cast<std::size_t>(input)] / unit));
        total += rounded;
        const auto at = static_cast<std::size_t>(point * channels * channels + input / 4 * 4 * channels) + output * 4 +
                        static_cast<std::size_t>(input % 4);
        weights_[at] = static_cast<std::int8_t>(rounded);
      }
      start_[place] = -winograd::kZero * total;
    }
  }
}

void WinogradConvolution::run(int positions, const Byte* from, Byte* to, WinogradWorkspace& work) const {
  // So many positions at once that what lies between the steps stays in the second cache.
  constexpr int kAtOnce = 8;
  const auto size = static_cast<std::size_t>(tiles_.rows * tiles_.columns * tiles_.channels);
  const auto most = static_cast<std::size_t>(kPoints * std::min(positions, kAtOnce) * tiles_.each() * tiles_.channels);
  if (work.products.size() < most) {
    work.transformed.resize(most);
    work.products.resize(most);
  }
  const winograd::Result result{scales_.data(), bias_.data(), sum_};
  for (int done = 0; done < positions; done += kAtOnce) {
    const int count = std::min(kAtOnce, positions - done);
    const int tiles = count * tiles_.each();
    for (int i = 0; i < count; ++i) {
      winograd::transform_input(tiles_, from + static_cast<std::size_t>(done + i) * size, factors_.data(), tiles,
                                i * tiles_.each(), work.transformed.data());
    }
    winograd::multiply(tiles_.channels, tiles, work.transformed.data(), weights_.data(), start_.data(),
                       work.products.data());
    for (int i = 0; i < count; ++i) {
      winograd::transform_output(tiles_, work.products.data(), tiles, i * tiles_.each(), result,
                                 to + static_cast<std::size_t>(done + i) * size);
    }
  }
}

}  // namespace koridor
