// Players by name: what `koridor match --a` and a configuration's baselines may say.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/game.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "core/solve/solver.h"
#include "models/evaluation.h"
#include "models/network/evaluator.h"
#include "models/network/model_file.h"

namespace koridor {

// How matches evaluate: with a smaller cache than self-play's, as each thread has one for both players.
inline Evaluation match_evaluation(Evaluation evaluation = {}) {
  evaluation.cache_mebibytes = 16;
  return evaluation;
}

enum class PlayerKind {
  random,     // any legal action
  greedy,     // the action with the best heuristic one ply ahead, ties by lot
  alphabeta,  // alpha-beta over the heuristic (alphabeta.h), ties by lot
  mcts,       // tree search with random playouts and uniform priors, no network
  model,      // tree search with a network
  solver,     // a proven best action, ties by lot; small games only
};

struct PlayerSpec {
  PlayerKind kind = PlayerKind::random;
  std::string name = "random";  // as it was given
  int depth = 0;                // alphabeta
  int visits = 0;               // mcts:VISITS; 0: as the match says
  int mebibytes = 0;            // solver: of its tables
  std::string path{};           // model
  std::string precision{};      // model: as the match says where it is empty
};

// "random", "greedy", "alphabeta:3", "mcts", "mcts:500", "solver", "solver:4096" or the path of a model file, perhaps
// with a precision of its own behind it ("gen-0007.koridor@int8"). Throws UserError for anything else.
PlayerSpec parse_player(const std::string& text);

// A player with all it needs to play a match.
struct MatchPlayer {
  PlayerSpec spec;
  int visits = 64;  // a search, for mcts and models
  SearchConfig search{};
  std::shared_ptr<const Model> model{};       // loaded by load_player
  std::shared_ptr<const AnySolver> solver{};  // of the game to be played; solved by prepare_player
};

// parse_player, and the model's file read (and refused, by name, where it is no model).
MatchPlayer load_player(const std::string& text, int visits, const SearchConfig& search);

// Solves the game for a player that is a solver and has not done so; nothing for others. Throws UserError where the
// game is too big.
void prepare_player(MatchPlayer& player, const AnyGame& game, const std::atomic<bool>& stop);

}  // namespace koridor
