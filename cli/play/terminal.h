// Games at a terminal: people in some seats, players in the others.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "cli/play/line_reader.h"
#include "cli/play/options.h"
#include "cli/play/screen.h"
#include "cli/play/seats.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

class Terminal {
 public:
  // `adviser` has the model of the hints; it may be null. Everything must outlive the terminal. `stop` ends the game as
  // the end of the input does; `lines` must watch it too.
  Terminal(Session& session, Seats& seats, const MatchPlayer* adviser, const PlayOptions& options, LineReader& lines,
           const std::atomic<bool>& stop);

  enum class Again { no, yes, swapped };
  // Plays the session's game to its end, or until somebody ends it, and saves it as the options say; a game that was
  // broken off is saved in any case. Returns whether another game is wanted, with the same seats or each moved by one.
  Again play();

 private:
  enum class Turn {
    played,    // the session is at another position, or the game was given up
    broken,    // the input has ended, or somebody stopped the program
    finished,  // somebody said `quit`
  };

  Turn ask();
  Turn reply();
  // Does what a line says; nothing where it changes nothing and the next line is to be read.
  std::optional<Turn> obey(const std::string& line);
  void introduce() const;
  void show() const;
  void hint();
  void undo();
  bool resign();
  void save(const std::string& path);
  void played(Action action);
  bool gives_up(const SeatChoice& choice, int seat);
  void finish();
  void announce() const;
  Again ask_for_another();

  bool over() const { return !result_.empty() || session_.outcome().over(); }

  Session& session_;
  Seats& seats_;
  const MatchPlayer* adviser_;
  const PlayOptions& options_;
  const std::atomic<bool>& stop_;
  Screen screen_;
  LineReader& lines_;
  std::string result_;                       // of a game given up or counted by agreement; empty: the rules say it
  std::array<int, kMaxPlayers> hopeless_{};  // turns in a row that a seat's player saw no chance
  bool changed_ = false;                     // whether a person has played since the game was loaded or saved
};

}  // namespace koridor::cli
