// A run's configuration: a TOML file with some of the keys that describe_settings() lists, and no other. The
// initialisers are the defaults; `koridor config` prints every key with its meaning, unit and range.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
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
  std::string game = "quoridor";
  std::vector<std::string> games;  // where it is not empty, `game` is the first of them
  std::uint64_t seed = 1;
  int generations = 20;
  std::string mode = "step";
  int ahead = 2;
  double max_minutes = 0;
  double max_cost = 0;
  int threads = 0;
};

struct TrainingConfig {
  int batch = 256;
  int parts = 0;
  double samples_per_position = 4;
  std::string optimizer = "muon";
  double learning_rate = 0.012;
  double final_learning_rate = 0.0003;
  int warmup_steps = 100;
  double weight_decay = 1e-4;
  double momentum = 0.9;
  double gradient_clip = 1.0;
  double ema = 0.995;
  TargetWeights weights;  // the keys "<target>_weight"
  TargetSettings targets;
  double cheap_share = 0;
  double surprise_share = 0;
  bool bf16 = true;
  std::string device = "auto";
  double window_base = 20000;
  double window_exponent = 0.75;
  double window_scale = 0.4;
  int reader_threads = 1;
  std::string start_from;
};

// steps = ceil(new_positions * samples_per_position / batch). Throws UserError where they are more than an int holds.
int steps_for(const TrainingConfig& config, std::uint64_t new_positions);

// Those of a generation, after which the window has so many positions. A run that starts from a model has
// window_positions / window_base times as many, rounded up, while its window has fewer than window_base: the first
// generations can draw from few positions, which a trained network would learn by heart (METHODS.md, "A window that
// begins empty").
int steps_of_generation(const TrainingConfig& config, std::uint64_t new_positions, std::uint64_t window_positions);

struct RatingConfig {
  int games = 40;
  int visits = 64;
  int previous = 2;
  int every = 1;
  double opening_plies = 2;
  std::string openings;
  std::vector<std::string> baselines = {"random", "greedy", "alphabeta:3"};
  std::string gate;
  int gate_games = 400;
};

struct Config {
  RunConfig run;
  Features features;      // [network], by kFeatureNames
  NetworkConfig network;  // [network]
  SearchConfig search;    // [search], of self-play
  SelfplayConfig selfplay;
  TrainingConfig training;
  RatingConfig rating;
  SearchConfig match = match_search();  // [match], of the matches that rate generations
};

void describe_settings(RunConfig& config, SettingList& list);
void describe_settings(TrainingConfig& config, SettingList& list);
void describe_settings(RatingConfig& config, SettingList& list);
void describe_settings(Config& config, SettingList& list);  // all sections

// Reads a file and applies "section.key=value" settings; run.game=... also replaces the file's run.games. Throws
// UserError that names file, line and key where the text is not TOML, a key is unknown (with the nearest valid one), or
// a value has the wrong type or is out of range.
Config load_config(const std::string& path, std::span<const std::string> settings = {});
Config parse_config(const std::string& toml, const std::string& where, std::span<const std::string> settings = {});

// Throws UserError where the learning rate would rise over a run, a step would take away a whole weight, or the average
// of the weights would never leave the model that a run starts from. Reading does not refuse that, so that runs which
// older versions began go on.
void check_training(const TrainingConfig& training);

// The games of run.games, or that of run.game.
std::vector<AnyGame> games_of(const Config& config);

// Their names, each once.
std::set<std::string> boards_of(const Config& config);
// The signature of the network that plays all of them: its heads are those of the basic targets and of every other
// target with a weight.
NetworkSignature signature_of(const Config& config);

// The whole configuration as TOML with every key, as a run directory keeps it.
std::string to_toml(const Config& config);

// Every key with its comment, its range and its default, as TOML.
std::string config_reference();
// Every key with its value, as TOML; beside a value that is not the default stands the default.
std::string config_summary(const Config& config);

// The configuration's hash, 16 hexadecimal digits. It covers the keys that must stay equal when a run continues and are
// not at their defaults. A new key therefore changes no older run's hash; where a default changes, a run keeps the hash
// that it began with (run_identity.h). Keys that may change between the stops of a run do not count
// (Setting::may_change).
std::string config_hash(const Config& config);

// The keys that count and differ, each as "run.seed is 1 there and 2 here".
std::vector<std::string> differences(const Config& there, const Config& here,
                                     const std::function<bool(const Setting&)>& counts);
// The first of them; empty where there is none.
std::string first_difference(const Config& run, const Config& given, const std::function<bool(const Setting&)>& counts);
// The same of the keys that must stay equal when a run continues.
std::string first_frozen_difference(const Config& run, const Config& given);

}  // namespace koridor
