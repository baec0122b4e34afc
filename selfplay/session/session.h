// One game that somebody plays, reviews or has analysed: its moves, which can be taken back and played again, and a
// search of its position. Actions, boards and outcomes are text and numbers, so a caller (a terminal, an engine
// protocol, a web page) needs no game's type.
//
//   Session session(parse_game("quoridor:5x5,walls=3"), {.thinker = {.model = model, .name = path}});
//   if (const auto refusal = session.play("c4")) print(refusal->message);
//   session.play(session.search({.visits = 400}).best);
//   session.undo(2);
//
// A session belongs to one thread. Another thread may end a search by the `stop` of its limits.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "core/words.h"
#include "selfplay/session/analysis.h"
#include "selfplay/session/any_position.h"
#include "selfplay/session/thinker.h"

namespace koridor {

class Table;

struct SessionSettings {
  ThinkerSettings thinker{};
  Notation notation = Notation::standard;  // of all actions as text, and of the board
  double report_seconds = 0.25;            // between two calls of SessionListener::progress
};

// Callbacks, which are called on the session's thread and must not change the session.
struct SessionListener {
  std::function<void(const Analysis&)> progress{};       // a search under way has come this far
  std::function<void(int ply, Action action)> action{};  // the action was played as this ply, counted from 0
  std::function<void(const Outcome&)> end{};             // the action just played has ended the game
};

// Why an action was not played.
struct Refusal {
  enum class Reason {
    game_over,
    no_action,  // the text names no action of the game
    illegal,    // the action is one of the game, but not allowed in this position
  };
  Reason reason;
  Objection::Kind kind;        // the same more precisely
  std::string message;         // for a person, without a full stop
  Action nearest = kNoAction;  // the legal action that may have been meant
  std::string nearest_text{};  // as text; empty where there is none

  // "e3h crosses the wall e3v; did you mean d3h?"
  std::string text() const { return refusal_text(message, nearest_text); }
};

struct SessionMove {
  Action action;
  int seat;  // the seat that played it
};

class Session {
 public:
  // Throws UserError where the model does not fit the game, or cannot be evaluated here.
  explicit Session(const AnyGame& game, const SessionSettings& settings = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void listen(SessionListener listener) { listener_ = std::move(listener); }

  // The game and its seats. Seats are counted from 0; their first names are "player 1", "player 2" and so on.
  const AnyGame& game() const { return game_; }
  std::string variant() const;  // canonical name
  std::string family() const;   // "wall", "go"
  int players() const;
  const std::string& seat_name(int seat) const { return seat_names_.at(static_cast<std::size_t>(seat)); }
  void name_seat(int seat, std::string name) { seat_names_.at(static_cast<std::size_t>(seat)) = std::move(name); }
  Notation notation() const { return settings_.notation; }
  void set_notation(Notation notation) { settings_.notation = notation; }  // of what is read and written from now on
  std::string seat_title(int seat) const;  // what the game calls it: "player 1", "black"
  int turns_to_bottom(int seat) const;     // quarter turns (BoardView) that bring its side to the bottom

  // The position.
  int ply() const { return ply_; }  // plies played so far
  int seat_to_move() const;         // the game must not be over
  Outcome outcome() const;
  std::string board(bool colour) const;          // lines that end with '\n'
  std::string board(BoardView view) const;       // the same, turned or marked; in the session's notation
  std::vector<Action> legal() const;             // in rising order; empty where the game is over
  std::vector<std::string> legal_texts() const;  // in the same order
  std::string text(Action action) const;         // an action of this position as text
  ActionHelp help() const;  // how actions are written, with examples that are legal here (core/words.h: help_text)

  // The moves: the first ply() of them led to this position; the others were taken back, and go_to() plays them again.
  std::span<const SessionMove> moves() const { return moves_; }
  // Those that led to this position, and the same without their seats.
  std::span<const SessionMove> played() const { return moves().first(static_cast<std::size_t>(ply_)); }
  std::vector<Action> played_actions() const;
  std::vector<std::string> move_texts() const;

  // Plays an action; the moves taken back are forgotten. Returns the reason where it cannot be played; nothing has
  // changed then.
  std::optional<Refusal> play(std::string_view text);
  std::optional<Refusal> play(Action action);
  // Goes to the position after this number of plies; false where moves() has fewer.
  bool go_to(int ply);
  bool undo(int plies = 1) { return go_to(ply_ - plies); }
  // The position as it is now, and the one before the first of moves().
  AnyPosition position() const;
  AnyPosition start() const;
  // Begins anew from this position, which is one of the session's game, with no move played. The listener is not told.
  void start_from(const AnyPosition& position);
  // The same from the game's start: another game begins, and what was searched in this one is forgotten.
  void restart();
  // Replaces all moves by these, played from the game's start. Throws UserError for the first that cannot be played:
  // moves and position are then as before, and a search or analysis of it has ended. The listener is not told.
  void set_up(std::span<const std::string> moves);

  // Whether there is a model to search with.
  bool can_search() const;
  // Searches the position. What was searched of it before counts on, whether by a search of this position or of one
  // before it, and wherever the session has been in between (ThinkerSettings::memory_mebibytes bounds what is kept).
  // Throws UserError where there is no model, and where the game is over.
  const Analysis& search(const SessionLimits& limits);
  // search() in parts, for a thread that has other things to do in between: begin_search(), then search_on() until it
  // is true. Each part ends after about so many seconds; after each, analysis() is what was found so far. Where the
  // session leaves the position, or a part throws, the search has ended and cannot go on. What the limits point to must
  // outlive the search, and they are not `infinite`.
  void begin_search(const SessionLimits& limits);
  bool search_on(double seconds);
  // The result of the last search of this position; null where there was none since it was reached.
  const Analysis* analysis() const { return analysis_ ? &*analysis_ : nullptr; }

 private:
  // Reads a text as an action to be played now, or returns the reason why it is none.
  std::optional<Refusal> read(std::string_view text, Action& action) const;
  void append(Action action);
  void reset(int ply);
  void leave_position();
  void require_search(const SessionLimits& limits) const;

  AnyGame game_;
  SessionSettings settings_;
  std::unique_ptr<Table> table_;
  SessionListener listener_;
  std::vector<std::string> seat_names_;
  std::vector<SessionMove> moves_;
  int ply_ = 0;
  std::optional<Analysis> analysis_;
  bool searching_ = false;  // begin_search() has begun, and search_on() goes on
};

}  // namespace koridor
