// The option --sgf of several subcommands: a game of Go as a record that other programs read.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/go/sgf.h"

namespace koridor::cli {

// Throws UserError unless the game is Go.
template <Game G>
void require_sgf(const G& game) {
  if (game.family() != "go") throw UserError(fmt::format("--sgf: SGF records are of Go, not of {}", game.name()));
}

// Writes a whole game as SGF into a file, or to standard output where `path` is "-".
template <Game G>
void save_sgf(const std::string& path, const G& game, std::span<const Action> actions, const std::string& black,
              const std::string& white) {
  require_sgf(game);
  if constexpr (std::is_same_v<G, go::GoGame>) {
    go::Record record{game, game.initial_state(), {actions.begin(), actions.end()}, black, white, "", {}};
    record.result = go::sgf_result(game, record.end());
    const std::string text = go::write_sgf(record);
    if (path == "-") {
      fmt::print("{}", text);
    } else {
      write_file_atomically(path, text);
    }
  }
}

}  // namespace koridor::cli
