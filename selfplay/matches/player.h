// A player in one game, which thinks step by step: it runs until it needs a prediction, has to wait for somebody or
// knows its action. One thread can so play many games at once and evaluate their positions in one batch.
//
//   player.new_game(position, clocks);
//   player.begin(random);
//   while ((step = player.step()) != PlayerStep::done) {
//     if (step == PlayerStep::evaluate) { for each leaf: evaluate(player.leaf(i)); player.supply(i, prediction); }
//     if (step == PlayerStep::waiting) { do something else, and ask again; }
//     if (step == PlayerStep::paused) { others have their turn; ask again at once; }
//     if (step == PlayerStep::forfeit) { the game is lost: player.forfeit() says why; go on with new_game(); }
//   }
//   player.play(player.action(temperature));      // play() also tells it the others' actions
//
// The calls are virtual: they are made a few times per visit of a search, not per node.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/registry.h"
#include "core/search/clock.h"
#include "core/search/search.h"
#include "selfplay/matches/forfeit.h"

namespace koridor {

enum class PlayerStep : std::uint8_t {
  evaluate,  // the player wants the predictions of all its leaves(), by supply()
  waiting,   // it waits for somebody (a program, a person, whoever has stopped it): call step() again later
  paused,    // it has computed for long, so that others have their turn: call step() again
  done,      // action() is known
  forfeit,   // the player loses the game, for the reason forfeit(); only new_game() may follow
};

template <Game G>
class Player {
 public:
  virtual ~Player() = default;

  // The actions from the game's start that lead to the position of the new_game() that follows. Players that look at
  // positions alone need not override it.
  virtual void follow(std::span<const Action>) {}
  // A game begins, or goes on, at the position. The clocks stay where they are until the next game and show, whenever
  // begin() is called, what every seat has left.
  virtual void new_game(const Position<G>& position, GameClocks clocks) = 0;
  // Whether it may begin: a program that is being started may not, on nobody's clock.
  virtual bool ready() { return true; }
  // Starts to think about the position, which is not over and in which this player is to move. The player draws from
  // `random` until action() was called; nobody else does meanwhile.
  virtual void begin(Random& random) = 0;
  // From the next begin() on `stop`, in place of the one that the player was prepared with, ends a step() that takes
  // long, which then returns `waiting`. It must live until the thought is over. Players whose steps are short need not
  // override it.
  virtual void heed(const std::atomic<bool>&) {}
  // Thinks on. It never blocks: a player that has to wait returns `waiting`.
  virtual PlayerStep step() = 0;

  // To be called after `evaluate`. Players that never ask for a prediction need not override them.
  virtual int leaves() const { return 1; }
  virtual const typename G::State& leaf([[maybe_unused]] int number) const {
    throw std::logic_error("this player asks for no predictions");
  }
  virtual void supply([[maybe_unused]] int leaf, const Prediction&) {
    throw std::logic_error("this player asks for no predictions");
  }

  // To be called after `done`. A temperature above 0 makes a search's choice random (Search::sample_action); players
  // that do not search ignore it.
  virtual Action action(double temperature) = 0;
  // To be called after `done`: the points that the player expects of the game (1 a win, 0 a loss), where it has an
  // opinion.
  virtual std::optional<float> value() const { return std::nullopt; }
  // To be called after `done`: the result of the game that the player has proven, where it has.
  virtual std::optional<Outcome> proven() const { return std::nullopt; }
  // To be called after `done`: what the player thinks of the actions, sorted by action, sum 1, and what its search
  // found out about each; nothing of players that do not search.
  virtual std::vector<PolicyEntry> policy() const { return {}; }
  virtual std::vector<ActionStatistics> searched() const { return {}; }
  // To be called after `forfeit`. Players that never lose a game but by its rules need not override it.
  virtual Forfeit forfeit() { throw std::logic_error("this player forfeits no game"); }
  // Tells the player that somebody, perhaps itself, has played the action.
  virtual void play(Action action) = 0;
};

// A player of one of the games of AnyGame, in their order.
template <class AnyGame>
struct PlayersOf;
template <class... Games>
struct PlayersOf<std::variant<Games...>> {
  using type = std::variant<std::unique_ptr<Player<Games>>...>;
};
using AnyPlayer = PlayersOf<AnyGame>::type;

}  // namespace koridor
