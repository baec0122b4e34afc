#include "train/learner/parameters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>

#include "core/base/random.h"

namespace koridor {
namespace {

// Output layers start small: the first policies are near uniform and the first values near indifferent.
constexpr double kOutputGain = 0.1;
// The squared norm up to which a filter is one that computes nothing.
constexpr double kNoFilter = 1e-20;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// "blocks.3.first.weight" -> "blocks.3.first"
std::string base_name(const std::string& name) {
  return name.substr(0, name.rfind('.'));
}

const ParameterEntry& find(const std::vector<ParameterEntry>& entries, const std::string& name) {
  const auto found = std::ranges::find(entries, name, &ParameterEntry::name);
  if (found == entries.end()) throw std::out_of_range("no parameter " + name);
  return *found;
}

void append(std::vector<ParameterEntry>& entries, std::size_t& count, const std::string& name,
            const std::vector<int>& shape) {
  entries.push_back({name, shape, count});
  count += entries.back().size();
}

// Index of element (out, in, tap) of a 3x3 weight in memory order, and in the model file's order.
std::size_t channels_last(int inputs, int out, int in, int tap) {
  return (std::size_t(out) * 9 + tap) * inputs + in;
}
std::size_t row_major(int inputs, int out, int in, int tap) {
  return (std::size_t(out) * inputs + in) * 9 + tap;
}

// The model's tensor, which has `size` numbers.
const std::vector<float>& tensor_of(const Model& model, const std::string& name, std::size_t size) {
  const std::vector<float>& values = model.tensors.at(name);
  if (values.size() != size) throw std::invalid_argument("a model whose " + name + " has another size");
  return values;
}

// Calls visit(out, in, tap) for each element of a 3x3 weight.
template <class Visit>
void for_each_3x3(const ParameterEntry& entry, Visit&& visit) {
  for (int out = 0; out < entry.shape[0]; ++out) {
    for (int in = 0; in < entry.shape[1]; ++in) {
      for (int tap = 0; tap < 9; ++tap) visit(out, in, tap);
    }
  }
}

// Throws std::invalid_argument unless the tensor of a smaller network has its place in that of the larger one. What a
// head says is no matter of size.
void require_room(const ParameterEntry& larger, const ParameterEntry& smaller) {
  const bool fits = larger.shape.size() == smaller.shape.size() &&
                    std::ranges::equal(smaller.shape, larger.shape, std::less_equal{}) &&
                    (!ends_with(base_name(larger.name), ".out") || smaller.shape[0] == larger.shape[0]);
  if (!fits) throw std::invalid_argument("a model whose " + smaller.name + " has another size");
}

// Puts the filters of a smaller network into the first rows of the larger one's. They do not see its further channels.
void place_3x3(const std::vector<float>& filters, const ParameterEntry& smaller, const ParameterEntry& larger,
               float* values) {
  const int inputs = larger.shape[1];
  std::fill_n(values, larger.size() / larger.shape[0] * smaller.shape[0], 0.0f);
  for_each_3x3(smaller, [&](int out, int in, int tap) {
    values[channels_last(inputs, out, in, tap)] = filters[row_major(smaller.shape[1], out, in, tap)];
  });
}

// The same of a matrix. What reads a pool reads the means of all channels, and then their largest values.
void place_matrix(const std::vector<float>& matrix, const ParameterEntry& smaller, const ParameterEntry& larger,
                  float* values) {
  const std::string& name = larger.name;
  const bool reads_pool =
      ends_with(name, ".pool.weight") || ends_with(name, ".pass.weight") || name == "value.hidden.weight";
  const int parts = reads_pool ? 2 : 1;
  const int length = smaller.shape[1] / parts;
  const int larger_length = larger.shape[1] / parts;
  std::fill_n(values, std::size_t(smaller.shape[0]) * larger.shape[1], 0.0f);
  for (int stretch = 0; stretch < smaller.shape[0] * parts; ++stretch) {
    std::copy_n(matrix.data() + std::size_t(stretch) * length, length, values + std::size_t(stretch) * larger_length);
  }
}

// Gives each filter the norm that He initialisation has, and has normalisation take that back by its variance. The norm
// of a normalised filter changes nothing that the network computes, but a step of the optimiser turns a short one by
// more. Folding makes most filters somewhat shorter, and some of the second ones of blocks a hundred times. A filter
// that is so long that no variance could take its factor back stays as long as it must.
void stretch_filters(std::span<float> weight, float* variance, int outputs) {
  const std::size_t length = weight.size() / static_cast<std::size_t>(outputs);
  for (int out = 0; out < outputs; ++out) {
    const std::span<float> filter = weight.subspan(static_cast<std::size_t>(out) * length, length);
    const double squares = std::transform_reduce(filter.begin(), filter.end(), 0.0, std::plus{},
                                                 [](float value) { return static_cast<double>(value) * value; });
    const double least = std::sqrt(static_cast<double>(kNormEpsilon));
    const double factor = squares > kNoFilter ? std::max(std::sqrt(2.0 / squares), least) : 1.0;
    for (float& value : filter) value = static_cast<float>(factor * value);
    variance[out] = static_cast<float>(std::max(0.0, factor * factor - kNormEpsilon));
  }
}

}  // namespace

std::size_t ParameterEntry::size() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

const ParameterEntry& ParameterLayout::parameter(const std::string& name) const {
  return find(parameters, name);
}
const ParameterEntry& ParameterLayout::statistic(const std::string& name) const {
  return find(statistics, name);
}

bool is_normalised(const std::string& name) {
  return name == "stem" || ends_with(name, ".first") || ends_with(name, ".second");
}

ParameterLayout parameter_layout(const NetworkConfig& config, const NetworkSignature& signature) {
  ParameterLayout layout;
  const auto tensors = network_tensors(config, signature);
  for (const auto& [name, shape] : tensors) {
    if (ends_with(name, ".weight")) append(layout.parameters, layout.parameter_count, name, shape);
  }
  layout.decayed_count = layout.parameter_count;
  for (const auto& [name, shape] : tensors) {
    if (!ends_with(name, ".bias")) continue;
    const std::string base = base_name(name);
    if (is_normalised(base)) {
      append(layout.parameters, layout.parameter_count, base + ".scale", shape);
      append(layout.parameters, layout.parameter_count, base + ".shift", shape);
      append(layout.statistics, layout.statistic_count, base + ".mean", shape);
      append(layout.statistics, layout.statistic_count, base + ".variance", shape);
    } else {
      append(layout.parameters, layout.parameter_count, name, shape);
    }
  }
  return layout;
}

std::vector<HiddenMatrix> hidden_matrices(const ParameterLayout& layout) {
  std::vector<HiddenMatrix> matrices;
  for (const ParameterEntry& entry : layout.parameters) {
    if (!entry.name.starts_with("blocks.") || !entry.name.ends_with(".weight")) continue;
    // No normalisation holds a pool's weights. At the whole rate they grow until what a pool adds to all squares hides,
    // in int8, what tells these apart (train/METHODS.md).
    const float share = entry.is_3x3() ? 1.0f : 0.25f;
    matrices.push_back({entry.offset, entry.shape[0], static_cast<int>(entry.size()) / entry.shape[0], share});
  }
  return matrices;
}

Weights random_weights(const ParameterLayout& layout, std::uint64_t seed) {
  Weights weights{std::vector<float>(layout.parameter_count, 0.0f), std::vector<float>(layout.statistic_count, 0.0f)};
  Random random(seed);
  for (const ParameterEntry& entry : layout.parameters) {
    float* values = weights.parameters.data() + entry.offset;
    if (entry.offset < layout.decayed_count) {
      const std::size_t fan_in = entry.size() / entry.shape[0];
      const double gain =
          ends_with(entry.name, ".out.weight") || ends_with(entry.name, ".pass.weight") ? kOutputGain : 1.0;
      const double deviation = gain * std::sqrt(2.0 / static_cast<double>(fan_in));
      for (std::size_t i = 0; i < entry.size(); ++i) values[i] = static_cast<float>(deviation * random.normal());
    } else if (ends_with(entry.name, ".scale") && !ends_with(entry.name, ".second.scale")) {
      std::fill_n(values, entry.size(), 1.0f);
    }
  }
  for (const ParameterEntry& entry : layout.statistics) {
    if (ends_with(entry.name, ".variance")) std::fill_n(weights.statistics.data() + entry.offset, entry.size(), 1.0f);
  }
  return weights;
}

Model export_model(const ParameterLayout& layout, const Weights& weights, const ModelInfo& info) {
  Model model{info, {}};
  for (const ParameterEntry& entry : layout.parameters) {
    const float* values = weights.parameters.data() + entry.offset;
    const std::string base = base_name(entry.name);
    if (!is_normalised(base)) {
      model.tensors[entry.name].assign(values, values + entry.size());
      continue;
    }
    if (!ends_with(entry.name, ".weight")) continue;
    const int outputs = entry.shape[0];
    const int inputs = entry.shape[1];
    const float* scale = weights.parameters.data() + layout.parameter(base + ".scale").offset;
    const float* shift = weights.parameters.data() + layout.parameter(base + ".shift").offset;
    const float* mean = weights.statistics.data() + layout.statistic(base + ".mean").offset;
    const float* variance = weights.statistics.data() + layout.statistic(base + ".variance").offset;
    std::vector<float> factor(outputs);
    std::vector<float>& bias = model.tensors[base + ".bias"];
    bias.resize(outputs);
    for (int out = 0; out < outputs; ++out) {
      factor[out] = scale[out] / std::sqrt(variance[out] + kNormEpsilon);
      bias[out] = shift[out] - mean[out] * factor[out];
    }
    std::vector<float>& weight = model.tensors[entry.name];
    weight.resize(entry.size());
    for_each_3x3(entry, [&](int out, int in, int tap) {
      weight[row_major(inputs, out, in, tap)] = values[channels_last(inputs, out, in, tap)] * factor[out];
    });
  }
  return model;
}

Weights import_model(const ParameterLayout& layout, const Model& model, Weights otherwise) {
  const ParameterLayout there = parameter_layout(model.info.network, model.info.signature);
  Weights weights = std::move(otherwise);
  for (const ParameterEntry& entry : layout.statistics) {
    std::fill_n(weights.statistics.data() + entry.offset, entry.size(),
                ends_with(entry.name, ".variance") ? 1.0f : 0.0f);
  }
  for (const ParameterEntry& entry : layout.parameters) {
    const std::string base = base_name(entry.name);
    if (!model.tensors.contains(base + ".weight")) continue;  // a new head's or block's
    const ParameterEntry& smaller = there.parameter(entry.name);
    require_room(entry, smaller);
    float* values = weights.parameters.data() + entry.offset;
    if (ends_with(entry.name, ".scale")) {
      std::fill_n(values, smaller.size(), 1.0f);
    } else if (ends_with(entry.name, ".shift")) {
      std::ranges::copy(tensor_of(model, base + ".bias", smaller.size()), values);
    } else if (entry.is_3x3()) {
      place_3x3(tensor_of(model, entry.name, smaller.size()), smaller, entry, values);
      const int filters = smaller.shape[0];
      stretch_filters({values, entry.size() / entry.shape[0] * filters},
                      weights.statistics.data() + layout.statistic(base + ".variance").offset, filters);
    } else if (entry.shape.size() == 2) {
      place_matrix(tensor_of(model, entry.name, smaller.size()), smaller, entry, values);
    } else {
      std::ranges::copy(tensor_of(model, entry.name, smaller.size()), values);
    }
  }
  return weights;
}

}  // namespace koridor
