// The games of a match in a file: notation text for wall games, an SGF collection for Go (core/saved_game.h).
#pragma once

#include <fstream>
#include <string>

#include "core/saved_game.h"
#include "selfplay/matches/match.h"

namespace koridor::cli {

// Writes each game as it ends, so that a match that is stopped keeps what it has played.
class MatchGames {
 public:
  // Begins the file anew. Throws UserError where it cannot be written. The game must outlive the object.
  MatchGames(const std::string& path, const AnyGame& game, const std::string& a, const std::string& b);

  // Throws UserError where the disk does not take it.
  void add(const MatchGame& played);

 private:
  std::string path_;
  const AnyGame& game_;
  std::string a_;
  std::string b_;
  std::ofstream file_;
};

}  // namespace koridor::cli
