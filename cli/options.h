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

// Lets several assignments follow one option, as its help says: "--set a=1 b=2" becomes "--set a=1 --set b=2". Only
// words that begin as "key=" are taken, so that "--set a=1 quoridor:5x5,walls=3" keeps its game.
inline std::vector<std::string> spread_assignments(const std::vector<std::string>& words) {
  const auto is_assignment = [](const std::string& word) {
    const std::size_t key = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.");
    return key != std::string::npos && key > 0 && word[key] == '=';
  };
  std::vector<std::string> spread;
  std::string option;  // whose assignments these are; empty: none
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string name = word.substr(0, word.find('='));
    if (name == "--set" || name == "--search") {
      option = name;
      spread.push_back(word);
      if (word == name && i + 1 < words.size()) spread.push_back(words[++i]);
    } else if (!option.empty() && is_assignment(word)) {
      spread.insert(spread.end(), {option, word});
    } else {
      option.clear();
      spread.push_back(word);
    }
  }
  return spread;
}

// Both add --set, which may be given several times, each time with several assignments: for rules of the game, and for
// keys of the configuration. The list must outlive the parsing.
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
