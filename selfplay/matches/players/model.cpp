// Tree search with a network.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "models/network/precision.h"
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
    return step == SearchStep::done ? PlayerStep::done : PlayerStep::evaluate;
  }
  Action action(double temperature) override {
    return this->strength().visits == 0 ? policy_action() : TreePlayer<G>::action(temperature);
  }
  int leaves() const override { return static_cast<int>(tickets_.size()); }
  const typename G::State& leaf(int number) const override { return this->search().leaf(ticket(number)); }
  void supply(int leaf, const Prediction& prediction) override { this->search().supply(ticket(leaf), prediction); }

 private:
  int ticket(int leaf) const { return tickets_[static_cast<std::size_t>(leaf)]; }

  // A draw from the network's policy to the power 1 / temperature; at 0 its largest entry. Nothing is searched, so that
  // a win in one may be missed.
  Action policy_action() {
    const std::vector<ActionStatistics> actions = this->search().statistics();
    const auto best = std::ranges::max_element(actions, {}, &ActionStatistics::prior);
    const double temperature = this->strength().temperature;
    if (temperature <= 0) return best->action;
    std::vector<float> weights;
    for (const ActionStatistics& known : actions) {
      weights.push_back(std::pow(known.prior / best->prior, static_cast<float>(1.0 / temperature)));
    }
    return actions[static_cast<std::size_t>(this->random().weighted(weights))].action;
  }

  std::vector<int> tickets_;  // of the leaves that wait for their predictions
};

// What the options say, by rising weight: --visits, a level, and what is said of the player's own.
Strength strength_of(const PlayerRequest& request) {
  Strength strength = timed_strength(request, 0);
  if (const std::string* name = find_option(request, "level")) {
    const Strength level = find_level(*name).strength;
    strength.visits = number_option(request, "visits", 0, kMaxPlayerVisits, level.visits);
    strength.temperature = level.temperature;
  }
  strength.leaves = number_option(request, "leaves", 1, Strength::kMostLeaves, 1);
  strength.temperature = number_option(request, "temperature", 0.0, 100.0, strength.temperature);
  return strength;
}

// Takes the precision after the last "@" off a player's text; empty where there is none. Throws UserError where the
// text before the "@" is a file, the whole text is none, and the word behind it is no precision.
std::string split_precision(std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) return {};
  if (!find_precision(text.substr(at + 1))) {
    std::error_code ignored;
    const bool file_before = std::filesystem::is_regular_file(text.substr(0, at), ignored);
    if (!file_before || std::filesystem::exists(text, ignored)) return {};
    throw UserError(text + ": " + unknown_word("precision", text.substr(at + 1), precision_names()));
  }
  const std::string precision = text.substr(at + 1);
  text.resize(at);
  return precision;
}

// The match's search, or that of the rule that the player names.
SearchConfig search_of(const PlayerRequest& request) {
  SearchConfig config = request.search;
  if (const std::string* name = find_option(request, "algorithm")) config.algorithm = *name;
  const std::vector<std::string> rules = SearchRules::names();
  if (std::ranges::find(rules, config.algorithm) == rules.end()) {
    throw UserError(fmt::format("player \"{}\": {}", request.text, unknown_word("algorithm", config.algorithm, rules)));
  }
  return config;
}

MatchPlayer load_model_player(const PlayerRequest& request) {
  std::string path = request.text;
  const std::string precision = split_precision(path);
  // Any text may be a path; one without a slash and without a model's ending is more likely a misspelt player.
  const std::filesystem::path file(path);
  const bool looks_like_file = file.has_parent_path() || file.has_extension();
  std::error_code ignored;
  if (!looks_like_file && !std::filesystem::exists(file, ignored)) throw unknown_player(request.text);
  MatchPlayer player = model_player(request.text, std::make_shared<const Model>(load_model(path)), strength_of(request),
                                    search_of(request));
  player.precision = precision;
  return player;
}

}  // namespace

MatchPlayer model_player(const std::string& name, std::shared_ptr<const Model> model, const Strength& strength,
                         const SearchConfig& search) {
  MatchPlayer player = simple_player<ModelPlayer>(search, strength);
  player.name = name;
  player.model = std::move(model);
  player.leaves = strength.leaves;
  player.timed = strength.seconds > 0;
  return player;
}

struct ModelPlayerKind {
  static PlayerKind describe() {
    return {.word = "",
            .usage = "MODEL[@PRECISION]",
            .example = "",
            .help = "tree search with the model of a file, perhaps in a precision of its own (f32, bf16 or int8)",
            .keys = {"level", "visits", "seconds", "temperature", "leaves", "algorithm"},
            .load = load_model_player};
  }
};
template PlayerKind describe_kind<ModelPlayerKind>();

}  // namespace koridor
