#include "train/checkpoint.h"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/random.h"
#include "models/files.h"
#include "train/torch_compat.h"

namespace koridor {
namespace {

using nlohmann::json;
using Tensors = c10::Dict<std::string, at::Tensor>;

constexpr int kFormatVersion = 1;

// Every array of the state under its name in the file.
template <class State, class Visit>
void for_each_array(State& state, Visit&& visit) {
  visit("parameters", state.weights.parameters);
  visit("statistics", state.weights.statistics);
  visit("average.parameters", state.optimizer.average);
  visit("average.statistics", state.average_statistics);
  visit("optimizer.first", state.optimizer.first);
  visit("optimizer.second", state.optimizer.second);
}

// LibTorch's reader checks nothing in some versions, so the file carries this.
std::uint64_t checksum(const LearnerState& state) {
  std::uint64_t sum = 0;
  for_each_array(state, [&sum](const char*, const std::vector<float>& values) {
    sum = mix64(sum ^ values.size());
    for (float value : values) sum = mix64(sum ^ std::bit_cast<std::uint32_t>(value));
  });
  return sum;
}

json meta_of(const Checkpoint& checkpoint) {
  const LearnerState& learner = checkpoint.learner;
  return {{"format", "koridor checkpoint"},
          {"version", kFormatVersion},
          {"config_hash", checkpoint.config_hash},
          {"seed", checkpoint.seed},
          {"generation", checkpoint.generation},
          {"step", checkpoint.step},
          {"steps", checkpoint.steps},
          {"new_positions", checkpoint.new_positions},
          {"window", checkpoint.window},
          {"positions_so_far", checkpoint.positions_so_far},
          {"optimizer_steps", learner.optimizer.steps},
          {"bf16", learner.arithmetic == Arithmetic::bf16},
          {"arithmetic_chosen", learner.arithmetic_chosen},
          {"needs_calibration", learner.needs_calibration},
          {"checksum", checksum(learner)}};
}

Checkpoint from_meta(const json& meta) {
  Checkpoint checkpoint;
  checkpoint.config_hash = meta.at("config_hash");
  checkpoint.seed = meta.at("seed");
  checkpoint.generation = meta.at("generation");
  checkpoint.step = meta.at("step");
  checkpoint.steps = meta.at("steps");
  checkpoint.new_positions = meta.at("new_positions");
  checkpoint.window = meta.at("window");
  checkpoint.positions_so_far = meta.at("positions_so_far");
  LearnerState& learner = checkpoint.learner;
  learner.optimizer.steps = meta.at("optimizer_steps");
  learner.arithmetic = meta.at("bf16").get<bool>() ? Arithmetic::bf16 : Arithmetic::f32;
  learner.arithmetic_chosen = meta.at("arithmetic_chosen");
  learner.needs_calibration = meta.at("needs_calibration");
  return checkpoint;
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  Tensors tensors;
  const std::string meta = meta_of(checkpoint).dump();
  tensors.insert("meta", torch::from_blob(const_cast<char*>(meta.data()), {std::int64_t(meta.size())}, torch::kUInt8));
  for_each_array(checkpoint.learner, [&](const char* name, const std::vector<float>& values) {
    tensors.insert(name, torch::from_blob(const_cast<float*>(values.data()), {std::int64_t(values.size())}));
  });
  const std::vector<char> bytes = torch::pickle_save(c10::IValue(tensors));
  write_file_atomically(path, {bytes.data(), bytes.size()});
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  try {
    const c10::IValue value = torch::pickle_load(std::vector<char>(bytes.begin(), bytes.end()));
    std::map<std::string, at::Tensor> tensors;
    for (const auto& entry : value.toGenericDict()) {
      tensors[entry.key().toStringRef()] = entry.value().toTensor().contiguous();
    }
    const at::Tensor& text = tensors.at("meta");
    const auto* characters = static_cast<const char*>(text.data_ptr());
    const json meta = json::parse(characters, characters + text.nbytes());
    if (meta.at("format") != "koridor checkpoint") throw std::runtime_error("no checkpoint of Koridor");
    if (meta.at("version") != kFormatVersion) throw std::runtime_error("written by another version of Koridor");
    Checkpoint checkpoint = from_meta(meta);
    for_each_array(checkpoint.learner, [&](const char* name, std::vector<float>& values) {
      const at::Tensor& tensor = tensors.at(name);
      const auto* begin = tensor.data_ptr<float>();
      values.assign(begin, begin + tensor.numel());
    });
    if (meta.at("checksum") != checksum(checkpoint.learner)) throw std::runtime_error("the checksum is wrong");
    return checkpoint;
  } catch (const std::exception& error) {
    // LibTorch's messages go on with a stack trace; the first line says it.
    std::string reason = error.what();
    throw UserError("damaged checkpoint " + path.string() + ": " + reason.substr(0, reason.find('\n')));
  }
}

}  // namespace koridor
