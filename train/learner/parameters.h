// Where each trainable number lies. All parameters of the network are one contiguous buffer, and all statistics of its
// normalisations another, so that the optimiser, the average and a checkpoint are plain loops over arrays. The tensors
// of LibTorch are views of these buffers.
//
// Batch normalisation takes the place of the bias of the trunk's convolutions, for each channel:
//     norm(y) = scale * (y - mean) / sqrt(variance + kNormEpsilon) + shift
// Where the model file has `.weight` and `.bias`, the stem and the blocks therefore hold `.weight`, `.scale`, `.shift`
// and the statistics `.mean` and `.variance`. The heads are as in the model file (models/network/network.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network/model_file.h"
#include "models/network/network.h"
#include "train/learner/muon.h"

namespace koridor {

inline constexpr float kNormEpsilon = 1e-5f;

struct ParameterEntry {
  std::string name;        // as in the model file, or ending in .scale or .shift
  std::vector<int> shape;  // a 3x3 weight [out, in, 3, 3] lies channels-last in memory: [out, 3, 3, in]
  std::size_t offset = 0;  // in floats

  std::size_t size() const;
  bool is_3x3() const { return shape.size() == 4; }
};

struct ParameterLayout {
  // First all weights, in the order of network_tensors(); then in the same order, layer by layer, the scale and the
  // shift of a normalised one and the bias of another.
  std::vector<ParameterEntry> parameters;
  std::size_t parameter_count = 0;
  std::size_t decayed_count = 0;           // the number of weights: they come first, and only they decay
  std::vector<ParameterEntry> statistics;  // .mean and .variance of each normalised convolution in turn
  std::size_t statistic_count = 0;

  // Throws std::out_of_range for a name it does not have.
  const ParameterEntry& parameter(const std::string& name) const;
  const ParameterEntry& statistic(const std::string& name) const;
};

// The blocks' weights as matrices: of convolutions [out, 9 * in], and of pools [out, 2 * in], which learn at a quarter
// of the rate.
std::vector<HiddenMatrix> hidden_matrices(const ParameterLayout& layout);

ParameterLayout parameter_layout(const NetworkConfig& config, const NetworkSignature& signature);

// Whether the layer is normalised: "stem", "blocks.0.first", "blocks.0.second", ...
bool is_normalised(const std::string& name);

// The network's numbers: parameters [parameter_count] and statistics [statistic_count].
struct Weights {
  std::vector<float> parameters;
  std::vector<float> statistics;
};

// He initialisation (He et al. 2015). The last scale of each residual block is 0, so that it starts as the identity.
Weights random_weights(const ParameterLayout& layout, std::uint64_t seed);

// The model of these weights, with normalisation folded into weights and biases.
Model export_model(const ParameterLayout& layout, const Weights& weights, const ModelInfo& info);

// Weights that compute what `model` does, with means of 0 and 3x3 filters of the norm that He initialisation gives
// them. Its network may be smaller (grows_into()). Heads, blocks and channels that it lacks are those of `otherwise`,
// which random_weights() has made: blocks that compute the identity, and channels that nothing of the model's reads, so
// that both change nothing until they learn (as Chen et al. 2016, "Net2Net", whose new channels are copies). Training
// normalises by each batch's own statistics, so the statistics must be fitted before it (Net::fit_statistics). Throws
// std::invalid_argument for a tensor that does not fit.
Weights import_model(const ParameterLayout& layout, const Model& model, Weights otherwise);

}  // namespace koridor
