// Tree search without a network: uniform priors, and a random playout for each leaf.
#include "core/search/rollout.h"
#include "selfplay/matches/players/kind.h"
#include "selfplay/matches/players/tree_player.h"

namespace koridor {
namespace {

template <Game G>
class MctsPlayer final : public TreePlayer<G> {
 public:
  MctsPlayer(const G& game, const SearchConfig& config, const Strength& strength)
      : TreePlayer<G>(game, config, strength), rollout_(game, 1) {}

  PlayerStep step() override {
    Search<G>& search = this->search();
    for (int playouts = 0; playouts < this->kPause; ++playouts) {
      const SearchStep step = search.step();
      if (step == SearchStep::done) return PlayerStep::done;
      if (step == SearchStep::paused) break;
      search.supply(rollout_(search.leaf(), search.leaf_history(), this->random()));
    }
    return PlayerStep::paused;
  }

 private:
  bool count_kept() const override { return true; }

  RolloutEvaluator<G> rollout_;
};

}  // namespace

struct MctsPlayerKind {
  static PlayerKind describe() {
    return {.word = "mcts",
            .usage = "mcts[:VISITS]",
            .example = "mcts",
            .help = "tree search with random playouts, no network; VISITS instead of --visits",
            .keys = {"visits", "seconds"},
            .load = [](const PlayerRequest& request) {
              // Gumbel's completed values gain nothing from uniform priors and playouts, so the rule is PUCT. Its own
              // defaults suit playouts, which a network's search does not. Of what is asked of models it takes nothing,
              // since a baseline should stay the same.
              SearchConfig config = match_search();
              config.algorithm = Puct::kName;
              config.transposition_visits = 0;
              static_cast<PuctConfig&>(config) = PuctConfig{};
              if (request.detail && find_option(request, "visits") != nullptr) {
                throw UserError(fmt::format("player \"{}\": its visits are given twice", request.text));
              }
              Strength strength = timed_strength(request, 1);
              if (request.detail) strength.visits = number_behind_colon(request, "visits", kMaxPlayerVisits);
              MatchPlayer player = simple_player<MctsPlayer>(config, strength);
              player.strength = strength;
              player.timed = strength.seconds > 0;
              return player;
            }};
  }
};
template PlayerKind describe_kind<MctsPlayerKind>();

}  // namespace koridor
