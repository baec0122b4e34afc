#include "models/cpu/onednn_layers.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "models/cpu/map_heads.h"
#include "models/cpu/onednn_cpu.h"
#include "models/network/units.h"
#include "models/network/weight_units.h"

namespace koridor {
namespace {

using dnnl::memory;
using Type = memory::data_type;

// Of a bias in int8, which oneDNN adds as a float: far from infinity.
constexpr float kLargestBias = 1e30f;

// In int8. Without VNNI oneDNN adds two neighbouring products in 16 bits, which eight bits of a weight would overflow.
float largest_weight() {
  return cpu_has_vnni() ? 127.0f : 63.0f;
}

class LayerBuilder {
 public:
  LayerBuilder(const dnnl::engine& engine, const Model& model, const EncodingShape& shape, Type type,
               std::span<const int> sizes)
      : engine_(engine), model_(model), shape_(shape), units_(model, type == Type::u8), sizes_(sizes) {
    const int channels = padded_channels(network().channels);
    block_ = {.inputs = channels,
              .outputs = channels,
              .rows = shape.rows,
              .columns = shape.columns,
              .relu = true,
              .layout = fast_layout(type).tag,
              .type = type,
              .result = type};
  }

  std::vector<Layer> build() const {
    std::vector<Layer> layers;
    layers.push_back(stem());
    for (int i = 0; i < network().blocks; ++i) {
      layers.push_back(first(i));
      layers.push_back(second(i));
    }
    layers.push_back(head());
    return layers;
  }

 private:
  const NetworkConfig& network() const { return model_.info.network; }
  const std::vector<float>& tensor(const std::string& name) const { return model_.tensors.at(name); }

  // Weights [bias.size(), columns, kernel, kernel].
  Layer layer(ConvolutionSpec spec, std::span<const float> weight, std::span<const float> bias, int columns) const {
    const int rows = static_cast<int>(bias.size());
    if (spec.quantised()) {
      spec.weight_units = weight_units(weight, rows, spec.outputs, largest_weight());
      make_room_for_bias(spec.weight_units, bias, spec.source_unit, kLargestBias);
    }
    Convolution convolution(engine_, spec, sizes_);
    memory packed = convolution.pack_weight(weight, rows, columns);
    memory packed_bias = convolution.pack_bias(bias);
    return {std::move(convolution), std::move(packed), std::move(packed_bias)};
  }

  Layer stem() const {
    ConvolutionSpec spec = block_;
    spec.inputs = padded_channels(shape_.planes + shape_.scalars);
    spec.source_unit = units_.planes_and_scalars();
    spec.result_unit = units_.x(-1);
    // The stem sees the scalars as planes: their weights in the middle of the kernel.
    std::vector<float> weight;
    for (int channel = 0; channel < network().channels; ++channel) {
      const int taps = shape_.planes * 9;
      const float* planes = tensor("stem.weight").data() + channel * taps;
      weight.insert(weight.end(), planes, planes + taps);
      for (int scalar = 0; scalar < shape_.scalars; ++scalar) {
        std::array<float, 9> kernel{};
        kernel[4] = tensor("scalars.weight")[channel * shape_.scalars + scalar];
        weight.insert(weight.end(), kernel.begin(), kernel.end());
      }
    }
    return layer(spec, weight, tensor("stem.bias"), shape_.planes + shape_.scalars);
  }

  Layer first(int block) const {
    ConvolutionSpec spec = block_;
    spec.source_unit = units_.x(block - 1);
    spec.result_unit = units_.y(block);
    const std::string name = fmt::format("blocks.{}.first", block);
    return layer(spec, tensor(name + ".weight"), tensor(name + ".bias"), network().channels);
  }

  Layer second(int block) const {
    ConvolutionSpec spec = block_;
    spec.sum = true;
    spec.source_unit = units_.pooled(block);
    spec.sum_unit = units_.x(block - 1);
    spec.result_unit = units_.x(block);
    const std::string name = fmt::format("blocks.{}.second", block);
    return layer(spec, tensor(name + ".weight"), tensor(name + ".bias"), network().channels);
  }

  Layer head() const {
    ConvolutionSpec spec = block_;
    spec.outputs = HeadChannels(network()).total();
    spec.kernel = 1;
    spec.relu = false;
    spec.result = Type::f32;
    spec.source_unit = units_.x(network().blocks - 1);
    const HeadConvolution joined = head_convolution(model_);
    return layer(spec, joined.weight, joined.bias, network().channels);
  }

  const dnnl::engine& engine_;
  const Model& model_;
  EncodingShape shape_;
  Units units_;
  std::span<const int> sizes_;
  ConvolutionSpec block_;
};

}  // namespace

std::vector<Layer> make_layers(const dnnl::engine& engine, const Model& model, const EncodingShape& shape,
                               memory::data_type type, std::span<const int> sizes) {
  return LayerBuilder(engine, model, shape, type, sizes).build();
}

}  // namespace koridor
