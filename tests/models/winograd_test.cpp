// The convolution by minimal filtering against plain loops.
#include "models/winograd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "models/blocked.h"
#include "models/onednn_cpu.h"

namespace koridor {
namespace {

struct Given {
  winograd::Tiles tiles;
  std::vector<Byte> from;           // [rows, columns, channels]
  std::vector<float> weight, bias;  // [outputs, inputs, 3, 3], [outputs]
  std::vector<float> ranges;

  Given(int rows, int columns, int channels, int used, int positions) : tiles{rows, columns, channels} {
    Random random(static_cast<std::uint64_t>(rows * 1000 + columns * 100 + channels));
    from.resize(static_cast<std::size_t>(positions * rows * columns * channels));
    for (Byte& value : from) value = static_cast<Byte>(random.below(3) == 0 ? random.below(256) : 0);
    weight.resize(static_cast<std::size_t>(used * used * 9));
    for (float& value : weight) value = static_cast<float>(random.normal());
    for (int i = 0; i < used; ++i) bias.push_back(static_cast<float>(random.normal()));
    ranges.resize(static_cast<std::size_t>(winograd::kPoints * channels));
    const BlockedLayout layout{channels, kChannelMultiple, rows * columns};
    for (int i = 0; i < positions; ++i) {
      std::vector<float> map(layout.size());
      for (int square = 0; square < layout.area; ++square) {
        for (int channel = 0; channel < channels; ++channel) {
          map[layout.at(channel / kLanes) + static_cast<std::size_t>(square * layout.block + channel % kLanes)] =
              kUnit * from[static_cast<std::size_t>((i * layout.area + square) * channels + channel)];
        }
      }
      widen_ranges(tiles, map.data(), ranges);
    }
  }

  static constexpr float kUnit = 0.02f;

  double expected(int position, int row, int column, int output) const {
    const auto used = static_cast<int>(bias.size());
    double sum = bias[static_cast<std::size_t>(output)];
    for (int input = 0; input < used; ++input) {
      for (int a = -1; a <= 1; ++a) {
        for (int b = -1; b <= 1; ++b) {
          const int r = row + a;
          const int c = column + b;
          if (r < 0 || r >= tiles.rows || c < 0 || c >= tiles.columns) continue;
          sum += double{weight[static_cast<std::size_t>(((output * used + input) * 3 + a + 1) * 3 + b + 1)]} * kUnit *
                 from[static_cast<std::size_t>(((position * tiles.rows + r) * tiles.columns + c) * tiles.channels +
                                               input)];
        }
      }
    }
    return sum;
  }
};

class Winograd : public testing::TestWithParam<std::tuple<int, int, int, int>> {
 protected:
  void SetUp() override {
    if (!cpu_has(dnnl::cpu_isa::avx512_core_vnni)) GTEST_SKIP() << "this CPU has no AVX-512 VNNI";
  }
};

// With and without what it adds to; the error is that of eight bits, the same for every output.
TEST_P(Winograd, IsAConvolution) {
  const auto [rows, columns, channels, used] = GetParam();
  constexpr int kPositions = 11;  // more than are worked on at once
  const Given given(rows, columns, channels, used, kPositions);
  for (const bool adds : {false, true}) {
    const float result_unit = 0.5f;
    const float sum_unit = adds ? 0.25f : 0.0f;
    const WinogradConvolution convolution({given.tiles, Given::kUnit, result_unit, sum_unit}, given.weight, given.bias,
                                          used, given.ranges);
    std::vector<Byte> before(given.from.rbegin(), given.from.rend());
    std::vector<Byte> to = before;
    WinogradWorkspace work;
    convolution.run(kPositions, given.from.data(), to.data(), work);
    double squares = 0.0;
    double signal = 0.0;
    int count = 0;
    for (int position = 0; position < kPositions; ++position) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          for (int output = 0; output < used; ++output, ++count) {
            const auto at = static_cast<std::size_t>(((position * rows + row) * columns + column) * channels + output);
            const double sum = given.expected(position, row, column, output) + double{sum_unit} * before[at];
            const double expected = std::clamp(sum, 0.0, 255.0 * double{result_unit});
            squares += (expected - double{result_unit} * to[at]) * (expected - double{result_unit} * to[at]);
            signal += expected * expected;
          }
        }
      }
    }
    EXPECT_LT(std::sqrt(squares / signal), 0.09) << (adds ? "with a sum" : "without") << ", " << count << " outputs";
    EXPECT_GT(signal, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, Winograd,
                         testing::Values(std::tuple{9, 9, 64, 64}, std::tuple{9, 9, 96, 96}, std::tuple{5, 5, 64, 64},
                                         std::tuple{7, 4, 48, 40}, std::tuple{11, 11, 32, 32}, std::tuple{3, 3, 16, 16},
                                         std::tuple{1, 1, 16, 10}, std::tuple{14, 11, 80, 72},
                                         std::tuple{9, 9, 128, 128}, std::tuple{2, 10, 112, 112}));

}  // namespace
}  // namespace koridor
