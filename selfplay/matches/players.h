// Players by name: what `koridor match --a` and a configuration's baselines may say. The kinds are in players/, a file
// for each; players.cpp lists them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "models/evaluation.h"
#include "models/network/model_file.h"
#include "selfplay/matches/player.h"

namespace koridor {

// How matches evaluate: with a smaller cache than self-play's, as each thread has one for both players.
inline Evaluation match_evaluation(Evaluation evaluation = {}) {
  evaluation.cache_mebibytes = 16;
  return evaluation;
}

// Makes a player of one game; may be called by several threads at once. The players must not outlive the game.
using PlayerFactory = std::function<AnyPlayer()>;

// All that a match needs to know of a player.
struct MatchPlayer {
  std::string name;  // as it was given
  // Whose predictions its players want, and in which precision (empty: as the match says); no model for players that
  // never ask for any.
  std::shared_ptr<const Model> model{};
  std::string precision{};
  // Does what is done once for all of a match's players of one side, on all cores. Throws UserError where it cannot
  // play the game, or `stop` was set meanwhile. The game and `stop` must outlive what the factory makes.
  std::function<PlayerFactory(const AnyGame& game, const std::atomic<bool>& stop)> prepare{};
};

// A player as somebody wrote it down, and what it is given besides.
struct PlayerRequest {
  std::string text;                     // "mcts:500"
  std::optional<std::string> detail{};  // "500": what stands behind the first colon
  int visits = 64;                      // of those that search, where the text does not say
  SearchConfig search{};
};

struct PlayerKind {
  std::string word;     // of texts "word" and "word:detail"; empty: of all texts that are no other kind's
  std::string usage;    // "alphabeta:DEPTH"
  std::string example;  // "alphabeta:3", to offer where a text is misspelt; may be empty
  std::string help;     // what it plays, without a full stop
  // Throws UserError for a text that is wrong.
  MatchPlayer (*load)(const PlayerRequest& request);
};

// In the order of the help.
const std::vector<PlayerKind>& player_kinds();

// "random", "greedy", "alphabeta:3", "mcts", "mcts:500", "solver", "solver:4096" or the path of a model file, perhaps
// with a precision of its own behind it ("gen-0007.koridor@int8"). Throws UserError for anything else, and for a file
// that is no model.
MatchPlayer load_player(const std::string& text, int visits, const SearchConfig& search);

// A model in memory as a player.
MatchPlayer model_player(const std::string& name, std::shared_ptr<const Model> model, int visits,
                         const SearchConfig& search);

// The error for a text that no kind of player can make anything of.
UserError unknown_player(const std::string& text);

// The kinds as lines of a help text.
std::string players_help();

}  // namespace koridor
