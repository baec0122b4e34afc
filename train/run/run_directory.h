// A run is a directory, and its processes meet only there. Every file appears by an atomic rename.
//
//   run/config.toml                     the frozen configuration
//   run/models/gen-0000.koridor         the exported network of each generation; 0 is the first, random one
//   run/shards/gen-0000/*.h5            games played by that generation's model
//   run/shards/gen-0000/complete        an empty file: all games of the generation are in shards
//   run/shards/gen-0000/game-1/...      the same for the second board of run.games, and so on
//   run/checkpoints/gen-0001.pt         the trainer's state after making generation 1 (only the newest two are kept)
//   run/metrics/gen-0001.json           losses and speed of the training that made generation 1
//   run/ratings/gen-0001.json           match results of generation 1
//   run/ratings/elo.json                the table of ratings
//   run/yardsticks/gen-0001.json         how often generation 1 keeps proven values (yardstick_file.h)
//   run/status/selfplay.json            live progress of self-play, rewritten about twice per second
//   run/status/trainer.json             live progress of the trainer, likewise
//   run/status/slots.json               slots and threads of self-play as chosen on this machine; they are chosen again
//                                       if it is deleted (slots-1.json, ...: for the other boards of run.games)
//   run/events/                         TensorBoard event files
//   run/lock                            held (flock) by the process that runs the loop
#pragma once

#include <filesystem>
#include <string>

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
  std::filesystem::path metrics(int generation) const { return root_ / "metrics" / (label(generation) + ".json"); }
  std::filesystem::path rating(int generation) const { return root_ / "ratings" / (label(generation) + ".json"); }
  std::filesystem::path yardstick(int generation) const { return root_ / "yardsticks" / (label(generation) + ".json"); }
  std::filesystem::path elo() const { return root_ / "ratings" / "elo.json"; }
  std::filesystem::path status(const std::string& process) const { return root_ / "status" / (process + ".json"); }
  std::filesystem::path slots(int game) const { return status(game == 0 ? "slots" : "slots-" + std::to_string(game)); }
  std::filesystem::path events() const { return root_ / "events"; }
  std::filesystem::path lock() const { return root_ / "lock"; }

  // "gen-0007"
  static std::string label(int generation);

 private:
  std::filesystem::path root_;
};

}  // namespace koridor
