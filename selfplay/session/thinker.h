// One search of one game with an evaluator of its own, for sessions. Self-play and matches batch the positions of many
// searches instead (generator.h, slots.h).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/search/search.h"
#include "models/backends.h"
#include "models/network/evaluation_batch.h"
#include "models/network/model_file.h"
#include "models/network/square_head.h"
#include "selfplay/session/analysis.h"
#include "selfplay/session/search_words.h"

namespace koridor {

struct ThinkerSettings {
  std::shared_ptr<const Model> model{};  // null: the session cannot search
  std::string name{};                    // of the model, in error messages
  Evaluation evaluation{};
  SearchConfig search = match_search();
  int threads = 1;  // that search one tree; 0: all cores
  int leaves = 0;   // that may wait for their evaluation at once; 0: one for one thread, else by the threads
  int memory_mebibytes = 1024;  // of the tree and of what is kept of earlier searches; a search goes on when it is used
  std::uint64_t seed = 0;
};

template <Game G>
class Thinker {
 public:
  // The model must not be null. Throws UserError where it does not fit the game, or the backend cannot run here. The
  // game must outlive the thinker.
  Thinker(const G& game, const ThinkerSettings& settings)
      : game_(&game),
        model_(settings.model),
        most_bytes_(static_cast<std::size_t>(std::max(settings.memory_mebibytes, 1)) << 20),
        search_(game, settings.search, SearchRoom(0, nodes_in(game, most_bytes_))),
        batch_(make_batch(game, settings)),
        random_(settings.seed) {}

  void reset(const Position<G>& position) {
    search_.reset(position);
    forget_position();
  }
  // Somebody played the action; the tree below it is kept.
  void play(Action action) {
    search_.play(action);
    forget_position();
  }

  // Searches the position, which is not over, and calls `progress(analysis)` every `interval` seconds. The limits are
  // in order (Session::search).
  template <class Progress>
  Analysis think(const SessionLimits& limits, Notation notation, double interval, const Progress& progress) {
    const auto begin = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    const auto now = [&] { return analysis(limits, notation, passed()); };
    double next_report = interval;
    kept_ = search_.root_visits();
    search_.begin(search_limits(limits), random_);
    while (search_.step() == SearchStep::evaluate) {
      batch_.clear();
      batch_.add(search_.leaf(), 0);
      batch_.evaluate();
      search_.supply(batch_.prediction(0));
      if (passed() < next_report) continue;
      progress(now());
      next_report = passed() + interval;
    }
    if (limits.infinite) wait_for_stop(*limits.stop, [&] { progress(now()); });
    return now();
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

  // The nodes that half of the memory holds; Search::play copies what it keeps into the other half.
  static std::size_t nodes_in(const G& game, std::size_t bytes) {
    const Position<G> start(game);
    ActionMask actions;
    game.legal_actions(start.state, start.history, actions);
    return bytes / 2 / Tree::node_bytes(actions.count()) + 1;
  }

  SearchLimits search_limits(const SessionLimits& limits) const {
    if (limits.infinite) return {.visits = 0, .stop = limits.stop};
    SearchLimits result{.visits = limits.visits, .seconds = limits.seconds, .clock = limits.clock, .stop = limits.stop};
    if (limits.nodes > 0) {
      const int visits = search_.kept_visits_count() ? limits.nodes : std::max(limits.nodes - search_.root_visits(), 1);
      result.visits = limits.visits > 0 ? std::min(limits.visits, visits) : visits;
    }
    return result;
  }

  // A search that ended by a proof goes on being asked for until it is stopped.
  template <class Report>
  static void wait_for_stop(const std::atomic<bool>& stop, const Report& report) {
    if (stop) return;
    report();
    while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  void forget_position() {
    raw_values_.reset();
    ownership_.reset();
  }

  // The result of the search so far, which has evaluated the position.
  Analysis analysis(const SessionLimits& limits, Notation notation, double seconds) {
    Analysis result = analysis_of(*game_, search_, notation, limits.lines);
    result.seconds = seconds;
    result.kept = kept_;
    result.raw_values = raw_values();
    result.tree_bytes = search_.tree().memory_used();
    result.most_tree_bytes = most_bytes_ / 2;
    if (limits.ownership) result.ownership = ownership();
    return result;
  }

  // The network's values of the position. The tree knows its mover's alone, which with two players is enough.
  const Values& raw_values() {
    if (raw_values_) return *raw_values_;
    const typename G::State& state = search_.position().state;
    const int mover = game_->player_to_move(state);
    if (game_->players() == 2 && search_.tree().root().expanded()) {
      const float own = search_.tree().root().estimate;
      Values values{};
      values[static_cast<std::size_t>(mover)] = own;
      values[static_cast<std::size_t>(1 - mover)] = 1.0f - own;
      return raw_values_.emplace(values);
    }
    batch_.clear();
    batch_.add(state, 0);
    batch_.evaluate();
    return raw_values_.emplace(seat_values(batch_.prediction(0), game_->players(), mover));
  }

  // Analysis::ownership.
  const std::vector<float>& ownership() {
    if (ownership_) return *ownership_;
    std::vector<float> owners = predicted_owners(*model_, *game_, search_.position().state);
    for (float& owner : owners) owner = 2.0f * owner - 1.0f;
    return ownership_.emplace(std::move(owners));
  }

  const G* game_;
  std::shared_ptr<const Model> model_;
  std::size_t most_bytes_;
  Search<G> search_;
  EvaluationBatch<G> batch_;
  Random random_;
  int kept_ = 0;                                 // visits that the root had when the search began
  std::optional<Values> raw_values_;             // of the position
  std::optional<std::vector<float>> ownership_;  // likewise
};

}  // namespace koridor
