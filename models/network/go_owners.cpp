#include "models/network/go_owners.h"

#include <variant>

#include "core/base/error.h"
#include "core/go/count.h"
#include "core/registry.h"
#include "models/network/square_head.h"

namespace koridor {
namespace {

// On boards of another size a head says what it has never learned.
bool learned_on(const Model& model, const go::GoGame& game) {
  try {
    const AnyGame learned = parse_game(model.info.game);
    const auto* const known = std::get_if<go::GoGame>(&learned);
    return known != nullptr && known->rules().columns == game.rules().columns &&
           known->rules().rows == game.rules().rows;
  } catch (const UserError&) {  // a game of a later build
    return false;
  }
}

}  // namespace

std::vector<float> expected_owners(const Model* model, const go::GoGame& game, const go::State& state) {
  if (model != nullptr && learned_on(*model, game)) {
    std::vector<float> owners = predicted_owners(*model, game, state);
    if (!owners.empty()) return owners;
  }
  return go::owners_by_playouts(game, state);
}

}  // namespace koridor
