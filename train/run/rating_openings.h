// Where the games of a run's ratings begin: rating.opening_plies and rating.openings.
#pragma once

#include <string>

#include "core/registry.h"
#include "selfplay/matches/match.h"
#include "train/run/config.h"

namespace koridor {

// Sets the openings of a match. Of those in a file it takes one after the other, from a place on that options.seed
// decides, so that the matches of a generation do not all begin alike. Throws UserError that begins with
// "rating.openings: " where the file cannot be read, has no opening of the game, or one that ends it.
void set_openings(const RatingConfig& config, const AnyGame& game, MatchOptions& options);

// Throws UserError likewise, and where a match of so many games would need more openings than the file has: the same
// players would play the same games again.
void check_openings(const RatingConfig& config, const AnyGame& game, int games);

// What tells results from other openings apart: a hash of the file's bytes, 16 hexadecimal digits, or without one the
// number of random plies; empty where that is the default.
std::string openings_text(const RatingConfig& config);

}  // namespace koridor
