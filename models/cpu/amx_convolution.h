// A convolution in int8 on a CPU's matrix unit (amx_kernels.h), whose maps are those of amx::Board.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/cpu/aligned.h"
#include "models/cpu/amx_kernels.h"
#include "models/cpu/lanes.h"

namespace koridor {

struct AmxSpec {
  amx::Board board;
  int inputs = 0;            // channels that the weights have; the map has amx::map_channels(inputs)
  int kernel = 3;            // or 1
  float source_unit = 1.0f;  // what 1 of an input stands for
  float result_unit = 1.0f;  // of a result
  float sum_unit = 0.0f;     // of the destination's content, to which the result is added; 0: nothing is added
};

// Weights are bytes in [-127, 127] with one unit per output; sums are exact in 32 bits. Each position is computed by
// the same operations whatever the others are. Where it runs, the calling thread has an amx::Session.
class AmxConvolution {
 public:
  // weight is [bias.size(), inputs, kernel, kernel].
  AmxConvolution(const AmxSpec& spec, std::span<const float> weight, std::span<const float> bias);

  // The outputs, those of padding counted: a multiple of 16.
  int outputs() const { return outputs_; }

  // to = relu(convolution(from) + bias [+ to]) for maps [positions, board.bytes(amx::map_channels(...))] of bytes.
  void run(int positions, const Byte* from, Byte* to) const;
  // The same with biases per position, in units of results: [positions, outputs()].
  void run(int positions, const Byte* from, std::span<const float> biases, Byte* to) const;
  // to [area, outputs()] = convolution(from) + bias of one position, in units of results.
  void run(const Byte* from, float* to) const;

 private:
  void run(int positions, const Byte* from, const float* bias, int bias_stride, Byte* to) const;
  amx::Convolution convolution() const;

  amx::Board board_;
  int channels_;         // of the source's maps
  int outputs_;          // of the network, and of padding
  int result_channels_;  // of the result's maps
  float sum_;
  std::vector<std::int32_t> offsets_;
  std::vector<std::int16_t> places_;
  AlignedVector<std::int8_t> weights_;
  AlignedVector<float> scales_, bias_;
};

}  // namespace koridor
