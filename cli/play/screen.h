// What a person sees of a game: the board, hints, and that a player thinks.
#pragma once

#include <string>

#include "cli/play/options.h"
#include "core/search/clock.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

// "Player 1", "Black".
std::string seat_name_at_line_start(const Session& session, int seat);

class Screen {
 public:
  Screen(const Session& session, const PlayOptions& options);

  // Prints the board with the actions since `since` marked (a number of plies, from 0), and names them below it where
  // the terminal is too low to show what was above.
  void show(int since) const;
  // The board with other marks than those of the play. Returns its number of lines.
  std::ptrdiff_t show(BoardView view) const;
  // Shows another seat's side at the bottom, the next one's in the order of the turns.
  void turn();

  // Prints what is left on the clocks of all seats; nothing where there are none.
  void times(GameClocks clocks) const;

  // Prints what the session's search says of the position: whose chances, and its best actions.
  void hint(const Analysis& analysis) const;

 private:
  const Session& session_;
  bool colour_;
  int view_;  // the seat at the bottom
};

// While it exists, a terminal shows that somebody thinks, and for how long; it leaves no trace.
class ThinkingSign {
 public:
  explicit ThinkingSign(std::string who);
  ~ThinkingSign();
  ThinkingSign(const ThinkingSign&) = delete;
  ThinkingSign& operator=(const ThinkingSign&) = delete;

  void update(double seconds);

 private:
  std::string who_;
  bool terminal_;
  double next_ = 0.2;  // seconds after which the sign is written again; quick answers show none
  bool shown_ = false;
};

}  // namespace koridor::cli
