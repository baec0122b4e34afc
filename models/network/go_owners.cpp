#include "models/network/go_owners.h"

#include "core/go/count.h"
#include "models/network/square_head.h"

namespace koridor {

std::vector<float> expected_owners(const Model* model, const go::GoGame& game, const go::State& state) {
  std::vector<float> owners = model != nullptr ? predicted_owners(*model, game, state) : std::vector<float>{};
  return owners.empty() ? go::owners_by_playouts(game, state) : owners;
}

}  // namespace koridor
