// The smallest model of a game, with random weights, for tests whose subject is not the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "core/registry.h"
#include "models/network/model_file.h"

namespace koridor::test {

struct TinyModelOptions {
  bool ownership = false;  // with a head for the owners of squares
  std::uint64_t seed = 1;  // of the weights
};

inline std::shared_ptr<const Model> tiny_model(const AnyGame& any, const TinyModelOptions& options = {}) {
  ModelInfo info;
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  std::visit(
      [&](const auto& game) {
        info.game = game.name();
        info.family = game.family();
        info.signature = signature(game.encoding(info.features));
      },
      any);
  if (options.ownership) info.signature.heads.push_back({"ownership", Extent::squares, Activation::sigmoid, 1});
  return std::make_shared<const Model>(random_model(info, options.seed));
}

// The file of that model. Returns its path.
inline std::string write_tiny_model(const std::filesystem::path& path, std::uint64_t seed,
                                    const std::string& game = "quoridor:3x3,walls=1") {
  save_model(path.string(), *tiny_model(parse_game(game), {.seed = seed}));
  return path.string();
}

}  // namespace koridor::test
