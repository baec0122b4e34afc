#include "bench/convolution_chain.h"

#include <algorithm>
#include <chrono>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/elapsed.h"
#include "core/base/one_thread.h"
#include "core/base/random.h"
#include "models/cpu/onednn_cpu.h"

namespace koridor::bench {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

namespace {

struct Chain final : ConvolutionChain {
  struct Layer {
    dnnl::convolution_forward primitive;
    std::unordered_map<int, memory> arguments;
  };

  Chain(const EncodingShape& shape, const NetworkConfig& network, Type of, Tag activations, int size)
      : type(of), layout(activations), batch(size), rows(shape.rows), columns(shape.columns) {
    auto [stem, x] = make_layer(shape.planes + shape.scalars, network.channels, nullptr, nullptr);
    layers.push_back(std::move(stem));
    auto [first, y] = make_layer(network.channels, network.channels, &x, nullptr);
    for (int block = 0; block < network.blocks; ++block) {
      layers.push_back(make_layer(network.channels, network.channels, &x, &y).first);
      layers.push_back(make_layer(network.channels, network.channels, &y, &x, true).first);
    }
  }

  // A 3x3 convolution with ReLU from `from` to `to`, and what it writes to; null: new memory.
  std::pair<Layer, memory> make_layer(int inputs, int outputs, const memory* from, const memory* to, bool sum = false) {
    dnnl::post_ops after;
    if (sum) after.append_sum(1.0f);
    after.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    if (type == Type::u8) {
      attributes.set_output_scales(1 << 1, std::vector<float>(static_cast<std::size_t>(outputs), 0.01f));
    }
    const memory::desc source({batch, inputs, rows, columns}, type, layout);
    const memory::desc result({batch, outputs, rows, columns}, type, layout);
    const memory::desc weights({outputs, inputs, 3, 3}, type == Type::u8 ? Type::s8 : type, Tag::any);
    const memory::desc bias({outputs}, Type::f32, Tag::a);
    const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                               from ? from->get_desc() : source, weights, bias,
                                               to ? to->get_desc() : result, {1, 1}, {1, 1}, {1, 1});
    const dnnl::convolution_forward::primitive_desc primitive(desc, attributes, engine);
    const memory output = to ? *to : random(primitive.dst_desc(), result.dims());
    const memory input = from ? *from : random(primitive.src_desc(), source.dims());
    Layer layer{dnnl::convolution_forward(primitive),
                {{DNNL_ARG_SRC, input},
                 {DNNL_ARG_WEIGHTS, random(primitive.weights_desc(), weights.dims())},
                 {DNNL_ARG_BIAS, random(primitive.bias_desc(), bias.dims())},
                 {DNNL_ARG_DST, output}}};
    return {std::move(layer), output};
  }

  // Small numbers, so that many layers neither grow without bound nor die out.
  memory random(const memory::desc& desc, const memory::dims& dims) {
    std::size_t count = 1;
    for (const memory::dim side : dims) count *= static_cast<std::size_t>(side);
    std::vector<float> values(count);
    Random numbers(count);
    const double size = type == Type::u8 ? 20.0 : 0.01;
    for (float& value : values) value = static_cast<float>(size * numbers.normal());
    const Tag plain = dims.size() == 1 ? Tag::a : Tag::abcd;
    memory from(memory::desc(dims, Type::f32, plain), engine, values.data());
    memory to(desc, engine);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    return to;
  }

  void run() override {
    const OneThread one_thread;
    for (const Layer& layer : layers) layer.primitive.execute(stream, layer.arguments);
    stream.wait();
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  Type type;
  Tag layout;
  int batch;
  int rows;
  int columns;
  std::vector<Layer> layers;
};

}  // namespace

std::unique_ptr<ConvolutionChain> make_convolution_chain(const EncodingShape& shape, const NetworkConfig& network,
                                                         Precision precision, int batch) {
  const OneThread one_thread;
  const Type type = precision == Precision::int8 ? Type::u8 : precision == Precision::bf16 ? Type::bf16 : Type::f32;
  // Only layouts that oneDNN is fast in on this CPU: in others it may take minutes.
  const Tag fast = fast_layout(type).tag;
  const std::vector<Tag> layouts = type == Type::u8 ? std::vector{fast} : std::vector{Tag::any, fast};
  double best = 0.0;
  std::unique_ptr<ConvolutionChain> fastest;
  for (const Tag layout : layouts) {
    auto chain = std::make_unique<Chain>(shape, network, type, layout, batch);
    chain->run();
    double shortest = 0.0;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      chain->run();
      const double seconds = seconds_since(begin);
      if (repeat == 0 || seconds < shortest) shortest = seconds;
    }
    if (fastest == nullptr || shortest < best) {
      best = shortest;
      fastest = std::move(chain);
    }
  }
  return fastest;
}

}  // namespace koridor::bench
