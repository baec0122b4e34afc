// What a search says, as the numbers and the text of an Analysis.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/search/search.h"
#include "selfplay/session/analysis.h"

namespace koridor {

// The names of actions that are played one after the other from `position`.
template <Game G>
std::vector<std::string> action_texts(const G& game, Position<G> position, std::span<const Action> actions,
                                      Notation notation) {
  std::vector<std::string> texts;
  for (const Action action : actions) {
    texts.push_back(game.print_action(position.state, action, notation));
    position.apply(game, action);
  }
  return texts;
}

// Every root action: the one to play first, then those with the largest share of the policy. The first `lines` have
// their line of play.
template <Game G>
std::vector<Candidate> candidates_of(const G& game, const Search<G>& search, Notation notation, int lines) {
  const Position<G>& position = search.position();
  std::vector<PolicyEntry> policy;
  search.policy_target(policy);
  std::vector<Candidate> candidates;
  for (const ActionStatistics& known : search.statistics()) {
    const auto entry = std::ranges::lower_bound(policy, known.action, {}, &PolicyEntry::action);
    const bool listed = entry != policy.end() && entry->action == known.action;
    candidates.push_back({.action = known.action,
                          .text = game.print_action(position.state, known.action, notation),
                          .policy = listed ? entry->probability : 0.0f,
                          .prior = known.prior,
                          .visits = known.visits,
                          .value = known.value,
                          .values = known.values,
                          .proven = known.proven,
                          .plies = known.plies});
  }
  // The policy of an action that was not searched is a guess from the network's.
  std::ranges::stable_sort(candidates, std::ranges::greater{},
                           [](const Candidate& candidate) { return std::pair(candidate.known(), candidate.policy); });
  const auto best = std::ranges::find(candidates, search.best_action(), &Candidate::action);
  std::rotate(candidates.begin(), best, best + 1);
  std::vector<Action> line;
  for (std::size_t i = 0; i < candidates.size() && static_cast<int>(i) < lines; ++i) {
    search.principal_variation(candidates[i].action, line);
    candidates[i].line = action_texts(game, position, line, notation);
    candidates[i].actions = line;
  }
  return candidates;
}

// All of an Analysis that the search itself knows. Its root has been evaluated.
template <Game G>
Analysis analysis_of(const G& game, const Search<G>& search, Notation notation, int lines) {
  const Position<G>& position = search.position();
  const Action best = search.best_action();
  std::vector<Action> line;
  search.principal_variation(line);
  Analysis result;
  result.seat = game.player_to_move(position.state);
  result.values = search.root_value();
  result.proven = search.proven();
  result.visits = search.simulations();
  result.best = best;
  result.best_text = game.print_action(position.state, best, notation);
  result.candidates = candidates_of(game, search, notation, lines);
  result.line = action_texts(game, position, line, notation);
  result.actions = line;
  result.nodes = search.root_visits();
  result.mean_depth = search.mean_depth();
  result.largest_depth = search.largest_depth();
  return result;
}

}  // namespace koridor
