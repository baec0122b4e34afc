// A uniformly random legal action: the baseline of a player that knows nothing.
#include "selfplay/matches/players/kind.h"

namespace koridor {
namespace {

template <Game G>
class RandomPlayer final : public Player<G> {
 public:
  explicit RandomPlayer(const G& game) : game_(&game), position_(game) {}

  void new_game(const Position<G>& position, GameClocks) override { position_ = position; }
  void begin(Random& random) override { random_ = &random; }
  PlayerStep step() override { return PlayerStep::done; }
  void play(Action action) override { position_.apply(*game_, action); }

  Action action(double) override {
    ActionMask legal;
    game_->legal_actions(position_.state, position_.history, legal);
    return legal.nth(random_->below(legal.count()));
  }

 private:
  const G* game_;
  Position<G> position_;
  Random* random_ = nullptr;
};

}  // namespace

struct RandomPlayerKind {
  static PlayerKind describe() {
    return {.word = "random",
            .usage = "random",
            .example = "random",
            .help = "any legal action",
            .load = [](const PlayerRequest& request) {
              require_no_detail(request);
              return simple_player<RandomPlayer>();
            }};
  }
};
template PlayerKind describe_kind<RandomPlayerKind>();

}  // namespace koridor
