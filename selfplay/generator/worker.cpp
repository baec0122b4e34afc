#include "selfplay/generator/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/terminal.h"
#include "core/base/threads.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "selfplay/generator/choose_slots.h"
#include "selfplay/generator/evaluators.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/shard_writer.h"
#include "selfplay/shards/game_end.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr int kMostThreads = 1024;  // as run.threads
constexpr int kMostLooks = 3;       // at a folder whose shards vanish or go bad as soon as they are written

std::vector<ShardInfo> shard_infos(const SelfplayJob& job) {
  std::vector<ShardInfo> infos;
  for (const AnyGame& game : game_variants(job.game, job.selfplay.repetition_share)) {
    ShardInfo info = describe_game(game);
    info.generation = job.generation;
    info.config_hash = job.config_hash;
    info.seed = job.seed;
    infos.push_back(std::move(info));
  }
  return infos;
}

// The folder's files in a fixed order.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  if (error && error != std::errc::no_such_file_or_directory) {
    throw UserError("cannot read the folder " + folder.string() + ": " + error.message());
  }
  std::ranges::sort(files);
  return files;
}

void move_aside(const fs::path& path, const char* suffix) {
  fs::path aside = path;
  aside += suffix;
  std::error_code error;
  fs::rename(path, aside, error);
  if (error) throw UserError("cannot move " + path.string() + " aside: " + error.message());
}

bool needs_model(const SelfplayJob& job) {
  return find_backend(job.selfplay.evaluation.backend).needs_model;
}

EvaluatorFactory evaluator_factory(const SelfplayJob& job) {
  const std::string where = job.model.string();
  if (!needs_model(job)) return selfplay_evaluators(nullptr, job.selfplay, where, job.threads);
  const auto model = std::make_shared<const Model>(load_model(where));
  std::visit([&](const auto& game) { require_fits(model->info, game.family(), game.encoding(job.features), where); },
             job.game);
  return selfplay_evaluators(model, job.selfplay, where, job.threads);
}

// The description of a new evaluator, for the status.
std::string describe_evaluator(const SelfplayJob& job, const EvaluatorFactory& factory) {
  const EncodingShape shape = std::visit([&](const auto& game) { return game.encoding(job.features); }, job.game);
  return factory(shape, 1)->describe();
}

// The slots and threads: as configured, else as chosen before on a machine with the same number of cores, else chosen
// now and kept.
SlotChoice slots_of(const SelfplayJob& job, const GeneratorOptions& options, const EvaluatorFactory& factory,
                    const std::atomic<bool>& stop) {
  const int cores = thread_count(0);
  const nlohmann::json asked = {{"cores", cores}, {"threads", job.threads}, {"slots", job.selfplay.slots}};
  if (!job.choice.empty() && fs::exists(job.choice)) {
    try {
      const nlohmann::json kept = read_json(job.choice);
      const SlotChoice choice{member(kept, "threads", 0), member(kept, "slots", 0),
                              member(kept, "reason", std::string())};
      const bool whole = choice.threads >= 1 && choice.threads <= kMostThreads && choice.slots >= 1;
      if (!whole) throw UserError(job.choice.string() + ": damaged: it names no threads and slots");
      if (kept.contains("asked") && kept["asked"] == asked) return choice;
    } catch (const UserError& error) {
      print_message("koridor", fmt::format("warning: {}; slots and threads are chosen again", error.what()));
    }
  }
  SlotChoice choice = choose_slots(job.game, options, factory, job.selfplay.games, stop);
  if (!job.choice.empty() && !stop) {
    write_json(job.choice,
               {{"asked", asked}, {"threads", choice.threads}, {"slots", choice.slots}, {"reason", choice.reason}});
  }
  return choice;
}

class StatusFile {
 public:
  StatusFile(const SelfplayJob& job, std::size_t games_before, const SlotChoice& choice, std::string evaluator)
      : path_(job.status), games_before_(games_before) {
    status_["generation"] = job.generation;
    status_["games_wanted"] = job.games();
    status_["threads"] = choice.threads;
    status_["slots"] = choice.slots;
    status_["choice"] = choice.reason;
    status_["evaluator"] = std::move(evaluator);
  }

  void write(const char* state, const SelfplayStatistics& now) {
    if (path_.empty()) return;
    const auto share = [](std::uint64_t part, std::uint64_t whole) {
      return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
    };
    const auto rate = [&](std::uint64_t count) {
      return now.seconds > 0 ? static_cast<double>(count) / now.seconds : 0.0;
    };
    status_["state"] = state;
    status_["games"] = games_before_ + now.games;
    status_["draws"] = now.draws;
    status_["mean_plies"] = now.mean_plies();
    status_["positions"] = now.plies;
    status_["positions_per_second"] = rate(now.plies);
    status_["full_positions"] = now.full_plies;
    status_["evaluations"] = now.evaluations;
    status_["evaluations_per_second"] = rate(now.evaluations);
    status_["mean_batch"] = share(now.evaluations, now.batches);
    status_["cache_hit_share"] = share(now.cache_hits, now.evaluations);
    status_["network_share"] = now.network_share();
    status_["seconds"] = now.seconds;
    status_["lengths"] = now.lengths;
    write_json(path_, status_);
  }

 private:
  fs::path path_;
  std::size_t games_before_;
  nlohmann::json status_;
};

// Plays the missing games into shards; fewer of them where `stop` was set.
SelfplayStatistics play_missing(const SelfplayJob& job, const std::vector<ShardInfo>& infos,
                                const FolderContents& contents, std::unique_ptr<StatusFile>& status,
                                const std::atomic<bool>& stop) {
  const EvaluatorFactory factory = evaluator_factory(job);
  GeneratorOptions options{.selfplay = job.selfplay,
                           .search = job.search,
                           .features = job.features,
                           .seed = job.seed,
                           .generation = job.generation,
                           .threads = job.threads};
  if (!needs_model(job)) options.selfplay.evaluation.cache_mebibytes = 0;
  const SlotChoice choice = slots_of(job, options, factory, stop);
  options.threads = choice.threads;
  options.selfplay.slots = choice.slots;
  const std::size_t games_before = static_cast<std::size_t>(job.games()) - contents.missing.size();
  status = std::make_unique<StatusFile>(job, games_before, choice, describe_evaluator(job, factory));
  ShardWriter writer(infos, {.folder = job.shards, .seconds = job.selfplay.shard_seconds},
                     [&](const SelfplayStatistics& now) { status->write("running", now); });
  SelfplayStatistics statistics = generate_games(job.game, options, factory, contents.missing, writer, stop);
  writer.close();
  return statistics;
}

}  // namespace

FolderContents scan_shards(const fs::path& folder, int games, const std::vector<ShardInfo>& expected) {
  FolderContents contents;
  std::vector<bool> there(static_cast<std::size_t>(games));
  for (const fs::path& path : files_in(folder)) {
    if (path.extension() == ".tmp") {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
    if (path.extension() != ".h5") continue;
    ShardData data;
    try {
      data = read_shard(path.string());
    } catch (const UserError& error) {
      contents.warnings.push_back(fmt::format("{}; moved aside, its games are played again", error.what()));
      move_aside(path, ".damaged");
      continue;
    }
    if (std::ranges::find(expected, data.info) == expected.end()) {
      throw UserError(fmt::format(
          "{}: this shard is of {}, generation {}, seed {}, configuration {}, not of {}, generation {}, seed {}, "
          "configuration {}; use another folder",
          path.string(), data.info.game, data.info.generation, data.info.seed, data.info.config_hash, expected[0].game,
          expected[0].generation, expected[0].seed, expected[0].config_hash));
    }
    std::vector<bool> with_shard = there;
    bool repeats = false;
    for (const std::uint32_t number : data.game_number) {
      if (number >= with_shard.size()) continue;
      repeats = repeats || with_shard[number];
      with_shard[number] = true;
    }
    if (repeats) {
      contents.warnings.push_back(path.string() + ": holds a game that another shard has; moved aside");
      move_aside(path, ".duplicate");
      continue;
    }
    there = std::move(with_shard);
  }
  for (std::uint32_t number = 0; number < there.size(); ++number) {
    if (!there[number]) contents.missing.push_back(number);
  }
  return contents;
}

WorkerEnd run_selfplay_worker(const SelfplayJob& job, const std::atomic<bool>& stop) {
  FileLock lock(job.shards / "lock");
  if (!lock.take("plays games in " + job.shards.string(), stop)) return WorkerEnd::stopped;
  const std::vector<ShardInfo> infos = shard_infos(job);
  std::unique_ptr<StatusFile> status;
  SelfplayStatistics statistics;
  for (int look = 0;; ++look) {
    const FolderContents contents = scan_shards(job.shards, job.games(), infos);
    for (const std::string& warning : contents.warnings) print_message("koridor", "warning: " + warning);
    if (contents.missing.empty()) break;
    if (look == kMostLooks) {
      throw UserError(fmt::format("{}: {} just written {} not there; is the disk sound?", job.shards.string(),
                                  counted(std::ssize(contents.missing), "game"),
                                  contents.missing.size() == 1 ? "is" : "are"));
    }
    statistics = play_missing(job, infos, contents, status, stop);
    if (statistics.games < contents.missing.size()) {
      status->write("stopped", statistics);
      return WorkerEnd::stopped;
    }
  }
  write_file_atomically(job.complete, "");
  if (!status) status = std::make_unique<StatusFile>(job, static_cast<std::size_t>(job.games()), SlotChoice{}, "");
  status->write("complete", statistics);
  return WorkerEnd::complete;
}

}  // namespace koridor
