#include "models/cpu/amx_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "models/cpu/aligned.h"
#include "models/cpu/amx_convolution.h"
#include "models/cpu/blocked.h"
#include "models/cpu/bytes.h"
#include "models/cpu/heads.h"
#include "models/cpu/int8_evaluator.h"
#include "models/cpu/int8_layers.h"
#include "models/cpu/map_heads.h"
#include "models/cpu/onednn_cpu.h"
#include "models/network/units.h"

namespace koridor {
namespace {

amx::Board board_of(const EncodingShape& shape) {
  return {shape.rows, shape.columns};
}

}  // namespace

class AmxWeights {
 public:
  AmxWeights(const Model& model, const EncodingShape& shape)
      : units(model), stem(make_stem(model, shape, units)), head(make_head(model, shape, units)) {
    const NetworkConfig& network = model.info.network;
    const auto tensor = [&](const std::string& name) -> const std::vector<float>& { return model.tensors.at(name); };
    scalars = linear_in_units(tensor("scalars.weight"), tensor("stem.bias"), units.x(-1), stem.outputs());
    for (const BlockConvolution& convolution : block_convolutions(network, units)) {
      const AmxSpec spec{.board = board_of(shape),
                         .inputs = network.channels,
                         .source_unit = convolution.source_unit,
                         .result_unit = convolution.result_unit,
                         .sum_unit = convolution.sum_unit};
      blocks.emplace_back(spec, tensor(convolution.name + ".weight"), tensor(convolution.name + ".bias"));
    }
    pools.resize(static_cast<std::size_t>(network.blocks));
    for (int block = 0; block < network.blocks; ++block) {
      if (!network.pools(block)) continue;
      const std::string name = fmt::format("blocks.{}.pool", block);
      pools[static_cast<std::size_t>(block)] = linear_in_units(
          tensor(name + ".weight"), tensor(name + ".bias"), units.pooled(block), amx::map_channels(network.channels));
    }
  }

  Units units;
  AmxConvolution stem;                 // of the planes; each position has its own bias
  std::vector<AmxConvolution> blocks;  // first and second of each
  std::vector<Linear> pools;           // of each block that pools, in units of y pooled
  AmxConvolution head;
  Linear scalars;  // what they add to each channel behind the stem, with the stem's bias, in units of x(-1)

 private:
  static AmxConvolution make_stem(const Model& model, const EncodingShape& shape, const Units& units) {
    const AmxSpec spec{
        .board = board_of(shape), .inputs = shape.planes, .source_unit = kPlaneUnit, .result_unit = units.x(-1)};
    return {spec, model.tensors.at("stem.weight"), model.tensors.at("stem.bias")};
  }
  static AmxConvolution make_head(const Model& model, const EncodingShape& shape, const Units& units) {
    const HeadConvolution joined = head_convolution(model);
    const AmxSpec spec{.board = board_of(shape),
                       .inputs = model.info.network.channels,
                       .kernel = 1,
                       .source_unit = units.x(model.info.network.blocks - 1)};
    return {spec, joined.weight, joined.bias};
  }
};

namespace {

class AmxNetwork final : public Int8Evaluator<AmxNetwork> {
 public:
  AmxNetwork(std::shared_ptr<const AmxWeights> weights, const Model& model, const EncodingShape& shape, int max_batch)
      : Int8Evaluator(model, shape, max_batch),
        weights_(std::move(weights)),
        board_(board_of(shape)),
        channels_(amx::map_channels(network_.channels)),
        input_{amx::map_channels(shape.planes), amx::map_channels(shape.planes), shape.area()},
        head_{weights_->head.outputs(), weights_->head.outputs(), shape.area()},
        packer_(input_),
        heads_(model, shape, head_) {
    const auto most = static_cast<std::size_t>(std::min(max_batch, kAtOnce));
    const auto maps = [&](int channels) { return most * static_cast<std::size_t>(board_.bytes(channels)); };
    packed_.resize(input_.size());
    planes_.resize(maps(input_.channels));
    x_.resize(maps(channels_));
    y_.resize(maps(channels_));
    biases_.resize(most * static_cast<std::size_t>(weights_->stem.outputs()));
    head_map_.resize(head_.size());
    added_.resize(static_cast<std::size_t>(channels_));
    pooled_.resize(static_cast<std::size_t>(network_.channels + channels_));
    largest_.resize(static_cast<std::size_t>(channels_));
  }

  std::string describe() const override { return fmt::format("onednn int8 amx ({})", cpu_name()); }

  void evaluate(const Batch& batch, const Predictions& out) override {
    const amx::Session session;
    run(batch, out);
  }

 private:
  friend Int8Evaluator;
  static constexpr int kAtOnce = 16;

  Byte* map(AlignedVector<Byte>& maps, int channels, int position) const {
    return maps.data() + position * board_.bytes(channels);
  }
  Byte* first_square(AlignedVector<Byte>& maps, int channels, int position) const {
    return map(maps, channels, position) + board_.first() * channels;
  }

  void run_stem(const Batch& batch, int first, int size) {
    const auto row = static_cast<std::size_t>(shape_.columns * input_.channels);
    for (int i = 0; i < size; ++i) {
      packer_.pack({planes_of(batch, first + i)}, 1.0f / kPlaneUnit, packed_.data());
      Byte* to = first_square(planes_, input_.channels, i);
      for (int down = 0; down < shape_.rows; ++down, to += board_.line() * input_.channels) {
        std::memcpy(to, packed_.data() + static_cast<std::size_t>(down) * row, row);
      }
      weights_->scalars.apply(batch.scalars.data() + (first + i) * shape_.scalars,
                              biases_.data() + i * weights_->stem.outputs());
    }
    weights_->stem.run(size, planes_.data(), biases_, x_.data());
  }

  void run_block(int block, int size) {
    const AmxConvolution* convolutions = weights_->blocks.data() + 2 * block;
    convolutions[0].run(size, x_.data(), y_.data());
    if (network_.pools(block)) add_pooled(block, size);
    convolutions[1].run(size, y_.data(), x_.data());
  }

  // y = relu(y + linear . pool(y))
  void add_pooled(int block, int size) {
    const float from_unit = weights_->units.y(block);
    const float to_unit = weights_->units.pooled(block);
    for (int i = 0; i < size; ++i) {
      Byte* y = first_square(y_, channels_, i);
      pool(y, from_unit);
      weights_->pools[static_cast<std::size_t>(block)].apply(pooled_.data(), added_.data());
      amx::add_relu(board_, channels_, from_unit / to_unit, added_.data(), y);
    }
  }

  // pooled_ = [mean of each of the network's channels; largest of each]; those of padding are overwritten.
  void pool(const Byte* first, float unit) {
    amx::pool(board_, channels_, first, unit, {pooled_.data(), largest_.data()});
    std::copy_n(largest_.begin(), network_.channels, pooled_.begin() + network_.channels);
  }

  void run_heads(int i, int number, const Predictions& out) {
    pool(first_square(x_, channels_, i), weights_->units.x(network_.blocks - 1));
    weights_->head.run(map(x_, channels_, i), head_map_.data());
    heads_.run(pooled_.data(), head_map_.data(), number, out);
  }

  std::shared_ptr<const AmxWeights> weights_;
  amx::Board board_;
  int channels_;
  BlockedLayout input_, head_;
  BytePacker packer_;
  MapHeads heads_;
  AlignedVector<Byte> packed_;          // the planes of a position, [area, channels]
  AlignedVector<Byte> planes_, x_, y_;  // maps of the positions; x and y as in network.h
  AlignedVector<float> biases_;         // [positions, outputs of the stem]
  AlignedVector<float> head_map_;       // [area, HeadChannels::total()]
  std::vector<float> added_, pooled_;
  std::vector<float> largest_;  // [channels]
};

}  // namespace

std::shared_ptr<const AmxWeights> make_amx_weights(const Model& model, const EncodingShape& shape) {
  return std::make_shared<AmxWeights>(model, shape);
}

std::unique_ptr<Evaluator> make_amx_network(std::shared_ptr<const AmxWeights> weights, const Model& model,
                                            const EncodingShape& shape, int max_batch) {
  return std::make_unique<AmxNetwork>(std::move(weights), model, shape, max_batch);
}

}  // namespace koridor
