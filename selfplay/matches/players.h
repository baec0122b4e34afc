// Players by name, as `koridor match --a` and the key rating.baselines take them. The kinds are in players/, one file
// per kind; players.cpp lists them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "models/evaluation.h"
#include "models/network/model_file.h"
#include "selfplay/matches/levels.h"
#include "selfplay/matches/named_players.h"
#include "selfplay/matches/player.h"
#include "selfplay/matches/player_text.h"

namespace koridor {

// How matches evaluate: with a smaller cache than self-play, since each thread has one cache per player.
inline Evaluation match_evaluation(Evaluation evaluation = {}) {
  evaluation.cache_mebibytes = 16;
  return evaluation;
}

// Makes a player of one game. Several threads may call it at once. The game must outlive the players.
using PlayerFactory = std::function<AnyPlayer()>;

// All that a match knows of a player.
struct MatchPlayer {
  std::string name;  // as it was given
  // The model that predicts, and its precision (empty: the match's). Players that never ask for a prediction have none.
  std::shared_ptr<const Model> model{};
  std::string precision{};
  int leaves = 1;  // whose predictions it wants at once, at most
  // Of a tree search: the visits and seconds that it has, whoever said so. Other players have no visits.
  Strength strength{.visits = 0};
  // Its play depends on time: a match with it plays no more games at once than there are cores.
  bool timed = false;
  // Does, on all cores, what is needed once for all games of a match. Throws UserError where the player cannot play the
  // game, or `stop` was set meanwhile. The game and `stop` must outlive the players that the factory makes.
  std::function<PlayerFactory(const AnyGame& game, const std::atomic<bool>& stop)> prepare{};
};

// A player as it was written, and its settings.
struct PlayerRequest {
  std::string text;                     // "mcts:500", without its options
  std::optional<std::string> detail{};  // "500": the text after the first colon
  std::vector<PlayerOption> options{};  // "visits=500"; each key is one of the kind's, and given once
  int visits = 64;                      // of a player that searches, unless the text says how many
  SearchConfig search{};
  // Of an engine, as named_players.h describes them.
  std::string directory{};
  std::string log{};
  std::vector<std::string> commands{};
  std::vector<PlayerOption> engine_options{};
};

struct PlayerKind {
  std::string word;     // this kind's texts are "word" and "word:detail"; empty: all texts of no other kind
  std::string usage;    // "alphabeta:DEPTH"
  std::string example;  // "alphabeta:3", offered where a text is misspelt; may be empty
  std::string help;     // how it plays, without a full stop
  // Of the options it takes, as in TEXT,key=value.
  std::vector<std::string> keys{};
  // The text behind the colon is a command for a shell, so that options with other keys than these are part of it.
  bool command = false;
  // Throws UserError for a text that is wrong.
  MatchPlayer (*load)(const PlayerRequest& request);
};

// All kinds, in the order of the help.
const std::vector<PlayerKind>& player_kinds();

// The kind whose word stands before the first colon of the text; the last one takes the texts of no other kind.
const PlayerKind& kind_of(std::string_view text);

// Loads "random", "greedy", "alphabeta:3", "mcts", "mcts:500", "solver", "solver:4096" or the path of a model file,
// which may end in a precision of its own ("gen-0007.koridor@int8"). Options follow behind commas
// ("gen-0007.koridor@int8,level=easy", "mcts,visits=500"); what they say goes before `visits`. Throws UserError for
// anything else, and for a file that is no model. Other texts are names of a file of players (named_players.h).
MatchPlayer load_player(const std::string& text, int visits, const SearchConfig& search);

// What the text means: the player itself, or what a file of players says of its name. Options beside a name go before
// those in the file. Throws UserError where that file is wrong.
NamedPlayer meant_player(const std::string& text);

// Whether it is a search whose visits the text leaves to the `visits` of load_player. Throws as meant_player does.
bool has_usual_visits(const std::string& text);

// A player from a model in memory.
MatchPlayer model_player(const std::string& name, std::shared_ptr<const Model> model, const Strength& strength,
                         const SearchConfig& search);
inline MatchPlayer model_player(const std::string& name, std::shared_ptr<const Model> model, int visits,
                                const SearchConfig& search) {
  return model_player(name, std::move(model), Strength{.visits = visits}, search);
}

// Whether a player's text, without its options, is a word that means nothing: neither a kind of player nor a file, nor
// what looks like the path of one.
bool is_unknown_word(const std::string& text);

// The error for a text that is no player. `models` are words that the caller takes as well, for models.
UserError unknown_player(const std::string& text, const std::vector<std::string>& models = {});

// The lines of a help text that list the kinds.
std::string players_help();

}  // namespace koridor
