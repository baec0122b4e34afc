#include "train/run/rating_openings.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/random.h"
#include "selfplay/matches/openings.h"

namespace koridor {

void set_openings(const RatingConfig& config, const AnyGame& game, MatchOptions& options) {
  options.opening_plies = config.opening_plies;
  if (config.openings.empty()) return;
  try {
    using Openings = std::vector<std::vector<Action>>;
    options.openings = std::make_shared<const Openings>(read_openings(config.openings, game));
  } catch (const UserError& error) {
    throw UserError(fmt::format("rating.openings: {}", error.what()));
  }
  options.first_opening = static_cast<std::size_t>(mix64(options.seed) % options.openings->size());
}

void check_openings(const RatingConfig& config, const AnyGame& game, int games) {
  MatchOptions options;
  set_openings(config, game, options);
  if (!options.openings) return;
  const int players = players_of(game);
  const int needed = (games + players - 1) / players;
  if (std::ssize(*options.openings) >= needed) return;
  throw UserError(fmt::format("rating.openings: {} has {} of {}, and {} games take {}; `koridor openings` draws more",
                              config.openings, counted(std::ssize(*options.openings), "opening"), name_of(game), games,
                              needed));
}

std::string openings_text(const RatingConfig& config) {
  if (!config.openings.empty()) return file_hash(config.openings);
  // With the default it is empty, as it was before the number of plies was part of it: matches kept then count on.
  if (config.opening_plies == RatingConfig{}.opening_plies) return {};
  return fmt::format("\nopening_plies={}", config.opening_plies);
}

}  // namespace koridor
