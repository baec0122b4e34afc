// Go records as SGF FF[4] (Smart Game Format, game 1): one game per file, its main line.
//
// The properties GM, SZ, RU, KM, HA, PL, AB, AW, AE (before the first move), B, W, PB, PW and RE are read, others
// passed over. Moves are checked against the rules. Older files (FF[1] to FF[3]) are read the same way; "tt" is a pass
// up to 19x19. FF, CA, AP, GM, SZ, RU, KM, HA, PL, AB, AW, B, W, PB, PW, RE and GC are written where there is something
// to say, text escaped, so that reading gives back rules, position and moves; a game with a handicap that begins with
// another position, set up by hand, is read as one without.
//
// RU is a ruleset's name in any case, or "AGA", "NZ" or "Korean", which stand for sets of our rules, or rules as in a
// variant string ("tromp-taylor,ko=simple"). Without a known RU the rules are tromp-taylor. Without KM the komi is 0.5
// where there is a handicap, else that of the rules, and a note says which.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::string result;              // as the record states it ("B+3.5"), may be empty
  std::vector<std::string> notes;  // what was passed over or assumed, one line each ("2 variations skipped")
  std::string comment{};           // on the game, which is written as GC and not read
  int after_the_end = 0;           // moves of the text that were skipped, since the game was over before them

  // The position after all actions.
  Position<GoGame> end() const;
};

// Bytes of the largest file that is read as a record.
inline constexpr std::uintmax_t kLargestRecord = std::uintmax_t{16} << 20;

// Reads the first game of the text. `where` names it in errors: "game.sgf:3:14: ..." (line and column from 1). Throws
// UserError for text that is no SGF, a game other than Go, unknown points, set-up stones after a move, illegal moves.
Record read_sgf(std::string_view text, std::string_view where);
// Reads all games of the text, at least one. Throws UserError where there are more than `most`, too.
std::vector<Record> read_sgf_games(std::string_view text, std::string_view where, std::size_t most);

// The result as SGF writes it: "B+3.5", "0" for a draw, empty for a game that is not over.
std::string sgf_result(const GoGame& game, const Position<GoGame>& position);

// The record as SGF, without its notes.
std::string write_sgf(const Record& record);

}  // namespace koridor::go
