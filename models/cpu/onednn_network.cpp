// All convolutions but the last ones of the two heads run in oneDNN, one after the other, in one layout throughout,
// with biases, ReLU and residual sums fused. The scalars enter as constant planes behind the planes: their weights sit
// in the middle of the 3x3 kernel, which gives scalars.weight . scalars on every square. policy.conv and value.conv are
// one 1x1 convolution. The remaining layers (blocked.h, map_heads.h) are small plain loops.
//
// A oneDNN primitive serves one batch size only. There is a chain of primitives for each of a few sizes, and a batch is
// cut into pieces of these sizes, so that nothing is padded. oneDNN may sum in another order for another size; a size
// whose sums differ from those of size 1 is left out, so that results never depend on the batch.
//
// In int8, activations are bytes in [0, 255] with one unit per map, and weights are bytes in [-127, 127], without VNNI
// in [-63, 63], with one unit per output channel. Products are summed in 32 bits; the unit, bias, residual and ReLU
// that follow are float32 inside oneDNN. The heads' convolution writes float32.
#include "models/cpu/onednn_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/one_thread.h"
#include "models/cpu/blocked.h"
#include "models/cpu/bytes.h"
#include "models/cpu/map_heads.h"
#include "models/cpu/onednn_cpu.h"
#include "models/cpu/onednn_layers.h"
#include "models/network/batch_check.h"
#include "models/network/units.h"

namespace koridor {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

// Batch sizes there are chains for.
constexpr std::array kSizes = {32, 16, 8, 7, 6, 5, 4, 3, 2, 1};

// A primitive with its arguments laid out once.
struct Call {
  dnnl::primitive primitive;
  std::array<dnnl_exec_arg_t, 5> arguments;

  void execute(const dnnl::stream& stream) const {
    const dnnl_status_t status =
        dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(arguments.size()), arguments.data());
    if (status != dnnl_success) throw std::runtime_error(fmt::format("oneDNN failed with status {}", status));
  }
};

// `size` is a multiple of kLanes.
template <class Element>
bool are_finite(const Element* values, std::size_t size) {
  Lanes zero{};  // NaN where one is not
  for (std::size_t i = 0; i < size; i += kLanes) zero += load(values + i) * 0.0f;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (zero[lane] != 0.0f) return false;
  }
  return true;
}

template <class Element>
class Onednn final : public Evaluator {
 public:
  Onednn(const Model& model, const EncodingShape& shape, int max_batch)
      : shape_(shape),
        network_(model.info.network),
        max_batch_(max_batch),
        units_(model, kType == Type::u8),
        input_(layout(padded_channels(shape.planes + shape.scalars))),
        trunk_(layout(padded_channels(network_.channels))),
        head_(layout(HeadChannels(network_).total())),
        packer_(input_),
        heads_(model, shape, head_),
        pools_(make_pools(model)),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_) {
    const OneThread one_thread;
    added_.resize(static_cast<std::size_t>(trunk_.channels));
    pooled_.resize(static_cast<std::size_t>(2 * trunk_.channels));
    make_chains(model);
  }

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  std::string describe() const override { return fmt::format("onednn {} ({})", kName, cpu_name()); }

  void evaluate(const Batch& batch, const Predictions& out) override {
    assert_batch(shape_, max_batch_, batch, out);
    const OneThread one_thread;
    auto chain = chains_.begin();
    for (int done = 0; done < batch.size; done += chain->size) {
      while (chain->size > batch.size - done) ++chain;
      for (int i = 0; i < chain->size; ++i) {
        const auto part = [&](std::span<const float> all, int each) {
          return all.subspan(static_cast<std::size_t>((done + i) * each), static_cast<std::size_t>(each));
        };
        pack({part(batch.planes, shape_.plane_floats()), part(batch.scalars, shape_.scalars)},
             data<Element>(input_memory_) + i * input_.size());
      }
      run(*chain);
      for (int i = 0; i < chain->size; ++i) run_heads(i, done + i, out);
    }
    tried_ = true;
    if (overflows_) {  // the guard (models/network/guard.h) refuses the model by these
      std::ranges::fill(out.policy.first(static_cast<std::size_t>(batch.size * shape_.policy_size())),
                        std::numeric_limits<float>::quiet_NaN());
    }
  }

  // Evaluates any number of positions, one after the other, and calls the observer with each activation of each.
  void observe(const Batch& batch, const Predictions& out, const ActivationObserver& observer) {
    see_ = &observer;
    std::vector<float> input;
    for (int i = 0; i < batch.size; ++i) {
      const auto part = [&](const auto& all, int each) {
        return all.subspan(static_cast<std::size_t>(i * each), static_cast<std::size_t>(each));
      };
      const Batch one{1, part(batch.planes, shape_.plane_floats()), part(batch.scalars, shape_.scalars)};
      input.assign(one.planes.begin(), one.planes.end());
      input.insert(input.end(), one.scalars.begin(), one.scalars.end());
      observer(0, input);
      evaluate(one, {part(out.policy, shape_.policy_size()), part(out.value, shape_.value_size()), {}});
    }
    see_ = nullptr;
  }

 private:
  static constexpr Type kType = std::is_same_v<Element, float>  ? Type::f32
                                : std::is_same_v<Element, Bf16> ? Type::bf16
                                                                : Type::u8;
  static constexpr const char* kName = kType == Type::f32 ? "f32" : kType == Type::bf16 ? "bf16" : "int8";

  // The primitives of one batch size in order: stem, first and second of each block, heads.
  struct Chain {
    int size = 0;
    std::vector<Call> calls;
    std::vector<memory> memories;  // the memory that the arguments point to
  };

  BlockedLayout layout(int channels) const { return fast_blocks(kType, channels, shape_.area()); }

  template <class T>
  static T* data(const memory& of) {
    return static_cast<T*>(of.get_data_handle());
  }

  void make_chains(const Model& model) {
    std::vector<int> sizes;
    for (const int size : kSizes) {
      if (size <= max_batch_) sizes.push_back(size);
    }
    const std::vector<Layer> layers = make_layers(engine_, model, shape_, kType, sizes);
    const Convolution& stem = layers.front().convolution;
    const Convolution& head = layers.back().convolution;
    std::size_t scratchpad = 1;
    for (const Layer& layer : layers) scratchpad = std::max(scratchpad, layer.convolution.scratchpad_bytes());
    input_memory_ = memory(stem.source(sizes[0]), engine_);
    x_memory_ = memory(stem.destination(sizes[0]), engine_);
    y_memory_ = memory(stem.destination(sizes[0]), engine_);
    head_memory_ = memory(head.destination(sizes[0]), engine_);
    // Channels without a plane stay zero.
    std::fill_n(data<char>(input_memory_), input_memory_.get_desc().get_size(), 0);

    // All blocks have convolutions of the same two kinds as the first one.
    const std::array<const Convolution*, 4> kinds = {&stem, &layers[1].convolution, &layers[2].convolution, &head};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto agrees = [&](const Convolution* kind) { return kind->agrees_with_single(i); };
      if (sizes[i] > 1 && !std::all_of(kinds.begin(), kinds.end(), agrees)) continue;
      Chain& chain = chains_.emplace_back();
      chain.size = sizes[i];
      const auto keep = [&](const memory& of) {
        chain.memories.push_back(of);
        return of.get();
      };
      const auto sized = [&](const memory::desc& desc, const memory& whole) {
        return keep(memory(desc, engine_, whole.get_data_handle()));
      };
      const dnnl_memory_t input = sized(stem.source(chain.size), input_memory_);
      const dnnl_memory_t x = sized(stem.destination(chain.size), x_memory_);
      const dnnl_memory_t y = sized(stem.destination(chain.size), y_memory_);
      const dnnl_memory_t heads = sized(head.destination(chain.size), head_memory_);
      const dnnl_memory_t work = keep(memory({{static_cast<memory::dim>(scratchpad)}, Type::u8, Tag::a}, engine_));
      for (std::size_t at = 0; at < layers.size(); ++at) {
        const Layer& layer = layers[at];
        // input -> x -> y -> x -> ... -> x -> heads; odd places read x, and so do the heads.
        const bool from_x = at % 2 == 1;
        const dnnl_memory_t from = at == 0 ? input : from_x ? x : y;
        const dnnl_memory_t to = at + 1 == layers.size() ? heads : from_x ? y : x;
        chain.calls.push_back({layer.convolution.primitive(i),
                               {{{DNNL_ARG_SRC, from},
                                 {DNNL_ARG_WEIGHTS, keep(layer.weight)},
                                 {DNNL_ARG_BIAS, keep(layer.bias)},
                                 {DNNL_ARG_DST, to},
                                 {DNNL_ARG_SCRATCHPAD, work}}}});
      }
    }
  }

  void run(const Chain& chain) {
    const Call* call = chain.calls.data();
    (call++)->execute(stream_);
    see(1, chain.size, x_memory_);
    for (int block = 0; block < network_.blocks; ++block) {
      const int activation = 2 + kBlockActivations * block;
      (call++)->execute(stream_);
      see(activation, chain.size, y_memory_);
      if (network_.pools(block)) add_pooled(chain.size, block);
      see(activation + 1, chain.size, y_memory_);
      (call++)->execute(stream_);
      see(activation + 2, chain.size, x_memory_);
    }
    call->execute(stream_);
  }

  // What is behind a layer, of `size` positions. oneDNN's ReLU makes 0 of NaN, so that what overflows within the
  // network may come out as numbers; positive infinities are still there behind the layer that made them.
  // They are looked for in the first batch, which is that of a model's loading (models/backends.cpp): in all of them it
  // would cost too much. Only f32 is ever observed, and only one position at a time.
  void see(int activation, int size, const memory& map) {
    if constexpr (kType != Type::u8) {
      if (!tried_) overflows_ |= !are_finite(data<Element>(map), static_cast<std::size_t>(size) * trunk_.size());
    }
    if constexpr (kType == Type::f32) {
      if (see_ != nullptr) (*see_)(activation, {data<float>(map), static_cast<std::size_t>(trunk_.size())});
    }
  }

  void pack(const InputNumbers& input, Element* to) {
    if constexpr (kType == Type::u8) {
      packer_.pack(input, 1.0f / units_.planes_and_scalars(), to);
    } else {
      pack_input(input_, input, to);
    }
  }

  // pooled_ = pool(map) of one position of x or y; 1 of an integer stands for `unit`.
  void pool_trunk(const Element* map, [[maybe_unused]] float unit) {
    if constexpr (kType == Type::u8) {
      pool(trunk_, map, network_.channels, unit, pooled_.data());
    } else {
      pool(trunk_, map, 0, network_.channels, pooled_.data());
    }
  }

  // y = relu(y + linear . pool(y))
  void add_pooled(int size, int block) {
    [[maybe_unused]] const float to_unit = units_.pooled(block);
    for (int i = 0; i < size; ++i) {
      Element* y = data<Element>(y_memory_) + i * trunk_.size();
      pool_trunk(y, units_.y(block));
      pools_[block].apply(pooled_.data(), added_.data());
      if constexpr (kType == Type::u8) {
        for (float& entry : added_) entry /= to_unit;
        add_relu(trunk_, units_.y(block) / to_unit, added_.data(), y);
      } else {
        add_relu(trunk_, added_.data(), y);
      }
    }
  }

  // Position `i` of the piece, `number` of the batch.
  void run_heads(int i, int number, const Predictions& out) {
    pool_trunk(data<Element>(x_memory_) + i * trunk_.size(), units_.x(network_.blocks - 1));
    heads_.run(pooled_.data(), data<float>(head_memory_) + i * head_.size(), number, out);
  }

  EncodingShape shape_;
  NetworkConfig network_;
  int max_batch_;
  Units units_;
  BlockedLayout input_, trunk_, head_;
  BytePacker packer_;  // int8 only
  MapHeads heads_;
  const ActivationObserver* see_ = nullptr;
  bool tried_ = false;      // a first batch is behind us
  bool overflows_ = false;  // in that
  std::vector<Linear> pools_;

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Chain> chains_;                                // by falling size, the last one 1
  memory input_memory_, x_memory_, y_memory_, head_memory_;  // for the largest size; the names of network.h
  std::vector<float> pooled_, added_;
};

}  // namespace

std::unique_ptr<Evaluator> make_onednn_network(const Model& model, const EncodingShape& shape, Precision precision,
                                               int max_batch) {
  switch (precision) {
    case Precision::int8:
      return std::make_unique<Onednn<Byte>>(model, shape, max_batch);
    case Precision::bf16:
      return std::make_unique<Onednn<Bf16>>(model, shape, max_batch);
    case Precision::f32:
    case Precision::automatic:
      break;
  }
  return std::make_unique<Onednn<float>>(model, shape, max_batch);
}

void evaluate_and_observe(const Model& model, const EncodingShape& shape, const Batch& positions,
                          const Predictions& out, const ActivationObserver& observer) {
  // One position at a time: making chains for larger batches would take longer than they save here.
  Onednn<float> network(model, shape, 1);
  network.observe(positions, out, observer);
}

}  // namespace koridor
