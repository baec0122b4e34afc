// The backend simd: float32 and int8 in the compiler's vectors of 128 bits, without a library. It is the fast one where
// onednn is not: on other CPUs than x86, and in WebAssembly. Maps are those of blocked.h and bytes.h with all channels
// of a square side by side, and one position is computed after the other.

#include "models/cpu/simd.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/cpu/blocked.h"
#include "models/cpu/bytes.h"
#include "models/cpu/int8_check.h"
#include "models/cpu/map_heads.h"
#include "models/cpu/simd_convolution.h"
#include "models/network/backend.h"
#include "models/network/batch_check.h"
#include "models/network/guard.h"
#include "models/network/units.h"
#include "models/network/weight_units.h"

namespace koridor {
namespace {

using simd::Floats4;
using Bytes4 [[gnu::vector_size(4)]] = Byte;

Floats4 load4(const float* from) {
  Floats4 values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

// What a layer does with its sums: result = scale * sum + bias, in the units of its result.
template <class Element>
struct Layer {
  using Arithmetic = std::conditional_t<std::is_same_v<Element, Byte>, simd::ByteArithmetic, simd::SingleArithmetic>;

  simd::Convolution<Arithmetic> convolution;
  std::vector<float> scale;  // [outputs]
  std::vector<float> bias;   // [outputs]
};

struct LayerSpec {
  int inputs = 0;
  int side = 3;              // of the kernel: 1 or 3
  float source_unit = 1.0f;  // of the map that it reads
  float result_unit = 1.0f;  // of the map that it makes
};

// weight [bias.size(), inputs, side, side].
template <class Element>
Layer<Element> make_layer(std::span<const float> weight, std::span<const float> bias, const LayerSpec& spec) {
  constexpr bool kBytes = std::is_same_v<Element, Byte>;
  const int outputs = static_cast<int>(bias.size());
  const std::vector<float> units = kBytes ? weight_units(weight, outputs, outputs, 127.0f)
                                          : std::vector<float>(static_cast<std::size_t>(outputs), 1.0f);
  const auto rounds = [&](int output, float value) {
    return kBytes ? std::nearbyint(value / units[static_cast<std::size_t>(output)]) : value;
  };
  Layer<Element> layer{{weight, {outputs, spec.inputs, spec.side, padded_channels(spec.inputs)}, rounds}, {}, {}};
  const auto padded = static_cast<std::size_t>(padded_channels(outputs));
  layer.scale.resize(padded);
  layer.bias.resize(padded);
  for (std::size_t output = 0; output < bias.size(); ++output) {
    layer.scale[output] = units[output] * spec.source_unit / spec.result_unit;
    layer.bias[output] = bias[output] / spec.result_unit;
  }
  return layer;
}

// The weights of a network, which all evaluators of a model share.
template <class Element>
struct Weights {
  static constexpr bool kBytes = std::is_same_v<Element, Byte>;

  explicit Weights(const Model& model)
      : units(model, kBytes),
        stem(layer(model, "stem", {model.info.signature.planes, 3, units.planes(), units.x(-1)})),
        scalars(scaled(model.tensors.at("scalars.weight"), units.x(-1)),
                std::vector<float>(static_cast<std::size_t>(model.info.network.channels))),
        pools(make_pools(model)),
        head(head_layer(model, units.x(model.info.network.blocks - 1))) {
    for (int block = 0; block < model.info.network.blocks; ++block) {
      const std::string name = fmt::format("blocks.{}", block);
      const int channels = model.info.network.channels;
      convolutions.push_back(layer(model, name + ".first", {channels, 3, units.x(block - 1), units.y(block)}));
      convolutions.push_back(layer(model, name + ".second", {channels, 3, units.pooled(block), units.x(block)}));
    }
  }

  Units units;
  Layer<Element> stem;
  Linear scalars;
  std::vector<Linear> pools;
  std::vector<Layer<Element>> convolutions;  // first and second of each block
  Layer<Element> head;

 private:
  static std::vector<float> scaled(std::vector<float> weight, float unit) {
    for (float& value : weight) value /= unit;
    return weight;
  }
  static Layer<Element> layer(const Model& model, const std::string& name, const LayerSpec& spec) {
    return make_layer<Element>(model.tensors.at(name + ".weight"), model.tensors.at(name + ".bias"), spec);
  }
  static Layer<Element> head_layer(const Model& model, float source) {
    const HeadConvolution head = head_convolution(model);
    return make_layer<Element>(head.weight, head.bias, {model.info.network.channels, 1, source, 1.0f});
  }
};

template <class Element>
class SimdEvaluator final : public Evaluator {
 public:
  SimdEvaluator(std::shared_ptr<const Weights<Element>> weights, const Model& model, const EncodingShape& shape,
                int max_batch)
      : weights_(std::move(weights)),
        shape_(shape),
        network_(model.info.network),
        max_batch_(max_batch),
        trunk_(layout(network_.channels)),
        head_{HeadChannels(network_).total(), HeadChannels(network_).total(), shape.area()},
        input_(shape.rows, shape.columns, padded_channels(shape.planes), 1),
        frame_(shape.rows, shape.columns, trunk_.channels, 1),
        heads_(model, shape, head_) {
    x_.resize(trunk_.size());
    y_.resize(trunk_.size());
    head_map_.resize(head_.size());
    stem_bias_.resize(static_cast<std::size_t>(trunk_.channels));
    added_.resize(static_cast<std::size_t>(trunk_.channels));
    pooled_.resize(static_cast<std::size_t>(2 * trunk_.channels));
  }

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  std::string describe() const override { return kBytes ? "simd int8" : "simd f32"; }

  void evaluate(const Batch& batch, const Predictions& out) override {
    assert_batch(shape_, max_batch_, batch, out);
    for (int i = 0; i < batch.size; ++i) {
      compute_trunk(batch.planes.data() + i * shape_.plane_floats(), batch.scalars.data() + i * shape_.scalars);
      const Layer<Element>& head = weights_->head;
      frame_.fill(x_.data());
      head.convolution.run(frame_, [&](int square, int output, const Floats4* sums) {
        float* to = head_map_.data() + square * head_.channels + output;
        for (int half = 0; half < 2; ++half) {
          const Floats4 value = sums[half] * load4(&head.scale[at(output, half)]) + load4(&head.bias[at(output, half)]);
          std::memcpy(to + 4 * half, &value, sizeof value);
        }
      });
      pool_map(x_, weights_->units.x(network_.blocks - 1));
      heads_.run(pooled_.data(), head_map_.data(), i, out);
    }
  }

 private:
  static constexpr bool kBytes = std::is_same_v<Element, Byte>;
  using Source = typename Layer<Element>::Arithmetic::Source;

  BlockedLayout layout(int channels) const {
    const int padded = padded_channels(channels);
    return {padded, padded, shape_.area()};
  }
  static std::size_t at(int output, int half) { return static_cast<std::size_t>(output + 4 * half); }

  void compute_trunk(const float* planes, const float* scalars) {
    for (int plane = 0; plane < shape_.planes; ++plane) {
      for (int row = 0; row < shape_.rows; ++row) {
        for (int column = 0; column < shape_.columns; ++column, ++planes) {
          Source* to = input_.at(row, column) + plane;
          *to = kBytes ? static_cast<Source>(from_float<Byte>(*planes / kPlaneUnit)) : static_cast<Source>(*planes);
        }
      }
    }
    weights_->scalars.apply(scalars, stem_bias_.data());
    for (std::size_t i = 0; i < stem_bias_.size(); ++i) stem_bias_[i] += weights_->stem.bias[i];
    run(weights_->stem, input_, stem_bias_.data(), {}, x_);
    for (int block = 0; block < network_.blocks; ++block) {
      const Layer<Element>& first = weights_->convolutions[static_cast<std::size_t>(2 * block)];
      const Layer<Element>& second = weights_->convolutions[static_cast<std::size_t>(2 * block + 1)];
      frame_.fill(x_.data());
      run(first, frame_, first.bias.data(), {}, y_);
      if (network_.pools(block)) add_pooled(block);
      frame_.fill(y_.data());
      run(second, frame_, second.bias.data(), {x_.data(), weights_->units.x(block - 1) / weights_->units.x(block)}, x_);
    }
  }

  // What is added behind a convolution, times `factor`; null: nothing.
  struct Residual {
    const Element* map = nullptr;
    float factor = 0.0f;
  };

  // to = relu(scale * sums + bias + factor * residual), where a residual is given; it may be `to`.
  void run(const Layer<Element>& layer, const simd::Frame<Source>& from, const float* bias, Residual residual,
           AlignedVector<Element>& to) {
    layer.convolution.run(from, [&](int square, int output, const Floats4* sums) {
      const int place = square * trunk_.channels + output;
      for (int half = 0; half < 2; ++half) {
        Floats4 value = sums[half] * load4(&layer.scale[at(output, half)]) + load4(bias + output + 4 * half);
        if (residual.map != nullptr) value += residual.factor * floats(residual.map + place + 4 * half);
        store(value, to.data() + place + 4 * half);
      }
    });
  }

  static Floats4 floats(const Element* from) {
    if constexpr (kBytes) {
      Bytes4 bytes;
      std::memcpy(&bytes, from, sizeof bytes);
      return __builtin_convertvector(__builtin_convertvector(bytes, simd::Ints4), Floats4);
    } else {
      return load4(from);
    }
  }
  // relu(value), rounded as bytes are: to the nearest, at most 255. A float that is NaN stays so.
  static void store(Floats4 value, Element* to) {
    value = value < Floats4{} ? Floats4{} : value;
    if constexpr (kBytes) {
      const Floats4 most = Floats4{} + 255.0f;
      value = (value < most ? value : most) + 0.5f;
      const auto bytes = __builtin_convertvector(__builtin_convertvector(value, simd::Ints4), Bytes4);
      std::memcpy(to, &bytes, sizeof bytes);
    } else {
      std::memcpy(to, &value, sizeof value);
    }
  }

  // pooled_ = pool(map); 1 of a byte stands for `unit`.
  void pool_map(const AlignedVector<Element>& map, [[maybe_unused]] float unit) {
    if constexpr (kBytes) {
      pool(trunk_, map.data(), network_.channels, unit, pooled_.data());
    } else {
      pool(trunk_, map.data(), 0, network_.channels, pooled_.data());
    }
  }

  // y = relu(y + linear . pool(y))
  void add_pooled(int block) {
    const Units& units = weights_->units;
    pool_map(y_, units.y(block));
    weights_->pools[static_cast<std::size_t>(block)].apply(pooled_.data(), added_.data());
    if constexpr (kBytes) {
      for (float& entry : added_) entry /= units.pooled(block);
      add_relu(trunk_, units.y(block) / units.pooled(block), added_.data(), y_.data());
    } else {
      add_relu(trunk_, added_.data(), y_.data());
    }
  }

  std::shared_ptr<const Weights<Element>> weights_;
  EncodingShape shape_;
  NetworkConfig network_;
  int max_batch_;
  BlockedLayout trunk_, head_;
  simd::Frame<Source> input_, frame_;
  MapHeads heads_;
  AlignedVector<Element> x_, y_;   // [area, channels]; the names of network.h
  AlignedVector<float> head_map_;  // [area, head channels]
  std::vector<float> stem_bias_, added_, pooled_;
};

// A model's weights, and whether it is computed in int8, which is decided once, by the first board's positions.
class SimdEvaluators {
 public:
  explicit SimdEvaluators(const BackendRequest& request) : shared_(std::make_shared<Shared>(request)) {}

  std::unique_ptr<Evaluator> operator()(const EncodingShape& shape, int max_batch) const {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->in_bytes(shape)) {
      return std::make_unique<SimdEvaluator<Byte>>(shared_->bytes, *shared_->model, shape, max_batch);
    }
    return std::make_unique<SimdEvaluator<float>>(shared_->singles, *shared_->model, shape, max_batch);
  }

 private:
  struct Shared {
    explicit Shared(const BackendRequest& request)
        : model(request.model), precision(request.precision), where(request.where) {}

    // Decides at the first call, by the model's own positions, as onednn does. The weights it needs are there then.
    bool in_bytes(const EncodingShape& shape) {
      if (bytes != nullptr || singles != nullptr) return bytes != nullptr;
      if (precision == Precision::f32 || model->calibration.empty()) {
        if (precision == Precision::int8) say_int8_is_not_used(where, kNotCalibrated, Precision::f32);
        singles = std::make_shared<Weights<float>>(*model);
        return false;
      }
      auto candidate = std::make_shared<Weights<Byte>>(*model);
      singles = std::make_shared<Weights<float>>(*model);
      OwnPositions own(*model, shape);
      const EncodingShape& board = own.positions.shape;
      SimdEvaluator<float>(singles, *model, board, own.positions.size)
          .evaluate(own.positions.batch(), own.predictions());
      if (!are_predictions(board, own.positions.size, own.predictions())) return false;  // the guard refuses the model
      SimdEvaluator<Byte> by_bytes(candidate, *model, board, own.positions.size);
      const Differences found = differences(by_bytes, own);
      if (!near_enough(found)) {
        say_int8_is_not_used(where, too_far(found), Precision::f32);
        return false;
      }
      singles = nullptr;
      bytes = std::move(candidate);
      return true;
    }

    std::shared_ptr<const Model> model;
    Precision precision;
    std::string where;
    std::mutex mutex;
    std::shared_ptr<const Weights<Byte>> bytes;     // either these
    std::shared_ptr<const Weights<float>> singles;  // or these, after the first call
  };

  std::shared_ptr<Shared> shared_;  // of all copies
};

}  // namespace

std::unique_ptr<Evaluator> make_simd_network(const Model& model, const EncodingShape& shape, Precision precision,
                                             int max_batch) {
  if (precision == Precision::int8) {
    return std::make_unique<SimdEvaluator<Byte>>(std::make_shared<Weights<Byte>>(model), model, shape, max_batch);
  }
  return std::make_unique<SimdEvaluator<float>>(std::make_shared<Weights<float>>(model), model, shape, max_batch);
}

Backend simd_backend() {
  return {.name = "simd",
          .summary = "float32 and int8 on any CPU with vectors of 128 bits",
          .precisions = {Precision::f32, Precision::int8},
          .make = [](const BackendRequest& request) -> EvaluatorFactory {
            return SimdEvaluators(request);
          },
          .on_this_cpu =
              [] {
                return std::vector{Precision::f32, Precision::int8};
              }};
}

}  // namespace koridor
