// Files that give players names: TOML, one table per player.
//
//   [gnugo]
//   protocol = "gtp"                               # gtp, qtp or uci
//   command = "gnugo --mode gtp --level 10"        # for the shell
//   directory = "engines"                          # where it is started, as seen from this file's folder
//   seconds = 1                                    # and visits, margin, patience, notation, first: see gtp:COMMAND
//   log = "gnugo.log"                              # a file to which all lines are added, both ways; seen likewise
//   commands = ["level 8"]                         # lines that are sent after each start
//   options = { Hash = 64 }                        # UCI alone: options that are set after each start
//
//   [strong]
//   player = "runs/q/models/gen-0040.koridor,visits=800"        # any PLAYER
//
// The PLAYER "gnugo" is the one of players.toml in the working directory, and "engines.toml:gnugo" that of another
// file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "selfplay/matches/player_text.h"

namespace koridor {

struct NamedPlayer {
  std::string text;                     // "gtp:COMMAND", or any player's
  std::string place{};                  // "players.toml:3", where a file of players has it; empty: none has
  std::vector<PlayerOption> options{};  // "seconds=1"
  bool engine = false;                  // the text is an engine's and holds no options, whatever it looks like
  std::string directory{};              // as seen from this program's directory
  std::string log{};                    // likewise
  std::vector<std::string> commands{};
  std::vector<PlayerOption> engine_options{};
};

// The player of this name; nothing where the text is none of a file of players. Throws UserError, which names file and
// line, where the file cannot be read, has something else than is shown above, or a named file has no such player.
std::optional<NamedPlayer> find_named_player(const std::string& text);

// Everything of the player that its games depend on, on one line: "uci:COMMAND,visits=8; directory engines; ...".
std::string description_of(const NamedPlayer& player);

// The names in players.toml of the working directory; empty where there is no such file, or it cannot be read.
std::vector<std::string> player_names();

}  // namespace koridor
