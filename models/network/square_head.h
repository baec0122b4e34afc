// What a head with a number for each square says of one position. Evaluators compute only what the search reads; this
// is for people's eyes, one position at a time, by the formula of network.h in plain float32 loops.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/game.h"
#include "models/network/learned_rules.h"
#include "models/network/model_file.h"

namespace koridor {

// The head's numbers, [count * rows * columns], its activation applied; empty where the model has no head of this name
// with the extent `squares`. `planes` and `scalars` are one encoded position of `shape`, which the model fits.
std::vector<float> square_head(const Model& model, const EncodingShape& shape, std::span<const float> planes,
                               std::span<const float> scalars, std::string_view name);

// Whether the model learned on a board of this family and size. On others a head says what it has never learned.
bool learned_on(const ModelInfo& info, std::string_view family, const EncodingShape& shape);

// The probability that player 0 will own each square at the end of the game, [rows * columns] in the order of the
// actions; empty where the model has no ownership head, or has not learned on such a board.
template <Game G>
std::vector<float> predicted_owners(const Model& model, const G& game, const typename G::State& state) {
  const EncodingShape shape = game.encoding(model.info.features);
  if (!learned_on(model.info, game.family(), shape) || !model.info.signature.same_inputs(signature(shape))) return {};
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  game.encode(state, model.info.features, 0, planes.data(), scalars.data());
  show_learned_rules(learned_rules(model), scalars, shape.scalars);
  const std::vector<float> seen = square_head(model, shape, planes, scalars, "ownership");
  // A file may have any head of this name.
  if (seen.size() != static_cast<std::size_t>(shape.area())) return {};
  std::vector<float> owners(seen.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const Action action{static_cast<std::uint16_t>(i)};
    const float own = seen[static_cast<std::size_t>(game.policy_index(state, 0, action))];
    owners[i] = game.player_to_move(state) == 0 ? own : 1.0f - own;
  }
  return owners;
}

}  // namespace koridor
