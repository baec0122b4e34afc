// The files of games that `koridor play` goes on with and saves.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/play/options.h"
#include "core/base/save_lock.h"
#include "core/saved_game.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

// The game of --load. Throws UserError where the file cannot be read, has fewer games, or is of another game than the
// command line says.
SavedGame load_game(const PlayOptions& options);

// How a game ended that no rule has ended.
struct GivenEnd {
  std::string result;       // as the format writes it; empty: the rules say it
  std::string termination;  // "resign", "time" or what a loaded file says; empty: nobody has said it
};

// The session's game up to its position, with the names of its seats.
SavedGame saved_game(const Session& session, const GivenEnd& end);

// The games of one run of `koridor play` on their way into files. A file holds the games that were in it before the run
// and behind them every game of the run that was saved there, in their order.
class GameFiles {
 public:
  // A game that was loaded from `continued`, alone there, takes its own place where it is saved there again.
  explicit GameFiles(std::string continued = "") : continued_(std::move(continued)) {}

  // Throws UserError where the file cannot be written, holds something else than games, or another process saves there.
  // From then on no other process does.
  void check(const Session& session, const std::string& path);

  struct Place {
    std::string file;
    int number = 1;  // of the game in the file, from 1
  };

  // Writes the present game, in place of what was saved of it before. Where `path` is empty, it is a new file in the
  // working folder that is named after the time, or in the folder of temporary files where that one cannot be written
  // to. Throws UserError with the system's reason.
  Place save(const Session& session, const GivenEnd& end, const std::string& path);
  // From now on another game is the present one.
  void next_game();

 private:
  struct Games {
    std::unique_ptr<SaveLock> lock;  // none of a new file
    std::string earlier;             // the text of the games before the present one
    int count = 0;                   // how many these are
    std::string present;             // empty: it was not saved here
  };
  Games& games_of(const Session& session, const std::string& path);
  void read_earlier(const Session& session, const std::string& path, Games& games) const;

  std::string continued_;
  std::map<std::string, Games> files_;  // by absolute paths
};

}  // namespace koridor::cli
