// What is said of an external engine before it is started: how to start it and what it is to play.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.h"
#include "core/wall/protocol_words.h"

namespace koridor {

enum class EngineProtocol : std::uint8_t { gtp, qtp, uci };

// How an engine is started and spoken to.
struct EngineDescription {
  std::string name;  // of the player, in messages
  EngineProtocol protocol = EngineProtocol::gtp;
  std::string command;      // for the shell
  std::string directory{};  // where it is started; empty: this program's
  WallWords words{};        // wall games: how the engine writes actions and names players
  std::string log{};        // a file to which all lines are added, both ways; empty: none
  // Lines that are sent after each start: GTP and QTP commands, each of which must succeed, or any UCI lines.
  std::vector<std::string> commands{};
  std::vector<std::pair<std::string, std::string>> options{};  // UCI: setoption name FIRST value SECOND
  double seconds = 0;           // for each action, where it has no clock; 0: the engine is told nothing
  std::optional<int> visits{};  // UCI: "go nodes N", beside a clock as well
  int usual_visits = 0;         // UCI: the same where neither a clock nor anything above limits it
  double margin = 0.02;         // at least so many seconds of its time it is not told of, for the way of the answer
  double patience = 60;         // seconds after which an answer is no longer waited for, where no clock runs
};

// What an engine needs to know of a game, as text and numbers.
struct EngineGame {
  std::string variant;  // canonical name
  std::string family;   // "wall", "go"
  int players = 0;
  int columns = 0;
  int rows = 0;
  int walls = 0;                        // wall games: each player's stock
  std::string komi{};                   // Go
  std::string ruleset{};                // Go: the rules as kata-set-rules takes them
  std::string untold{};                 // Go: rules that it cannot say ("must_save_atari=true"); empty: it says all
  std::vector<std::string> handicap{};  // Go: the points of black's stones
};
EngineGame engine_game(const AnyGame& game);

// What an engine says of itself.
struct EngineFeatures {
  std::set<std::string, std::less<>> commands;  // GTP, QTP: those it knows
  std::set<std::string, std::less<>> options;   // UCI: the names of its options
};

// An action that was played.
struct EngineMove {
  int seat = 0;
  std::string text;
};

}  // namespace koridor
