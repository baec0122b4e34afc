#include "train/learner/trainer_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/number_text.h"
#include "train/learner/random_shard.h"
#include "train/learner/steps.h"
#include "train/learner/trainer_table.h"
#include "train/learner/training_parts.h"

namespace koridor {

void bench_trainer(const Config& config, int threads, TableWriter& out) {
  constexpr int kGames = 40;
  constexpr int kRounds = 5;
  constexpr double kSecondsARound = 1.0;
  threads = threads_of(config, threads);
  const AnyGame game = parse_game(config.run.game);
  const TrainingConfig& training = config.training;
  ReplayWindow window({game}, config.features, training, "");
  window.add("(random games)", random_shard(game, kGames, config.run.seed));
  Learner learner({config.network, signature_of(config), training}, config.run.seed, threads);
  Random random(config.run.seed);
  TrainingBatch batch;
  window.sample(training.batch, random, batch);

  learner.time_bare_pass(batch, 3);
  const int passes = std::max(2, static_cast<int>(kSecondsARound / learner.time_bare_pass(batch, 3)));
  // The two are measured in turns, and the best round of each counts, so that other load matters less.
  double bare = 0.0;
  double whole = 0.0;
  for (int round = 0; round < kRounds; ++round) {
    bare = std::max(bare, training.batch / learner.time_bare_pass(batch, passes));
    const StepPlan plan{{config.run.seed, round, 0, passes, training.batch}};
    const StepSummary summary =
        run_steps(learner, window, training, plan, [](int, const StepSummary&) { return true; });
    whole = std::max(whole, summary.samples_per_second);
  }
  const EncodingShape& shape = batch.shape;
  out.begin(trainer_table());
  out.row({shape.columns, shape.rows, config.network.blocks, config.network.channels, training.batch,
           learner.device() == "cpu" ? counted(threads, "thread") : learner.device(),
           learner.arithmetic() == Arithmetic::bf16 ? "bf16" : "f32", bare, whole, whole / bare});
  out.finish();
}

}  // namespace koridor
