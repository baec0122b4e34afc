#include "train/learner/checkpoint.h"

#include <cstring>
#include <limits>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "train/learner/torch_compat.h"

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

// The file ends with 8 bytes of magic and 8 of checksum over all bytes before. LibTorch's reader does not check its
// input (it reads past the end of a truncated file), so it gets checked bytes only. It ignores the bytes
// after its archive.
constexpr std::string_view kMagic = "koridor1";
constexpr std::size_t kTrailer = 16;

std::uint64_t checksum(std::string_view bytes) {
  return Checksum(bytes.size()).add(bytes).value();
}

std::string with_trailer(const std::vector<char>& archive) {
  std::string bytes(archive.begin(), archive.end());
  const std::uint64_t sum = checksum(bytes);
  bytes += kMagic;
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  return bytes;
}

std::vector<char> without_trailer(const std::string& bytes) {
  if (bytes.size() < kTrailer) throw std::runtime_error("it is truncated");
  const std::string_view archive(bytes.data(), bytes.size() - kTrailer);
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof(sum), sizeof(sum));
  if (std::string_view(bytes).substr(archive.size(), kMagic.size()) != kMagic) {
    throw std::runtime_error("it is truncated or no checkpoint");
  }
  if (sum != checksum(archive)) throw std::runtime_error("the checksum is wrong");
  return {archive.begin(), archive.end()};
}

// Sums that are no number, which JSON does not have, are null.
json sums_of(StepFigures figures) {
  json sums = json::array();
  figures.for_each_sum([&](double sum) { sums.push_back(sum); });
  return sums;
}

StepFigures figures_of(const json& sums) {
  std::size_t without_heads = 0;
  StepFigures().for_each_sum([&](double) { ++without_heads; });
  if (sums.size() < without_heads) throw std::runtime_error("sums of its steps are missing");
  StepFigures figures(sums.size() - without_heads);
  auto next = sums.begin();
  figures.for_each_sum([&](double& sum) {
    sum = next->is_null() ? std::numeric_limits<double>::quiet_NaN() : next->get<double>();
    ++next;
  });
  return figures;
}

json json_of(const StepSummary& summary) {
  json object = {{"steps", summary.steps},
                 {"skipped", summary.skipped},
                 {"learning_rate", summary.learning_rate},
                 {"seconds", summary.seconds},
                 {"samples_per_second", summary.samples_per_second},
                 {"sums", sums_of(summary.all)},
                 {"boards", json::array()}};
  for (const StepFigures& board : summary.boards) object["boards"].push_back(sums_of(board));
  return object;
}

StepSummary summary_of(const json& object) {
  StepSummary summary;
  summary.steps = object.at("steps");
  summary.skipped = object.at("skipped");
  summary.learning_rate = object.at("learning_rate");
  summary.seconds = object.at("seconds");
  summary.samples_per_second = object.at("samples_per_second");
  summary.all = figures_of(object.at("sums"));
  for (const json& sums : object.at("boards")) summary.boards.push_back(figures_of(sums));
  return summary;
}

json meta_of(const Checkpoint& checkpoint) {
  const LearnerState& learner = checkpoint.learner;
  return {{"format", "koridor checkpoint"},
          {"version", kFormatVersion},
          {"config_hash", checkpoint.config_hash},
          {"encoding_version", checkpoint.encoding_version},
          {"seed", checkpoint.seed},
          {"generation", checkpoint.generation},
          {"step", checkpoint.step},
          {"steps", checkpoint.steps},
          {"so_far", json_of(checkpoint.so_far)},
          {"new_positions", checkpoint.new_positions},
          {"window", checkpoint.window},
          {"positions_so_far", checkpoint.positions_so_far},
          {"optimizer_steps", learner.optimizer.steps},
          {"settled_average", learner.optimizer.settled},
          {"bf16", learner.arithmetic == Arithmetic::bf16},
          {"arithmetic_chosen", learner.arithmetic_chosen},
          {"needs_calibration", learner.needs_fitting}};
}

Checkpoint from_meta(const json& meta) {
  Checkpoint checkpoint;
  checkpoint.config_hash = meta.at("config_hash");
  checkpoint.encoding_version = meta.value("encoding_version", 1);
  checkpoint.seed = meta.at("seed");
  checkpoint.generation = meta.at("generation");
  checkpoint.step = meta.at("step");
  checkpoint.steps = meta.at("steps");
  if (const auto so_far = meta.find("so_far"); so_far != meta.end()) checkpoint.so_far = summary_of(*so_far);
  checkpoint.new_positions = meta.at("new_positions");
  checkpoint.window = meta.at("window");
  checkpoint.positions_so_far = meta.at("positions_so_far");
  LearnerState& learner = checkpoint.learner;
  learner.optimizer.steps = meta.at("optimizer_steps");
  learner.optimizer.settled = meta.value("settled_average", false);
  learner.arithmetic = meta.at("bf16").get<bool>() ? Arithmetic::bf16 : Arithmetic::f32;
  learner.arithmetic_chosen = meta.at("arithmetic_chosen");
  learner.needs_fitting = meta.at("needs_calibration");
  return checkpoint;
}

}  // namespace

std::string checkpoint_bytes(const Checkpoint& checkpoint) {
  Tensors tensors;
  const std::string meta = meta_of(checkpoint).dump();
  tensors.insert("meta", torch::from_blob(const_cast<char*>(meta.data()), {std::int64_t(meta.size())}, torch::kUInt8));
  for_each_array(checkpoint.learner, [&](const char* name, const std::vector<float>& values) {
    tensors.insert(name, torch::from_blob(const_cast<float*>(values.data()), {std::int64_t(values.size())}));
  });
  return with_trailer(torch::pickle_save(c10::IValue(tensors)));
}

void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  write_file_atomically(path, checkpoint_bytes(checkpoint));
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  return read_checkpoint(read_file(path), path.string());
}

Checkpoint read_checkpoint(const std::string& bytes, const std::string& where) {
  try {
    const c10::IValue value = torch::pickle_load(without_trailer(bytes));
    std::map<std::string, at::Tensor> tensors;
    for (const auto& entry : value.toGenericDict()) {
      tensors[entry.key().toStringRef()] = entry.value().toTensor().contiguous();
    }
    const at::Tensor& text = tensors.at("meta");
    const auto* characters = static_cast<const char*>(text.data_ptr());
    const json meta = json::parse(characters, characters + text.nbytes());
    if (meta.at("format") != "koridor checkpoint") throw std::runtime_error("no checkpoint of Koridor");
    if (meta.at("version") != kFormatVersion) throw ForeignFile(where + ": a checkpoint of another version of Koridor");
    Checkpoint checkpoint = from_meta(meta);
    for_each_array(checkpoint.learner, [&](const char* name, std::vector<float>& values) {
      const at::Tensor& tensor = tensors.at(name);
      const auto* begin = tensor.data_ptr<float>();
      values.assign(begin, begin + tensor.numel());
    });
    return checkpoint;
  } catch (const ForeignFile&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw UserError("damaged checkpoint " + where + ": " + first_line(error));
  }
}

}  // namespace koridor
