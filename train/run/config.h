// A run's configuration: one TOML file with some of the keys that the describe_settings() of its parts list, and no
// other. Defaults are the initialisers; `koridor config` prints every key with its comment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/setting.h"
#include "core/registry.h"
#include "core/search/config.h"
#include "models/network/network.h"
#include "selfplay/generator/config.h"
#include "train/targets/targets.h"

namespace koridor {

struct RunConfig {
  std::string game = "quoridor";   // id or variant string
  std::vector<std::string> games;  // several boards that one network learns at once; then `game` is the first of them
  std::uint64_t seed = 1;
  int generations = 20;
  double max_minutes = 0;  // no new generation starts after so many minutes of work (stops not counted); 0: no limit
  int threads = 0;         // 0: all cores
};

struct TrainingConfig {
  int batch = 256;
  double samples_per_position = 4;  // steps = new policy targets * this / batch
  std::string optimizer = "adamw";  // adamw, sgd
  double learning_rate = 0.002;
  double final_learning_rate = 0.0002;  // reached by a cosine over the run's generations
  int warmup_steps = 100;
  double weight_decay = 1e-4;
  double momentum = 0.9;        // sgd only
  double gradient_clip = 1.0;   // global norm; 0: off
  double ema = 0.995;           // decay a step of the exported weights' average; 0: off
  TargetWeights weights;        // of the losses, by target
  bool bf16 = true;             // autocast with channels-last, where the CPU has the instructions; always on a GPU
  std::string device = "auto";  // auto (a GPU where there is one, else the CPU), cpu, cuda, cuda:NUMBER
  // Replay window in positions, KataGo's: N = c (1 + b ((n/c)^a - 1) / a), n positions so far (Wu 2019).
  double window_base = 20000;     // c
  double window_exponent = 0.75;  // a
  double window_scale = 0.4;      // b
  int reader_threads = 1;
  std::string start_from;  // a model file to start from (another size is fine); empty: random
};

struct RatingConfig {
  int games = 40;  // against each opponent, in pairs of one opening with seats swapped
  int visits = 64;
  int previous = 2;          // how many earlier generations each is matched with
  int every = 1;             // rate every so many generations (the first and the last always)
  double opening_plies = 2;  // random plies at the start of each pair
  std::vector<std::string> baselines = {"random", "greedy", "alphabeta:3"};
};

struct Config {
  RunConfig run;
  Features features;      // [network] distances
  NetworkConfig network;  // [network]
  SearchConfig search;    // [search]: of self-play
  SelfplayConfig selfplay;
  TrainingConfig training;
  RatingConfig rating;
  SearchConfig match = match_search();  // [match]: of the ratings' matches, by models and mcts
};

void describe_settings(RunConfig& config, SettingList& list);
void describe_settings(TrainingConfig& config, SettingList& list);
void describe_settings(RatingConfig& config, SettingList& list);
void describe_settings(Config& config, SettingList& list);  // all sections

// Reads a file and applies "section.key=value" settings (run.game=... takes the place of the file's run.games). Throws
// UserError that names the file, line and key: not TOML, unknown key (with the nearest valid one), ill-typed or
// out-of-range value.
Config load_config(const std::string& path, std::span<const std::string> settings = {});
Config parse_config(const std::string& toml, const std::string& where, std::span<const std::string> settings = {});

// run.games, or run.game alone.
std::vector<AnyGame> games_of(const Config& config);
// Of the network that plays them all, with the heads of every target that has a weight.
NetworkSignature signature_of(const Config& config);

// The whole configuration as TOML with every key (what a run directory freezes).
std::string to_toml(const Config& config);

// Every key with its comment, its range and its default, as TOML.
std::string config_reference();
// Every key with its value; where that is not the default, the default beside it.
std::string config_summary(const Config& config);

// 16 hexadecimal digits over everything that must stay equal when a run continues and is not at its default (so that a
// key that came later changes no hash; for the same reason a key's default never changes). Keys that may change between
// stops do not count (Setting::may_change).
std::string config_hash(const Config& config);

// The first key that must stay equal and differs, as "run.seed is 1 there and 2 here"; empty where there is none.
std::string first_frozen_difference(const Config& run, const Config& given);

}  // namespace koridor
