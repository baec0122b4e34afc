#include "train/targets/final_owners.h"

#include <cstdint>
#include <string>

#include "core/base/random.h"
#include "core/go/count.h"

namespace koridor {

const std::vector<float>& final_owners(const go::GoGame& game, const go::State& state) {
  constexpr int kPlayouts = 100;
  // Two standard deviations of such a share near a half. A seki's share, which is near a half, is undecided.
  constexpr float kUndecided = 0.1f;
  struct Kept {
    std::string game;
    std::uint64_t key = 0;
    std::vector<float> owners;
  };
  thread_local Kept kept;
  const std::uint64_t key = game.key(state);
  if (kept.owners.empty() || kept.key != key || kept.game != game.name()) {
    Random random(key);
    kept = {game.name(), key, go::owners_by_playouts(game, state, kPlayouts, random)};
    for (float& owner : kept.owners) {
      owner = owner > 0.5f + kUndecided ? 1.0f : owner < 0.5f - kUndecided ? 0.0f : 0.5f;
    }
  }
  return kept.owners;
}

}  // namespace koridor
