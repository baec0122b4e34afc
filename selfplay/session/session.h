// A game that somebody plays, reviews or has analysed: its moves, back and forth, and a search of the position. It
// serves people at a terminal, engine protocols and pages alike, which know no game's type: actions, boards and
// outcomes are words and numbers here.
//
//   Session session(parse_game("quoridor:5x5,walls=3"), {.thinker = {.model = model, .name = path}});
//   if (const auto refusal = session.play("c4")) print(refusal->message);
//   session.play(session.search({.visits = 400}).best);
//   session.undo(2);
//
// A session belongs to one thread; another one may end a search by the `stop` of its limits.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "selfplay/session/analysis.h"
#include "selfplay/session/thinker.h"

namespace koridor {

class Table;

struct SessionSettings {
  ThinkerSettings thinker{};
  Notation notation = Notation::standard;  // of all actions as text, and of the board
  double report_seconds = 0.25;            // between two calls of SessionListener::progress
};

// Who wants to know what happens. They are called on the session's thread and must not change the session.
struct SessionListener {
  std::function<void(const Analysis&)> progress{};       // of a search under way
  std::function<void(int ply, Action action)> action{};  // was played as this ply, counted from 0
  std::function<void(const Outcome&)> end{};             // the action just played has ended the game
};

// Why an action was not played.
struct Refusal {
  enum class Reason {
    game_over,
    no_action,  // the text names no action of the game
    illegal,    // an action of the game, but not allowed in this position
  };
  Reason reason;
  std::string message;  // for a person, without a full stop
};

struct SessionMove {
  Action action;
  int seat;  // who played it
};

class Session {
 public:
  // Throws UserError where the model does not fit the game, or cannot be evaluated here.
  explicit Session(const AnyGame& game, const SessionSettings& settings = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void listen(SessionListener listener) { listener_ = std::move(listener); }

  // The game and who plays it. Seats are counted from 0 and are at first called "player 1", "player 2" and so on.
  const AnyGame& game() const { return game_; }
  std::string variant() const;  // canonical name
  std::string family() const;   // "wall", "go"
  int players() const;
  const std::string& seat_name(int seat) const { return seat_names_.at(static_cast<std::size_t>(seat)); }
  void name_seat(int seat, std::string name) { seat_names_.at(static_cast<std::size_t>(seat)) = std::move(name); }
  Notation notation() const { return settings_.notation; }
  void set_notation(Notation notation) { settings_.notation = notation; }

  // The position.
  int ply() const { return ply_; }  // plies played
  int seat_to_move() const;         // of a game that is not over
  Outcome outcome() const;
  std::string board(bool colour) const;          // lines ended by '\n'
  std::vector<Action> legal() const;             // rising; nothing where the game is over
  std::vector<std::string> legal_texts() const;  // in the same order
  std::string text(Action action) const;         // of an action of this position

  // The moves: those that led here and, behind ply(), those taken back, which redo() plays again.
  std::span<const SessionMove> moves() const { return moves_; }
  std::vector<std::string> move_texts() const;

  // Plays an action, after which nothing can be redone. Says why where it cannot be played; nothing has changed then.
  std::optional<Refusal> play(std::string_view text);
  std::optional<Refusal> play(Action action);
  // To the position after so many plies; false where moves() has not so many.
  bool go_to(int ply);
  bool undo(int plies = 1) { return go_to(ply_ - plies); }
  bool redo(int plies = 1) { return go_to(ply_ + plies); }
  // From the game's start through these moves, instead of all there are. Throws UserError for the first that cannot be
  // played; nothing has changed then. Tells no listener.
  void set_up(std::span<const std::string> moves);

  // Whether there is a model to search with.
  bool can_search() const;
  // Searches the position and keeps what it learned for the next search, as far as that is below the next moves. Throws
  // UserError without a model, and where the game is over.
  const Analysis& search(const SessionLimits& limits);
  // Of the last search of this position; null where there was none since it was reached.
  const Analysis* analysis() const { return analysis_ ? &*analysis_ : nullptr; }

 private:
  // Reads a text as an action to be played now, or says why it is none.
  std::optional<Refusal> read(std::string_view text, Action& action) const;
  void append(Action action);
  void reset(int ply);

  AnyGame game_;
  SessionSettings settings_;
  std::unique_ptr<Table> table_;
  SessionListener listener_;
  std::vector<std::string> seat_names_;
  std::vector<SessionMove> moves_;
  int ply_ = 0;
  std::optional<Analysis> analysis_;
};

}  // namespace koridor
