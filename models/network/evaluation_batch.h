// Positions of many games on their way through one evaluator. They are encoded row by row into memory that is allocated
// once. With a cache, a position met before is neither encoded nor computed.
//
//   batch.clear();
//   for (...) batch.add(state, 0);      // row 0, 1, ...; a state of the first game
//   batch.evaluate();
//   use(batch.prediction(row));         // valid until the next clear()
//
// The positions may be of several games that differ in one rule, such as repetition. Each is encoded and cached as a
// position of its own game.
//
// Several batches may share an evaluator if each has a ticket of its own and calls submit() and wait() instead of
// evaluate(). Batches of one thread may also share a cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/game.h"
#include "core/search/search.h"
#include "core/timed_game.h"
#include "models/network/evaluator.h"
#include "models/network/prediction_cache.h"

namespace koridor {

struct EvaluationBatchOptions {
  int rows = 1;                              // positions at most
  std::shared_ptr<PredictionCache> cache{};  // may be null; batches that share it have the same games in the same order
  int ticket = 0;                            // of batches that share an evaluator, each has its own
};

template <Game G>
class EvaluationBatch {
 public:
  // The `games` have the same board and encoding shape and must outlive the batch.
  EvaluationBatch(std::span<const G> games, const Features& features, std::shared_ptr<Evaluator> evaluator,
                  EvaluationBatchOptions options)
      : games_(games),
        features_(features),
        evaluator_(std::move(evaluator)),
        cache_(std::move(options.cache)),
        ticket_(options.ticket),
        most_(static_cast<std::size_t>(options.rows)),
        plane_floats_(static_cast<std::size_t>(evaluator_->shape().plane_floats())),
        scalar_floats_(static_cast<std::size_t>(evaluator_->shape().scalars)),
        policy_floats_(static_cast<std::size_t>(evaluator_->shape().policy_size())),
        value_floats_(static_cast<std::size_t>(evaluator_->shape().value_size())) {
    places_.reserve(most_);
    asked_keys_.reserve(most_);
    planes_.resize(most_ * plane_floats_);
    scalars_.resize(most_ * scalar_floats_);
    policy_.resize(most_ * policy_floats_);
    value_.resize(most_ * value_floats_);
  }

  const Evaluator& evaluator() const { return *evaluator_; }

  int size() const { return static_cast<int>(places_.size()); }
  void clear() {
    places_.clear();
    asked_keys_.clear();
    asked_ = 0;
  }

  // `variant` is the place of the position's game in `games`.
  void add(const typename G::State& state, int variant) {
    const G& game = games_[static_cast<std::size_t>(variant)];
    if (cache_ && recall(game, state, variant)) return;
    game.encode(state, features_, 0, planes_.data() + asked_ * plane_floats_,
                scalars_.data() + asked_ * scalar_floats_);
    places_.push_back(asked_++);
  }

  // Computes the rows added since clear() and puts them into the cache.
  void evaluate() {
    submit();
    wait();
    remember();
  }
  void submit() {
    if (asked_ > 0) evaluator_->submit(ticket_, inputs(), {policy_, value_, {}});
  }
  // False where the evaluator cannot take the rows without waiting for other threads (evaluator.h).
  bool try_submit() { return asked_ == 0 || evaluator_->try_submit(ticket_, inputs(), {policy_, value_, {}}); }
  void wait() { evaluator_->wait(ticket_); }
  // Puts the computed rows into the cache; call it after wait().
  void remember() {
    if (asked_keys_.empty()) return;
    timed(games_[0], Stopwatch::cache, [&] {
      for (std::size_t place = 0; place < asked_keys_.size(); ++place) {
        const Prediction prediction = result(place);
        cache_->store(asked_keys_[place], prediction.policy, prediction.value);
      }
    });
    asked_keys_.clear();
  }

  Prediction prediction(int row) const { return result(places_[static_cast<std::size_t>(row)]); }

  // The bytes of one row, inputs and results together.
  std::size_t row_bytes() const {
    return (plane_floats_ + scalar_floats_ + policy_floats_ + value_floats_) * sizeof(float) + sizeof(std::size_t) +
           sizeof(std::uint64_t);
  }

 private:
  Batch inputs() const {
    return {static_cast<int>(asked_), std::span(planes_).first(asked_ * plane_floats_),
            std::span(scalars_).first(asked_ * scalar_floats_)};
  }

  Prediction result(std::size_t place) const {
    return {std::span(policy_).subspan(place * policy_floats_, policy_floats_),
            std::span(value_).subspan(place * value_floats_, value_floats_)};
  }

  // Whether the cache has the position's prediction, which then becomes a result.
  bool recall(const G& game, const typename G::State& state, int variant) {
    return timed(game, Stopwatch::cache, [&] {
      const std::uint64_t key = prediction_key(game, state) ^ (static_cast<std::uint64_t>(variant) * kVariantKey);
      const float* known = cache_->find(key);
      if (known == nullptr) {
        asked_keys_.push_back(key);
        return false;
      }
      const std::size_t place = most_ - 1 - (places_.size() - asked_);
      std::copy_n(known, policy_floats_, policy_.data() + place * policy_floats_);
      std::copy_n(known + policy_floats_, value_floats_, value_.data() + place * value_floats_);
      places_.push_back(place);
      return true;
    });
  }

  // Makes the keys of a state differ from game to game; those of the first game stay as they are.
  static constexpr std::uint64_t kVariantKey = 0x9E3779B97F4A7C15u;

  std::span<const G> games_;
  Features features_;
  std::shared_ptr<Evaluator> evaluator_;
  std::shared_ptr<PredictionCache> cache_;
  int ticket_;
  std::size_t most_;
  std::size_t plane_floats_;
  std::size_t scalar_floats_;
  std::size_t policy_floats_;
  std::size_t value_floats_;
  std::vector<std::size_t> places_;        // [rows]: where a row's result is
  std::size_t asked_ = 0;                  // the number of rows that the evaluator computes
  std::vector<std::uint64_t> asked_keys_;  // [asked], with a cache
  std::vector<float> planes_;              // [asked, planes, board rows, board columns]
  std::vector<float> scalars_;             // [asked, scalars]
  std::vector<float> policy_;              // [most, policy_size]: computed ones first, from the cache at the end
  std::vector<float> value_;               // [most, players + 1]: likewise
};

}  // namespace koridor
