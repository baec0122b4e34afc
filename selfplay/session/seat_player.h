// A PLAYER (selfplay/matches/players.h) in a seat of one game, without the game's type.
//
//   const MatchPlayer greedy = load_player("greedy", 400, match_search());
//   SeatPlayer player(session.game(), greedy, {}, seed, stop);
//   player.reset(actions);                        // of the game so far
//   if (const auto choice = player.think(stop, {})) session.play(choice->action);
//   player.play(action);                          // every action that anybody plays, its own included
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/registry.h"
#include "models/evaluation.h"
#include "selfplay/matches/players.h"

namespace koridor {

struct SeatChoice {
  Action action = kNoAction;
  bool resigns = false;          // it gives a game of two players up; there is no action then
  bool late = false;             // a program has overstepped its clock; likewise
  std::optional<float> value{};  // the points that the player expects (1 a win, 0 a loss), where it has an opinion
};

class SeatPlayer {
 public:
  // The game must outlive the player. Throws UserError where the player cannot play this game, or its model cannot be
  // evaluated here, or `stop` was set while it prepared; `stop` must outlive the player where this is a solver.
  SeatPlayer(const AnyGame& game, const MatchPlayer& player, const Evaluation& evaluation, std::uint64_t seed,
             const std::atomic<bool>& stop);
  ~SeatPlayer();
  SeatPlayer(const SeatPlayer&) = delete;
  SeatPlayer& operator=(const SeatPlayer&) = delete;

  // Goes to the position after these actions. The clocks of all seats, where there are any, stay where they are and
  // show at each think() what is left.
  void reset(std::span<const Action> actions, GameClocks clocks = {});
  // Returns when it may think on its clock: a program that is being started may not. False where `stop` was set before.
  bool get_ready(const std::atomic<bool>& stop);
  void play(Action action);
  // Chooses an action of the position, which is not over; nothing where `stop` was set before it had chosen. Calls
  // `progress(seconds)` now and then. Throws UserError where the player forfeits otherwise than by its clock or by
  // resigning a game of two players: a program that crashed, say.
  std::optional<SeatChoice> think(const std::atomic<bool>& stop, const std::function<void(double seconds)>& progress);
  // The same in parts, for a thread that has other things to do in between: begin(), then think_on() until there is a
  // choice. Each part ends after about so many seconds, or soon after `stop` was set, which must outlive the thought;
  // what comes out is the same.
  void begin(const std::atomic<bool>& stop);
  std::optional<SeatChoice> think_on(double seconds);

 private:
  class Place;
  template <Game G>
  class GamePlace;
  std::unique_ptr<Place> place_;
};

}  // namespace koridor
