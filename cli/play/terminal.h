// Games at a terminal: people in some seats, players in the others, at a clock where the options say one.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "cli/play/game_files.h"
#include "cli/play/line_reader.h"
#include "cli/play/options.h"
#include "cli/play/screen.h"
#include "cli/play/seats.h"
#include "selfplay/matches/adjudication.h"
#include "selfplay/matches/seat_clocks.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

// What goes on from one game to the next.
struct TerminalParts {
  const MatchPlayer* adviser;  // has the model of the hints; may be null
  const PlayOptions& options;
  GameFiles& files;
  LineReader& lines;
  const std::atomic<bool>& stop;  // ends the game as the end of the input does; `lines` must watch it too
};

class Terminal {
 public:
  // Everything must outlive the terminal.
  Terminal(Session& session, Seats& seats, const TerminalParts& parts);

  enum class Again { no, yes, swapped };
  // Plays the session's game to its end, or until somebody ends it, and saves it as the options say; a game that was
  // broken off is saved in any case, and so is one that ends with a UserError. A game with a result in `end` is over
  // already. Returns whether another game is wanted, with the same seats or each moved by one.
  Again play(GivenEnd end);

 private:
  enum class Turn {
    played,    // the session is at another position, or the game was given up
    broken,    // the input has ended, or somebody stopped the program
    finished,  // somebody said `quit`
  };

  // Plays from here to the end of the game; false where it was broken off.
  bool play_on();
  Turn ask();
  Turn reply();
  // Does what a line says; nothing where it changes nothing and the next line is to be read.
  std::optional<Turn> obey(const std::string& line);
  // Does what a line says that changes no game; false where it says something else. `line` is in lower case.
  bool show_as_asked(const std::string& line);
  void introduce();
  void show_help();
  void show() const;
  void hint();
  bool undo();
  bool resign();
  void save(const std::string& path);
  bool kept() const;
  void rescue();
  void played(Action action);
  bool start_clock();
  void lose_on_time(int seat);
  bool gives_up(const SeatChoice& choice, int seat);
  // The turns that looked lost belong to another game, or were taken back.
  void forget_turns();
  void finish();
  // Says who has won and how. `agreed`: people have just counted.
  void announce(bool agreed) const;
  std::string manner() const;
  // Nothing where somebody took the end back.
  std::optional<Again> ask_for_another();

  bool over() const { return !end_.result.empty() || session_.outcome().over(); }

  Session& session_;
  Seats& seats_;
  const MatchPlayer* adviser_;
  const PlayOptions& options_;
  const std::atomic<bool>& stop_;
  Screen screen_;
  GameFiles& files_;
  LineReader& lines_;
  SeatClocks clocks_;
  GivenEnd end_;        // of a game given up, lost on time or counted by agreement
  Adjudication rules_;  // by which models give up
  Random random_{options_.draws};
  bool plays_on_ = false;                   // in this game nobody resigns (ResignRule::play_on)
  std::optional<Adjudicator> adjudicator_;  // none where they never do
  bool late_ = false;                       // somebody has lost on time
  bool thinks_on_ = false;                  // after an undo the same person is to move, whose clock has not stopped
  bool help_due_ = false;                   // before the next turn of a person
  bool changed_ = false;                    // whether anybody has played since the game was loaded or saved
};

}  // namespace koridor::cli
