// Where the games of a run's ratings begin: rating.opening_plies and rating.openings.
#pragma once

#include <string>

#include "core/registry.h"
#include "selfplay/matches/match.h"
#include "train/run/config.h"

namespace koridor {

// Sets the openings of a match. Of those in a file it takes one after the other, from a place on that options.seed
// decides, so that the matches of a generation do not all begin alike. Throws UserError where the file cannot be read,
// is none, or has no opening of the game.
void set_openings(const RatingConfig& config, const AnyGame& game, MatchOptions& options);

// The file's contents as a number in words, so that results from different openings are told apart; empty without one.
std::string openings_text(const RatingConfig& config);

}  // namespace koridor
