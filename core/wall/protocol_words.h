// How protocols for wall games write actions and name players, where programs differ.
//
// Rows of `standard` and `modern` are those of core/wall/notation.h. In `qtp` the row 1 is white's base line whoever
// begins, and a wall is named by the square at its upper left, as one sees it from white's side: one row more than in
// both others.
//
//     4 |   |   |     the wall between the rows 3 and 4 below the columns e and f:
//       +=======+     e4h in `qtp`, e3h in `standard` and `modern`
//     3 |   |   |
//         e   f
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/colours.h"
#include "core/game.h"

namespace koridor {

enum class Naming : std::uint8_t { standard, modern, qtp };

// "standard", "modern" and "qtp"; throws UserError for another word.
Naming parse_naming(std::string_view word);
std::string_view naming_name(Naming naming);

// The words of one game of two players by their colours, or of any number by their seats.
struct WallWords {
  Naming naming = Naming::standard;
  Colour first = Colour::black;  // who moves first

  // In which the session is to read and write.
  Notation notation() const;

  // A text of the session as this protocol writes it, and the reverse. What is no wall stays as it is.
  std::string write(std::string_view action) const;
  std::string read(std::string_view action) const;
  // A sentence of the session, with the walls in it named as this protocol does.
  std::string write_walls(std::string_view sentence) const;

  Colour colour(int seat) const { return (seat == 0) == (first == Colour::black) ? Colour::black : Colour::white; }
  // "black", or with more than two players the number of the seat, from 1.
  std::string player(int seat, int players) const;
  // The seat that a colour (of two players) or the number of a seat names. Throws UserError where it names none.
  int seat(std::string_view word, int players) const;
};

}  // namespace koridor
