// The file of a small network with random weights.
#pragma once

#include <string>
#include <variant>

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor {

inline void write_tiny_model(const std::string& path, std::uint64_t seed,
                             const std::string& game = "quoridor:3x3,walls=1") {
  ModelInfo info;
  std::visit(
      [&](const auto& known) {
        info.family = known.family();
        info.signature = signature(known.encoding(info.features));
      },
      parse_game(game));
  info.game = game;
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  save_model(path, random_model(info, seed));
}

}  // namespace koridor
