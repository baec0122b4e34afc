// How would a run go on many machines? A discrete-event simulation of workers, trainer and shared file system, from the
// rates of one worker, one trainer and the file system. `koridor simulate-scale` prints what it predicts, and
// docs/scale.md says how far that was compared with real runs.
//
// What is simulated is what the processes do (docs/many_machines.md):
//   worker    waits for a model, loads it, takes leases of game numbers, keeps its slots full of games, writes the
//             games of each lease and notes that the lease is done; it beats every few seconds. At once, it looks for
//             newer models while it plays, reads each beside its games, and begins the next games with it
//   trainer   waits until the games of a generation are there, reads them, trains, publishes a model
//   files     serve operations and bytes one after another, at fixed rates, whoever asks
//
// Left out: machines that die, networks between machines and files, differences between machines, cores that loop,
// trainer and workers share.
#pragma once

#include <cstdint>

namespace koridor::bench {

struct ScaleRates {
  // A worker on a machine of its own.
  double games_per_second = 1;     // while all its slots are busy
  int slots = 16;                  // games in flight, of all its threads
  double alone = 0.25;             // share of that speed while a single game is in flight, in (0, 1]
  double length_spread = 0.2;      // standard deviation of a game's work, in units of the mean
  double load_seconds = 0.2;       // from a model's file to the first game
  double positions_per_game = 15;  // samples
  double bytes_per_game = 4000;    // of a shard
  double model_bytes = 1e6;
  double samples_per_second = 1000;  // of the trainer

  // The file system that all share.
  double operations_per_second = 20000;  // of all processes together
  double operation_seconds = 50e-6;      // how long one takes when nothing else is asked for
  double bytes_per_second = 500e6;
};

enum class ScaleMode : std::uint8_t { in_step, at_once };

struct ScalePlan {
  ScaleMode mode = ScaleMode::in_step;
  int games = 400;  // of a generation; at once: games from one model to the next
  double samples_per_position = 4;
  int lease_games = 8;        // game numbers in a lease
  double rating_seconds = 0;  // in step: of matches between two generations
  double heartbeat_seconds = 5;
  double poll_seconds = 0.1;  // between two looks of a waiting process
  int ahead = 2;        // at once: generations that are played beyond that of the newest model before the workers wait
  int generations = 4;  // to count; those before, while the run begins, do not count
  int workers = 1;
  int cores = 0;  // how many workers run at full speed, as where one machine has all; 0: any number
  // Workers of a rack with a relay, which Koridor does not have: a process that beats and looks for them, reads each
  // model once and hands it on, and hands in their shards together. 0: none.
  int relay = 0;
  std::uint64_t seed = 1;
};

// Operations on files, as the processes make them.
inline constexpr double kTakeOperations = 4;       // write, link, remove, look
inline constexpr double kShardOperations = 5;      // a shard written, renamed and moved
inline constexpr double kNoteOperations = 3;       // the note that a lease is done, written and linked
inline constexpr double kHeartbeatOperations = 2;  // write, rename
inline constexpr double kPollOperations = 1;
inline constexpr double kWatchOperations = 3;  // a look for a newer model beside games: a file made and removed

inline constexpr double kRelaySeconds = 1;  // a relay hands in shards that are so old

struct ScaleFigures {
  double seconds = 0;           // of a generation
  double games_per_second = 0;  // of the whole run
  double of_ideal = 0;          // games_per_second / what all workers could play without ever waiting
  // Shares of the workers' time; with of_ideal they sum to 1.
  double waiting_for_files = 0;
  double draining = 0;               // slots empty because the generation has no games left
  double waiting_for_model = 0;      // training, rating and the loading of the model; at once: waiting for the trainer
  double training = 0;               // share of the time in which the trainer trains
  double operations_per_second = 0;  // that the file system does
  double files_busy = 0;             // share of the time in which the file system serves operations or bytes
  double shard_bytes_per_second = 0;
  double model_bytes_per_second = 0;  // read by the workers
  double models_behind = 0;           // newer models that there are when a game is first learned from, on average
};

ScaleFigures simulate_scale(const ScaleRates& rates, const ScalePlan& plan);

}  // namespace koridor::bench
