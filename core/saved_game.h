// Whole games as text that people and other programs read: SGF (go/sgf.h) for Go, and for all other games the notation
// as it is printed, under headers as in chess (docs/formats.md, "Records of games").
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry.h"

namespace koridor {

struct SavedGame {
  AnyGame game;
  std::vector<Action> actions;       // legal one after the other from the game's start
  std::vector<std::string> names{};  // of the seats; may be empty
  std::string result{};              // as the format writes it ("1-0", "B+3.5"); empty: none
  std::vector<std::pair<std::string, std::string>>
      headers{};                     // further ones: name and value; SGF has them as its comment
  std::vector<std::string> notes{};  // what the reader passed over, one line each
  // Go: the position that was set up by hand and from which the actions begin; nothing: the game's start.
  std::optional<go::State> start{};
};

// The game in its format, which ends with a line's end. Texts may be put one behind the other: that is a file of many
// games (an SGF collection).
std::string write_saved_game(const SavedGame& game, Notation notation = Notation::standard);

// What a reader assumes where the text does not say it.
struct SavedGameDefaults {
  std::optional<AnyGame> game{};
  Notation notation = Notation::standard;
  bool set_up = false;  // reads games from positions that were set up by hand, too
  std::size_t most = std::numeric_limits<std::size_t>::max();  // games; with more the text is refused
};

// Reads all games of a text, at least one. `where` names it in errors: "game.txt:3:14: ..." (line and column from 1).
// Throws UserError for text in neither format, an action that is not legal, notation text with a result that the game
// cannot have, a game that nothing names, more games than `most`, and unless `set_up` SGF that does not start from an
// empty board or its handicap. A result of notation text that the actions decide otherwise is passed over, with a note.
// That of SGF is taken as it stands, since players may have agreed on another than the count of the board, unless SGF
// has no such form: then it is passed over with a note.
std::vector<SavedGame> read_saved_games(std::string_view text, std::string_view where,
                                        const SavedGameDefaults& defaults = {});

}  // namespace koridor
