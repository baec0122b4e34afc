// The files of games that `koridor play` goes on with and saves.
#pragma once

#include <string>

#include "cli/play/options.h"
#include "core/saved_game.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

// The game of --load. Throws UserError where the file cannot be read, has fewer games, or is of another game than the
// command line says.
SavedGame load_game(const PlayOptions& options);

// The session's game up to its position, with the names of its seats. An empty result is that of the rules.
SavedGame saved_game(const Session& session, const std::string& result);

// Writes the game into the file, and returns the file's name. Where `path` is empty, it is a new file in the working
// folder that is named after the time, or in the folder of temporary files where that one cannot be written to. Throws
// UserError with the system's reason.
std::string save_game(const Session& session, const std::string& result, const std::string& path);

}  // namespace koridor::cli
