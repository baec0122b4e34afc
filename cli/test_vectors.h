// Test vectors for programs that compute a model by themselves: positions as the network sees them, and what our
// evaluator says of them.
#pragma once

#include <cstdint>
#include <string>

#include "core/registry.h"
#include "models/evaluation.h"
#include "models/network/model_file.h"

namespace koridor::cli {

struct TestVectorOptions {
  Evaluation evaluation{};
  int count = 1;
  std::uint64_t seed = 1;
};

// The bytes of a safetensors file with `options.count` positions out of games of random legal actions, without a
// position that ends a game: planes [count, planes, rows, columns], scalars [count, scalars], policy [count,
// policy_size] (logits), value [count, players + 1] and auxiliary [count, players], all float32. Equal seeds give equal
// positions. Throws UserError, in which `where` names the model, where it does not fit the game.
std::string test_vectors(const Model& model, const std::string& where, const AnyGame& game,
                         const TestVectorOptions& options);

}  // namespace koridor::cli
