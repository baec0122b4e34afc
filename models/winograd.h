// A 3x3 convolution in int8 by minimal filtering (Winograd 1980; for networks: Lavin and Gray 2016), F(3x3, 3x3): tiles
// of 3x3 outputs from 5x5 inputs with 25 products for each pair of channels instead of 81. For CPUs with AVX-512 VNNI
// and no matrix unit, where products are what limits.
//
//   output = A^T [ (G w G^T) . (B^T d B) ] A, the products . summed over input channels; points 0, 1, -1, 2, infinity:
//
//         [ 2 -1 -2  1  0 ]          [ 1/2    0    0   ]
//         [ 0 -2 -1  1  0 ]          [-1/2  -1/2  -1/2 ]          [ 1  1  1  1  0 ]
//   B^T = [ 0  2 -3  1  0 ]      G = [-1/6   1/6  -1/6 ]    A^T = [ 0  1 -1  2  0 ]
//         [ 0 -1  0  1  0 ]          [ 1/6   1/3   2/3 ]          [ 0  1  1  4  1 ]
//         [ 0  2 -1 -2  1 ]          [  0     0     1  ]
//
// B^T d B is exact in 16 bits; it becomes a byte by a unit of its own for each of the 25 points and input channel,
// which the weights take up (else the few large channels would leave the others no steps). Weights have a unit for each
// point and output channel. Sums are exact in 32 bits, so results do not depend on the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/lanes.h"
#include "models/winograd_kernels.h"

namespace koridor {

// Whether this CPU has the instructions (and no matrix unit, which is faster without), and it pays for this board and
// number of channels.
bool winograd_pays(const winograd::Tiles& tiles);

// The largest |B^T d B| of each point and channel, [kPoints, channels], widened by maps of f32 activations of one
// position, laid out [channels / 16, area, 16].
void widen_ranges(const winograd::Tiles& tiles, const float* map, std::span<float> ranges);

// Memory for the work between two layers; one a thread.
struct WinogradWorkspace {
  std::vector<Byte> transformed;
  std::vector<std::int32_t> products;
};

struct WinogradSpec {
  winograd::Tiles tiles;
  float source_unit = 1.0f;  // what 1 of an input, a result and of what a result is added to stands for
  float result_unit = 1.0f;
  float sum_unit = 0.0f;  // 0: nothing is added
};

class WinogradConvolution {
 public:
  // weight [bias.size(), columns, 3, 3], filled up with zeros to the tiles' channels; ranges as above.
  WinogradConvolution(const WinogradSpec& spec, std::span<const float> weight, std::span<const float> bias, int columns,
                      std::span<const float> ranges);

  // to = relu(convolution(from) + bias [+ to]); both [positions, rows, columns, channels].
  void run(int positions, const Byte* from, Byte* to, WinogradWorkspace& work) const;

 private:
  winograd::Tiles tiles_;
  std::vector<std::int16_t> factors_;  // [kPoints, channels]
  std::vector<std::int8_t> weights_;   // [kPoints, channels / 4, channels, 4]
  std::vector<std::int32_t> start_;    // [kPoints, channels]: takes kZero away again
  std::vector<float> scales_;          // [kPoints, channels]
  std::vector<float> bias_;            // [channels]
  float sum_;
};

}  // namespace koridor
