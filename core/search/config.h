// What can be set about a search: the rule and every rule's settings.
#pragma once

#include <string>
#include <vector>

#include "core/base/setting.h"
#include "core/game.h"
#include "core/search/opponent_model.h"
#include "core/search/rules.h"

namespace koridor {

// The settings of all rules are members by their own names (puct.h, gumbel.h); only those of the chosen rule matter.
struct SearchConfig : SearchRules::Configs {
  std::string algorithm = "gumbel";  // the name of a rule of SearchRules, or kRuleOfGame
  int proven_walls = 1;              // wall games: see RaceTables::prove_walls
  int transposition_visits = 0;      // transpositions.h
  std::string opponent_model;        // opponent_model.h
};

// The search of this game. Where the configuration leaves the rule to the game, best_search() says it, if the game has
// that, and what the policy temperature is multiplied by; it is Gumbel's otherwise.
template <class G>
SearchConfig search_for_game(SearchConfig config, const G& game) {
  if (config.algorithm != kRuleOfGame) return config;
  BestSearch best{Gumbel::kName};
  if constexpr (requires { game.best_search(); }) best = game.best_search();
  config.algorithm = best.rule;
  config.policy_temperature *= best.policy_temperature;
  return config;
}

// What a configuration may call its rule: the names of SearchRules and kRuleOfGame.
inline std::vector<std::string> search_algorithms() {
  std::vector<std::string> names = SearchRules::names();
  names.emplace_back(kRuleOfGame);
  return names;
}

// Describes the keys of a section that sets a search; the caller begins the section.
inline void describe_settings(SearchConfig& config, SettingList& list) {
  list.text(
      "algorithm", &config.algorithm,
      "rule of the search: gumbel, Gumbel AlphaZero (Danihelka et al. 2022), puct, AlphaZero (Silver et al. 2018), "
      "or auto, the one that plays the game best: puct in Go, Blockade, Pinko Pallino and, for two players on 49 "
      "squares or more, in Quoridor; else gumbel",
      search_algorithms());
  list.number("proven_walls", &config.proven_walls, 0, 2,
              "wall games: positions in which at most so many walls are left and still fit, both players' together, "
              "are solved in place of evaluated: one wall on boards of up to 64 squares, two of up to 32");
  list.number("transposition_visits", &config.transposition_visits, 0, 1000000,
              "where several orders of moves lead to a position, the value that the search has found by one of them "
              "counts for the others in place of the network's, as much as its visits and so many at most; 0: not at "
              "all, nor in games whose rules look back, as at repetitions or by superko");
  list.text(
          "opponent_model", &config.opponent_model,
          "whose choices the search expects of the players in the other seats, in place of the network's policy: "
          "greedy or alphabeta:1 to alphabeta:3; empty: nobody's. In self-play in games with selfplay.opponents alone")
      .of_form(kOpponentModelForm, is_opponent_model);
  SearchRules::describe(config, list);
}

// The search of matches and ratings where nothing else is said: for playing to win. Self-play learns best with the
// values above (Danihelka's), whose targets are sharp; a game is played better with fewer root actions and less trust
// in the values of a few visits. On 5x5 at 64 visits that gained three points in a hundred against every baseline (at
// 0.1 and at 1 it was worse, from 0.2 to 0.4 about equal). That trust does not grow beyond two hundred visits of an
// action, or 1,600 visits would keep no more on 5x5 than 400 (train/METHODS.md). Solving positions with two walls left
// takes longer than evaluating them, and makes the choices right that a network still gets wrong; self-play has more of
// more games.
// In Go, Blockade, Pinko Pallino and on the larger boards of Quoridor PUCT is the better rule, if it explores less than
// by the default and plays by lower bounds. Nodes of one position share values there (transpositions.h).
inline SearchConfig match_search() {
  SearchConfig config;
  config.algorithm = kRuleOfGame;
  config.c_puct = 0.5f;
  config.lower_bound = 0.5f;
  config.gumbel_considered = 8;
  config.gumbel_c_scale = 0.3f;
  config.gumbel_visit_cap = 200.0f;
  config.proven_walls = 2;
  config.transposition_visits = 16;
  return config;
}

}  // namespace koridor
