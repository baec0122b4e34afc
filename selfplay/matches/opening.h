// The first plies of a match's games, drawn by lot.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/alphabeta.h"

namespace koridor {

template <Game G>
class Opening {
 public:
  explicit Opening(const G& game) : game_(&game), judge_(game, 2), position_(game) {}

  // Draws openings of `mean` random plies on average (the fraction is the chance of one more ply) until one is found
  // after which nobody has won or wins within two plies. After 100 vain tries it takes any opening that does not end
  // the game, and a shorter one after each further try.
  void draw(double mean, Random& random) {
    constexpr int kTries = 100;
    const int plies = static_cast<int>(mean) + (random.chance(mean - std::floor(mean)) ? 1 : 0);
    for (int trial = 0;; ++trial) {
      position_.state = game_->initial_state();
      position_.history.clear();
      actions_.clear();
      const bool playable = play_random(std::max(0, trial < kTries ? plies : plies - (trial - kTries)), random);
      if (plies == 0 || (playable && trial >= kTries)) break;
      if (!playable) continue;
      if (!decided(position_, random)) break;
    }
  }

  // Whether somebody wins within two plies.
  bool decided(const Position<G>& position, Random& random) {
    judge_.choose(position, random);
    return AlphaBeta<G>::decided(judge_.score());
  }

  // The opening drawn last.
  const Position<G>& position() const { return position_; }
  const std::vector<Action>& actions() const { return actions_; }

 private:
  // Plays random plies; false where they end the game.
  bool play_random(int plies, Random& random) {
    for (int ply = 0; ply < plies; ++ply) {
      ActionMask legal;
      game_->legal_actions(position_.state, position_.history, legal);
      const Action action = legal.nth(random.below(legal.count()));
      actions_.push_back(action);
      position_.apply(*game_, action);
      if (game_->outcome(position_.state, position_.history).over()) return false;
    }
    return true;
  }

  const G* game_;
  AlphaBeta<G> judge_;
  Position<G> position_;
  std::vector<Action> actions_;
};

}  // namespace koridor
