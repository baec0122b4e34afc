// A player that thinks with a tree search. Each kind that derives from it evaluates the leaves in its own way.
#pragma once

#include "core/search/search.h"
#include "selfplay/matches/player.h"

namespace koridor {

template <Game G>
class TreePlayer : public Player<G> {
 public:
  TreePlayer(const G& game, const SearchConfig& config, int visits) : visits_(visits), search_(game, config, visits) {}

  void new_game(const Position<G>& position, const Clock&) override { search_.reset(position); }
  void begin(Random& random) override {
    random_ = &random;
    search_.begin({.visits = visits_, .explore = false}, random);
  }
  Action action(double temperature) override { return search_.sample_action(temperature, *random_); }
  // The tree below the action is kept.
  void play(Action action) override { search_.play(action); }

 protected:
  Search<G>& search() { return search_; }
  const Search<G>& search() const { return search_; }
  Random& random() { return *random_; }

 private:
  int visits_;
  Search<G> search_;
  Random* random_ = nullptr;
};

}  // namespace koridor
