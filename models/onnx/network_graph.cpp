#include "models/onnx/network_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>

#include "models/network/tensor_file.h"
#include "models/network/units.h"
#include "models/network/weight_units.h"

namespace koridor {
namespace {

constexpr float kLargestWeight = 127.0f;                     // of a weight in int8
constexpr float kLargestBias = static_cast<float>(1 << 30);  // of a bias in 32 bits

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Adds the operators one after the other. Matrix products are 1x1 convolutions of maps with one square, so that their
// results can be added to maps as they are.
class GraphBuilder {
 public:
  GraphBuilder(const Model& model, const OnnxOptions& options)
      : model_(model), options_(options), units_(model, options.int8) {}

  OnnxGraph build() {
    inputs();
    const std::string x = trunk();
    heads(x);
    return std::move(graph_);
  }

 private:
  const NetworkConfig& network() const { return model_.info.network; }
  const NetworkSignature& signature() const { return model_.info.signature; }
  const std::vector<float>& weights(const std::string& name) const { return model_.tensors.at(name); }

  std::string node(const std::string& op, std::vector<std::string> inputs, const std::string& output,
                   std::vector<OnnxAttribute> attributes = {}) {
    graph_.nodes.push_back({op, std::move(inputs), output, std::move(attributes)});
    return output;
  }

  template <class T>
  std::string constant(const std::string& name, OnnxType type, std::vector<std::int64_t> shape,
                       const std::vector<T>& values) {
    graph_.tensors.push_back({name, type, std::move(shape), bytes_of(values)});
    return name;
  }

  OnnxSide batch() const { return options_.batch > 0 ? OnnxSide(options_.batch) : "batch"; }
  OnnxSide rows() const { return fixed() ? OnnxSide(options_.rows) : "rows"; }
  OnnxSide columns() const { return fixed() ? OnnxSide(options_.columns) : "columns"; }
  bool fixed() const { return options_.rows > 0; }
  std::int64_t area() const { return std::int64_t{options_.rows} * options_.columns; }
  OnnxSide policy_size() const {
    return fixed() ? OnnxSide(signature().policy_planes * area() + 1) : OnnxSide("policy_size");
  }

  void inputs() {
    graph_.inputs.push_back(
        {"planes",
         {batch(), signature().planes, rows(), columns()},
         "the position as planes, from the view of the player to move: metadata \"planes\" names them"});
    if (signature().scalars == 0) return;
    graph_.inputs.push_back(
        {"scalars", {batch(), signature().scalars}, "its scalars: metadata \"scalars\" names them"});
  }

  // A convolution in float32, with zeros around the board; its weight has a name of the model file.
  std::string convolution(const std::string& name, const std::string& from, bool with_bias = true) {
    const std::vector<float>& weight = weights(name + ".weight");
    const std::int64_t outputs = outputs_of(name);
    const std::int64_t kernel = kernel_of(name);
    std::vector<std::string> inputs = {
        from, constant(name + ".weight", OnnxType::f32, weight_shape(weight, outputs, kernel), weight)};
    if (with_bias) inputs.push_back(constant(name + ".bias", OnnxType::f32, {outputs}, weights(name + ".bias")));
    return node("Conv", std::move(inputs), name + ".result", convolution_attributes(kernel));
  }

  // The same with a weight and a bias in integers, behind bytes of `unit`.
  std::string quantised_convolution(const std::string& name, const std::string& from, float unit) {
    const std::vector<float>& weight = weights(name + ".weight");
    const std::vector<float>& bias = weights(name + ".bias");
    const std::int64_t outputs = outputs_of(name);
    const std::int64_t kernel = kernel_of(name);
    std::vector<float> units =
        weight_units(weight, static_cast<int>(outputs), static_cast<int>(outputs), kLargestWeight);
    make_room_for_bias(units, bias, unit, kLargestBias);
    const std::size_t taps = weight.size() / bias.size();
    std::vector<float> bias_units;
    std::vector<std::int8_t> bytes;
    std::vector<std::int32_t> integers;
    for (std::size_t row = 0; row < bias.size(); ++row) {
      bias_units.push_back(units[row] * unit);
      for (const float value : std::span(weight).subspan(row * taps, taps)) {
        bytes.push_back(static_cast<std::int8_t>(std::nearbyint(value / units[row])));
      }
      integers.push_back(static_cast<std::int32_t>(std::nearbyint(bias[row] / bias_units.back())));
    }
    const std::string weight_name = name + ".weight";
    const std::string bias_name = name + ".bias";
    const std::string dequantised =
        node("DequantizeLinear",
             {constant(weight_name + ".int8", OnnxType::i8, weight_shape(weight, outputs, kernel), bytes),
              constant(weight_name + ".units", OnnxType::f32, {outputs}, units),
              constant(weight_name + ".zeros", OnnxType::i8, {outputs}, std::vector<std::int8_t>(bias.size(), 0))},
             weight_name, {{"axis", std::int64_t{0}}});
    const std::string dequantised_bias =
        node("DequantizeLinear",
             {constant(bias_name + ".int32", OnnxType::i32, {outputs}, integers),
              constant(bias_name + ".units", OnnxType::f32, {outputs}, bias_units),
              constant(bias_name + ".zeros", OnnxType::i32, {outputs}, std::vector<std::int32_t>(bias.size(), 0))},
             bias_name, {{"axis", std::int64_t{0}}});
    return node("Conv", {from, dequantised, dequantised_bias}, name + ".result", convolution_attributes(kernel));
  }

  // A convolution behind a map that stands for bytes of `unit` in int8.
  std::string byte_convolution(const std::string& name, const std::string& from, float unit) {
    return options_.int8 ? quantised_convolution(name, from, unit) : convolution(name, from);
  }

  std::int64_t outputs_of(const std::string& name) const {
    const auto bias = model_.tensors.find(name + ".bias");
    if (bias != model_.tensors.end()) return std::ssize(bias->second);
    return name == "policy.pool" ? network().policy_channels : network().channels;  // these have no bias
  }
  static std::int64_t kernel_of(const std::string& name) {
    return name == "stem" || name.ends_with(".first") || name.ends_with(".second") ? 3 : 1;
  }
  static std::vector<std::int64_t> weight_shape(const std::vector<float>& weight, std::int64_t outputs,
                                                std::int64_t kernel) {
    return {outputs, std::ssize(weight) / (outputs * kernel * kernel), kernel, kernel};
  }
  static std::vector<OnnxAttribute> convolution_attributes(std::int64_t kernel) {
    const std::int64_t padding = kernel / 2;
    return {{"kernel_shape", std::vector{kernel, kernel}},
            {"pads", std::vector{padding, padding, padding, padding}},
            {"strides", std::vector<std::int64_t>{1, 1}}};
  }

  // In int8 the map as bytes of `unit` and back; below zero and above 255 units its numbers are cut off.
  std::string as_bytes(const std::string& map, float unit) {
    if (!options_.int8) return map;
    const std::vector<std::string> scale = {constant(map + ".unit", OnnxType::f32, {}, std::vector{unit}),
                                            constant(map + ".zero", OnnxType::u8, {}, std::vector<std::uint8_t>{0})};
    node("QuantizeLinear", {map, scale[0], scale[1]}, map + ".bytes");
    return node("DequantizeLinear", {map + ".bytes", scale[0], scale[1]}, map + ".quantised");
  }

  std::string relu(const std::string& from) { return node("Relu", {from}, from + ".relu"); }
  std::string add(const std::string& a, const std::string& b, const std::string& name) {
    return node("Add", {a, b}, name);
  }
  // [batch, 2 * channels, 1, 1]: means over the squares, then maxima.
  std::string pool(const std::string& map, const std::string& name) {
    node("GlobalAveragePool", {map}, name + ".mean");
    node("GlobalMaxPool", {map}, name + ".max");
    return node("Concat", {name + ".mean", name + ".max"}, name, {{"axis", std::int64_t{1}}});
  }
  std::string flat(const std::string& from, const std::string& name) {
    return node("Flatten", {from}, name, {{"axis", std::int64_t{1}}});
  }

  // x behind the last block.
  std::string trunk() {
    std::string x = byte_convolution("stem", as_bytes("planes", units_.planes()), units_.planes());
    if (signature().scalars > 0) {
      constant("scalars.shape", OnnxType::i64, {4}, std::vector<std::int64_t>{0, signature().scalars, 1, 1});
      const std::string map = node("Reshape", {"scalars", "scalars.shape"}, "scalars.map");
      x = add(x, convolution("scalars", map, false), "stem.sum");
    }
    x = as_bytes(relu(x), units_.x(-1));
    for (int i = 0; i < network().blocks; ++i) {
      const std::string block = fmt::format("blocks.{}", i);
      std::string y = relu(byte_convolution(block + ".first", x, units_.x(i - 1)));
      y = as_bytes(y, units_.y(i));
      if (network().pools(i)) {
        const std::string added = convolution(block + ".pool", pool(y, block + ".pooled"));
        y = as_bytes(relu(add(y, added, block + ".pool.sum")), units_.pooled(i));
      }
      const std::string second = byte_convolution(block + ".second", y, units_.pooled(i));
      x = as_bytes(relu(add(second, x, block + ".sum")), units_.x(i));
    }
    return x;
  }

  void heads(const std::string& x) {
    const float unit = units_.x(network().blocks - 1);
    const std::string pooled = pool(x, "trunk.pooled");
    const std::string p =
        relu(add(byte_convolution("policy.conv", x, unit), convolution("policy.pool", pooled, false), "policy.sum"));
    const std::string v = relu(byte_convolution("value.conv", x, unit));
    const std::string h = relu(convolution("value.hidden", pool(v, "value.pooled")));
    const std::vector<Head>& all = signature().heads;
    const std::size_t count = options_.all_heads ? all.size() : basic_heads().size();
    for (const Head& head : std::span(all).first(count)) {
      switch (head.extent) {
        case Extent::actions:
          actions(head, p, pooled);
          break;
        case Extent::squares:
          squares(head, v);
          break;
        default:
          numbers(head, h);
      }
    }
  }

  void actions(const Head& head, const std::string& p, const std::string& pooled) {
    const std::string squares = flat(convolution(head.name + ".out", p), head.name + ".squares");
    const std::string pass = flat(convolution(head.name + ".pass", pooled), head.name + ".pass.flat");
    node("Concat", {squares, pass}, head.name, {{"axis", std::int64_t{1}}});
    graph_.outputs.push_back({head.name,
                              {batch(), policy_size()},
                              head.name == "policy" ? "logits of all actions, legal or not, in the order that metadata "
                                                      "\"policy\" explains; those of illegal actions are arbitrary"
                                                    : "logits in the order of the policy"});
  }

  void squares(const Head& head, const std::string& v) {
    const std::string logits = convolution(head.name + ".out", v);
    if (head.activation == Activation::sigmoid) {
      node("Sigmoid", {logits}, head.name);
      graph_.outputs.push_back(
          {head.name, {batch(), head.count, rows(), columns()}, "a number in [0, 1] for each square"});
      return;
    }
    constant(head.name + ".shape", OnnxType::i64, {3}, std::vector<std::int64_t>{0, head.count, -1});
    node("Softmax", {node("Reshape", {logits, head.name + ".shape"}, head.name + ".copies")}, head.name,
         {{"axis", std::int64_t{2}}});
    graph_.outputs.push_back(
        {head.name, {batch(), head.count, fixed() ? OnnxSide(area()) : "squares"}, "probabilities of the squares"});
  }

  // Heads behind h: [batch, count * size], of which those with copies are [batch, count, size].
  void numbers(const Head& head, const std::string& h) {
    const std::int64_t players = signature().players;
    const std::int64_t size = head.extent == Extent::outcome   ? players + 1
                              : head.extent == Extent::players ? players
                                                               : 1;
    std::string logits = flat(convolution(head.name + ".out", h), head.name + ".logits");
    std::vector<OnnxSide> shape = {batch(), size};
    if (head.count > 1) {
      constant(head.name + ".shape", OnnxType::i64, {3}, std::vector<std::int64_t>{0, head.count, size});
      logits = node("Reshape", {logits, head.name + ".shape"}, head.name + ".copies");
      shape.insert(shape.begin() + 1, head.count);
    }
    if (head.activation == Activation::softmax) {
      node("Softmax", {logits}, head.name, {{"axis", std::ssize(shape) - 1}});
    } else {
      node("Sigmoid", {logits}, head.name);
    }
    std::string text = "numbers in [0, 1]";
    if (head.name == "value") {
      text = "probabilities that each player wins, counted from the one to move, and of a draw: metadata \"value\"";
    } else if (head.extent == Extent::players) {
      text = "a number in [0, 1] for each player, counted from the one to move";
    }
    graph_.outputs.push_back({head.name, shape, text});
  }

  const Model& model_;
  const OnnxOptions& options_;
  Units units_;
  OnnxGraph graph_;
};

}  // namespace

OnnxGraph network_graph(const Model& model, const OnnxOptions& options, const std::string& where) {
  if (options.int8 && model.calibration.empty()) {
    fail_model(where, "it has no calibration, which int8 needs: export it in f32, or a later generation");
  }
  OnnxGraph graph = GraphBuilder(model, options).build();
  graph.name = "koridor";
  graph.opset = kOnnxOpset;
  graph.ir_version = kOnnxIrVersion;
  return graph;
}

}  // namespace koridor
