#include "bench/bench_model.h"

#include <cstddef>
#include <variant>
#include <vector>

#include "bench/random_states.h"
#include "models/backends.h"

namespace koridor::bench {

Model random_network(const AnyGame& any, const NetworkConfig& network, const Features& features) {
  ModelInfo info;
  info.features = features;
  info.network = network;
  std::visit(
      [&](const auto& game) {
        info.family = game.family();
        info.game = game.name();
        info.signature = signature(game.encoding(features));
      },
      any);
  return random_model(info, 1);
}

Model calibrated(const AnyGame& any, Model model) {
  if (!model.calibration.empty()) return model;
  constexpr int kMany = 128;
  std::visit(
      [&](const auto& game) {
        const EncodingShape shape = game.encoding(model.info.features);
        const auto plane_floats = static_cast<std::size_t>(shape.plane_floats());
        const auto scalar_floats = static_cast<std::size_t>(shape.scalars);
        std::vector<float> planes(kMany * plane_floats), scalars(kMany * scalar_floats);
        const auto states = random_states(game, kMany);
        for (std::size_t i = 0; i < states.size(); ++i) {
          game.encode(states[i], model.info.features, 0, planes.data() + i * plane_floats,
                      scalars.data() + i * scalar_floats);
        }
        calibrate_for_backends(model, shape, {kMany, planes, scalars});
      },
      any);
  return model;
}

}  // namespace koridor::bench
