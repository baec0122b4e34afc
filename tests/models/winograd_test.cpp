// The convolution by minimal filtering, and its kernels, against plain loops.
#include "models/cpu/winograd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "models/cpu/blocked.h"
#include "models/cpu/int8_kernels.h"
#include "models/cpu/int8_network.h"
#include "models/cpu/onednn_cpu.h"
#include "models/cpu/onednn_network.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

struct Channels {
  int inputs;
  int outputs;
  friend std::ostream& operator<<(std::ostream& out, const Channels& channels) {
    return out << channels.inputs << " to " << channels.outputs;
  }
};

struct Given {
  int8::Tiles tiles;
  Channels channels;
  std::vector<Byte> from;           // [positions, rows, columns, winograd_channels(inputs)]
  std::vector<float> weight, bias;  // [outputs, inputs, 3, 3], [outputs]
  std::vector<float> limits;

  Given(int rows, int columns, Channels count, int positions) : tiles{rows, columns}, channels(count) {
    Random random(static_cast<std::uint64_t>(rows * 1000 + columns * 100 + count.inputs));
    const int stride = winograd_channels(count.inputs);
    const int area = rows * columns;
    from.resize(static_cast<std::size_t>(positions * area * stride));
    for (Byte& value : from) value = static_cast<Byte>(random.below(3) == 0 ? random.below(256) : 0);
    weight.resize(static_cast<std::size_t>(count.outputs * count.inputs * 9));
    for (float& value : weight) value = static_cast<float>(random.normal());
    for (int i = 0; i < count.outputs; ++i) bias.push_back(static_cast<float>(random.normal()));
    limits.resize(static_cast<std::size_t>(int8::kPoints * stride));
    const BlockedLayout layout{padded_channels(count.inputs), kChannelMultiple, area};
    for (int i = 0; i < positions; ++i) {
      std::vector<float> map(layout.size());
      for (int square = 0; square < area; ++square) {
        for (int channel = 0; channel < count.inputs; ++channel) {
          map[layout.at(channel / kLanes) + static_cast<std::size_t>(square * layout.block + channel % kLanes)] =
              kUnit * from[static_cast<std::size_t>((i * area + square) * stride + channel)];
        }
      }
      widen_limits(tiles, layout, map.data(), limits);
    }
  }

  static constexpr float kUnit = 0.02f;

  double expected(int position, int row, int column, int output) const {
    double sum = bias[static_cast<std::size_t>(output)];
    for (int input = 0; input < channels.inputs; ++input) {
      for (int a = -1; a <= 1; ++a) {
        for (int b = -1; b <= 1; ++b) {
          const int r = row + a;
          const int c = column + b;
          if (r < 0 || r >= tiles.rows || c < 0 || c >= tiles.columns) continue;
          sum +=
              double{weight[static_cast<std::size_t>(((output * channels.inputs + input) * 3 + a + 1) * 3 + b + 1)]} *
              kUnit *
              from[static_cast<std::size_t>(
                  ((position * tiles.rows + r) * tiles.columns + c) * winograd_channels(channels.inputs) + input)];
        }
      }
    }
    return sum;
  }
};

// How far results are from what they should be.
struct Error {
  double squares = 0.0;
  double signal = 0.0;

  void add(double expected, double actual) {
    squares += (expected - actual) * (expected - actual);
    signal += expected * expected;
  }
  double relative() const { return std::sqrt(squares / signal); }
};

// The kernels for which this CPU has the instructions, by name.
std::vector<std::pair<const char*, const int8::Kernels*>> kernels_here() {
  std::vector<std::pair<const char*, const int8::Kernels*>> all;
  if (cpu_has(dnnl::cpu_isa::avx2)) all.emplace_back("AVX2", &int8::kAvx2);
  if (cpu_has(dnnl::cpu_isa::avx512_core_vnni)) all.emplace_back("AVX-512 VNNI", &int8::kAvx512Vnni);
  return all;
}

constexpr const char* kNoKernels = "this CPU has neither AVX2 nor AVX-512 VNNI";

class Winograd : public testing::TestWithParam<std::tuple<int, int, Channels>> {
 protected:
  void SetUp() override {
    if (kernels_here().empty()) GTEST_SKIP() << kNoKernels;
  }
};

constexpr int kManyPositions = 11;  // more than are worked on at once

// With and without what it adds to, with one bias and with one a position; the error is that of eight bits, the same
// for every output. All kernels give the same bytes.
TEST_P(Winograd, IsAConvolution) {
  const auto [rows, columns, channels] = GetParam();
  const Given given(rows, columns, channels, kManyPositions);
  const int stride = winograd_channels(channels.outputs);
  const float result_unit = 0.5f;
  Random random(3);
  std::vector<float> biases;
  for (int i = 0; i < kManyPositions * stride; ++i) biases.push_back(static_cast<float>(2.0 * random.normal()));
  std::vector<Byte> before(static_cast<std::size_t>(kManyPositions * rows * columns * stride));
  for (Byte& value : before) value = static_cast<Byte>(random.below(256));
  for (const bool adds : {false, true}) {
    for (const bool own_biases : {false, true}) {
      WinogradSpec spec{.tiles = given.tiles,
                        .inputs = channels.inputs,
                        .source_unit = Given::kUnit,
                        .result_unit = result_unit,
                        .sum_unit = adds ? 0.25f : 0.0f};
      std::vector<Byte> to;
      for (const auto& [name, kernels] : kernels_here()) {
        spec.kernels = kernels;
        const WinogradConvolution convolution(spec, given.weight, given.bias, given.limits);
        std::vector<Byte> found = before;
        WinogradWorkspace work;
        if (own_biases) {
          convolution.run(kManyPositions, given.from.data(), biases, found.data(), work);
        } else {
          convolution.run(kManyPositions, given.from.data(), found.data(), work);
        }
        EXPECT_TRUE(to.empty() || found == to) << name;
        to = std::move(found);
      }
      Error error;
      for (int position = 0; position < kManyPositions; ++position) {
        for (int square = 0; square < rows * columns; ++square) {
          for (int output = 0; output < channels.outputs; ++output) {
            const auto at = static_cast<std::size_t>((position * rows * columns + square) * stride + output);
            double sum = given.expected(position, square / columns, square % columns, output) +
                         double{spec.sum_unit} * before[at];
            if (own_biases) {
              sum += double{result_unit} * double{biases[static_cast<std::size_t>(position * stride + output)]} -
                     double{given.bias[static_cast<std::size_t>(output)]};
            }
            error.add(std::clamp(sum, 0.0, 255.0 * double{result_unit}), double{result_unit} * to[at]);
          }
        }
      }
      EXPECT_LT(error.relative(), 0.04) << (adds ? "with a sum" : "without") << (own_biases ? ", own biases" : "");
      EXPECT_GT(error.signal, 0.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, Winograd,
                         testing::Values(std::tuple{9, 9, Channels{64, 64}}, std::tuple{9, 9, Channels{96, 96}},
                                         std::tuple{5, 5, Channels{64, 64}}, std::tuple{7, 4, Channels{40, 40}},
                                         std::tuple{11, 11, Channels{32, 32}}, std::tuple{3, 3, Channels{16, 16}},
                                         std::tuple{1, 1, Channels{16, 10}}, std::tuple{14, 11, Channels{72, 72}},
                                         std::tuple{9, 9, Channels{128, 128}}, std::tuple{2, 10, Channels{112, 112}},
                                         std::tuple{9, 9, Channels{7, 96}}, std::tuple{19, 19, Channels{33, 64}},
                                         std::tuple{2, 30, Channels{13, 20}}));

// No plane exceeds its limits, and what is within them is near.
TEST(WinogradPlanes, FitTheirLimits) {
  if (kernels_here().empty()) GTEST_SKIP() << kNoKernels;
  // A weight of 1 in the middle and nothing else: the result is the plane.
  constexpr int kSide = 9;
  std::vector<float> weight(9);
  weight[4] = 1.0f;
  const std::vector<float> bias(1);
  const std::vector<float> limits = plane_limits(1);
  WinogradSpec spec{.tiles = {kSide, kSide}, .inputs = 1, .source_unit = 1.0f / 255.0f, .result_unit = 0.01f};
  const auto stride = static_cast<std::size_t>(winograd_channels(1));
  std::vector<Byte> from(kSide * kSide * stride), to(from.size());
  Random random(5);
  for (std::size_t square = 0; square < kSide * kSide; ++square) {
    from[square * stride] = random.below(2) == 1 ? 255 : 0;
  }
  for (const auto& [name, kernels] : kernels_here()) {
    spec.kernels = kernels;
    const WinogradConvolution convolution(spec, weight, bias, limits);
    WinogradWorkspace work;
    convolution.run(1, from.data(), to.data(), work);
    for (std::size_t square = 0; square < kSide * kSide; ++square) {
      EXPECT_NEAR(to[square * stride], from[square * stride] == 255 ? 100 : 0, 3) << name << ", square " << square;
    }
  }
}

// Limits are measured on the maps of evaluate_and_observe, whose layout depends on the CPU.
TEST(WinogradLimits, BelongToTheirChannels) {
  const EncodingShape shape = test::board(5, 5);
  Model model = test::model_for(shape, {1, 32, 2, 16, 16, 32});
  std::vector<float>& bias = model.tensors.at("stem.bias");
  for (const char* name : {"stem.weight", "scalars.weight"}) std::ranges::fill(model.tensors.at(name), 0.0f);
  for (std::size_t channel = 0; channel < bias.size(); ++channel) bias[channel] = static_cast<float>(channel);
  test::Positions positions(shape, 3);
  TransformedLimits limits(shape, model.info.network);
  evaluate_and_observe(model, shape, positions.batch(0, 3), positions.predictions(0, 3),
                       [&](int activation, std::span<const float> values) { limits.observe(activation, values); });
  const std::span<const float> of_stem = limits.of(1);
  for (std::size_t place = 0; place < of_stem.size(); place += bias.size()) {
    for (std::size_t channel = 0; channel < bias.size(); ++channel) {
      EXPECT_NEAR(of_stem[place + channel], bias[channel] * of_stem[place + 1], 1e-4) << channel;
    }
  }
  EXPECT_GT(of_stem[1], 0.0f);
}

// The heads' convolution: products alone, and what makes numbers of them, against plain loops.
TEST(Int8Kernels, MultiplyAndScale) {
  if (kernels_here().empty()) GTEST_SKIP() << kNoKernels;
  constexpr int kOutputs = 48;
  for (const auto& [name, kernels] : kernels_here()) {
    for (const int rows : {1, 2, 3, 4, 5, 6, 7, 11, 12, 81}) {
      for (const int inputs : {4, 20, 64, int8::kMostInputs}) {
        const int stride = winograd_channels(inputs);
        Random random(static_cast<std::uint64_t>(rows * 1000 + inputs));
        AlignedVector<Byte> from(static_cast<std::size_t>(rows * stride));
        AlignedVector<std::int8_t> weights(static_cast<std::size_t>(inputs * kOutputs));
        AlignedVector<std::int32_t> start(kOutputs), sums(static_cast<std::size_t>(rows * kOutputs));
        AlignedVector<float> scales(kOutputs), bias(kOutputs), scaled(sums.size());
        // Extremes are frequent: sums of 16 bits would overflow.
        for (Byte& value : from) value = static_cast<Byte>(random.below(2) == 0 ? 255 : random.below(256));
        for (std::int8_t& value : weights) value = static_cast<std::int8_t>(random.below(2) == 0 ? 127 : -127);
        for (std::int32_t& value : start) value = static_cast<std::int32_t>(random.below(1000)) - 500;
        for (float& value : scales) value = static_cast<float>(random.normal());
        for (float& value : bias) value = static_cast<float>(random.normal());
        kernels->multiply({1, inputs, stride, kOutputs, weights.data(), start.data()}, rows, from.data(), sums.data());
        kernels->scale({kOutputs, scales.data(), bias.data()}, rows, sums.data(), scaled.data());
        for (int row = 0; row < rows; ++row) {
          for (int output = 0; output < kOutputs; ++output) {
            const auto o = static_cast<std::size_t>(output);
            int sum = start[o];
            for (int input = 0; input < inputs; ++input) {
              sum += from[static_cast<std::size_t>(row * stride + input)] *
                     weights[static_cast<std::size_t>((input / 4 * kOutputs + output) * 4 + input % 4)];
            }
            const auto at = static_cast<std::size_t>(row * kOutputs + output);
            ASSERT_EQ(sums[at], sum) << name << ", " << rows << " rows, " << inputs << " inputs";
            ASSERT_EQ(scaled[at], std::fma(static_cast<float>(sum), scales[o], bias[o])) << name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace koridor
