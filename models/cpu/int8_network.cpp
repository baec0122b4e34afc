#include "models/cpu/int8_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "models/cpu/amx_cpu.h"
#include "models/cpu/bytes.h"
#include "models/cpu/int8_evaluator.h"
#include "models/cpu/int8_layers.h"
#include "models/cpu/map_heads.h"
#include "models/cpu/onednn_cpu.h"
#include "models/cpu/winograd.h"
#include "models/network/units.h"
#include "models/network/weight_units.h"

namespace koridor {
namespace {

constexpr int kLeastChannels = 32;  // below, transformations take longer than the products they save

int8::Tiles tiles_of(const EncodingShape& shape) {
  return {shape.rows, shape.columns};
}

BlockedLayout layout_of(const EncodingShape& shape, int channels) {
  return {channels, channels, shape.area()};
}

// Widens the measured limits for positions unlike those measured, since exceeding a limit costs far more than coarser
// steps do: to nearly twice the measured values, and for channels that were hardly active to the average of the others.
std::vector<float> widen(std::span<const float> limits, int channels) {
  constexpr float kMargin = 1.8f;
  std::vector<float> wide(limits.begin(), limits.end());
  const std::size_t stride = wide.size() / int8::kPoints;
  for (auto point = wide.begin(); point != wide.end(); point += static_cast<std::ptrdiff_t>(stride)) {
    const auto end = point + static_cast<std::ptrdiff_t>(stride);
    const float mean = std::accumulate(point, end, 0.0f) / static_cast<float>(channels);
    std::transform(point, end, point, [&](float limit) { return kMargin * std::max(limit, mean); });
  }
  return wide;
}

// A 1x1 convolution from bytes to float32.
class PointConvolution {
 public:
  // weight [bias.size(), inputs]; sums are filled up to `outputs`.
  PointConvolution(std::span<const float> weight, std::span<const float> bias, int inputs, int outputs,
                   float source_unit)
      : kernels_(int8_kernels()), inputs_(winograd_channels(inputs)), outputs_(outputs) {
    assert(inputs_ <= int8::kMostInputs);
    const auto sums = static_cast<std::size_t>(outputs);
    weights_.resize(static_cast<std::size_t>(inputs_) * sums);
    start_.resize(sums);
    bias_.assign(bias.begin(), bias.end());
    bias_.resize(sums);
    scales_.resize(sums);
    const std::vector<float> units = weight_units(weight, static_cast<int>(bias.size()), outputs, 127.0f);
    for (std::size_t output = 0; output < bias.size(); ++output) {
      scales_[output] = units[output] * source_unit;
      for (int input = 0; input < inputs; ++input) {
        const float value = weight[output * static_cast<std::size_t>(inputs) + static_cast<std::size_t>(input)];
        weights_[static_cast<std::size_t>(input / 4 * 4) * sums + output * 4 + static_cast<std::size_t>(input % 4)] =
            static_cast<std::int8_t>(std::nearbyint(value / units[output]));
      }
    }
  }

  // to [squares, outputs] = convolution(from [squares, winograd_channels(inputs)]) + bias
  void run(int squares, const Byte* from, AlignedVector<std::int32_t>& products, float* to) const {
    const auto size = static_cast<std::size_t>(squares * outputs_);
    if (products.size() < size) products.resize(size);
    kernels_->multiply({1, inputs_, inputs_, outputs_, weights_.data(), start_.data()}, squares, from, products.data());
    kernels_->scale({outputs_, scales_.data(), bias_.data()}, squares, products.data(), to);
  }

 private:
  const int8::Kernels* kernels_;
  int inputs_;
  int outputs_;
  AlignedVector<std::int8_t> weights_;  // [inputs / 4, outputs, 4]
  AlignedVector<std::int32_t> start_;   // zeros
  AlignedVector<float> scales_, bias_;  // [outputs]
};

}  // namespace

const int8::Kernels* int8_kernels() {
  if (has_amx()) return nullptr;  // its matrix unit is faster
  if (cpu_has(dnnl::cpu_isa::avx512_core_vnni)) return &int8::kAvx512Vnni;
  if (cpu_has_vnni() || cpu_has(dnnl::cpu_isa::avx512_core)) return nullptr;  // nobody has compared oneDNN's with ours
  return cpu_has(dnnl::cpu_isa::avx2) ? &int8::kAvx2 : nullptr;
}

bool int8_network_serves(const EncodingShape& shape, const NetworkConfig& network) {
  if (int8_kernels() == nullptr) return false;
  if (network.channels < kLeastChannels || shape.columns > int8::kMostColumns) return false;
  return std::max(network.channels, shape.planes) <= int8::kMostInputs;
}

bool int8_network_pays(const EncodingShape& shape, const NetworkConfig& network) {
  if (!int8_network_serves(shape, network)) return false;
  const auto squared = [](long channels) { return channels * channels; };
  const long products = int8::kPoints * tiles_of(shape).each() * squared(winograd_channels(network.channels));
  const long direct = 9 * shape.area() * squared(padded_channels(network.channels));
  return products * 16 <= direct * 9;  // leaves time for the transformations
}

TransformedLimits::TransformedLimits(const EncodingShape& shape, const NetworkConfig& network)
    : tiles_(tiles_of(shape)),
      layout_(fast_blocks(dnnl::memory::data_type::f32, padded_channels(network.channels), shape.area())),
      limits_(static_cast<std::size_t>(network_activations(network))) {
  const auto size = static_cast<std::size_t>(int8::kPoints * winograd_channels(network.channels));
  for (std::vector<float>& limits : limits_) limits.resize(size);
}

void TransformedLimits::observe(int activation, std::span<const float> values) {
  if (activation == 0) return;  // planes have limits of their own
  std::vector<float>& limits = limits_[static_cast<std::size_t>(activation)];
  for (std::size_t at = 0; at < values.size(); at += layout_.size()) {
    widen_limits(tiles_, layout_, values.data() + at, limits);
  }
}

class Int8Weights {
 public:
  Int8Weights(const Model& model, const EncodingShape& shape, const TransformedLimits& limits)
      : units(model),
        stem(make_stem(model, shape, units)),
        pools(make_pools(model)),
        head(make_head(model, units)),
        scalars(linear_in_units(model.tensors.at("scalars.weight"), model.tensors.at("stem.bias"), units.x(-1),
                                model.info.network.channels)) {
    const NetworkConfig& network = model.info.network;
    for (const BlockConvolution& convolution : block_convolutions(network, units)) {
      const WinogradSpec spec{.kernels = int8_kernels(),
                              .tiles = tiles_of(shape),
                              .inputs = network.channels,
                              .source_unit = convolution.source_unit,
                              .result_unit = convolution.result_unit,
                              .sum_unit = convolution.sum_unit};
      blocks.emplace_back(spec, model.tensors.at(convolution.name + ".weight"),
                          model.tensors.at(convolution.name + ".bias"),
                          widen(limits.of(convolution.reads), network.channels));
    }
  }

  Units units;
  WinogradConvolution stem;                 // of the planes; each position has its own bias
  std::vector<WinogradConvolution> blocks;  // first and second of each
  std::vector<Linear> pools;
  PointConvolution head;
  Linear scalars;  // what they add to each channel behind the stem, with the stem's bias, in units of x(-1)

 private:
  static WinogradConvolution make_stem(const Model& model, const EncodingShape& shape, const Units& units) {
    WinogradSpec spec;
    spec.kernels = int8_kernels();
    spec.tiles = tiles_of(shape);
    spec.inputs = shape.planes;
    spec.source_unit = kPlaneUnit;
    spec.result_unit = units.x(-1);
    return {spec, model.tensors.at("stem.weight"), model.tensors.at("stem.bias"), plane_limits(shape.planes)};
  }

  static PointConvolution make_head(const Model& model, const Units& units) {
    const NetworkConfig& network = model.info.network;
    const HeadConvolution joined = head_convolution(model);
    return {joined.weight, joined.bias, network.channels, HeadChannels(network).total(), units.x(network.blocks - 1)};
  }
};

namespace {

class Int8Network final : public Int8Evaluator<Int8Network> {
 public:
  Int8Network(std::shared_ptr<const Int8Weights> weights, const Model& model, const EncodingShape& shape, int max_batch)
      : Int8Evaluator(model, shape, max_batch),
        weights_(std::move(weights)),
        input_(layout_of(shape, winograd_channels(shape.planes))),
        trunk_(layout_of(shape, winograd_channels(network_.channels))),
        head_(layout_of(shape, HeadChannels(network_).total())),
        packer_(input_),
        heads_(model, shape, head_) {
    const auto most = static_cast<std::size_t>(std::min(max_batch, kAtOnce));
    planes_.resize(most * input_.size());
    x_.resize(most * trunk_.size());
    y_.resize(most * trunk_.size());
    biases_.resize(most * static_cast<std::size_t>(trunk_.channels));
    head_map_.resize(head_.size());
    added_.resize(static_cast<std::size_t>(trunk_.channels));
    pooled_.resize(static_cast<std::size_t>(2 * trunk_.channels));
  }

  std::string describe() const override { return fmt::format("onednn int8 winograd ({})", cpu_name()); }

  void evaluate(const Batch& batch, const Predictions& out) override { run(batch, out); }

 private:
  friend Int8Evaluator;
  static constexpr int kAtOnce = 32;

  static Byte* map(AlignedVector<Byte>& maps, const BlockedLayout& layout, int position) {
    return maps.data() + static_cast<std::size_t>(position) * layout.size();
  }

  void run_stem(const Batch& batch, int first, int size) {
    for (int i = 0; i < size; ++i) {
      packer_.pack({planes_of(batch, first + i)}, 1.0f / kPlaneUnit, map(planes_, input_, i));
      weights_->scalars.apply(batch.scalars.data() + (first + i) * shape_.scalars,
                              biases_.data() + i * trunk_.channels);
    }
    weights_->stem.run(size, planes_.data(), biases_, x_.data(), workspace_);
  }

  void run_block(int block, int size) {
    const WinogradConvolution* convolutions = weights_->blocks.data() + 2 * block;
    convolutions[0].run(size, x_.data(), y_.data(), workspace_);
    if (network_.pools(block)) add_pooled(block, size);
    convolutions[1].run(size, y_.data(), x_.data(), workspace_);
  }

  // y = relu(y + linear . pool(y))
  void add_pooled(int block, int size) {
    const float from_unit = weights_->units.y(block);
    const float to_unit = weights_->units.pooled(block);
    for (int i = 0; i < size; ++i) {
      Byte* y = map(y_, trunk_, i);
      pool(trunk_, y, network_.channels, from_unit, pooled_.data());
      weights_->pools[static_cast<std::size_t>(block)].apply(pooled_.data(), added_.data());
      for (float& entry : added_) entry /= to_unit;
      add_relu(trunk_, from_unit / to_unit, added_.data(), y);
    }
  }

  void run_heads(int i, int number, const Predictions& out) {
    const Byte* x = map(x_, trunk_, i);
    pool(trunk_, x, network_.channels, weights_->units.x(network_.blocks - 1), pooled_.data());
    weights_->head.run(shape_.area(), x, workspace_.products, head_map_.data());
    heads_.run(pooled_.data(), head_map_.data(), number, out);
  }

  std::shared_ptr<const Int8Weights> weights_;
  BlockedLayout input_, trunk_, head_;
  BytePacker packer_;
  MapHeads heads_;
  WinogradWorkspace workspace_;
  AlignedVector<Byte> planes_, x_, y_;  // [positions, area, channels]; x and y as in network.h
  AlignedVector<float> biases_;         // [positions, channels]
  AlignedVector<float> head_map_;       // [area, HeadChannels::total()]
  std::vector<float> added_, pooled_;
};

}  // namespace

std::shared_ptr<const Int8Weights> make_int8_weights(const Model& model, const EncodingShape& shape,
                                                     const TransformedLimits& limits) {
  return std::make_shared<Int8Weights>(model, shape, limits);
}

std::unique_ptr<Evaluator> make_int8_network(std::shared_ptr<const Int8Weights> weights, const Model& model,
                                             const EncodingShape& shape, int max_batch) {
  return std::make_unique<Int8Network>(std::move(weights), model, shape, max_batch);
}

}  // namespace koridor
