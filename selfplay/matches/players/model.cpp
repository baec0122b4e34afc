// Tree search with a network.
#include <filesystem>

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
    return this->search().step() == SearchStep::evaluate ? PlayerStep::evaluate : PlayerStep::done;
  }
  const typename G::State& leaf() const override { return this->search().leaf(); }
  void supply(const Prediction& prediction) override { this->search().supply(prediction); }
};

// Takes the precision after the last "@" off a player's text; empty where there is none.
std::string split_precision(std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || !find_precision(text.substr(at + 1))) return {};
  const std::string precision = text.substr(at + 1);
  text.resize(at);
  return precision;
}

MatchPlayer load_model_player(const PlayerRequest& request) {
  std::string path = request.text;
  const std::string precision = split_precision(path);
  // Any text may be a path; one without a slash and without a model's ending is more likely a misspelt player.
  const std::filesystem::path file(path);
  const bool looks_like_file = file.has_parent_path() || file.has_extension();
  std::error_code ignored;
  if (!looks_like_file && !std::filesystem::exists(file, ignored)) throw unknown_player(request.text);
  MatchPlayer player =
      model_player(request.text, std::make_shared<const Model>(load_model(path)), request.visits, request.search);
  player.precision = precision;
  return player;
}

}  // namespace

MatchPlayer model_player(const std::string& name, std::shared_ptr<const Model> model, int visits,
                         const SearchConfig& search) {
  MatchPlayer player = simple_player<ModelPlayer>(search, visits);
  player.name = name;
  player.model = std::move(model);
  return player;
}

struct ModelPlayerKind {
  static PlayerKind describe() {
    return {.word = "",
            .usage = "MODEL[@PRECISION]",
            .example = "",
            .help = "tree search with the model of a file, perhaps in a precision of its own (f32, bf16 or int8)",
            .load = load_model_player};
  }
};
template PlayerKind describe_kind<ModelPlayerKind>();

}  // namespace koridor
