// What a search expects of the players in the other seats, where it knows them: a classical player, whose choices it
// takes for theirs in place of the network's policy (opponent modelling; Carmel and Markovitch 1996). Against such
// players that is worth more than many visits (train/METHODS.md, "A model of the opponents").
#pragma once

#include <optional>
#include <string>

#include "core/game.h"
#include "core/search/alphabeta.h"
#include "core/search/tree.h"

namespace koridor {

// The texts that name a player to be expected, in words.
inline constexpr const char* kOpponentModelForm = "empty, greedy or alphabeta:1 to alphabeta:3";
bool is_opponent_model(const std::string& text);

// The depth of the alpha-beta search that the text means: "greedy" or "alphabeta:2"; nothing for any other text.
std::optional<int> alphabeta_depth(const std::string& text);

template <Game G>
class OpponentModel {
 public:
  // `name` is of kOpponentModelForm; empty: nothing is expected. The game must outlive the model.
  OpponentModel(const G& game, const std::string& name) {
    if (const auto depth = alphabeta_depth(name)) player_.emplace(game, *depth);
  }

  bool any() const { return player_.has_value(); }
  // By other rules from now on: those of a game of the same actions and board.
  void play_by(const G& game) {
    if (player_) player_->play_by(game);
  }

  // The actions, each as likely, of which the player to move is expected to play one; the position is not over.
  void expect(const typename G::State& state, const History& history, ActionMask& expected) {
    player_->choices(state, history, expected);
    nodes_ += player_->nodes();
  }
  // Gives nearly all of the policy of a node to these actions.
  static void apply(Tree& tree, NodeIndex node, const ActionMask& expected) {
    const float each = (1.0f - kDoubt) / static_cast<float>(expected.count());
    tree.set_priors(node,
                    [&](Action action, float prior) { return kDoubt * prior + (expected.test(action) ? each : 0.0f); });
  }

  // Positions that were looked at since then.
  void count_anew() { nodes_ = 0; }
  std::uint64_t nodes() const { return nodes_; }

 private:
  // What the network's policy keeps. With a thousandth a search is as strong, with a tenth a little weaker.
  static constexpr float kDoubt = 0.02f;

  std::optional<AlphaBeta<G>> player_;
  std::uint64_t nodes_ = 0;
};

}  // namespace koridor
