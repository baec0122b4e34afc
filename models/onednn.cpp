// How it works. All convolutions but the two heads' last ones run in oneDNN, one after the other, in one layout from
// end to end, with biases, ReLU and residual sums fused. The scalars enter as constant planes behind the planes (their
// weights sit in the middle of the 3x3 kernel, which gives scalars.weight . scalars on every square), and policy.conv
// and value.conv are one 1x1 convolution. The rest (blocked.h, heads.h) is small and plain.
//
// A oneDNN primitive serves one batch size only, so there is a chain of primitives for each of a few sizes, and a batch
// is cut into pieces of these sizes: nothing is filled up. oneDNN may choose another order of summation for another
// size; a size whose sums differ from those of size 1 is left out, so that results never depend on the batch.
#include "models/onednn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <oneapi/dnnl/dnnl.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "models/batch_check.h"
#include "models/blocked.h"
#include "models/heads.h"
#include "models/one_thread.h"
#include "models/onednn_convolution.h"

namespace koridor {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

// Batch sizes there are chains for.
constexpr std::array kSizes = {32, 16, 8, 7, 6, 5, 4, 3, 2, 1};

// The codes of oneDNN's instruction sets are sets of bits.
bool cpu_has(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

std::string cpu_name() {
  constexpr std::array<std::pair<dnnl::cpu_isa, const char*>, 7> kNames = {
      {{dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx"},
       {dnnl::cpu_isa::avx512_core_bf16, "avx512_core_bf16"},
       {dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni"},
       {dnnl::cpu_isa::avx512_core, "avx512_core"},
       {dnnl::cpu_isa::avx2_vnni, "avx2_vnni"},
       {dnnl::cpu_isa::avx2, "avx2"},
       {dnnl::cpu_isa::avx, "avx"}}};
  for (const auto& [isa, name] : kNames) {
    if (cpu_has(isa)) return name;
  }
  return "portable";
}

// A layout of activations; block 0: all channels of a square side by side.
struct Layout {
  Tag tag;
  int block;
};

// Which one is fast, by instruction set and not by measurement: the choice must not vary from run to run.
Layout fast_layout(Type type) {
  if (type == Type::bf16 && cpu_has(dnnl::cpu_isa::avx512_core_amx)) return {Tag::nhwc, 0};
  if (cpu_has(dnnl::cpu_isa::avx512_core)) return {Tag::nChw16c, 16};
  if (cpu_has(dnnl::cpu_isa::avx2)) return {Tag::nChw8c, 8};
  return {Tag::nhwc, 0};
}

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

// A convolution's weights and bias as its primitives want them.
struct Weights {
  memory weight;
  memory bias;
};

// The convolutions of a network: four kinds, the blocks' two kinds with weights for each block.
struct Convolutions {
  Convolution stem, first, second, head;
  Weights stem_weights, head_weights;
  std::vector<Weights> first_weights, second_weights;
};

// policy.conv over value.conv, each filled up to a multiple of 16 channels.
struct HeadChannels {
  int policy;
  int value;
  explicit HeadChannels(const NetworkConfig& network)
      : policy(padded_channels(network.policy_channels)), value(padded_channels(network.value_channels)) {}
  int total() const { return policy + value; }
};

Convolutions make_convolutions(const dnnl::engine& engine, const Model& model, const EncodingShape& shape, Type type,
                               std::span<const int> sizes) {
  const NetworkConfig& network = model.info.network;
  const int channels = padded_channels(network.channels);
  const HeadChannels head(network);
  ConvolutionSpec spec{.inputs = channels,
                       .outputs = channels,
                       .rows = shape.rows,
                       .columns = shape.columns,
                       .relu = true,
                       .layout = fast_layout(type).tag,
                       .type = type,
                       .result = type};
  ConvolutionSpec stem = spec;
  stem.inputs = padded_channels(shape.planes + shape.scalars);
  ConvolutionSpec second = spec;
  second.sum = true;
  ConvolutionSpec last = spec;
  last.outputs = head.total();
  last.kernel = 1;
  last.relu = false;
  last.result = Type::f32;
  Convolutions all{
      {engine, stem, sizes}, {engine, spec, sizes}, {engine, second, sizes}, {engine, last, sizes}, {}, {}, {}, {}};

  const auto tensor = [&](const std::string& name) -> const std::vector<float>& { return model.tensors.at(name); };
  // The stem sees the scalars as planes: their weights in the middle of the kernel.
  std::vector<float> stem_weight;
  for (int channel = 0; channel < network.channels; ++channel) {
    const int taps = shape.planes * 9;
    const float* planes = tensor("stem.weight").data() + channel * taps;
    stem_weight.insert(stem_weight.end(), planes, planes + taps);
    for (int scalar = 0; scalar < shape.scalars; ++scalar) {
      std::array<float, 9> kernel{};
      kernel[4] = tensor("scalars.weight")[channel * shape.scalars + scalar];
      stem_weight.insert(stem_weight.end(), kernel.begin(), kernel.end());
    }
  }
  all.stem_weights = {all.stem.pack_weight(stem_weight, network.channels, shape.planes + shape.scalars),
                      all.stem.pack_bias(tensor("stem.bias"))};
  for (int i = 0; i < network.blocks; ++i) {
    const auto pack = [&](const Convolution& convolution, const std::string& which) -> Weights {
      const std::string name = fmt::format("blocks.{}.{}", i, which);
      return {convolution.pack_weight(tensor(name + ".weight"), network.channels, network.channels),
              convolution.pack_bias(tensor(name + ".bias"))};
    };
    all.first_weights.push_back(pack(all.first, "first"));
    all.second_weights.push_back(pack(all.second, "second"));
  }
  std::vector<float> head_weight(tensor("policy.conv.weight"));
  head_weight.resize(static_cast<std::size_t>(head.policy * network.channels));
  head_weight.insert(head_weight.end(), tensor("value.conv.weight").begin(), tensor("value.conv.weight").end());
  std::vector<float> head_bias(tensor("policy.conv.bias"));
  head_bias.resize(static_cast<std::size_t>(head.policy));
  head_bias.insert(head_bias.end(), tensor("value.conv.bias").begin(), tensor("value.conv.bias").end());
  all.head_weights = {all.head.pack_weight(head_weight, static_cast<int>(head_bias.size()), network.channels),
                      all.head.pack_bias(head_bias)};
  return all;
}

template <class Element>
class Onednn final : public Evaluator {
 public:
  Onednn(const Model& model, const EncodingShape& shape, int max_batch)
      : shape_(shape),
        network_(model.info.network),
        max_batch_(max_batch),
        head_channels_(network_),
        heads_(model, shape),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_) {
    const OneThread one_thread;
    const auto layout = [&](int channels) {
      const int block = fast_layout(kType).block;
      return BlockedLayout{channels, block == 0 ? channels : block, shape.area()};
    };
    input_ = layout(padded_channels(shape.planes + shape.scalars));
    trunk_ = layout(padded_channels(network_.channels));
    head_ = layout(head_channels_.total());
    for (int i = 0; i < network_.blocks; ++i) {
      const std::string name = fmt::format("blocks.{}.pool", i);
      Linear& pool = pools_.emplace_back();
      if (!network_.pools(i)) continue;
      pool = Linear(model.tensors.at(name + ".weight"), model.tensors.at(name + ".bias"));
    }
    const int widest = std::max(trunk_.channels, head_.channels);
    added_.resize(static_cast<std::size_t>(widest));
    pooled_.resize(static_cast<std::size_t>(2 * widest));
    make_policy_out(model);
    make_chains(model);
  }

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  std::string describe() const override {
    return fmt::format("onednn {} ({})", kType == Type::bf16 ? "bf16" : "f32", cpu_name());
  }

  void evaluate(const Batch& batch, const Predictions& out) override {
    assert_batch(shape_, max_batch_, batch, out);
    const OneThread one_thread;
    auto chain = chains_.begin();
    for (int done = 0; done < batch.size; done += chain->size) {
      while (chain->size > batch.size - done) ++chain;
      for (int i = 0; i < chain->size; ++i) {
        pack_input(input_, batch.planes.data() + (done + i) * shape_.plane_floats(), shape_.planes,
                   batch.scalars.data() + (done + i) * shape_.scalars, shape_.scalars,
                   data<Element>(input_memory_) + i * input_.size());
      }
      run(*chain);
      for (int i = 0; i < chain->size; ++i) run_heads(i, done + i, out);
    }
  }

 private:
  static constexpr Type kType = sizeof(Element) == sizeof(float) ? Type::f32 : Type::bf16;

  // The primitives of one batch size in order: stem, first and second of each block, heads.
  struct Chain {
    int size = 0;
    std::vector<Call> calls;
    std::vector<memory> memories;  // what the arguments point to
  };

  template <class T>
  static T* data(const memory& of) {
    return static_cast<T*>(of.get_data_handle());
  }

  void make_chains(const Model& model) {
    std::vector<int> sizes;
    for (const int size : kSizes) {
      if (size <= max_batch_) sizes.push_back(size);
    }
    Convolutions convolutions = make_convolutions(engine_, model, shape_, kType, sizes);
    const std::array kinds = {&convolutions.stem, &convolutions.first, &convolutions.second, &convolutions.head};
    std::size_t scratchpad = 1;
    for (const Convolution* kind : kinds) scratchpad = std::max(scratchpad, kind->scratchpad_bytes());
    input_memory_ = memory(convolutions.stem.source(sizes[0]), engine_);
    x_memory_ = memory(convolutions.stem.destination(sizes[0]), engine_);
    y_memory_ = memory(convolutions.stem.destination(sizes[0]), engine_);
    head_memory_ = memory(convolutions.head.destination(sizes[0]), engine_);
    // Channels without a plane stay zero.
    std::fill_n(data<char>(input_memory_), input_memory_.get_desc().get_size(), 0);

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
      const dnnl_memory_t input = sized(convolutions.stem.source(chain.size), input_memory_);
      const dnnl_memory_t x = sized(convolutions.stem.destination(chain.size), x_memory_);
      const dnnl_memory_t y = sized(convolutions.stem.destination(chain.size), y_memory_);
      const dnnl_memory_t head = sized(convolutions.head.destination(chain.size), head_memory_);
      const dnnl_memory_t work = keep(memory({{static_cast<memory::dim>(scratchpad)}, Type::u8, Tag::a}, engine_));
      const auto add = [&](const Convolution& kind, const Weights& weights, dnnl_memory_t from, dnnl_memory_t to) {
        chain.calls.push_back({kind.primitive(i),
                               {{{DNNL_ARG_SRC, from},
                                 {DNNL_ARG_WEIGHTS, keep(weights.weight)},
                                 {DNNL_ARG_BIAS, keep(weights.bias)},
                                 {DNNL_ARG_DST, to},
                                 {DNNL_ARG_SCRATCHPAD, work}}}});
      };
      add(convolutions.stem, convolutions.stem_weights, input, x);
      for (int block = 0; block < network_.blocks; ++block) {
        add(convolutions.first, convolutions.first_weights[block], x, y);
        add(convolutions.second, convolutions.second_weights[block], y, x);
      }
      add(convolutions.head, convolutions.head_weights, x, head);
    }
  }

  // policy.out.weight as [policy_planes, padded policy channels].
  void make_policy_out(const Model& model) {
    const std::vector<float>& weight = model.tensors.at("policy.out.weight");
    policy_bias_ = model.tensors.at("policy.out.bias");
    policy_weight_.resize(static_cast<std::size_t>(shape_.policy_planes * head_channels_.policy));
    for (int plane = 0; plane < shape_.policy_planes; ++plane) {
      std::copy_n(weight.begin() + plane * network_.policy_channels, network_.policy_channels,
                  policy_weight_.begin() + plane * head_channels_.policy);
    }
  }

  void run(const Chain& chain) {
    const Call* call = chain.calls.data();
    (call++)->execute(stream_);
    for (int block = 0; block < network_.blocks; ++block) {
      (call++)->execute(stream_);
      if (network_.pools(block)) add_pooled(chain.size, pools_[block]);
      (call++)->execute(stream_);
    }
    call->execute(stream_);
  }

  // y = relu(y + linear . pool(y))
  void add_pooled(int size, const Linear& linear) {
    for (int i = 0; i < size; ++i) {
      Element* y = data<Element>(y_memory_) + i * trunk_.size();
      pool(trunk_, y, 0, network_.channels, pooled_.data());
      linear.apply(pooled_.data(), added_.data());
      std::fill(added_.begin() + network_.channels, added_.end(), 0.0f);
      add_relu(trunk_, added_.data(), y);
    }
  }

  // Position `i` of the piece, `number` of the batch.
  void run_heads(int i, int number, const Predictions& out) {
    pool(trunk_, data<Element>(x_memory_) + i * trunk_.size(), 0, network_.channels, pooled_.data());
    float* policy = out.policy.data() + number * shape_.policy_size();
    policy[shape_.policy_size() - 1] = heads_.policy(pooled_.data(), added_.data());
    std::fill(added_.begin() + network_.policy_channels, added_.end(), 0.0f);
    float* head = data<float>(head_memory_) + i * head_.size();
    add_relu(head_, added_.data(), head);  // now p, and behind it v
    write_logits(head, policy);
    pool(head_, head, head_channels_.policy, network_.value_channels, pooled_.data());
    heads_.value(pooled_.data(), out.value.data() + number * shape_.value_size(),
                 out.auxiliary.empty() ? nullptr : out.auxiliary.data() + number * shape_.players);
  }

  // logits [policy_planes, area] = policy.out . p
  void write_logits(const float* p, float* logits) const {
    const int groups = head_channels_.policy / kLanes;
    for (int square = 0; square < shape_.area(); ++square) {
      for (int plane = 0; plane < shape_.policy_planes; ++plane) {
        const float* weight = policy_weight_.data() + plane * head_channels_.policy;
        Lanes sum{};
        for (int group = 0; group < groups; ++group) {
          sum += load(p + head_.at(group) + square * head_.block) * load(weight + group * kLanes);
        }
        logits[plane * shape_.area() + square] = sum_of(sum) + policy_bias_[plane];
      }
    }
  }

  EncodingShape shape_;
  NetworkConfig network_;
  int max_batch_;
  HeadChannels head_channels_;
  Heads heads_;
  std::vector<Linear> pools_;  // one a block; empty where the block does not pool
  std::vector<float> policy_weight_, policy_bias_;

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Chain> chains_;  // by falling size, the last one 1
  BlockedLayout input_, trunk_, head_;
  memory input_memory_, x_memory_, y_memory_, head_memory_;  // for the largest size; the names of network.h
  std::vector<float> pooled_, added_;
};

}  // namespace

bool onednn_has_bf16() {
  return cpu_has(dnnl::cpu_isa::avx512_core_bf16);
}

std::unique_ptr<Evaluator> make_onednn(const Model& model, const EncodingShape& shape, Precision precision,
                                       int max_batch) {
  const bool has_bf16 = onednn_has_bf16();
  if (precision == Precision::bf16 && !has_bf16) {
    throw UserError(
        fmt::format("this CPU ({}) has no bf16 instructions (avx512_bf16): use precision f32 or auto", cpu_name()));
  }
  try {
    if (precision == Precision::f32 || !has_bf16) return std::make_unique<Onednn<float>>(model, shape, max_batch);
    return std::make_unique<Onednn<Bf16>>(model, shape, max_batch);
  } catch (const dnnl::error& error) {
    throw UserError(fmt::format("the backend onednn cannot run here: {}; use the backend eigen", error.what()));
  }
}

}  // namespace koridor
