// The batch of positions a player wants evaluated.
#pragma once

#include <memory>

#include "models/backends.h"
#include "models/network/evaluation_batch.h"
#include "models/network/model_file.h"
#include "selfplay/matches/players.h"

namespace koridor {

struct PlayerBatchOptions {
  Evaluation evaluation = match_evaluation();  // a player's own precision goes before this one
  int rows = 32;                               // of a thread's batch
};

// Of `threads` threads together; empty for players without a network.
inline EvaluatorFactory make_player_evaluators(const MatchPlayer& player, const PlayerBatchOptions& options,
                                               int threads) {
  if (player.spec.kind != PlayerKind::model) return {};
  Evaluation evaluation = options.evaluation;
  if (!player.spec.precision.empty()) evaluation.precision = player.spec.precision;
  return make_evaluator_factory(player.model, evaluation, player.spec.name, {.threads = threads, .rows = options.rows});
}

// With an evaluator of its own, for one thread; none for players without a network. Throws UserError where the model
// does not fit the game.
template <Game G>
std::unique_ptr<EvaluationBatch<G>> make_player_batch(const G& game, const MatchPlayer& player,
                                                      const EvaluatorFactory& evaluators,
                                                      const PlayerBatchOptions& options) {
  if (!evaluators) return nullptr;
  const Features& features = player.model->info.features;
  const EncodingShape shape = game.encoding(features);
  require_fits(player.model->info, game.family(), shape, player.spec.name);
  return std::make_unique<EvaluationBatch<G>>(std::span(&game, 1), features, evaluators(shape, options.rows),
                                              make_cache(shape, options.evaluation.cache_mebibytes), options.rows);
}

}  // namespace koridor
