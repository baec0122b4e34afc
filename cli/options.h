// The options --moves, --notation and --set of several subcommands.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/game.h"
#include "core/reading.h"

namespace koridor::cli {

// Adds --notation, which sets `notation`; the value must outlive the parsing.
inline void add_notation(CLI::App& command, Notation& notation, const std::string& help) {
  command
      .add_option_function<std::string>(
          "--notation",
          [&notation](const std::string& name) { notation = name == "modern" ? Notation::modern : Notation::standard; },
          help)
      ->check(CLI::IsMember({"standard", "modern"}))
      ->default_str("standard");
}

// Both add --set, which may be given several times: for rules of the game, and for keys of the configuration. The list
// must outlive the parsing.
inline void add_rule_settings(CLI::App& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "rule=value, as in --set repetition=3")
      ->type_name("RULE=VALUE")
      ->allow_extra_args(false);
}
inline void add_key_settings(CLI::App& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "section.key=value, overrides the configuration")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

// Plays the actions of `moves`, which spaces separate. Throws UserError for the first that is not legal.
template <Game G>
void play_moves(const G& game, Position<G>& position, const std::string& moves, Notation notation) {
  std::istringstream words(moves);
  for (std::string word; words >> word;) {
    const Reading reading = read_action(game, position.state, position.history, word, notation);
    if (!reading.action) {
      const std::string near =
          reading.nearest == kNoAction ? "" : game.print_action(position.state, reading.nearest, notation);
      throw UserError(fmt::format("--moves: {} as ply {} of {}: {}", in_quotes(word), game.ply(position.state) + 1,
                                  game.name(), refusal_text(reading.objection->message, near)));
    }
    position.apply(game, *reading.action);
  }
}

}  // namespace koridor::cli
