// Positions of many games on their way through one evaluator: encoded row by row into memory that is allocated once.
//
//   batch.clear();
//   for (...) batch.add(state);         // row 0, 1, ...
//   batch.evaluate();
//   use(batch.prediction(row));         // valid until the next evaluate()
//
// Several batches may share an evaluator, each with a ticket of its own: submit() and wait() instead of evaluate().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/game.h"
#include "core/search/search.h"
#include "models/evaluator.h"

namespace koridor {

template <Game G>
class EvaluationBatch {
 public:
  // At most `rows` positions of `game` at once; the game must outlive the batch.
  EvaluationBatch(const G& game, const Features& features, std::shared_ptr<Evaluator> evaluator, int rows,
                  int ticket = 0)
      : game_(&game),
        features_(features),
        evaluator_(std::move(evaluator)),
        ticket_(ticket),
        plane_floats_(static_cast<std::size_t>(evaluator_->shape().plane_floats())),
        scalar_floats_(static_cast<std::size_t>(evaluator_->shape().scalars)),
        policy_floats_(static_cast<std::size_t>(evaluator_->shape().policy_size())),
        value_floats_(static_cast<std::size_t>(evaluator_->shape().value_size())) {
    const auto count = static_cast<std::size_t>(rows);
    keys_.reserve(count);
    planes_.resize(count * plane_floats_);
    scalars_.resize(count * scalar_floats_);
    policy_.resize(count * policy_floats_);
    value_.resize(count * value_floats_);
  }

  const Evaluator& evaluator() const { return *evaluator_; }

  int size() const { return static_cast<int>(keys_.size()); }
  void clear() { keys_.clear(); }

  void add(const typename G::State& state) {
    const std::size_t row = keys_.size();
    game_->encode(state, features_, 0, planes_.data() + row * plane_floats_, scalars_.data() + row * scalar_floats_);
    keys_.push_back(game_->key(state));
  }

  // Of the rows added since clear(); there must be one.
  void evaluate() {
    submit();
    wait();
  }
  void submit() {
    const std::size_t rows = keys_.size();
    const Batch batch{size(), std::span(planes_).first(rows * plane_floats_),
                      std::span(scalars_).first(rows * scalar_floats_), keys_};
    evaluator_->submit(ticket_, batch, {policy_, value_, {}});
  }
  void wait() { evaluator_->wait(ticket_); }

  Prediction prediction(int row) const {
    const auto place = static_cast<std::size_t>(row);
    return {std::span(policy_).subspan(place * policy_floats_, policy_floats_),
            std::span(value_).subspan(place * value_floats_, value_floats_)};
  }

 private:
  const G* game_;
  Features features_;
  std::shared_ptr<Evaluator> evaluator_;
  int ticket_;
  std::size_t plane_floats_;
  std::size_t scalar_floats_;
  std::size_t policy_floats_;
  std::size_t value_floats_;
  std::vector<std::uint64_t> keys_;
  std::vector<float> planes_;   // [rows, planes, board rows, board columns]
  std::vector<float> scalars_;  // [rows, scalars]
  std::vector<float> policy_;   // [rows, policy_size]
  std::vector<float> value_;    // [rows, players + 1]
};

}  // namespace koridor
