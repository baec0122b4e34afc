// The batch of positions a player wants evaluated.
#pragma once

#include <memory>

#include "models/backends.h"
#include "models/model_file.h"
#include "selfplay/evaluation_batch.h"
#include "selfplay/players.h"

namespace koridor {

struct PlayerBatchOptions {
  Backend backend = Backend::onednn;
  Precision precision = Precision::automatic;
  int rows = 32;
  int cache_mebibytes = 16;  // 0: no cache
};

// With an evaluator of its own, for one thread; none for players without a network. Throws UserError where the model
// does not fit the game.
template <Game G>
std::unique_ptr<EvaluationBatch<G>> make_player_batch(const G& game, const MatchPlayer& player,
                                                      const PlayerBatchOptions& options) {
  if (player.spec.kind != PlayerKind::model) return nullptr;
  const Features& features = player.model->info.features;
  const EncodingShape shape = game.encoding(features);
  require_fits(player.model->info, game.family(), shape, player.spec.name);
  auto evaluator = make_evaluator(*player.model, shape,
                                  {.backend = options.backend,
                                   .precision = player.spec.precision.value_or(options.precision),
                                   .max_batch = options.rows},
                                  player.spec.name);
  return std::make_unique<EvaluationBatch<G>>(game, features, std::move(evaluator),
                                              make_cache(shape, options.cache_mebibytes), options.rows);
}

}  // namespace koridor
