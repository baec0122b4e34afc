// A player that thinks with a tree search. Each kind that derives from it evaluates the leaves in its own way.
#pragma once

#include <optional>

#include "core/search/search.h"
#include "selfplay/matches/levels.h"
#include "selfplay/matches/player.h"

namespace koridor {

template <Game G>
class TreePlayer : public Player<G> {
 public:
  TreePlayer(const G& game, const SearchConfig& config, const Strength& strength)
      : game_(&game), strength_(strength), search_(game, config, strength.visits) {}

  void new_game(const Position<G>& position, GameClocks) override { search_.reset(position); }
  void begin(Random& random) override {
    random_ = &random;
    search_.begin({.visits = strength_.visits, .explore = false}, random);
  }
  Action action(double temperature) override {
    return search_.sample_action(strength_.temperature > 0 ? strength_.temperature : temperature, *random_);
  }
  std::optional<float> value() const override {
    const int mover = game_->player_to_move(search_.position().state);
    return search_.root_value()[static_cast<std::size_t>(mover)];
  }
  // The tree below the action is kept.
  void play(Action action) override { search_.play(action); }

 protected:
  Search<G>& search() { return search_; }
  const Search<G>& search() const { return search_; }
  Random& random() { return *random_; }
  const Strength& strength() const { return strength_; }

 private:
  const G* game_;
  Strength strength_;
  Search<G> search_;
  Random* random_ = nullptr;
};

}  // namespace koridor
