// A run is a directory, and its processes meet only there. Its files appear by an atomic rename, but for locks, and
// for logs and those of events/yardstick, which grow.
//
//   run/config.toml                     the frozen configuration; run_config.h
//   run/models/gen-0000.koridor         the exported network of each generation; 0 is the first, random one
//   run/shards/gen-0000/*.h5            games played by that generation's model
//   run/shards/gen-0000/complete        an empty file: all games of the generation are in shards
//   run/shards/gen-0000/leases/         which worker plays which games (selfplay/generator/leases.h)
//   run/shards/gen-0000/work/NAME/      shards that the worker NAME writes; they move up once they count
//   run/shards/gen-0000/game-1/...      the same for the second board of run.games, and so on
//   run/leader.json                     the sign of life of the process that runs the loop, and what is to be done now
//   run/workers/NAME.json               the sign of life of a self-play worker (core/base/heartbeat.h)
//   run/trainers/rank-0.json            that of a trainer, with its rank where several train together
//   run/checkpoints/gen-0001.pt         the trainer's state after making generation 1 (only the newest two are kept)
//   run/checkpoints/lock                locked by the trainer
//   run/metrics/gen-0001.json           figures of the training that made generation 1 and of the games it started with
//   run/ratings/gen-0001.json           match results of generation 1
//   run/ratings/elo.json                the table of ratings
//   run/gates/gen-0001.json             whether generation 1 plays self-play (gate.h)
//   run/yardsticks/gen-0001.json        how often generation 1 keeps proven values (yardstick_file.h)
//   run/status/selfplay.json            live progress of self-play, rewritten about twice per second
//   run/status/trainer.json             live progress of the trainer, likewise
//   run/status/slots.json               slots and threads of self-play as chosen on this machine; they are chosen again
//                                       if it is deleted (slots-1.json, ...: for the other boards of run.games)
//   run/status/slots-HOST-cuda-8-0.json the same of a worker that joined: its machine, device, threads and board
//   run/figures.jsonl                   all figures, a line per generation (README.md); made from the other files
//   run/events/generations/             TensorBoard event files of the same figures, one per generation
//   run/events/last_table/              the Elo of every generation by the run's last table
//   run/events/yardstick/               how often each generation keeps proven values
//   run/logs/                           what the processes print: selfplay.log, trainer.log, train.log
//   run/lock                            locked by the process that runs the loop
//
// The JSON files are objects whose last member is a checksum (core/base/json_file.h), and so is each line of
// figures.jsonl; elo.json alone is a list, which is written anew from the others. A lock (core/base/file_lock.h) ends
// with its process; its file stays.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koridor {

class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path config() const { return root_ / "config.toml"; }
  std::filesystem::path model(int generation) const { return root_ / "models" / (label(generation) + ".koridor"); }
  // `game`: the board's index in run.games.
  std::filesystem::path shards(int generation, int game = 0) const;
  std::filesystem::path complete(int generation, int game = 0) const { return shards(generation, game) / "complete"; }
  std::filesystem::path checkpoint(int generation) const { return root_ / "checkpoints" / (label(generation) + ".pt"); }
  std::filesystem::path trainer_lock() const { return root_ / "checkpoints" / "lock"; }
  std::filesystem::path metrics(int generation) const { return root_ / "metrics" / (label(generation) + ".json"); }
  std::filesystem::path rating(int generation) const { return root_ / "ratings" / (label(generation) + ".json"); }
  std::filesystem::path gate(int generation) const { return root_ / "gates" / (label(generation) + ".json"); }
  std::filesystem::path yardstick(int generation) const { return root_ / "yardsticks" / (label(generation) + ".json"); }
  std::filesystem::path elo() const { return root_ / "ratings" / "elo.json"; }
  std::filesystem::path status(const std::string& process) const { return root_ / "status" / (process + ".json"); }
  std::filesystem::path slots(int game) const { return status(game == 0 ? "slots" : "slots-" + std::to_string(game)); }
  // The same of a worker on the machine `host` that joined the run; all such files for the board that are there.
  // Two workers of one machine may have a GPU each.
  std::filesystem::path joined_slots(const std::string& host, std::string device, int threads, int game) const;
  std::vector<std::filesystem::path> all_joined_slots(int game) const;
  std::filesystem::path figures() const { return root_ / "figures.jsonl"; }
  std::filesystem::path events() const { return root_ / "events"; }
  std::filesystem::path log(const std::string& process) const { return root_ / "logs" / (process + ".log"); }
  std::filesystem::path lock() const { return root_ / "lock"; }
  std::filesystem::path leader() const { return root_ / "leader.json"; }
  std::filesystem::path workers() const { return root_ / "workers"; }
  std::filesystem::path trainers() const { return root_ / "trainers"; }
  // The sign of life of the trainer with this rank, 0 where it is alone (train/learner/rank_place.h).
  std::filesystem::path trainer(int rank) const { return trainers() / ("rank-" + std::to_string(rank) + ".json"); }

  // Whether there is a configuration: without one it is no run directory.
  bool is_there() const;
  // Throws UserError where the configuration is not there any more, as under an empty mount point: a write would make
  // the folders anew and hide that.
  void require_there() const;

  // Removes the temporary files of killed processes of this host, except in the folders of shards, which their workers
  // clean, and the signs of life of workers and trainers that have ended. The caller has the run's lock. Throws
  // UserError where the folder of these signs cannot be read.
  void remove_stale_temporaries() const;

  // The number of generations, from 0 on without a gap, whose models are there.
  int models() const;
  // The file of the last of these; none where there is no model.
  std::optional<std::filesystem::path> newest_model() const;
  // The first generation whose model is missing though a later one has a model.
  std::optional<int> missing_model() const;

  // "gen-0007"
  static std::string label(int generation);
  // The generation that has this label; nothing for every other text, as "gen-7" and "gen-0007.koridor".
  static std::optional<int> generation_of(std::string_view label);

 private:
  std::filesystem::path root_;
};

}  // namespace koridor
