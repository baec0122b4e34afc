// A 3x3 convolution in int8 by minimal filtering (Winograd 1980; for networks: Lavin and Gray 2016), F(3x3, 3x3): tiles
// of 3x3 outputs from 5x5 inputs take 25 products per pair of channels instead of 81. It is for CPUs without a matrix
// unit, where products are the bottleneck.
//
//   output = A^T [ (G w G^T) . (B^T d B) ] A,   the elementwise products . summed over input channels
//
// for the polynomial products at the points 0, a, -a, b, -b; with A = a^2, B = b^2, p = Ba / 2A(A-B), q = 1 / 2(B-A):
//
// clang-format off
//         [ A   0  -1-A/B   0   1/B ]         [ 1/A   0    0 ]
//         [ 0  -a    -1    a/B  1/B ]         [  p   ap   Ap ]          [ 1  1/a 1/a 1/b 1/b ]
//   B^T = [ 0   a    -1   -a/B  1/B ]     G = [  p  -ap   Ap ]    A^T = [ 0   1  -1   1  -1  ]
//         [ 0  -A   -A/b    1   1/b ]         [  q   bq   Bq ]          [ 0   a   a   b   b  ]
//         [ 0   A   -A/b   -1   1/b ]         [  q  -bq   Bq ]
// clang-format on
//
// The points matter in eight bits. The usual points 0, 1, -1, 2 and infinity, which need additions only, leave twice
// the error of a = 0.8, b = 3. The latter lie almost evenly on the circle that the line and infinity make, at angles of
// 0, 39 and 72 degrees; 0, 36 and 72 would be even. In two trained networks of 32 and 64 channels they reduced the
// error of a layer from 5.3% to 2.6% of its output; a from 0.7 to 0.85 and b from 2.5 to 3.4 do as well.
//
// B^T d B is computed in 16 bits with fractions. It is rounded to a byte by a unit for each point and input channel,
// which is multiplied into the weights; with one unit a few large channels would leave the others too few steps.
// Weights have a unit for each point and output channel. Sums are exact in 32 bits: results do not depend on the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cpu/aligned.h"
#include "models/cpu/blocked.h"
#include "models/cpu/int8_kernels.h"
#include "models/cpu/lanes.h"

namespace koridor {

// The number of channels of a map in memory; those beyond the network's are zero.
constexpr int winograd_channels(int channels) {
  return (channels + int8::kInputGroup - 1) / int8::kInputGroup * int8::kInputGroup;
}

// Widens limits [kPoints, winograd_channels(layout.channels)], the largest |B^T d B| of each point and channel, by a
// map of f32 activations of one position.
void widen_limits(const int8::Tiles& tiles, const BlockedLayout& layout, const float* map, std::span<float> limits);
// The limits of any planes in [0, 1].
std::vector<float> plane_limits(int planes);

// Memory for the work between two layers; each thread has one.
struct WinogradWorkspace {
  AlignedVector<Byte> transformed;
  AlignedVector<std::int32_t> products;
};

struct WinogradSpec {
  const int8::Kernels* kernels = nullptr;  // those for this CPU; they live as long as the program
  int8::Tiles tiles;
  int inputs = 0;
  float source_unit = 1.0f;  // what 1 of an input stands for
  float result_unit = 1.0f;  // of a result
  float sum_unit = 0.0f;     // of the destination's content, to which the result is added; 0: nothing is added
};

class WinogradConvolution {
 public:
  // weight is [bias.size(), inputs, 3, 3]; `limits` are those of widen_limits().
  WinogradConvolution(const WinogradSpec& spec, std::span<const float> weight, std::span<const float> bias,
                      std::span<const float> limits);

  // to = relu(convolution(from) + bias [+ to]); [positions, rows, columns, winograd_channels(...)].
  void run(int positions, const Byte* from, Byte* to, WinogradWorkspace& work) const;
  // The same with biases per position, in units of results: [positions, winograd_channels(outputs)].
  void run(int positions, const Byte* from, std::span<const float> biases, Byte* to, WinogradWorkspace& work) const;

 private:
  struct Biases {
    const float* first;  // of the first position
    int stride;          // from one position's to the next; 0: all have the same
  };
  void run(int positions, const Byte* from, const Biases& biases, Byte* to, WinogradWorkspace& work) const;

  const int8::Kernels* kernels_;
  int8::Tiles tiles_;
  int inputs_;                           // a multiple of 4
  int stride_;                           // winograd_channels(inputs)
  int outputs_;                          // winograd_channels(...)
  AlignedVector<std::int16_t> factors_;  // [kPoints, stride]
  AlignedVector<std::int8_t> weights_;   // [kPoints, inputs / 4, outputs, 4]
  AlignedVector<std::int32_t> start_;    // [kPoints, outputs]: subtracts the effect of kZero
  AlignedVector<float> scales_;          // [outputs / 16, kPoints, 16]
  AlignedVector<float> bias_;            // [outputs]
  float sum_;
};

}  // namespace koridor
