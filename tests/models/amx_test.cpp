// The convolutions on a matrix unit, against loops over whole numbers. They run on CPUs with AMX, and on those with
// AVX-512 in models_on_emulated_amx; what their maps and tiles are made of is tested everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <ostream>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "models/cpu/aligned.h"
#include "models/cpu/amx_convolution.h"
#include "models/cpu/amx_cpu.h"
#include "models/cpu/blocked.h"
#include "models/cpu/onednn_network.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

struct Shape {
  int rows;
  int columns;
  int inputs;
  int outputs;
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    return out << shape.rows << "x" << shape.columns << ", " << shape.inputs << " to " << shape.outputs;
  }
};

constexpr const char* kNoAmx = "this CPU has no AMX";

// Whatever a kernel reads or writes lies in its map. Sanitizers see that of emulated tiles alone: they know none of the
// instructions that read a tile.
TEST(AmxBoard, HoldsWhatTilesReach) {
  for (int rows = 1; rows <= 30; ++rows) {
    for (int columns = 1; columns <= 30; ++columns) {
      const amx::Board board{rows, columns};
      EXPECT_GE(board.computed(), board.span());
      for (const int channels : {16, 32, 48, 64, 80, 128, 512}) {
        const int pieces = (3 * channels + amx::kRowBytes - 1) / amx::kRowBytes;
        const long first_tap = static_cast<long>(board.first() - board.line() - 1) * channels;
        const long last_taps = static_cast<long>(board.first() + board.computed() - 1 + board.line() - 1) * channels;
        ASSERT_GE(first_tap, 0);
        ASSERT_LE(last_taps + pieces * amx::kRowBytes, board.bytes(channels)) << rows << "x" << columns;
        ASSERT_LE(static_cast<long>(board.first() + board.computed()) * channels, board.bytes(channels));
      }
    }
  }
}

TEST(AmxMaps, TakeWholeCacheLinesWhereTheseAreFree) {
  const auto pieces = [](int channels) { return (3 * channels + amx::kRowBytes - 1) / amx::kRowBytes; };
  for (int channels = 1; channels <= 512; ++channels) {
    const int in_map = amx::map_channels(channels);
    EXPECT_GE(in_map, channels);
    EXPECT_EQ(in_map % amx::kRows, 0);
    EXPECT_EQ(pieces(in_map), pieces(padded_channels(channels))) << channels;
  }
  EXPECT_EQ(amx::map_channels(40), 64);
  EXPECT_EQ(amx::map_channels(32), 32);
  EXPECT_EQ(amx::map_channels(96), 96);
}

TEST(AmxTiles, OfAPairHaveEachOutputOnce) {
  std::set<int> outputs;
  for (int tile = 0; tile < amx::kBlock; ++tile) {
    for (int column = 0; column < amx::kRows; ++column) outputs.insert(amx::paired_output(tile, column));
  }
  EXPECT_EQ(outputs.size(), std::size_t{amx::kBlock * amx::kRows});
  EXPECT_EQ(*outputs.begin(), 0);
  EXPECT_EQ(*outputs.rbegin(), amx::kBlock * amx::kRows - 1);
}

// Tiles are a state of the thread: neither our own network nor oneDNN's, which has tiles of other sizes, is disturbed.
TEST(AmxNetwork, SharesAThreadWithOneDnn) {
  if (!has_amx()) GTEST_SKIP() << kNoAmx;
  const EncodingShape shape = test::board(5, 5);
  const Model model = test::calibrated(test::model_for(shape, {2, 32, 2, 16, 16, 32}), shape);
  const auto ours = test::own_int8(model, shape, 4);
  const auto other = make_onednn_network(model, shape, Precision::bf16, 4);
  test::Positions of_ours(shape, 4), of_other(shape, 4);
  of_ours.evaluate(*ours);
  of_other.evaluate(*other);
  for (int turn = 0; turn < 3; ++turn) {
    test::Positions again(shape, 4), again_other(shape, 4);
    again.evaluate(*ours);
    again_other.evaluate(*other);
    EXPECT_EQ(again.policy, of_ours.policy);
    EXPECT_EQ(again_other.policy, of_other.policy);
  }
}

constexpr int kPositions = 3;
constexpr float kSourceUnit = 0.02f;
constexpr float kResultUnit = 0.5f;

// Maps and weights whose products are whole numbers of units: each output has a weight of 127, so that its unit is 1.
class AmxConvolutionTest : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (!has_amx()) GTEST_SKIP() << kNoAmx;
  }

  void draw(int kernel) {
    kernel_ = kernel;
    const auto [rows, columns, inputs, outputs] = GetParam();
    weight_.resize(static_cast<std::size_t>(outputs * inputs * kernel * kernel));
    for (float& value : weight_) value = static_cast<float>(random_.below(255)) - 127.0f;
    const std::size_t each = weight_.size() / static_cast<std::size_t>(outputs);
    for (std::size_t output = 0; output < weight_.size() / each; ++output) weight_[output * each] = 127.0f;
    bias_.clear();
    for (int i = 0; i < outputs; ++i) bias_.push_back(static_cast<float>(10.0 * random_.normal()));
    maps_.assign(static_cast<std::size_t>(kPositions * board_.bytes(amx::map_channels(inputs))), 0);
    for (int position = 0; position < kPositions; ++position) {
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          for (int input = 0; input < inputs; ++input) {
            maps_[place(position, row, column, inputs) + static_cast<std::size_t>(input)] =
                static_cast<Byte>(random_.below(256));
          }
        }
      }
    }
  }

  std::size_t place(int position, int row, int column, int channels) const {
    const int stride = amx::map_channels(channels);
    return static_cast<std::size_t>(position * board_.bytes(stride) +
                                    (board_.first() + row * board_.line() + column) * stride);
  }

  // The sum of the products, in units of results.
  double expected(int position, int row, int column, int output, float unit = kResultUnit) const {
    const auto [rows, columns, inputs, outputs] = GetParam();
    const int reach = kernel_ / 2;
    double sum = 0;
    const float* weight = weight_.data() + output * inputs * kernel_ * kernel_;
    for (int input = 0; input < inputs; ++input) {
      for (int down = -reach; down <= reach; ++down) {
        for (int right = -reach; right <= reach; ++right, ++weight) {
          const int r = row + down;
          const int c = column + right;
          if (r < 0 || r >= rows || c < 0 || c >= columns) continue;
          sum += double{*weight} * maps_[place(position, r, c, inputs) + static_cast<std::size_t>(input)];
        }
      }
    }
    return sum * kSourceUnit / unit;
  }

  // All bytes of a map that are not of the board's squares.
  void expect_zeros_around(const AlignedVector<Byte>& maps, int position, int channels) const {
    const int stride = amx::map_channels(channels);
    const long start = position * board_.bytes(stride);
    for (long byte = 0; byte < board_.bytes(stride); ++byte) {
      const long square = byte / stride - board_.first();
      const bool inside = square >= 0 && square < board_.span() && square % board_.line() < board_.columns;
      if (!inside) {
        ASSERT_EQ(maps[static_cast<std::size_t>(start + byte)], 0) << "byte " << byte;
      }
    }
  }

  AmxSpec spec(int kernel, float unit, float sum_unit) const {
    return {.board = board_,
            .inputs = GetParam().inputs,
            .kernel = kernel,
            .source_unit = kSourceUnit,
            .result_unit = unit,
            .sum_unit = sum_unit};
  }

  amx::Board board_{GetParam().rows, GetParam().columns};
  Random random_{7};
  int kernel_ = 3;
  std::vector<float> weight_, bias_;
  AlignedVector<Byte> maps_;
};

// With and without what it adds to, with one bias and with one a position. The squares between rows stay zero.
TEST_P(AmxConvolutionTest, IsTheSumOfItsProducts) {
  const auto [rows, columns, inputs, outputs] = GetParam();
  draw(3);
  // A result unit and biases by which most results lie between the ends of a byte's range: 64 is one deviation.
  const double deviation = 127.0 / std::sqrt(3.0) * 255.0 / std::sqrt(3.0) * std::sqrt(9.0 * inputs) * kSourceUnit;
  const auto unit = static_cast<float>(deviation / 64.0);
  for (float& value : bias_) value = (100.0f + value) * unit;
  for (const bool adds : {false, true}) {
    for (const bool own_biases : {false, true}) {
      const AmxConvolution convolution(spec(3, unit, adds ? 0.25f * unit : 0.0f), weight_, bias_);
      ASSERT_EQ(convolution.outputs(), padded_channels(outputs));
      const int padded = convolution.outputs();
      const amx::Session session;
      const int stride = amx::map_channels(outputs);
      AlignedVector<Byte> to(static_cast<std::size_t>(kPositions * board_.bytes(stride)));
      for (int position = 0; position < kPositions; ++position) {
        for (int row = 0; row < rows; ++row) {
          Byte* const at = &to[place(position, row, 0, outputs)];
          std::generate_n(at, columns * stride, [&] { return static_cast<Byte>(random_.below(256)); });
        }
      }
      const AlignedVector<Byte> before = to;
      std::vector<float> biases;
      for (int i = 0; i < kPositions * padded; ++i)
        biases.push_back(static_cast<float>(100.0 + 20.0 * random_.normal()));
      if (own_biases) {
        convolution.run(kPositions, maps_.data(), biases, to.data());
      } else {
        convolution.run(kPositions, maps_.data(), to.data());
      }
      int between = 0;
      for (int position = 0; position < kPositions; ++position) {
        for (int row = 0; row < rows; ++row) {
          for (int column = 0; column < columns; ++column) {
            for (int output = 0; output < outputs; ++output) {
              const std::size_t at = place(position, row, column, outputs) + static_cast<std::size_t>(output);
              double wanted = expected(position, row, column, output, unit);
              wanted += own_biases ? biases[static_cast<std::size_t>(position * padded + output)]
                                   : bias_[static_cast<std::size_t>(output)] / unit;
              if (adds) wanted += 0.25 * before[at];
              between += wanted > 0.0 && wanted < 255.0 ? 1 : 0;
              ASSERT_NEAR(to[at], std::clamp(wanted, 0.0, 255.0), 0.501)
                  << "position " << position << ", row " << row << ", column " << column << ", output " << output;
            }
          }
        }
        expect_zeros_around(to, position, outputs);
      }
      EXPECT_GT(between, kPositions * rows * columns * outputs / 2);
    }
  }
}

TEST_P(AmxConvolutionTest, OfOneTapGivesFloats) {
  const auto [rows, columns, inputs, outputs] = GetParam();
  draw(1);
  const AmxConvolution convolution(spec(1, kResultUnit, 0.0f), weight_, bias_);
  const amx::Session session;
  AlignedVector<float> to(static_cast<std::size_t>(rows * columns * convolution.outputs()));
  convolution.run(maps_.data(), to.data());
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      for (int output = 0; output < outputs; ++output) {
        const double wanted = expected(0, row, column, output) + bias_[static_cast<std::size_t>(output)] / kResultUnit;
        const auto at = static_cast<std::size_t>((row * columns + column) * convolution.outputs() + output);
        ASSERT_NEAR(to[at], wanted, 1e-4 * std::abs(wanted) + 1e-3) << row << " " << column << " " << output;
      }
    }
  }
}

// The mean and the largest of each channel, and what is added to it: on the board alone.
TEST_P(AmxConvolutionTest, MapsArePooledAndAddedTo) {
  const auto [rows, columns, inputs, outputs] = GetParam();
  draw(1);
  const int stride = amx::map_channels(inputs);
  const auto channels = static_cast<std::size_t>(stride);
  std::vector<float> means(channels), largest(channels), added(channels);
  for (float& value : added) value = static_cast<float>(40.0 * random_.normal());
  Byte* const first = &maps_[place(0, 0, 0, inputs)];
  amx::pool(board_, stride, first, 0.5f, {means.data(), largest.data()});
  const AlignedVector<Byte> before = maps_;
  amx::add_relu(board_, stride, 0.75f, added.data(), first);
  for (int channel = 0; channel < inputs; ++channel) {
    double sum = 0;
    int most = 0;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const std::size_t at = place(0, row, column, inputs) + static_cast<std::size_t>(channel);
        sum += before[at];
        most = std::max<int>(most, before[at]);
        const double wanted = 0.75 * before[at] + added[static_cast<std::size_t>(channel)];
        ASSERT_NEAR(maps_[at], std::clamp(wanted, 0.0, 255.0), 0.501);
      }
      ASSERT_EQ(maps_[place(0, row, columns, inputs) + static_cast<std::size_t>(channel)], 0);
    }
    EXPECT_FLOAT_EQ(means[static_cast<std::size_t>(channel)], static_cast<float>(0.5 * sum / (rows * columns)));
    EXPECT_FLOAT_EQ(largest[static_cast<std::size_t>(channel)], 0.5f * static_cast<float>(most));
  }
}

// Every remainder of tiles: of squares (one tile or two at the end), of outputs, of the bytes of a row of taps.
INSTANTIATE_TEST_SUITE_P(, AmxConvolutionTest,
                         testing::Values(Shape{5, 5, 32, 32}, Shape{9, 9, 64, 64}, Shape{7, 7, 48, 48},
                                         Shape{14, 11, 40, 40}, Shape{9, 9, 96, 96}, Shape{3, 3, 7, 5},
                                         Shape{5, 5, 80, 80}, Shape{3, 4, 128, 128}, Shape{4, 6, 16, 80},
                                         Shape{1, 1, 16, 16}, Shape{19, 19, 22, 33}));

}  // namespace
}  // namespace koridor
