// The lines of the UCI-like loop in their parts, and the numbers it speaks of.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/game.h"
#include "core/wall/game.h"

namespace koridor::cli {

// A line in its words. All control characters part them.
std::vector<std::string> uci_words(std::string_view line);

// What a line `go ...` asks for. Times are in seconds.
struct GoRequest {
  int visits = 0;                                // `nodes`; 0: not said
  double move_seconds = 0;                       // `movetime`; 0: not said
  std::array<std::optional<double>, 2> times{};  // `wtime`, `btime`
  std::array<double, 2> increments{};            // `winc`, `binc`
  int moves_to_go = 0;                           // 0: the rest of the game
  bool infinite = false;
  bool ponder = false;

  // Whether it says when the search ends.
  bool limited() const { return visits > 0 || move_seconds > 0 || times[0] || times[1] || infinite; }
};
// Reads the words behind `go`. Words that it does not know are passed over, as UCI wants it. Throws UserError where a
// number is missing, or is none.
GoRequest parse_go(std::span<const std::string> words);

// A line `setoption name NAME [value VALUE]`.
struct OptionRequest {
  std::string name;  // in lower case
  std::string value;
};
// Reads the words behind `setoption`. Throws UserError where they are none.
OptionRequest parse_option(std::span<const std::string> words);

// A whole number in [least, most]. Throws UserError, which begins with `what`, where the word is none.
int uci_number(std::string_view word, int least, int most, std::string_view what);

// The expectation `value` in [0, 1] as a score in hundredths: 400 log10(value / (1 - value)), the difference in Elo
// that goes with it, in [-2400, 2400].
int score_of(double value);

// The turns that who moves in `position` has within the next `plies` plies, the last of which ends the game. `line` are
// the first of them; behind its end every turn is taken to have the usual plies. A turn that has begun is counted.
int own_turns(const wall::WallGame& game, Position<wall::WallGame> position, std::span<const Action> line, int plies);

}  // namespace koridor::cli
