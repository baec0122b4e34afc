// The keys of a run, its training and its rating; those of other parts are described beside their structs.
#include "train/run/config.h"

namespace koridor {
namespace {

constexpr double kMillion = 1e6;

}  // namespace

void describe_settings(RunConfig& config, SettingList& list) {
  list.text("game", &config.game, "a game id (`koridor games`) or a variant string");
  list.list("games", &config.games, "several boards that one network learns at once, instead of `game`");
  list.number("seed", &config.seed, 0, 9.2e18, "the same seed plays the same games, whatever the number of threads");
  list.number("generations", &config.generations, 1, 1e5, "generations of self-play, training and rating").may_change();
  list.number("max_minutes", &config.max_minutes, 0, kMillion,
              "no new generation starts after so many minutes of work, stops not counted; 0: no limit")
      .may_change();
  list.number("threads", &config.threads, 0, 1024, "threads of each process; 0: all cores").may_change();
}

void describe_settings(TrainingConfig& config, SettingList& list) {
  list.number("batch", &config.batch, 1, 65536, "positions per step");
  list.number("samples_per_position", &config.samples_per_position, 0.01, 1000,
              "how often each new position is trained on, on average: steps = new positions * this / batch");
  list.text("optimizer", &config.optimizer, "the optimiser (AdamW: Loshchilov and Hutter 2019)", {"adamw", "sgd"});
  list.number("learning_rate", &config.learning_rate, 1e-9, 10, "learning rate after the warm-up");
  list.number("final_learning_rate", &config.final_learning_rate, 0, 10,
              "learning rate at the end, reached along a cosine over the run's generations");
  list.number("warmup_steps", &config.warmup_steps, 0, kMillion, "steps in which the learning rate rises from 0");
  list.number("weight_decay", &config.weight_decay, 0, 1, "decoupled weight decay per step, in units of the rate");
  list.number("momentum", &config.momentum, 0, 1, "momentum of sgd");
  list.number("gradient_clip", &config.gradient_clip, 0, kMillion, "largest global norm of the gradient; 0: off");
  list.number("ema", &config.ema, 0, 1, "decay per step of the average of the weights that is exported; 0: off");
  describe_settings(config.weights, list);
  list.flag("bf16", &config.bf16,
            "bf16 arithmetic where the CPU has instructions for it and it is faster; always on a GPU");
  list.text("device", &config.device, "auto (a GPU where there is one, else the CPU), cpu, cuda or cuda:NUMBER")
      .may_change();
  list.number(
      "window_base", &config.window_base, 1, 1e10,
      "c of the replay window N = c (1 + b ((n / c)^a - 1) / a), in positions, for n positions so far (Wu 2019)");
  list.number("window_exponent", &config.window_exponent, 0.01, 1, "a of the replay window");
  list.number("window_scale", &config.window_scale, 0, 10, "b of the replay window");
  list.number("reader_threads", &config.reader_threads, 1, 64, "threads that prepare batches");
  list.text("start_from", &config.start_from, "a model file to start from, of any board size; empty: random weights");
}

void describe_settings(RatingConfig& config, SettingList& list) {
  list.number("games", &config.games, 2, kMillion, "games against each opponent, in pairs with the seats swapped")
      .may_change();
  list.number("visits", &config.visits, 1, 1e5, "simulations per move").may_change();
  list.number("previous", &config.previous, 0, 1000, "how many earlier generations each one meets").may_change();
  list.number("every", &config.every, 1, kMillion,
              "every so many generations one is rated, the first and the last always")
      .may_change();
  list.number("opening_plies", &config.opening_plies, 0, 1000, "random plies before each pair, on average")
      .may_change();
  list.list("baselines", &config.baselines, "other opponents; the last one has Elo 0").may_change();
}

}  // namespace koridor
