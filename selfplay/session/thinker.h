// One search of one game for sessions: a tree, the threads that evaluate its leaves, and the trees of positions that
// were searched before. Self-play and matches batch the positions of many searches instead (generator.h, slots.h).
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

#include "core/base/cores.h"
#include "core/base/elapsed.h"
#include "core/base/one_thread.h"
#include "core/search/archive.h"
#include "core/search/search.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "models/network/prediction_cache.h"
#include "models/network/square_head.h"
#include "selfplay/session/analysis.h"
#include "selfplay/session/leaf_crew.h"
#include "selfplay/session/search_words.h"

namespace koridor {

// The search of a session. With one leaf at a time it is the search of a match; with several, its result depends on
// `leaves` and `batch` and not on the threads, whose predictions are taken in the order in which they were asked for.
struct ThinkerSettings {
  std::shared_ptr<const Model> model{};  // null: the session cannot search
  std::string name{};                    // of the model, in error messages
  Evaluation evaluation{};
  SearchConfig search = match_search();
  int threads = 1;  // that evaluate, the caller's among them; 0: all cores
  int leaves = 0;   // that may wait for their evaluation at once; 0: by the threads and the visits asked for
  int batch = 0;    // of them in one call of the network; 0: chosen by `leaves`
  // Of the tree and those of earlier searches. Where it is used up the tree forgets what it knows least of.
  int memory_mebibytes = 1024;
  std::uint64_t seed = 0;
};

// One leaf for one thread, so that nothing waits. Else every thread has a batch and two more are ready, of two leaves
// each: fewer leaves leave threads without work, and more cost strength (bench/FIGURES.md, "Leaves in flight"). A
// device computes two large batches in turn.
inline LeafSplit split_leaves(const ThinkerSettings& settings) {
  constexpr int kRows = 2;
  constexpr int kDeviceRows = 32;
  const Backend& backend = find_backend(settings.evaluation.backend);
  const bool on_device = backend.needs_model && backend.on_this_cpu == nullptr;
  const int threads = thread_count(settings.threads);
  const int automatic = on_device ? 2 * kDeviceRows : threads == 1 ? 1 : (threads + 2) * kRows;
  const int leaves = std::clamp(settings.leaves > 0 ? settings.leaves : automatic, 1, SearchLimits::kMostPending);
  const int usual = on_device ? leaves / 2 : std::min(leaves / 4, kRows);
  const int rows = std::clamp(settings.batch > 0 ? settings.batch : usual, 1, leaves);
  return {.batches = leaves / rows, .rows = rows};
}

template <Game G>
class Thinker {
 public:
  // The model must not be null. Throws UserError where it does not fit the game, or the backend cannot run here. The
  // game must outlive the thinker.
  Thinker(const G& game, const ThinkerSettings& settings)
      : game_(&game),
        model_(settings.model),
        most_bytes_(static_cast<std::size_t>(std::max(settings.memory_mebibytes, 1)) << 20),
        search_(game, settings.search, SearchRoom(0, 0, most_bytes_ / 2, true)),
        split_(split_leaves(settings)),
        automatic_(settings.leaves == 0),
        crew_(make_crew(game, settings)),
        cache_(computes(settings)
                   ? make_cache(game.encoding(model_->info.features), settings.evaluation.cache_mebibytes)
                   : nullptr),
        random_(settings.seed) {}

  // Forgets every search: the paths of begin() start at another position from now on.
  void forget() {
    crew_.abandon();
    search_.give_tree();
    archive_ = {};
    at_position_ = false;
  }

  // Begins a search of `position`, which is not over and which the actions of `path` lead to from the game's start.
  // Where the position or one before it has been searched, the search goes on with those visits, unless the limits are
  // `fresh`. The limits are in order (Session::search); what they point to must outlive the search.
  void begin(std::span<const Action> path, const Position<G>& position, const SessionLimits& limits) {
    const OneThread one_thread;
    begun_ = std::chrono::steady_clock::now();
    limits_ = limits;
    crew_.abandon();
    go_to(path, position);
    if (limits.fresh) search_.reset(position);
    kept_ = search_.root_visits();
    evaluations_ = 0;
    note_raw_values();
    SearchLimits ends = search_limits(limits);
    const double gone = passed();
    ends.margin += gone;
    ends.seconds = without_margin(ends.seconds, gone);
    under_way_ = automatic_ ? split_.for_visits(ends.visits) : split_;
    ends.pending = under_way_.leaves();
    search_.begin(ends, random_);
  }
  // Searches on to the end, and calls `progress(analysis)` every `interval` seconds.
  template <class Progress>
  Analysis think(Notation notation, double interval, const Progress& progress) {
    double next_report = interval;
    advance_until([&] {
      if (passed() >= next_report) {
        progress(found(notation));
        next_report = passed() + interval;
      }
      return false;
    });
    if (limits_.infinite) wait_for_stop(*limits_.stop, interval, [&] { progress(found(notation)); });
    return found(notation);
  }
  // The same in parts, for a thread that has other things to do in between, until it is true; the limits are not
  // `infinite`. Each part ends after about so many seconds, and not before the position has been evaluated.
  bool think_on(double seconds) {
    const double end = passed() + seconds;
    return advance_until([&] { return passed() >= end; });
  }
  // What all parts so far have found.
  Analysis found(Notation notation) {
    const OneThread one_thread;
    return analysis(limits_, notation, passed());
  }

 private:
  static bool computes(const ThinkerSettings& settings) {
    return find_backend(settings.evaluation.backend).needs_model;
  }

  static LeafCrew<G> make_crew(const G& game, const ThinkerSettings& settings) {
    const Features& features = settings.model->info.features;
    const EncodingShape shape = game.encoding(features);
    require_fits(settings.model->info, game.family(), shape, settings.name);
    const LeafSplit split = split_leaves(settings);
    return LeafCrew<G>(
        game, features,
        make_evaluator_factory(settings.model, settings.evaluation, settings.name, {.threads = 1, .rows = split.rows}),
        thread_count(settings.threads), split);
  }

  // Without the leaves, which depend on the visits.
  SearchLimits search_limits(const SessionLimits& limits) const {
    constexpr int kPause = 1000;  // simulations: less than a millisecond
    if (limits.infinite) return {.visits = 0, .stop = limits.stop, .pause = kPause};
    SearchLimits result{.visits = limits.visits,
                        .count_kept = false,
                        .seconds = limits.seconds,
                        .clock = limits.clock,
                        .margin = limits.margin,
                        .stop = limits.stop,
                        .pause = kPause};
    if (limits.nodes > 0) {
      const int visits = std::max(limits.nodes - search_.root_visits(), 1);
      result.visits = limits.visits > 0 ? std::min(limits.visits, visits) : visits;
    }
    return result;
  }

  // Goes to a position; what was known of the last one is kept for a return to it.
  void go_to(std::span<const Action> path, const Position<G>& position) {
    if (at_position_ && std::ranges::equal(path, path_)) return;
    if (search_.root_visits() > 0) archive_.put(path_, search_.give_tree());
    at_position_ = false;  // until it is there: the memory may not suffice
    path_.assign(path.begin(), path.end());
    raw_values_.reset();
    ownership_.reset();
    const TreeArchive::Found found = archive_.find(path);
    if (found.visits == 0) {
      search_.reset(position);
    } else if (found.node == Tree::kRoot) {
      search_.set_tree(position, archive_.take(found.place));
    } else {
      archive_.shrink(most_bytes_ - std::min(found.place->tree.memory_used(), most_bytes_ / 2), found.place);
      search_.set_tree(position, found.place->tree, found.node);
    }
    at_position_ = true;
    bound_memory();
  }

  // The tree has half of the memory, and half as much again is for the copy by which it forgets; earlier trees have
  // what that leaves.
  void bound_memory() {
    const std::size_t used = search_.tree().memory_used();
    archive_.shrink(most_bytes_ - std::min(used + used / 2, most_bytes_));
  }

  // Seconds since the search began.
  double passed() const { return seconds_since(begun_); }

  // Takes the search on until it is over, or `leave()` is true with the position evaluated. Whether it is over.
  template <class Leave>
  bool advance_until(const Leave& leave) {
    const OneThread one_thread;
    try {
      while (advance()) {
        if (search_.tree().root().expanded() && leave()) return false;
      }
    } catch (...) {
      drop_leaves();
      throw;
    }
    drop_leaves();
    return true;
  }

  // Forgets the leaves under way, of which search and crew know alike.
  void drop_leaves() {
    crew_.abandon();
    search_.abandon_leaves();
  }

  // Takes the search on by a leaf, or by the predictions of a batch; false where it is over.
  bool advance() {
    switch (search_.step()) {
      case SearchStep::done:
        return false;
      case SearchStep::paused:
        return true;
      case SearchStep::evaluate:
        if (recall()) return true;
        if (!crew_.has_room()) supply(crew_.collect());
        crew_.add(search_.leaf(), search_.ticket());
        if (crew_.filled() >= under_way_.rows) crew_.send();
        return true;
      case SearchStep::waiting:
        if (search_.stopped() && search_.tree().root().expanded()) return false;
        crew_.send();
        supply(crew_.collect());
        bound_memory();
        return true;
    }
    return false;
  }

  // Supplies the leaf at hand where the cache has its prediction.
  bool recall() {
    const float* known = cache_ ? cache_->find(prediction_key(*game_, search_.leaf())) : nullptr;
    if (known == nullptr) return false;
    const auto policy = static_cast<std::size_t>(crew_.shape().policy_size());
    search_.supply(
        {std::span(known, policy), std::span(known + policy, static_cast<std::size_t>(crew_.shape().value_size()))});
    return true;
  }

  void supply(const LeafBatch<G>& batch) {
    evaluations_ += batch.size();
    for (int row = 0; row < batch.size(); ++row) {
      const Prediction prediction = batch.prediction(row);
      if (cache_) cache_->store(prediction_key(*game_, batch.state(row)), prediction.policy, prediction.value);
      search_.supply(batch.ticket(row), prediction);
    }
  }

  // A search that ended by a proof or in a full tree goes on being asked for until it is stopped. It reports on as
  // long, every `interval` seconds: a report may be what stops it.
  template <class Report>
  static void wait_for_stop(const std::atomic<bool>& stop, double interval, const Report& report) {
    for (auto next = std::chrono::steady_clock::now(); !stop;) {
      if (std::chrono::steady_clock::now() < next) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        continue;
      }
      report();
      const auto pause = std::chrono::duration<double>(std::min(interval, 3600.0));
      next = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause);
    }
  }

  // The result of the search so far, which has evaluated the position.
  Analysis analysis(const SessionLimits& limits, Notation notation, double seconds) {
    Analysis result = analysis_of(*game_, search_, notation, limits.lines);
    result.seconds = seconds;
    result.kept = kept_;
    result.evaluations = evaluations_;
    result.raw_values = raw_values();
    result.tree_bytes = search_.tree().memory_used();
    result.most_tree_bytes = most_bytes_ / 2;
    if (limits.ownership) result.ownership = ownership();
    return result;
  }

  // The network's values of the position: the tree knows its mover's alone, which with two players is enough.
  Values raw_values() const {
    if (raw_values_) return *raw_values_;
    const auto mover = static_cast<std::size_t>(game_->player_to_move(search_.position().state));
    Values values{};
    values[mover] = search_.tree().root().estimate;
    values[1 - mover] = 1.0f - values[mover];
    return values;
  }
  void note_raw_values() {
    if (game_->players() == 2 || raw_values_) return;
    const typename G::State& state = search_.position().state;
    const int mover = game_->player_to_move(state);
    crew_.add(state, 0);
    crew_.send();
    const Prediction prediction = crew_.collect().prediction(0);
    raw_values_ = seat_values(prediction, game_->players(), mover);
    if (cache_) cache_->store(prediction_key(*game_, state), prediction.policy, prediction.value);
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
  LeafSplit split_;
  bool automatic_;         // the settings leave the number of leaves to the search
  LeafSplit under_way_{};  // of the present search
  LeafCrew<G> crew_;
  std::shared_ptr<PredictionCache> cache_;  // the owner's alone; null where a prediction costs nothing
  TreeArchive archive_;
  Random random_;
  std::vector<Action> path_;                     // to the search's position
  bool at_position_ = false;                     // whether the search has been anywhere
  SessionLimits limits_{};                       // of this search
  std::chrono::steady_clock::time_point begun_;  // this search
  int kept_ = 0;                                 // visits that the root had when the search began
  int evaluations_ = 0;                          // of this search
  std::optional<Values> raw_values_;             // of the position, with more than two players
  std::optional<std::vector<float>> ownership_;  // likewise
};

}  // namespace koridor
