#include "train/learner/torchscript.h"

#include <fmt/format.h>
#include <torch/script.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <variant>

#include "core/base/files.h"
#include "core/random_positions.h"
#include "core/registry.h"
#include "models/backends.h"
#include "models/network/front_end.h"
#include "models/network/learned_rules.h"
#include "train/learner/torch_compat.h"

namespace koridor {
namespace {

constexpr int kPositions = 256;
constexpr std::uint64_t kSeed = 1;

// TorchScript has no dots in names.
std::string attribute(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

// A tensor of the model as a parameter; weights of 1x1 convolutions become [out, in, 1, 1].
void add_parameter(torch::jit::Module& module, const std::string& name, const std::vector<int>& shape,
                   const std::vector<float>& values) {
  std::vector<std::int64_t> sides(shape.begin(), shape.end());
  const bool is_map = name == "policy.conv.weight" || name == "value.conv.weight";
  const bool is_squares = name == "policy.out.weight";
  if (is_map || is_squares) sides.insert(sides.end(), {1, 1});
  const at::Tensor tensor = at::from_blob(const_cast<float*>(values.data()), sides, at::kFloat).clone();
  module.register_parameter(attribute(name), tensor, false);
}

// The network of models/network/network.h in TorchScript's language.
std::string source(const ModelInfo& info) {
  std::string text =
      "def pool(self, y: Tensor) -> Tensor:\n"
      "    return torch.cat([torch.mean(y, [2, 3]), torch.amax(y, [2, 3])], 1)\n"
      "def three(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:\n"
      "    return torch.conv2d(x, weight, bias, [1, 1], [1, 1])\n"
      "def spread(self, v: Tensor) -> Tensor:\n"
      "    return torch.unsqueeze(torch.unsqueeze(v, 2), 3)\n"
      "def forward(self, planes: Tensor, scalars: Tensor) -> Tuple[Tensor, Tensor, Tensor]:\n";
  const auto line = [&](const std::string& what) { text += "    " + what + "\n"; };
  line("x = self.three(planes, self.stem_weight, self.stem_bias)");
  if (info.signature.scalars > 0) line("x = x + self.spread(torch.linear(scalars, self.scalars_weight))");
  line("x = torch.relu(x)");
  for (int i = 0; i < info.network.blocks; ++i) {
    line(fmt::format("y = torch.relu(self.three(x, self.blocks_{0}_first_weight, self.blocks_{0}_first_bias))", i));
    if (info.network.pools(i)) {
      line(
          fmt::format("added = torch.linear(self.pool(y), self.blocks_{0}_pool_weight, self.blocks_{0}_pool_bias)", i));
      line("y = torch.relu(y + self.spread(added))");
    }
    line(fmt::format("x = torch.relu(x + self.three(y, self.blocks_{0}_second_weight, self.blocks_{0}_second_bias))",
                     i));
  }
  line("pooled = self.pool(x)");
  line("p = torch.conv2d(x, self.policy_conv_weight, self.policy_conv_bias)");
  line("p = torch.relu(p + self.spread(torch.linear(pooled, self.policy_pool_weight)))");
  line("v = torch.relu(torch.conv2d(x, self.value_conv_weight, self.value_conv_bias))");
  line("h = torch.relu(torch.linear(self.pool(v), self.value_hidden_weight, self.value_hidden_bias))");
  line("squares = torch.flatten(torch.conv2d(p, self.policy_out_weight, self.policy_out_bias), 1)");
  line("passing = torch.linear(pooled, self.policy_pass_weight, self.policy_pass_bias)");
  line("policy = torch.cat([squares, passing], 1)");
  line("value = torch.softmax(torch.linear(h, self.value_out_weight, self.value_out_bias), 1)");
  line("auxiliary = torch.sigmoid(torch.linear(h, self.auxiliary_out_weight, self.auxiliary_out_bias))");
  line("return (policy, value, auxiliary)");
  return text;
}

// Whether the tensor belongs to a head that no evaluator computes.
bool only_trains(const std::string& name, const NetworkSignature& signature) {
  const auto others = std::span(signature.heads).subspan(basic_heads().size());
  return std::ranges::any_of(others, [&](const Head& head) { return name.starts_with(head.name + "."); });
}

torch::jit::Module script_module(const Model& model) {
  torch::jit::Module module("Koridor");
  for (const auto& [name, shape] : network_tensors(model.info.network, model.info.signature)) {
    if (!only_trains(name, model.info.signature)) add_parameter(module, name, shape, model.tensors.at(name));
  }
  module.define(source(model.info));
  return module;
}

double largest_difference(const at::Tensor& found, const std::vector<float>& expected) {
  const auto count = static_cast<std::int64_t>(expected.size());
  if (found.numel() != count) throw std::runtime_error("the TorchScript file's outputs have other sizes than ours");
  const at::Tensor ours = at::from_blob(const_cast<float*>(expected.data()), {count}, at::kFloat);
  return (found.reshape({count}) - ours).abs().max().item<double>();
}

// The file's outputs beside those of our evaluator. The file is shown other rules than the learned ones, of which it is
// to take no notice.
TorchScriptCheck compare(const std::string& file, const Model& model, const AnyGame& game, const std::string& where) {
  const EncodedPositions positions = std::visit(
      [&](const auto& known) { return random_positions(known, model.info.features, kPositions, kSeed); }, game);
  const EncodingShape& shape = positions.shape;
  std::vector<float> policy(static_cast<std::size_t>(kPositions * shape.policy_size()));
  std::vector<float> value(static_cast<std::size_t>(kPositions * shape.value_size()));
  std::vector<float> auxiliary(static_cast<std::size_t>(kPositions * shape.players));
  make_evaluator(model, shape, {.precision = "f32"}, kPositions, where)
      ->evaluate({kPositions, positions.planes, positions.scalars}, {policy, value, auxiliary});

  std::vector<LearnedRule> others = learned_rules(model);
  for (LearnedRule& rule : others) rule.value = 1.0f - rule.value;
  std::vector<float> scalars = positions.scalars;
  show_learned_rules(others, scalars, shape.scalars);

  const torch::NoGradGuard no_grad;
  torch::jit::Module loaded = torch::jit::load(file, at::kCPU);
  const auto input = [](const std::vector<float>& values, std::vector<std::int64_t> sides) {
    return at::from_blob(const_cast<float*>(values.data()), sides, at::kFloat);
  };
  const auto outputs = loaded
                           .forward({input(positions.planes, {kPositions, shape.planes, shape.rows, shape.columns}),
                                     input(scalars, {kPositions, shape.scalars})})
                           .toTuple();
  const auto& found = outputs->elements();
  return {kPositions, largest_difference(found[0].toTensor(), policy), largest_difference(found[1].toTensor(), value),
          largest_difference(found[2].toTensor(), auxiliary)};
}

}  // namespace

TorchScriptCheck export_torchscript(const Model& model, const std::string& out, const std::string& where) {
  const AnyGame game = parse_game(model.info.game);
  nlohmann::ordered_json texts = nlohmann::ordered_json::object();
  texts["format"] = "koridor-torchscript-1";
  for (const auto& [key, text] : front_end_texts(model, game)) texts[key] = text;

  const std::string temporary = temporary_name(out).string();
  struct Remover {
    std::string path;
    ~Remover() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  } remover{temporary};
  // Saved by its path, the archive would have the temporary name inside.
  std::ostringstream content;
  Model folded = model;
  fold_learned_rules(folded);  // so that programs without our evaluators may show it any rules
  script_module(folded).save(content, {{"koridor.json", texts.dump(2)}});
  write_file_atomically(temporary, content.str());
  const TorchScriptCheck check = compare(temporary, model, game, where);
  const double largest = std::max({check.policy, check.value, check.auxiliary});
  if (!(largest <= kTorchScriptTolerance)) {
    throw std::runtime_error(
        fmt::format("LibTorch computes the file up to {:.2g} away from our evaluator; it was not kept", largest));
  }
  publish_file(temporary, out);
  return check;
}

}  // namespace koridor
