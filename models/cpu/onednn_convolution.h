// A convolution of oneDNN for several batch sizes, which share the weights. Only the backend onednn uses it.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <vector>

namespace koridor {

struct ConvolutionSpec {
  int inputs = 0;  // channels, multiples of 16 (blocked.h)
  int outputs = 0;
  int rows = 0;
  int columns = 0;
  int kernel = 3;    // 1 or 3; zero padding keeps the board's size
  bool sum = false;  // adds the result to the destination, before the ReLU
  bool relu = false;
  dnnl::memory::format_tag layout = dnnl::memory::format_tag::nhwc;
  dnnl::memory::data_type type = dnnl::memory::data_type::f32;  // of the source and the weights (s8 with u8)
  dnnl::memory::data_type result = dnnl::memory::data_type::f32;

  // Only for a source of u8: what 1 stands for in the source, in the weights of each output channel, in the result and
  // in the destination's content that `sum` adds to.
  float source_unit = 1.0f;
  std::vector<float> weight_units{};  // [outputs]
  float result_unit = 1.0f;
  float sum_unit = 1.0f;

  bool quantised() const { return type == dnnl::memory::data_type::u8; }
};

class Convolution {
 public:
  // `sizes` are batch sizes, falling, the last one 1.
  Convolution(const dnnl::engine& engine, const ConvolutionSpec& spec, std::span<const int> sizes);

  const dnnl::primitive& primitive(std::size_t size_index) const { return primitives_[size_index]; }
  dnnl::memory::desc source(int size) const;
  dnnl::memory::desc destination(int size) const;
  // Bytes of working memory (DNNL_ARG_SCRATCHPAD) that suffice for every size.
  std::size_t scratchpad_bytes() const { return scratchpad_bytes_; }

  // Weights [rows, columns, kernel, kernel], rows <= outputs, columns <= inputs, padded with zeros and packed.
  dnnl::memory pack_weight(std::span<const float> weight, int rows, int columns) const;
  dnnl::memory pack_bias(std::span<const float> bias) const;  // [rows], padded likewise

  // Whether the size gives, to the bit, the results of size 1 for each position; tried with random numbers.
  bool agrees_with_single(std::size_t size_index) const;

 private:
  dnnl::memory random(const dnnl::memory::desc& desc, std::uint64_t seed) const;

  dnnl::engine engine_;
  ConvolutionSpec spec_;
  std::vector<int> sizes_;
  std::vector<dnnl::primitive> primitives_;
  dnnl::memory::desc weight_desc_;
  std::size_t scratchpad_bytes_ = 0;
};

}  // namespace koridor
