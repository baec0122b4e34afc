// The options --moves, --notation and --set of several subcommands.
#pragma once

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/base/error.h"
#include "core/game.h"
#include "core/reading.h"

namespace koridor::cli {

// Adds --notation, which sets `notation`; the value must outlive the parsing.
inline void add_notation(const Command& command, Notation& notation, const std::string& help) {
  command
      .add_word(
          "--notation",
          [&notation](const std::string& name) { notation = name == "modern" ? Notation::modern : Notation::standard; },
          help)
      .one_of({"standard", "modern"})
      .show_default("standard");
}

// Both add --set, which may be given several times, each time with several assignments: for rules of the game, and for
// keys of the configuration. The list must outlive the parsing.
inline void add_rule_settings(const Command& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "rule=value, as in --set repetition=3").type_name("RULE=VALUE").one_each_time();
}
inline void add_key_settings(const Command& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "section.key=value, overrides the configuration")
      .type_name("KEY=VALUE")
      .one_each_time();
}

// Plays the actions of `moves`, which spaces separate. Throws UserError for the first that is not legal.
template <Game G>
void play_moves(const G& game, Position<G>& position, const std::string& moves, Notation notation) {
  std::istringstream words(moves);
  for (std::string word; words >> word;) {
    const Reading reading = read_action(game, position.state, position.history, word, notation);
    if (!reading.action) {
      throw UserError(fmt::format("--moves: {} as ply {} of {}: {}", in_quotes(word), game.ply(position.state) + 1,
                                  game.name(), refusal_text(game, position.state, reading, notation)));
    }
    position.apply(game, *reading.action);
  }
}

}  // namespace koridor::cli
