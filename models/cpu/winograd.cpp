#include "models/cpu/winograd.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace koridor {
namespace {

using int8::kPoints;
using int8::kSide;
using int8::kTile;

constexpr double a = int8::kNear;
constexpr double b = int8::kFar;
constexpr double kA = a * a;
constexpr double kB = b * b;
using Row = std::array<double, 3>;
constexpr double kNearScale = kB * a / (2 * kA * (kA - kB));
constexpr double kFarScale = 1 / (2 * (kB - kA));
constexpr std::array<Row, kSide> kWeights = {{{1 / kA, 0, 0},
                                              {kNearScale, kNearScale* a, kNearScale* kA},
                                              {kNearScale, -kNearScale* a, kNearScale* kA},
                                              {kFarScale, kFarScale* b, kFarScale* kB},
                                              {kFarScale, -kFarScale* b, kFarScale* kB}}};
constexpr std::array<std::array<double, kSide>, kSide> kInputs = {{{kA, 0, -1 - kA / kB, 0, 1 / kB},
                                                                   {0, -a, -1, a / kB, 1 / kB},
                                                                   {0, a, -1, -a / kB, 1 / kB},
                                                                   {0, -kA, -kA / b, 1, 1 / b},
                                                                   {0, kA, -kA / b, -1, 1 / b}}};

constexpr float kLargest = 127.0f;

// kInputs times five vectors of numbers. All loops have constant lengths, so that the sums stay in registers.
void multiply_inputs(const float* const (&d)[kSide], float (&result)[kSide][kLanes]) {
  for (int i = 0; i < kSide; ++i) {
    for (int n = 0; n < kLanes; ++n) {
      float sum = 0;
      for (int k = 0; k < kSide; ++k) sum += static_cast<float>(kInputs[i][k]) * d[k][n];
      result[i][n] = sum;
    }
  }
}

}  // namespace

void widen_limits(const int8::Tiles& tiles, const BlockedLayout& layout, const float* map, std::span<float> limits) {
  static constexpr float kOutside[kLanes] = {};
  const int stride = winograd_channels(layout.channels);
  for (int tile = 0; tile < tiles.each(); ++tile) {
    const int top = tile / tiles.across() * kTile - 1;
    const int left = tile % tiles.across() * kTile - 1;
    for (int group = 0; group < layout.groups(); ++group) {
      const float* of_channels = map + layout.at(group);
      float half[kSide][kSide][kLanes];  // by columns: the transposed of B^T d
      for (int j = 0; j < kSide; ++j) {
        const float* d[kSide];
        for (int k = 0; k < kSide; ++k) {
          const int row = top + k;
          const int column = left + j;
          const bool inside = row >= 0 && row < tiles.rows && column >= 0 && column < tiles.columns;
          d[k] = inside ? of_channels + (row * tiles.columns + column) * layout.block : kOutside;
        }
        multiply_inputs(d, half[j]);
      }
      for (int i = 0; i < kSide; ++i) {
        const float* row[kSide];
        for (int j = 0; j < kSide; ++j) row[j] = half[j][i];
        float sums[kSide][kLanes];
        multiply_inputs(row, sums);
        for (int j = 0; j < kSide; ++j) {
          float* limit = limits.data() + (i * kSide + j) * stride + group * kLanes;
          for (int n = 0; n < kLanes; ++n) limit[n] = std::max(limit[n], std::abs(sums[j][n]));
        }
      }
    }
  }
}

std::vector<float> plane_limits(int planes) {
  const int stride = winograd_channels(planes);
  std::vector<float> limits(static_cast<std::size_t>(kPoints * stride));
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      double above = 0.0;
      double below = 0.0;
      for (const double down : kInputs[static_cast<std::size_t>(i)]) {
        for (const double across : kInputs[static_cast<std::size_t>(j)]) {
          (down * across > 0.0 ? above : below) += std::abs(down * across);
        }
      }
      std::fill_n(limits.begin() + (i * kSide + j) * stride, stride, static_cast<float>(std::max(above, below)));
    }
  }
  return limits;
}

WinogradConvolution::WinogradConvolution(const WinogradSpec& spec, std::span<const float> weight,
                                         std::span<const float> bias, std::span<const float> limits)
    : kernels_(spec.kernels),
      tiles_(spec.tiles),
      inputs_((spec.inputs + 3) / 4 * 4),
      stride_(winograd_channels(spec.inputs)),
      outputs_(winograd_channels(static_cast<int>(bias.size()))),
      sum_(spec.sum_unit / spec.result_unit) {
  assert(spec.inputs <= int8::kMostInputs);
  factors_.resize(static_cast<std::size_t>(kPoints * stride_));
  weights_.resize(static_cast<std::size_t>(kPoints * inputs_ * outputs_));
  start_.resize(static_cast<std::size_t>(kPoints * outputs_));
  scales_.resize(start_.size());
  bias_.resize(static_cast<std::size_t>(outputs_));
  for (std::size_t i = 0; i < bias.size(); ++i) bias_[i] = bias[i] / spec.result_unit;

  // What 1 of a transformed byte stands for; no finer than a step of the 16 bits.
  const float step = spec.source_unit / int8::kFraction;
  std::vector<float> units(factors_.size());
  for (int i = 0; i < kPoints * stride_; ++i) {
    const float unit = std::max(limits[static_cast<std::size_t>(i)] / kLargest, step * 32768.0f / 32767.0f);
    const auto factor = static_cast<std::int16_t>(std::min(32767.0f, std::nearbyint(32768.0f * step / unit)));
    factors_[static_cast<std::size_t>(i / stride_ * stride_ + int8::unpacked_place(i % stride_))] = factor;
    units[static_cast<std::size_t>(i)] = step * 32768.0f / static_cast<float>(std::max<int>(factor, 1));
  }
  std::vector<double> row(static_cast<std::size_t>(spec.inputs));
  for (int point = 0; point < kPoints; ++point) {
    const auto& down = kWeights[static_cast<std::size_t>(point / kSide)];
    const auto& across = kWeights[static_cast<std::size_t>(point % kSide)];
    for (std::size_t output = 0; output < bias.size(); ++output) {
      double largest = 0.0;
      for (std::size_t input = 0; input < row.size(); ++input) {
        const float* taps = weight.data() + (output * row.size() + input) * 9;
        double sum = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) sum += down[i] * across[j] * taps[i * 3 + j];
        }
        row[input] = sum * units[static_cast<std::size_t>(point * stride_) + input];
        largest = std::max(largest, std::abs(row[input]));
      }
      const auto place = static_cast<std::size_t>(point * outputs_) + output;
      const double unit = largest > 0.0 ? largest / kLargest : 1.0;
      const std::size_t group = output / int8::kGroup * kPoints + static_cast<std::size_t>(point);
      scales_[group * int8::kGroup + output % int8::kGroup] = static_cast<float>(unit / spec.result_unit);
      int total = 0;
      for (std::size_t input = 0; input < row.size(); ++input) {
        const int rounded = static_cast<int>(std::nearbyint(row[input] / unit));
        total += rounded;
        const auto four = static_cast<std::size_t>(point * inputs_) + input / 4 * 4;
        weights_[four * static_cast<std::size_t>(outputs_) + output * 4 + input % 4] =
            static_cast<std::int8_t>(rounded);
      }
      start_[place] = -int8::kZero * total;
    }
  }
}

void WinogradConvolution::run(int positions, const Byte* from, Byte* to, WinogradWorkspace& work) const {
  run(positions, from, Biases{bias_.data(), 0}, to, work);
}

void WinogradConvolution::run(int positions, const Byte* from, std::span<const float> biases, Byte* to,
                              WinogradWorkspace& work) const {
  run(positions, from, Biases{biases.data(), outputs_}, to, work);
}

void WinogradConvolution::run(int positions, const Byte* from, const Biases& biases, Byte* to,
                              WinogradWorkspace& work) const {
  // As many positions at once as fit, between the steps, into the second-level cache.
  constexpr int kAtOnce = 4;
  const int area = tiles_.rows * tiles_.columns;
  const auto most = static_cast<std::size_t>(kPoints * std::min(positions, kAtOnce) * tiles_.each());
  if (work.products.size() < most * static_cast<std::size_t>(outputs_)) {
    work.products.resize(most * static_cast<std::size_t>(outputs_));
  }
  if (work.transformed.size() < most * static_cast<std::size_t>(stride_)) {
    work.transformed.resize(most * static_cast<std::size_t>(stride_));
  }
  const int8::InputTransform input{tiles_, stride_, factors_.data()};
  const int8::Product product{kPoints, inputs_, stride_, outputs_, weights_.data(), start_.data()};
  int8::OutputTransform output{tiles_, outputs_, scales_.data(), biases.first, sum_};
  for (int done = 0; done < positions; done += kAtOnce) {
    const int count = std::min(kAtOnce, positions - done);
    const int all = count * tiles_.each();
    for (int i = 0; i < count; ++i) {
      const Byte* position = from + static_cast<std::ptrdiff_t>(done + i) * area * stride_;
      kernels_->transform_input(input, position, all, i * tiles_.each(), work.transformed.data());
    }
    kernels_->multiply(product, all, work.transformed.data(), work.products.data());
    for (int i = 0; i < count; ++i, output.bias += biases.stride) {
      kernels_->transform_output(output, work.products.data(), all, i * tiles_.each(),
                                 to + static_cast<std::ptrdiff_t>(done + i) * area * outputs_);
    }
  }
}

}  // namespace koridor
