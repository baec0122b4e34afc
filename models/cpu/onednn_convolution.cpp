#include "models/cpu/onednn_convolution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "core/base/random.h"
#include "models/cpu/onednn_cpu.h"

namespace koridor {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

// Copies float32 values in plain order into memory of another layout or type.
memory reordered(const dnnl::engine& engine, std::vector<float>& plain, const memory::desc& plain_desc,
                 const memory::desc& desc) {
  memory from(plain_desc, engine, plain.data());
  memory to(desc, engine);
  dnnl::stream stream(engine);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  return to;
}

std::size_t elements(const memory::desc& desc) {
  std::size_t count = 1;
  for (const memory::dim side : desc.dims()) count *= static_cast<std::size_t>(side);
  return count;
}

}  // namespace

Convolution::Convolution(const dnnl::engine& engine, const ConvolutionSpec& spec, std::span<const int> sizes)
    : engine_(engine), spec_(spec), sizes_(sizes.begin(), sizes.end()) {
  dnnl::post_ops after;
  if (spec.sum) after.append_sum(spec.quantised() ? spec.sum_unit / spec.result_unit : 1.0f);
  if (spec.relu) after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(after);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (spec.quantised()) {
    std::vector<float> scales(spec.weight_units);
    for (float& scale : scales) scale *= spec.source_unit / spec.result_unit;
    constexpr int kPerOutputChannel = 1 << 1;
    attributes.set_output_scales(kPerOutputChannel, scales);
  }

  // The largest size chooses the layout of the weights; the others use it.
  weight_desc_ = memory::desc({spec.outputs, spec.inputs, spec.kernel, spec.kernel},
                              spec.quantised() ? Type::s8 : spec.type, Tag::any);
  const memory::desc bias({spec.outputs}, Type::f32, Tag::a);
  const int padding = spec.kernel / 2;
  for (const int size : sizes) {
    const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                               source(size), weight_desc_, bias, destination(size), {1, 1},
                                               {padding, padding}, {padding, padding});
    const dnnl::convolution_forward::primitive_desc primitive(desc, attributes, engine);
    weight_desc_ = primitive.weights_desc();
    scratchpad_bytes_ = std::max(scratchpad_bytes_, primitive.scratchpad_desc().get_size());
    primitives_.push_back(dnnl::convolution_forward(primitive));
  }
}

memory::desc Convolution::source(int size) const {
  return {{size, spec_.inputs, spec_.rows, spec_.columns}, spec_.type, spec_.layout};
}

memory::desc Convolution::destination(int size) const {
  return {{size, spec_.outputs, spec_.rows, spec_.columns}, spec_.result, spec_.layout};
}

memory Convolution::pack_weight(std::span<const float> weight, int rows, int columns) const {
  const int taps = spec_.kernel * spec_.kernel;
  std::vector<float> padded(static_cast<std::size_t>(spec_.outputs * spec_.inputs * taps));
  for (int row = 0; row < rows; ++row) {
    std::copy_n(weight.begin() + row * columns * taps, columns * taps, padded.begin() + row * spec_.inputs * taps);
  }
  if (spec_.quantised()) {
    const std::size_t each = padded.size() / spec_.weight_units.size();
    for (std::size_t i = 0; i < padded.size(); ++i)
      padded[i] = std::nearbyint(padded[i] / spec_.weight_units[i / each]);
  }
  const memory::desc plain({spec_.outputs, spec_.inputs, spec_.kernel, spec_.kernel}, Type::f32, Tag::oihw);
  return reordered(engine_, padded, plain, weight_desc_);
}

memory Convolution::pack_bias(std::span<const float> bias) const {
  memory packed({{spec_.outputs}, Type::f32, Tag::a}, engine_);
  auto* to = static_cast<float*>(packed.get_data_handle());
  std::fill(std::copy(bias.begin(), bias.end(), to), to + spec_.outputs, 0.0f);
  if (spec_.quantised()) {  // oneDNN adds it to the sum of the products of integers
    for (int i = 0; i < spec_.outputs; ++i)
      to[i] /= spec_.source_unit * spec_.weight_units[static_cast<std::size_t>(i)];
  }
  return packed;
}

memory Convolution::random(const memory::desc& desc, std::uint64_t seed) const {
  std::vector<float> values(elements(desc));
  Random numbers(seed);
  const float size = spec_.quantised() ? 100.0f : 1.0f;  // integers need room
  for (float& value : values) value = size * static_cast<float>(2.0 * numbers.uniform() - 1.0);
  return reordered(engine_, values, {desc.dims(), Type::f32, Tag::abcd}, desc);
}

bool Convolution::agrees_with_single(std::size_t size_index) const {
  const int size = sizes_[size_index];
  const memory from = random(source(size), 1);
  const memory weight = random(weight_desc_, 2);
  const memory bias = pack_bias(std::vector<float>(static_cast<std::size_t>(spec_.outputs), 0.5f));
  const memory together = random(destination(size), 3);
  const memory one_by_one = random(destination(size), 3);
  const memory scratchpad({{static_cast<memory::dim>(scratchpad_bytes_)}, Type::u8, Tag::a}, engine_);
  dnnl::stream stream(engine_);
  const auto execute = [&](const dnnl::primitive& primitive, const memory& source_memory, const memory& result) {
    primitive.execute(stream, {{DNNL_ARG_SRC, source_memory},
                               {DNNL_ARG_WEIGHTS, weight},
                               {DNNL_ARG_BIAS, bias},
                               {DNNL_ARG_DST, result},
                               {DNNL_ARG_SCRATCHPAD, scratchpad}});
  };
  execute(primitives_[size_index], from, together);
  const memory::desc source_desc = source(1);
  const memory::desc result_desc = destination(1);
  for (int i = 0; i < size; ++i) {
    const auto at = [&](const memory& all, const memory::desc& desc) {
      return memory(desc, engine_, static_cast<char*>(all.get_data_handle()) + i * desc.get_size());
    };
    execute(primitives_.back(), at(from, source_desc), at(one_by_one, result_desc));
  }
  stream.wait();
  return std::memcmp(together.get_data_handle(), one_by_one.get_data_handle(), destination(size).get_size()) == 0;
}

}  // namespace koridor
