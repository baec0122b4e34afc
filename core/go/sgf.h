// Go records: SGF FF[4] (Smart Game Format, game 1), one game a file, its main line.
//
// Read: GM, SZ, RU, KM, HA, PL, AB, AW, AE (before the first move), B, W, PB, PW, RE; everything else is passed over.
// Moves are checked against the rules. Older files (FF[1] to FF[3]) read the same way; "tt" is a pass up to 19x19.
// Written: the same properties, text escaped, so that reading gives back rules, position and moves.
//
// RU: a ruleset's name in any case, "AGA", "NZ" or "Korean" as their sets of our rules, or rules of our own as in a
// variant string ("tromp-taylor,ko=simple"). Without RU, or with one that is not known, tromp-taylor and a note.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/go/game.h"

namespace koridor::go {

struct Record {
  GoGame game;
  State start;  // handicap and set-up stones placed
  std::vector<Action> actions;
  std::string black, white;        // players' names, may be empty
  std::string result;              // as the record tells it ("B+3.5"), may be empty
  std::vector<std::string> notes;  // what was passed over or assumed, a line each ("2 variations skipped")

  // After all actions.
  Position<GoGame> end() const;
};

// Reads the first game of the text. `where` names it in errors: "game.sgf:3:14: ..." (line and column from 1). Throws
// UserError for text that is no SGF, another game than Go, unknown points, set-up stones after a move, and illegal
// moves.
Record read_sgf(std::string_view text, std::string_view where);

// The result as SGF writes it: "B+3.5", "0" for a draw, empty for a game that is not over.
std::string sgf_result(const GoGame& game, const Position<GoGame>& position);

// The record as SGF, without its notes.
std::string write_sgf(const Record& record);

}  // namespace koridor::go
