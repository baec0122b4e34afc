// The convolutions on a matrix unit, against loops over whole numbers. They run on CPUs with AMX only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <tuple>
#include <vector>

#include "core/base/random.h"
#include "models/cpu/amx_convolution.h"
#include "models/cpu/amx_network.h"
#include "models/cpu/blocked.h"

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

constexpr int kPositions = 3;
constexpr float kSourceUnit = 0.02f;
constexpr float kResultUnit = 0.5f;

// Maps and weights whose products are whole numbers of units: each output has a weight of 127, so that its unit is 1.
class AmxConvolutionTest : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (!has_amx()) GTEST_SKIP() << "this CPU has no AMX";
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
    maps_.assign(static_cast<std::size_t>(kPositions * board_.bytes(padded_channels(inputs))), 0);
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
    const int padded = padded_channels(channels);
    return static_cast<std::size_t>(position * board_.bytes(padded) +
                                    (board_.first() + row * board_.line() + column) * padded);
  }

  // The sum of the products, in units of results.
  double expected(int position, int row, int column, int output) const {
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
    return sum * kSourceUnit / kResultUnit;
  }

  AmxSpec spec(int kernel, float sum_unit) const {
    return {.board = board_,
            .inputs = GetParam().inputs,
            .kernel = kernel,
            .source_unit = kSourceUnit,
            .result_unit = kResultUnit,
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
  for (float& value : weight_) value = std::trunc(value / 8.0f);  // most results lie between the ends of a byte's range
  const std::size_t each = weight_.size() / static_cast<std::size_t>(outputs);
  for (std::size_t output = 0; output < static_cast<std::size_t>(outputs); ++output) weight_[output * each] = 127.0f;
  for (const bool adds : {false, true}) {
    for (const bool own_biases : {false, true}) {
      const AmxConvolution convolution(spec(3, adds ? 0.25f : 0.0f), weight_, bias_);
      ASSERT_EQ(convolution.outputs(), padded_channels(outputs));
      const int padded = convolution.outputs();
      amx::Session session;
      AlignedVector<Byte> to(static_cast<std::size_t>(kPositions * board_.bytes(padded)));
      for (int position = 0; position < kPositions; ++position) {
        for (int row = 0; row < rows; ++row) {
          Byte* const at = &to[place(position, row, 0, outputs)];
          std::generate_n(at, columns * padded, [&] { return static_cast<Byte>(random_.below(256)); });
        }
      }
      const AlignedVector<Byte> before = to;
      std::vector<float> biases;
      for (int i = 0; i < kPositions * padded; ++i) biases.push_back(static_cast<float>(20.0 * random_.normal()));
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
              double wanted = expected(position, row, column, output);
              wanted += own_biases ? biases[static_cast<std::size_t>(position * padded + output)]
                                   : bias_[static_cast<std::size_t>(output)] / kResultUnit;
              if (adds) wanted += 0.5 * before[at];
              between += wanted > 0.0 && wanted < 255.0 ? 1 : 0;
              ASSERT_NEAR(to[at], std::clamp(wanted, 0.0, 255.0), 0.501)
                  << "position " << position << ", row " << row << ", column " << column << ", output " << output;
            }
          }
          for (int channel = 0; channel < padded; ++channel) {
            ASSERT_EQ(to[place(position, row, columns, outputs) + static_cast<std::size_t>(channel)], 0);
          }
        }
      }
      EXPECT_GT(between, 0);
    }
  }
}

TEST_P(AmxConvolutionTest, OfOneTapGivesFloats) {
  const auto [rows, columns, inputs, outputs] = GetParam();
  draw(1);
  const AmxConvolution convolution(spec(1, 0.0f), weight_, bias_);
  amx::Session session;
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
  const int padded = padded_channels(inputs);
  const auto channels = static_cast<std::size_t>(padded);
  std::vector<float> means(channels), largest(channels), added(channels);
  for (float& value : added) value = static_cast<float>(40.0 * random_.normal());
  Byte* const first = &maps_[place(0, 0, 0, inputs)];
  amx::pool(board_, padded, first, 0.5f, means.data(), largest.data());
  const AlignedVector<Byte> before = maps_;
  amx::add_relu(board_, padded, 0.75f, added.data(), first);
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
                                         Shape{14, 11, 40, 40}, Shape{9, 9, 25, 96}, Shape{3, 3, 7, 5},
                                         Shape{4, 6, 16, 80}, Shape{1, 1, 16, 16}, Shape{19, 19, 22, 33}));

}  // namespace
}  // namespace koridor
