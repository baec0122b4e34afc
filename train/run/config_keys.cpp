// The keys of the sections [run], [training] and [rating]. Those of other sections are beside their structs.
#include "core/base/error.h"
#include "models/network/device.h"
#include "selfplay/matches/sprt.h"
#include "train/run/config.h"
#include "train/run/cost.h"

namespace koridor {
namespace {

constexpr double kMillion = 1e6;

// Whether a text is a sequential test, or empty.
bool is_test(const std::string& text) {
  try {
    if (!text.empty()) read_sprt(text, "rating.gate");
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

void describe_settings(RunConfig& config, SettingList& list) {
  list.text("game", &config.game, "the game: an id, as `koridor games` lists them, or a variant string");
  list.list("games", &config.games, "several boards that one network learns at once, instead of `game`");
  list.number(
      "seed", &config.seed, 0, 9.2e18,
      "seed of all random numbers; a model and a seed play the same games, whatever the number of threads; so does a "
      "whole run with training.parts set, training.bf16 off and run.max_minutes 0");
  list.number("generations", &config.generations, 1, 1e5, "generations of self-play, training and rating").may_change();
  list.text(
          "mode", &config.mode,
          "step: self-play, training and rating take turns (a seed then gives the same run, see run.seed); continuous: "
          "all go on at once (train/README.md)",
          {"step", "continuous"})
      .may_change();
  list.number("ahead", &config.ahead, 0, 1000,
              "with run.mode = \"continuous\": games of a generation begin once the model that is so many generations "
              "older is there")
      .may_change();
  list.number("max_minutes", &config.max_minutes, 0, kMillion,
              "minutes of work, stops not counted, after which no new generation starts; the learning rate's cosine is "
              "never behind the share that is spent; 0: no limit")
      .may_change();
  list.number("max_cost", &config.max_cost, 0, kMostCost,
              "work after which no new generation starts, in core-seconds of the reference core (docs/compare.md), "
              "whatever the load; the learning rate's cosine is never behind the share that is spent; 0: no limit")
      .may_change();
  list.number("threads", &config.threads, 0, 1024, "threads per process; 0: all cores").may_change();
}

void describe_settings(TrainingConfig& config, SettingList& list) {
  list.number("batch", &config.batch, 1, 65536, "positions per step");
  list.number(
      "parts", &config.parts, 0, 1024,
      "equal parts of a batch, each trained by one thread; a fixed number gives the same models on any number of "
      "threads; 0: one per thread, of 64 positions or more; CPU only");
  list.number(
      "samples_per_position", &config.samples_per_position, 0.01, 1000,
      "samples per new position: a generation has new positions * this / batch steps; of a run with start_from fewer "
      "while its window has less than window_base positions");
  list.text("optimizer", &config.optimizer,
            "optimiser: muon (Jordan et al. 2024; the blocks' weights by it, all else by adamw), adamw (Loshchilov "
            "and Hutter 2019) or sgd, stochastic gradient descent with momentum",
            {"muon", "adamw", "sgd"});
  list.number("learning_rate", &config.learning_rate, 1e-9, 10,
              "learning rate after the warm-up; where it is not given: 0.012 by muon, 0.002 by adamw, 0.02 by sgd "
              "(train/METHODS.md)");
  list.number("final_learning_rate", &config.final_learning_rate, 0, 10,
              "learning rate at the end of the run, at most learning_rate; a cosine over the generations leads there "
              "(but see run.max_cost and run.max_minutes); "
              "where it is not given, a fortieth of learning_rate");
  list.number("warmup_steps", &config.warmup_steps, 0, kMillion,
              "steps at the start of the run in which the learning rate rises linearly from 0");
  list.number("weight_decay", &config.weight_decay, 0, 1,
              "share of each weight that a step takes away, in units of the learning rate");
  list.number("momentum", &config.momentum, 0, 1, "momentum; sgd only");
  list.number("gradient_clip", &config.gradient_clip, 0, kMillion, "largest global norm of the gradient; 0: off");
  list.number("ema", &config.ema, 0, 1,
              "decay per step of the exponential average of the weights, which is exported; 0: off");
  describe_settings(config.weights, list);
  list.number("root_value_share", &config.targets.root_value_share, 0, 1,
              "share of the value's target that is an average of the searches' values instead of the outcome");
  list.number("root_value_horizon", &config.targets.root_value_horizon, 0, 100,
              "plies over which that average goes, in units of the board's area; 0: this ply's search alone");
  list.number("cheap_share", &config.cheap_share, 0, 1,
              "share of the plies with a cheap search, and of those of selfplay.opponents, that are learned from as "
              "well, all but their policy");
  list.number("surprise_share", &config.surprise_share, 0, 1,
              "share of the samples that goes to plies in proportion to how much the search surprised the network, as "
              "in KataGo; the rest goes to all alike");
  list.flag("bf16", &config.bf16,
            "whether to train in bf16: on a GPU always, on a CPU where it has instructions for it and it is faster");
  list.text("device", &config.device,
            "where to train: auto (a GPU where there is one, else the CPU), cpu, cuda or cuda:NUMBER")
      .may_change()
      .of_form(kDeviceForm, is_device);
  list.number("window_base", &config.window_base, 1, 1e10,
              "c of the replay window's size N = c (1 + b ((n / c)^a - 1) / a), in positions, where n is the number "
              "of positions so far; Wu 2019");
  list.number("window_exponent", &config.window_exponent, 0.01, 1, "a of the replay window's size");
  list.number("window_scale", &config.window_scale, 0, 10, "b of the replay window's size");
  list.number("reader_threads", &config.reader_threads, 1, 64, "threads that prepare batches");
  list.text("start_from", &config.start_from,
            "model file to start from, whose board may have another size and whose network may be smaller; empty: "
            "random weights");
}

void describe_settings(RatingConfig& config, SettingList& list) {
  list.number("games", &config.games, 2, kMillion,
              "games against each opponent, in groups with the same opening and each seat in turn")
      .may_change();
  list.number("visits", &config.visits, 1, 1e5, "simulations per action, of models and mcts").may_change();
  list.number("previous", &config.previous, 0, 1000, "earlier generations that each rated generation plays against")
      .may_change();
  list.number("every", &config.every, 1, kMillion,
              "generations per rating; the first and the last generation are always rated")
      .may_change();
  list.number("opening_plies", &config.opening_plies, 0, 1000, "mean number of random plies at the start of a game")
      .may_change();
  list.text(
          "openings", &config.openings,
          "file of games that the matches begin with in place of random plies, as `koridor openings` makes it; empty: "
          "random plies")
      .may_change();
  list.list(
          "baselines", &config.baselines,
          "players that each rated generation plays against, as `koridor match --help` lists them; the last has Elo 0")
      .may_change();
  list.text("gate", &config.gate,
            "sequential test that a new generation must pass against the one that plays self-play to take its place, "
            "as elo0=0,elo1=35,alpha=0.05,beta=0.05; empty: every generation plays")
      .of_form("a test such as elo0=0,elo1=35,alpha=0.05,beta=0.05, with elo1 above elo0, or empty", is_test)
      .may_change();
  list.number("gate_games", &config.gate_games, 2, kMillion,
              "games after which a test of rating.gate that has not decided ends; the generation does not pass then")
      .may_change();
}

}  // namespace koridor
