#include "models/network/go_owners.h"

#include <algorithm>
#include <string>
#include <variant>

#include "core/base/error.h"
#include "core/go/count.h"
#include "core/registry.h"
#include "models/network/square_head.h"

namespace koridor {
namespace {

bool has_board(const std::string& name, const go::Rules& rules) {
  try {
    const AnyGame learned = parse_game(name);
    const auto* const known = std::get_if<go::GoGame>(&learned);
    return known != nullptr && known->rules().columns == rules.columns && known->rules().rows == rules.rows;
  } catch (const UserError&) {  // a game of a later build
    return false;
  }
}

// On boards of another size a head says what it has never learned.
bool learned_on(const ModelInfo& info, const go::Rules& rules) {
  return std::ranges::any_of(learned_games(info), [&](const std::string& name) { return has_board(name, rules); });
}

}  // namespace

std::vector<float> expected_owners(const Model* model, const go::GoGame& game, const go::State& state) {
  if (model != nullptr && learned_on(model->info, game.rules())) {
    std::vector<float> owners = predicted_owners(*model, game, state);
    if (!owners.empty()) return owners;
  }
  return go::owners_by_playouts(game, state);
}

}  // namespace koridor
