// One search of one game with an evaluator of its own, for sessions. Self-play and matches batch the positions of many
// searches instead (generator.h, slots.h).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/search/search.h"
#include "models/backends.h"
#include "models/network/evaluation_batch.h"
#include "models/network/model_file.h"
#include "selfplay/session/analysis.h"

namespace koridor {

struct ThinkerSettings {
  std::shared_ptr<const Model> model{};  // null: the session cannot search
  std::string name{};                    // of the model, in error messages
  Evaluation evaluation{};
  SearchConfig search = match_search();
  std::size_t nodes = 500'000;  // that the tree has at most (core/search/room.h); on 9x9 a node takes some 2 kB
  std::uint64_t seed = 0;
};

template <Game G>
class Thinker {
 public:
  // The model must not be null. Throws UserError where it does not fit the game, or the backend cannot run here. The
  // game must outlive the thinker.
  Thinker(const G& game, const ThinkerSettings& settings)
      : game_(&game),
        search_(game, settings.search, SearchRoom(0, settings.nodes)),
        batch_(make_batch(game, settings)),
        random_(settings.seed) {}

  void reset(const Position<G>& position) { search_.reset(position); }
  // Somebody played the action; the tree below it is kept.
  void play(Action action) { search_.play(action); }

  // Searches the position, which is not over, and calls `progress(analysis)` every `interval` seconds.
  template <class Progress>
  Analysis think(const SessionLimits& limits, Notation notation, double interval, const Progress& progress) {
    const auto begin = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    double next_report = interval;
    search_.begin({.visits = limits.visits, .seconds = limits.seconds, .stop = limits.stop}, random_);
    while (search_.step() == SearchStep::evaluate) {
      batch_.clear();
      batch_.add(search_.leaf(), 0);
      batch_.evaluate();
      search_.supply(batch_.prediction(0));
      const double seconds = passed();
      if (seconds < next_report) continue;
      progress(analysis(notation, seconds));
      next_report = passed() + interval;
    }
    return analysis(notation, passed());
  }

 private:
  static EvaluationBatch<G> make_batch(const G& game, const ThinkerSettings& settings) {
    const Features& features = settings.model->info.features;
    const EncodingShape shape = game.encoding(features);
    require_fits(settings.model->info, game.family(), shape, settings.name);
    return EvaluationBatch<G>(std::span(&game, 1), features,
                              make_evaluator(*settings.model, shape, settings.evaluation, 1, settings.name), nullptr,
                              1);
  }

  // The result of the search so far, which has evaluated the position.
  Analysis analysis(Notation notation, double seconds) const {
    const typename G::State& state = search_.position().state;
    const Action best = search_.best_action();
    Analysis result{.seat = game_->player_to_move(state),
                    .values = search_.root_value(),
                    .proven = search_.proven(),
                    .visits = search_.simulations(),
                    .seconds = seconds,
                    .best = best,
                    .best_text = game_->print_action(state, best, notation),
                    .candidates = {},
                    .line = {}};
    std::vector<PolicyEntry> policy;
    search_.policy_target(policy);
    for (const ActionStatistics& known : search_.statistics()) {
      const auto entry = std::ranges::find(policy, known.action, &PolicyEntry::action);
      result.candidates.push_back({.action = known.action,
                                   .text = game_->print_action(state, known.action, notation),
                                   .policy = entry == policy.end() ? 0.0f : entry->probability,
                                   .prior = known.prior,
                                   .visits = known.visits,
                                   .value = known.value,
                                   .proven = known.proven,
                                   .plies = known.plies});
    }
    std::ranges::stable_sort(result.candidates, std::ranges::greater{}, &Candidate::policy);
    std::vector<Action> line;
    search_.principal_variation(line);
    Position<G> position = search_.position();
    for (const Action action : line) {
      result.line.push_back(game_->print_action(position.state, action, notation));
      position.apply(*game_, action);
    }
    return result;
  }

  const G* game_;
  Search<G> search_;
  EvaluationBatch<G> batch_;
  Random random_;
};

}  // namespace koridor
