#include "models/winograd_layers.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "models/evaluator.h"
#include "models/onednn_network.h"

namespace koridor {
namespace {

// Ranges of what each convolution reads, by its place among the network's activations.
using Ranges = std::vector<std::vector<float>>;

Ranges measure_ranges(const Model& model, const EncodingShape& shape) {
  const CalibrationPositions positions = calibration_positions(model, shape);
  const winograd::Tiles tiles{positions.shape.rows, positions.shape.columns,
                              padded_channels(model.info.network.channels)};
  const std::size_t each = static_cast<std::size_t>(tiles.rows * tiles.columns * tiles.channels);
  Ranges ranges(static_cast<std::size_t>(network_activations(model.info.network)));
  observe_activations(model, positions.shape, positions.batch(), [&](int activation, std::span<const float> values) {
    if (activation == 0) return;  // the stem is not ours
    std::vector<float>& mine = ranges[static_cast<std::size_t>(activation)];
    mine.resize(static_cast<std::size_t>(winograd::kPoints * tiles.channels));
    for (std::size_t at = 0; at < values.size(); at += each) widen_ranges(tiles, values.data() + at, mine);
  });
  return ranges;
}

}  // namespace

std::vector<WinogradConvolution> make_winograd_layers(const Model& model, const EncodingShape& shape,
                                                      const Units& units) {
  const NetworkConfig& network = model.info.network;
  const winograd::Tiles tiles{shape.rows, shape.columns, padded_channels(network.channels)};
  std::vector<WinogradConvolution> layers;
  if (!winograd_pays(tiles)) return layers;
  const Ranges ranges = measure_ranges(model, shape);
  const auto add = [&](const WinogradSpec& spec, const std::string& name, int reads) {
    layers.emplace_back(spec, model.tensors.at(name + ".weight"), model.tensors.at(name + ".bias"), network.channels,
                        ranges[static_cast<std::size_t>(reads)]);
  };
  for (int block = 0; block < network.blocks; ++block) {
    const int y = 2 + kBlockActivations * block;  // its place; before it x of the block before, behind it y pooled
    const std::string name = fmt::format("blocks.{}", block);
    add({tiles, units.x(block - 1), units.y(block), 0.0f}, name + ".first", y - 1);
    add({tiles, units.pooled(block), units.x(block), units.x(block - 1)}, name + ".second", y + 1);
  }
  return layers;
}

}  // namespace koridor
