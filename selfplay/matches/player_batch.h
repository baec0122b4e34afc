// The evaluators of a player's model, and the batch of the positions that its games on one thread want evaluated.
#pragma once

#include <memory>
#include <string>

#include "models/backends.h"
#include "models/network/evaluation_batch.h"
#include "models/network/model_file.h"
#include "selfplay/matches/players.h"

namespace koridor {

struct PlayerBatchOptions {
  Evaluation evaluation = match_evaluation();  // a player's own precision overrides its precision
  int rows = 32;                               // per batch, of players that want one prediction at a time
};

// The evaluators of `threads` threads; empty for a player without a model.
inline EvaluatorFactory make_player_evaluators(const MatchPlayer& player, const PlayerBatchOptions& options,
                                               int threads) {
  if (!player.model) return {};
  Evaluation evaluation = options.evaluation;
  if (!player.precision.empty()) evaluation.precision = player.precision;
  return make_evaluator_factory(player.model, evaluation, player.name,
                                {.threads = threads, .rows = options.rows * player.leaves});
}

// One thread's batch, with an evaluator of its own; null for a player without a model. Throws UserError where the model
// does not fit the game.
template <Game G>
std::unique_ptr<EvaluationBatch<G>> make_player_batch(const G& game, const MatchPlayer& player,
                                                      const EvaluatorFactory& evaluators,
                                                      const PlayerBatchOptions& options) {
  if (!evaluators) return nullptr;
  const Features& features = player.model->info.features;
  const EncodingShape shape = game.encoding(features);
  require_fits(player.model->info, game.family(), shape, player.name);
  const int rows = options.rows * player.leaves;
  const EvaluationBatchOptions batch{.rows = rows, .cache = make_cache(shape, options.evaluation.cache_mebibytes)};
  return std::make_unique<EvaluationBatch<G>>(std::span(&game, 1), features, evaluators(shape, rows), batch);
}

}  // namespace koridor
