// The options --moves and --notation of several subcommands.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/game.h"

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

// Plays the actions of `moves`, words apart. Throws UserError for the first that is not legal.
template <Game G>
void play_moves(const G& game, Position<G>& position, const std::string& moves, Notation notation) {
  std::istringstream words(moves);
  for (std::string word; words >> word;) {
    const auto action = game.outcome(position.state, position.history).over()
                            ? std::nullopt
                            : game.parse_action(position.state, position.history, word, notation);
    if (!action) {
      throw UserError(fmt::format("--moves: \"{}\" is no legal action of {} after {} plies", word, game.name(),
                                  game.ply(position.state)));
    }
    position.apply(game, *action);
  }
}

}  // namespace koridor::cli
