// What is said about actions at a board: what a person's text names, why an action is illegal, and what can be typed.
// The games say it (interpret, objection and help, the optional functions of core/game.h); core/reading.h asks them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/types.h"

namespace koridor {

// Why an action, or a text, cannot be played.
struct Objection {
  enum class Kind {
    illegal,     // of a game that says no more
    game_over,   // nothing can be played any more
    unreadable,  // the text names nothing on any board of the game
    off_board,   // the square, wall or point lies outside this board
    occupied,    // a pawn or a stone is there
    // Wall games.
    not_own_pawn,   // the text moves a pawn from a square where the mover has none
    which_pawn,     // the text does not say which of the mover's pawns moves
    not_now,        // a wall before the move of its turn, or a move after it
    must_act,       // a pass where the mover has another action
    too_far,        // the pawn steps less far
    diagonal,       // the pawn may not step diagonally there
    no_jump,        // the rules have no jump
    wall_between,   // a wall closes the pawn's way
    no_walls_left,  // none of this kind
    overlaps,       // a half of the wall would lie on another
    crosses,        // the wall would cross another
    cuts_off,       // the wall would close a player's last way to its goal
    // Go.
    ko,
    superko,
    suicide,
    must_save_atari,
  };

  Kind kind = Kind::illegal;
  std::string message{};       // one sentence for a person, without a full stop: "e3h crosses the wall e3v"
  Action wall = kNoAction;     // the wall in the way: overlapped, crossed, or between two squares
  std::vector<int> players{};  // cuts_off: the players who would lose their way, from 0, rising
};

// What a text names, by the words of a game alone.
struct Interpretation {
  Action action = kNoAction;             // legal or not
  std::optional<Objection> objection{};  // why it names none; nothing where it is for the reader to say (unreadable)
  std::vector<Action> others{};          // what else may have been meant, the likeliest first, legal or not
};

// What a text is to a player at a board. Either it is a legal action, or there is an objection.
struct Reading {
  std::optional<Action> action{};
  std::optional<Objection> objection{};
  Action nearest = kNoAction;  // beside an objection: the legal action that may have been meant
};

// An action that is legal now, to show how such actions are written.
struct Example {
  Action action = kNoAction;
  std::string text;
  std::string meaning;  // "move the pawn to e8"
};

// How actions are written here and now. There is an example of every kind of action that is legal.
struct ActionHelp {
  std::vector<Example> examples;
  std::vector<std::string> notes;  // whole sentences about the notation; they name no action
};

// The help for a terminal: lines of at most 80 columns, ended by '\n'.
std::string help_text(const ActionHelp& help);

// The text with a capital for a letter that it begins with.
std::string capitalised(std::string text);

// "e3h crosses the wall e3v; did you mean d3h?": without the question where `nearest` is empty.
std::string refusal_text(std::string_view message, std::string_view nearest);

// A text in its parts: runs of letters, in lower case, and numbers. Spaces, hyphens and commas only part them, so that
// "e3h", " E3  H" and "e3-h" have the same parts.
struct TextPart {
  std::string word;  // empty: a number
  int number = 0;    // at most 9999, which stands for all above
};
// Nothing where the text has another character, or more than eight parts.
std::optional<std::vector<TextPart>> parts_of(std::string_view text);

// The text in quotes for a message: at most 30 characters of it, and nothing that a terminal would act on.
std::string in_quotes(std::string_view text);

}  // namespace koridor
