// Where each trainable number lies. All parameters of the network are one contiguous buffer (and all statistics of its
// normalisations another), so that the optimiser, the average and a checkpoint are plain loops over arrays; the
// LibTorch modules see views of it.
//
// Convolutions of the trunk are followed by batch normalisation instead of having a bias:
//     norm(y) = scale * (y - mean) / sqrt(variance + kNormEpsilon) + shift                           (a channel)
// so the stem and the blocks hold `.weight`, `.scale`, `.shift` and the statistics `.mean`, `.variance` where the model
// file has `.weight` and `.bias`. The heads are as in the model file (models/network.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/network/model_file.h"
#include "models/network/network.h"

namespace koridor {

inline constexpr float kNormEpsilon = 1e-5f;

struct ParameterEntry {
  std::string name;        // of the model file, or with .scale, .shift
  std::vector<int> shape;  // a 3x3 weight [out, in, 3, 3] lies channels-last in memory: [out, 3, 3, in]
  std::size_t offset = 0;  // in floats

  std::size_t size() const;
  bool is_3x3() const { return shape.size() == 4; }
};

struct ParameterLayout {
  std::vector<ParameterEntry> parameters;  // weights first, then scales, shifts and biases
  std::size_t parameter_count = 0;
  std::size_t decayed_count = 0;           // the first so many floats are weights, the only ones that decay
  std::vector<ParameterEntry> statistics;  // .mean and .variance of each normalised convolution
  std::size_t statistic_count = 0;

  // Throws std::out_of_range for a name it does not have.
  const ParameterEntry& parameter(const std::string& name) const;
  const ParameterEntry& statistic(const std::string& name) const;
};

ParameterLayout parameter_layout(const NetworkConfig& config, const NetworkSignature& signature);

// The tensors "stem", "blocks.0.first", ... that are normalised.
bool is_normalised(const std::string& name);

// A state of the network: parameters [parameter_count] and statistics [statistic_count].
struct Weights {
  std::vector<float> parameters;
  std::vector<float> statistics;
};

// He initialisation; the last scale of each residual block starts at 0, so that a block starts as the identity.
Weights random_weights(const ParameterLayout& layout, std::uint64_t seed);

// The model file's tensors, normalisation folded into weights and biases.
Model export_model(const ParameterLayout& layout, const Weights& weights, const ModelInfo& info);

// Weights that compute what `model` does (heads that it lacks: what `otherwise` does) as long as the statistics are used as they are (mean 0, deviation 1). Training
// normalises by each batch's own statistics, so the statistics are fitted before it (Net::fit_statistics).
Weights import_model(const ParameterLayout& layout, const Model& model, Weights otherwise);

}  // namespace koridor
