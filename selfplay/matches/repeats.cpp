#include "selfplay/matches/repeats.h"

#include <algorithm>

#include "core/base/random.h"

namespace koridor {

std::uint64_t hash_of(const MatchGame& game) {
  std::uint64_t hash = 0;
  for (const std::int16_t player : game.seats) hash = mix64(hash ^ static_cast<std::uint64_t>(player));
  for (const Action action : game.actions) hash = mix64(hash ^ static_cast<std::uint64_t>(index(action)));
  return hash;
}

int count_repeats(std::vector<std::uint64_t> hashes) {
  std::ranges::sort(hashes);
  return static_cast<int>(hashes.end() - std::unique(hashes.begin(), hashes.end()));
}

}  // namespace koridor
