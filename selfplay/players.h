// Players by name: what `koridor match --a` and a configuration's baselines may say.
#pragma once

#include <memory>
#include <string>

#include "core/game.h"
#include "core/search/config.h"
#include "models/backends.h"
#include "models/evaluator.h"
#include "models/model_file.h"

namespace koridor {

enum class PlayerKind {
  random,     // any legal action
  greedy,     // the action with the best heuristic one ply ahead, ties by lot
  alphabeta,  // alpha-beta over the heuristic (alphabeta.h), ties by lot
  mcts,       // tree search with random playouts and uniform priors, no network
  model,      // tree search with a network
};

struct PlayerSpec {
  PlayerKind kind = PlayerKind::random;
  std::string name = "random";  // as it was given
  int depth = 0;                // alphabeta
  int visits = 0;               // mcts:VISITS; 0: as the match says
};

// "random", "greedy", "alphabeta:3", "mcts", "mcts:500" or the path of a model file. Throws UserError for anything
// else.
PlayerSpec parse_player(const std::string& text);

// A player with all it needs to play a match.
struct MatchPlayer {
  PlayerSpec spec;
  int visits = 64;  // a search, for mcts and models
  SearchConfig search{};
  std::shared_ptr<const Model> model{};  // loaded by load_player
};

// parse_player, and the model's file read (and refused, by name, where it is no model).
MatchPlayer load_player(const std::string& text, int visits, const SearchConfig& search);

}  // namespace koridor
