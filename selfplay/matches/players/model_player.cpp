// Tree search with a network.
#include <optional>
#include <utility>
#include <vector>

#include "selfplay/matches/players/kind.h"
#include "selfplay/matches/players/tree_player.h"

namespace koridor {
namespace {

template <Game G>
class ModelPlayer final : public TreePlayer<G> {
 public:
  using TreePlayer<G>::TreePlayer;

  PlayerStep step() override {
    if (this->strength().visits == 0 && this->search().tree().root().expanded()) return PlayerStep::done;
    tickets_.clear();
    SearchStep step = SearchStep::evaluate;
    while ((step = this->search().step()) == SearchStep::evaluate) tickets_.push_back(this->search().ticket());
    if (step == SearchStep::done) return PlayerStep::done;
    return tickets_.empty() ? PlayerStep::paused : PlayerStep::evaluate;
  }
  Action action(double temperature) override {
    return this->strength().visits == 0 ? policy_action() : TreePlayer<G>::action(temperature);
  }
  // A player that does not search plays without the rules' proofs, and claims nothing by them.
  std::optional<float> value() const override {
    return this->strength().visits == 0 ? this->search().tree().root().estimate : TreePlayer<G>::value();
  }
  std::optional<Outcome> proven() const override {
    return this->strength().visits == 0 ? std::nullopt : TreePlayer<G>::proven();
  }
  int leaves() const override { return static_cast<int>(tickets_.size()); }
  const typename G::State& leaf(int number) const override { return this->search().leaf(ticket(number)); }
  void supply(int leaf, const Prediction& prediction) override { this->search().supply(ticket(leaf), prediction); }

 private:
  bool count_kept() const override { return false; }  // the same visits cost the same, by whichever rule

  int ticket(int leaf) const { return tickets_[static_cast<std::size_t>(leaf)]; }

  // A draw from the network's policy to the power 1 / temperature; at 0 its largest entry. Nothing is searched, so that
  // a win in one may be missed.
  Action policy_action() {
    const std::vector<ActionStatistics> actions = this->search().statistics();
    std::vector<float> priors;
    for (const ActionStatistics& known : actions) priors.push_back(known.prior);
    return actions[draw_share(priors, this->strength().temperature, this->random())].action;
  }

  std::vector<int> tickets_;  // of the leaves that wait for their predictions
};

}  // namespace

MatchPlayer model_player(const std::string& name, std::shared_ptr<const Model> model, const Strength& strength,
                         const SearchConfig& search) {
  MatchPlayer player = simple_player<ModelPlayer>(search, strength);
  player.name = name;
  player.model = std::move(model);
  player.leaves = strength.leaves;
  player.strength = strength;
  player.timed = strength.seconds > 0;
  return player;
}

}  // namespace koridor
