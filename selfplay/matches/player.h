// A player in one game, which thinks step by step: it runs until it needs a prediction, waits for somebody or knows its
// action, so that one thread can play many games at once and evaluate their positions in one batch.
//
//   player.new_game(position, clock);
//   player.begin(random);
//   while ((step = player.step()) != PlayerStep::done) {
//     if (step == PlayerStep::evaluate) { evaluate(player.leaf()); player.supply(prediction); }
//     if (step == PlayerStep::waiting) { do something else, and ask again; }
//   }
//   player.play(player.action(temperature));      // play() also tells it the others' actions
//
// The calls are virtual: they are made a few times per visit of a search, not per node.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <variant>

#include "core/base/random.h"
#include "core/game.h"
#include "core/registry.h"
#include "core/search/search.h"
#include "selfplay/matches/clock.h"

namespace koridor {

enum class PlayerStep : std::uint8_t {
  evaluate,  // leaf()'s prediction is wanted by supply()
  waiting,   // somebody else (a program, a person) is asked; to be called again, and until then others should be
  done,      // action() is known
};

template <Game G>
class Player {
 public:
  virtual ~Player() = default;

  // A game begins, or goes on, at the position; the clock is this player's.
  virtual void new_game(const Position<G>& position, const Clock& clock) = 0;
  // Starts to think about the position, which is not over; its mover is this player. `random` is used until action()
  // was called, and is used nowhere else meanwhile.
  virtual void begin(Random& random) = 0;
  // Thinks on. Never blocks: who has to wait says so.
  virtual PlayerStep step() = 0;

  // After evaluate. Players that never ask for a prediction have neither.
  virtual const typename G::State& leaf() const { throw std::logic_error("this player asks for no predictions"); }
  virtual void supply(const Prediction&) { throw std::logic_error("this player asks for no predictions"); }

  // After done. A temperature above 0 makes a search's choice random in proportion to its visits; other players have
  // no use for it.
  virtual Action action(double temperature) = 0;
  // Somebody played, perhaps this player itself.
  virtual void play(Action action) = 0;
};

// A player of any game.
template <class AnyGame>
struct PlayersOf;
template <class... Games>
struct PlayersOf<std::variant<Games...>> {
  using type = std::variant<std::unique_ptr<Player<Games>>...>;
};
using AnyPlayer = PlayersOf<AnyGame>::type;

}  // namespace koridor
