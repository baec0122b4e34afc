// The table that a session is played at: a position of one game, its rules in text and numbers, and the search that
// thinks about it. Table hides the game's type; GameTable knows it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/game.h"
#include "core/reading.h"
#include "selfplay/session/analysis.h"
#include "selfplay/session/any_position.h"
#include "selfplay/session/thinker.h"

namespace koridor {

class Table {
 public:
  virtual ~Table() = default;

  // The game.
  virtual std::string variant() const = 0;
  virtual std::string family() const = 0;
  virtual int players() const = 0;
  virtual std::string seat_title(int seat) const = 0;
  virtual int turns_to_bottom(int seat) const = 0;

  // The position.
  virtual int seat_to_move() const = 0;
  virtual Outcome outcome() const = 0;
  virtual ActionMask legal() const = 0;  // empty where the game is over
  virtual std::string board(const BoardView& view) const = 0;
  virtual std::string text(Action action, Notation notation) const = 0;
  // As read_action, objection_to and help_for of core/reading.h.
  virtual Reading read(std::string_view text, Notation notation) const = 0;
  virtual std::optional<Objection> objection(Action action, Notation notation) const = 0;
  virtual ActionHelp help(Notation notation) const = 0;
  // The names of `actions`, which are legal one after the other from the game's start.
  virtual std::vector<std::string> texts(std::span<const Action> actions, Notation notation) const = 0;

  virtual AnyPosition position() const = 0;
  virtual AnyPosition start() const = 0;  // the position that the game starts from
  // Makes the position, which is one of this game, the one that the game starts from, and goes there.
  virtual void start_from(const AnyPosition& position) = 0;
  // Goes to the position after `actions`, which are legal one after the other from the game's start.
  virtual void reset(std::span<const Action> actions) = 0;
  virtual void play(Action action) = 0;  // the action must be legal

  // As Thinker::think. Throws UserError where there is no model.
  using Report = std::function<void(const Analysis&)>;
  virtual bool thinks() const = 0;
  virtual Analysis think(const SessionLimits& limits, Notation notation, double interval, const Report& report) = 0;
  virtual void begin_thinking(const SessionLimits& limits) = 0;
  virtual bool think_on(double seconds) = 0;
  virtual Analysis found(Notation notation) = 0;
};

template <Game G>
class GameTable final : public Table {
 public:
  GameTable(const G& game, const ThinkerSettings& settings) : game_(game), start_(game_), position_(game_) {
    if (settings.model) thinker_.emplace(game_, settings);
  }
  GameTable(const GameTable&) = delete;
  GameTable& operator=(const GameTable&) = delete;

  std::string variant() const override { return game_.name(); }
  std::string family() const override { return std::string(game_.family()); }
  int players() const override { return game_.players(); }
  std::string seat_title(int seat) const override {
    if constexpr (requires { game_.seat_title(seat); }) {
      return std::string(game_.seat_title(seat));
    } else {
      return "player " + std::to_string(seat + 1);
    }
  }
  int turns_to_bottom(int seat) const override {
    if constexpr (requires { game_.turns_to_bottom(seat); }) {
      return game_.turns_to_bottom(seat);
    } else {
      return 0;
    }
  }

  int seat_to_move() const override { return game_.player_to_move(position_.state); }
  Outcome outcome() const override { return game_.outcome(position_.state, position_.history); }
  ActionMask legal() const override { return legal_actions_of(game_, position_); }
  std::string board(const BoardView& view) const override { return board_text(game_, position_, view); }
  std::string text(Action action, Notation notation) const override {
    return game_.print_action(position_.state, action, notation);
  }
  Reading read(std::string_view text, Notation notation) const override {
    return read_action(game_, position_.state, position_.history, text, notation);
  }
  std::optional<Objection> objection(Action action, Notation notation) const override {
    return objection_to(game_, position_.state, position_.history, action, notation);
  }
  ActionHelp help(Notation notation) const override {
    return help_for(game_, position_.state, position_.history, notation);
  }
  std::vector<std::string> texts(std::span<const Action> actions, Notation notation) const override {
    Position<G> walk = start_;
    std::vector<std::string> result;
    for (const Action action : actions) {
      result.push_back(game_.print_action(walk.state, action, notation));
      walk.apply(game_, action);
    }
    return result;
  }

  AnyPosition position() const override { return position_; }
  AnyPosition start() const override { return start_; }
  void start_from(const AnyPosition& position) override {
    start_ = std::get<Position<G>>(position);
    if (thinker_) thinker_->forget();
    reset({});
  }
  void reset(std::span<const Action> actions) override {
    position_ = start_;
    path_.clear();
    for (const Action action : actions) play(action);
  }
  void play(Action action) override {
    position_.apply(game_, action);
    path_.push_back(action);
  }

  bool thinks() const override { return thinker_.has_value(); }
  Analysis think(const SessionLimits& limits, Notation notation, double interval, const Report& report) override {
    thinker().begin(path_, position_, limits);
    return thinker().think(notation, interval, report);
  }
  void begin_thinking(const SessionLimits& limits) override { thinker().begin(path_, position_, limits); }
  bool think_on(double seconds) override { return thinker().think_on(seconds); }
  Analysis found(Notation notation) override { return thinker().found(notation); }

 private:
  Thinker<G>& thinker() {
    if (!thinker_) throw UserError("nobody thinks here: this session has no model");
    return *thinker_;
  }

  G game_;
  Position<G> start_;
  Position<G> position_;
  std::vector<Action> path_;  // from start_ to the position
  std::optional<Thinker<G>> thinker_;
};

}  // namespace koridor
