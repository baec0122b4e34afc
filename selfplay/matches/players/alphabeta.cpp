// The classical opponents: alpha-beta over the game's hand-made heuristic, and the same at a depth of one ply (greedy).
#include "core/search/alphabeta.h"

#include "selfplay/matches/players/kind.h"

namespace koridor {
namespace {

template <Game G>
class AlphaBetaPlayer final : public Player<G> {
 public:
  AlphaBetaPlayer(const G& game, int depth, const std::atomic<bool>* stop)
      : game_(&game), search_(game, depth, stop), position_(game) {}

  void new_game(const Position<G>& position, GameClocks) override { position_ = position; }
  void begin(Random& random) override { random_ = &random; }
  void heed(const std::atomic<bool>& stop) override { search_.heed(stop); }
  PlayerStep step() override {
    choice_ = search_.choose(position_, *random_);
    return choice_ == kNoAction ? PlayerStep::waiting : PlayerStep::done;  // who has stopped it looks at that now
  }
  Action action(double) override { return choice_; }
  // With more than two players the score of a loss does not say who wins.
  std::optional<Outcome> proven() const override {
    const int mover = game_->player_to_move(position_.state);
    if (!AlphaBeta<G>::decided(search_.score())) return std::nullopt;
    if (search_.score() > 0) return Outcome::won_by(mover);
    return game_->players() == 2 ? std::optional(Outcome::won_by(1 - mover)) : std::nullopt;
  }
  void play(Action action) override { position_.apply(*game_, action); }

 private:
  const G* game_;
  AlphaBeta<G> search_;
  Position<G> position_;
  Action choice_ = kNoAction;
  Random* random_ = nullptr;
};

MatchPlayer classical_player(int depth) {
  return {.name = {}, .prepare = [depth](const AnyGame& game, const std::atomic<bool>& stop) {
            return factory_of<AlphaBetaPlayer>(game, depth, &stop);
          }};
}

}  // namespace

struct GreedyPlayerKind {
  static PlayerKind describe() {
    return {.word = "greedy",
            .usage = "greedy",
            .example = "greedy",
            .help = "the action with the best heuristic one ply ahead, ties by lot",
            .load = [](const PlayerRequest& request) {
              require_no_detail(request);
              return classical_player(1);
            }};
  }
};
template PlayerKind describe_kind<GreedyPlayerKind>();

struct AlphaBetaPlayerKind {
  static PlayerKind describe() {
    return {.word = "alphabeta",
            .usage = "alphabeta:DEPTH",
            .example = "alphabeta:3",
            .help = fmt::format("alpha-beta over the heuristic, 1 to {} plies deep, ties by lot", kMaxAlphaBetaDepth),
            .load = [](const PlayerRequest& request) {
              if (!request.detail) {
                throw UserError("player \"alphabeta\": say how deep it looks, as in alphabeta:3");
              }
              return classical_player(number_behind_colon(request, "depth", kMaxAlphaBetaDepth));
            }};
  }
};
template PlayerKind describe_kind<AlphaBetaPlayerKind>();

}  // namespace koridor
