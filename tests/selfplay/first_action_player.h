// A player for tests of matches: it plays the first legal action at once. What a test is about overrides a member.
#pragma once

#include <string>

#include "selfplay/matches/players/kind.h"

namespace koridor {

template <Game G>
class FirstActionPlayer : public Player<G> {
 public:
  explicit FirstActionPlayer(const G& game) : game_(&game), position_(game) {}

  void new_game(const Position<G>& position, GameClocks) override { position_ = position; }
  void begin(Random&) override {}
  PlayerStep step() override { return PlayerStep::done; }
  Action action(double) override {
    ActionMask legal;
    game_->legal_actions(position_.state, position_.history, legal);
    return legal.nth(0);
  }
  void play(Action action) override { position_.apply(*game_, action); }

 private:
  const G* game_;
  Position<G> position_;
};

// Kind<G>(game, arguments...) under a name.
template <template <Game> class Kind, class... Arguments>
MatchPlayer named_player(const char* name, const Arguments&... arguments) {
  MatchPlayer player = simple_player<Kind>(arguments...);
  player.name = name;
  return player;
}

}  // namespace koridor
