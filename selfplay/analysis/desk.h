// What one thread has for the positions of one game: a batch, an evaluator, and who asked for which row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "models/network/evaluation_batch.h"
#include "models/network/model_file.h"
#include "selfplay/analysis/score.h"

namespace koridor {

template <Game G, class Asker>
class Desk {
 public:
  struct Row {
    Asker* asker;
    int ticket;  // of the asker's search
  };

  // `cache` in MiB; the evaluator may be shared by the desks of a thread.
  Desk(std::shared_ptr<const G> game, std::shared_ptr<const Model> model, std::shared_ptr<Evaluator> evaluator,
       int cache, int rows)
      : game_(std::move(game)),
        model_(std::move(model)),
        evaluator_(std::move(evaluator)),
        batch_(std::span(game_.get(), 1), model_->info.features, evaluator_,
               {.rows = rows, .cache = make_cache(evaluator_->shape(), cache)}),
        most_(rows) {}

  const G& game() const { return *game_; }
  const Model& model() const { return *model_; }

  void clear() {
    batch_.clear();
    rows_.clear();
  }
  bool full() const { return batch_.size() == most_; }
  std::span<const Row> rows() const { return rows_; }

  void add(const typename G::State& state, Asker& asker, int ticket) {
    batch_.add(state, 0);
    rows_.push_back({&asker, ticket});
  }
  void evaluate() { batch_.evaluate(); }
  Prediction prediction(std::size_t row) const { return batch_.prediction(static_cast<int>(row)); }

  // What the network expects of the points in these positions; nothing in games that have none.
  std::vector<ExpectedScore> scores(std::span<const Position<G>> positions) {
    if constexpr (std::is_same_v<G, go::GoGame>) {
      return expected_scores(*game_, model_->info.features, *evaluator_, positions);
    } else {
      return {};
    }
  }

  std::uint64_t used = 0;  // the round in which it was needed last

 private:
  std::shared_ptr<const G> game_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<Evaluator> evaluator_;
  EvaluationBatch<G> batch_;
  std::vector<Row> rows_;
  int most_;
};

}  // namespace koridor
