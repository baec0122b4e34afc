#include "train/run/rating_openings.h"

#include <memory>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "selfplay/matches/openings.h"
#include "train/run/yardstick_file.h"

namespace koridor {

void set_openings(const RatingConfig& config, const AnyGame& game, MatchOptions& options) {
  options.opening_plies = config.opening_plies;
  if (config.openings.empty()) return;
  using Openings = std::vector<std::vector<Action>>;
  auto openings = std::make_shared<const Openings>(read_openings(config.openings, game, -1, "rating.openings"));
  options.first_opening = static_cast<std::size_t>(mix64(options.seed) % openings->size());
  options.openings = std::move(openings);
}

std::string openings_text(const RatingConfig& config) {
  return config.openings.empty() ? std::string() : "openings " + file_hash(config.openings, "");
}

}  // namespace koridor
