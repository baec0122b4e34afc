// koridor selfplay: games of one generation, in a run or alone.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/run_folder.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/foreign_name.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/signals.h"
#include "core/base/terminal.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "selfplay/generator/continuous_worker.h"
#include "selfplay/generator/lease_files.h"
#include "selfplay/generator/worker_parts.h"
#include "train/run/continuous_job.h"
#include "train/run/gate.h"
#include "train/run/join.h"
#include "train/run/leader_watch.h"
#include "train/run/run_config.h"
#include "train/run/run_directory.h"
#include "train/run/run_identity.h"

namespace koridor::cli {
namespace {

namespace fs = std::filesystem;

struct SelfplayOptions {
  std::string config;
  std::string run;
  std::string model;
  std::string out;
  int generation = -1;  // -1: not given
  int game = 0;
  int threads = 0;
  std::vector<std::string> settings;
};

SelfplayJob job_of(const Config& config, const SelfplayOptions& options) {
  const std::vector<AnyGame> games = games_of(config);
  if (options.game >= static_cast<int>(games.size())) {
    throw UserError(fmt::format("--game {}: the configuration has {}, counted from 0", options.game,
                                counted(std::ssize(games), "game")));
  }
  return {.game = games[static_cast<std::size_t>(options.game)],
          .selfplay = config.selfplay,
          .search = config.search,
          .features = config.features,
          .seed = config.run.seed,
          .board = options.game,
          .generation = std::max(0, options.generation),
          .config_hash = config_hash(config),
          .threads = options.threads > 0 ? options.threads : config.run.threads};
}

// Plays a generation of a run; `koridor train` starts this, with the configuration that it began with.
void selfplay_in_run(const SelfplayOptions& options) {
  const RunDirectory run(options.run);
  // The leader starts a process for each generation, and the program may have been built anew between two of them.
  const auto leader = read_heartbeat(run.leader());
  if (leader && may_run(*leader) && writer_of(*leader).machine == machine_name()) {
    require_the_leaders_build(run, *leader, "a worker");
  }
  const Config config = options.config.empty() ? load_run_config(run) : load_config(find_config(options.config));
  const FolderInUse in_use(run.root(), run.config());
  SelfplayJob job = job_of(config, options);
  job.config_hash = run_identity(run, config);
  job.model_generation = champion_of(run, config, options.generation);
  job.model = run.model(job.model_generation);
  job.shards = run.shards(options.generation, options.game);
  job.complete = run.complete(options.generation, options.game);
  job.status = run.status("selfplay");
  job.choice = run.slots(options.game);
  WorkerSign sign(run.workers(), "run");
  sign.heartbeat().remove_at_end();
  const WorkerEnd end = config.run.mode == "continuous"
                            ? run_continuous_worker(continuous_job(run, config, job), sign, stop_requested())
                            : run_selfplay_worker(job, sign, stop_requested());
  if (end == WorkerEnd::stopped) return;
  // How the slots and threads were chosen is for the log.
  const std::string choice = read_json(job.status).value("choice", "");
  if (!choice.empty()) fmt::print("generation {}: {}\n", options.generation, choice);
}

// Plays along with the others in a run until it is finished.
void join(const SelfplayOptions& options) {
  const RunDirectory run(options.run);
  require_joinable(run);
  std::optional<Config> given;
  if (!options.config.empty()) given = load_config(find_config(options.config), options.settings);
  const JoinEnd end = join_run(run, given, {.threads = options.threads}, stop_requested());
  fmt::print("{}\n", end == JoinEnd::finished ? "The run is finished." : "Stopped; the same command joins again.");
}

// Writes the file unless there is one: of several processes one does. Where it fails to, what is there says why.
void write_first(const fs::path& file, const nlohmann::json& content) {
  const fs::path own = temporary_name(file);
  write_json(own, content);
  std::error_code failure;
  std::error_code ignored;
  fs::create_hard_link(own, file, failure);
  fs::remove(own, ignored);
  if (failure && !fs::exists(file, ignored)) {
    throw UserError(fmt::format("cannot write {}: {}", file.string(), failure.message()));
  }
}

// Throws UserError where the folder holds files, and is not one that self-play has made.
void refuse_files_of_others(const fs::path& folder) {
  constexpr std::string_view kOwn[] = {"complete", "leases", "lock", "slots.json", "status.json", "work", "workers"};
  const fs::path head = folder / "model.json";
  std::error_code ignored;
  const bool has_head = fs::exists(head, ignored);
  if (has_head && !member(read_json(head), "player", std::string()).empty()) return;
  const auto is_own = [&](std::string_view name) {
    if (name == "model.json") return !has_head;  // a whole one is of something else; a broken start leaves a part
    return is_shard(name) || std::ranges::find(kOwn, name) != std::end(kOwn);
  };
  refuse_foreign_files(folder, is_own, "self-play");
}

// The games of a folder are of one model, whose checksum DIR/model.json keeps, since their shards do not say it; of a
// backend without a model it keeps the name. Whoever writes that file first has the folder, before anybody plays in it.
// Throws UserError where another model has it, or where the own one does not fit the game, so that it takes no
// folder. One in which an older build has begun games has no such file, and goes on.
void require_own_model(const SelfplayJob& job) {
  const fs::path file = job.shards / "model.json";
  const Backend& backend = find_backend(job.selfplay.evaluation.backend);
  nlohmann::json own = {{"player", fmt::format("the backend {}", backend.name)}, {"model_checksum", ""}};
  if (backend.needs_model) {
    const ModelInfo info = load_model(job.model.string()).info;
    require_fits(job, info);
    own = {{"player", job.model.string()}, {"model_checksum", info.checksum}};
  }
  // Looked at first: who has begun games here has written the file before them.
  const bool begun =
      std::ranges::any_of(names_in(job.shards), is_shard) || !states_of(names_in(job.shards / "leases")).empty();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    if (begun) return;
    write_first(file, own);
  }
  const nlohmann::json kept = read_json(file);
  const auto text = [](const nlohmann::json& of, const char* name) { return member(of, name, std::string()); };
  // A model may have been moved, and is known by its checksum alone.
  const char* const known_by = backend.needs_model ? "model_checksum" : "player";
  if (text(kept, known_by) == text(own, known_by)) return;
  const auto words = [&](const nlohmann::json& of) {
    const std::string sum = text(of, "model_checksum");
    return text(of, "player") + (sum.empty() ? "" : fmt::format(" (checksum {})", sum));
  };
  throw UserError(fmt::format("{}: its games are of {}, not of {}; use another folder", job.shards.string(),
                              words(kept), words(own)));
}

void selfplay_alone(const SelfplayOptions& options) {
  if (options.config.empty() || options.out.empty()) {
    throw UserError("selfplay needs --run DIR, or a configuration with --model FILE and --out FOLDER");
  }
  const Config config = load_config(find_config(options.config), options.settings);
  if (options.model.empty() && find_backend(config.selfplay.evaluation.backend).needs_model) {
    throw UserError("selfplay needs --model FILE, or --set selfplay.backend=uniform to play without a network");
  }
  SelfplayJob job = job_of(config, options);
  job.model = find_model(options.model);
  job.shards = options.out;
  job.complete = fs::path(options.out) / "complete";
  job.status = fs::path(options.out) / "status.json";
  job.choice = fs::path(options.out) / "slots.json";
  refuse_files_of_others(job.shards);
  require_own_model(job);
  if (job.games() != job.selfplay.games) {
    print_message("koridor", fmt::format("generation 0 has selfplay.first_games = {}", job.selfplay.first_games));
  }
  const WorkerEnd end = run_selfplay_worker(job, stop_requested());
  constexpr const char* kStopped = "Stopped; the same command goes on.\n";
  if (end == WorkerEnd::stopped && !fs::exists(job.status)) {  // before it began to play
    fmt::print(kStopped);
    return;
  }
  const auto status = read_json(job.status);
  fmt::print(
      "{} of {} games in {}: {:.0f} positions/s, {:.0f} evaluations/s ({:.0f}% from the cache), {:.0f}% of the time in "
      "the network\n",
      status.value("games", 0), status.value("games_wanted", 0), options.out, status.value("positions_per_second", 0.0),
      status.value("evaluations_per_second", 0.0), 100.0 * status.value("cache_hit_share", 0.0),
      100.0 * status.value("network_share", 0.0));
  fmt::print("{}\n", status.value("choice", ""));
  if (end == WorkerEnd::stopped) fmt::print(kStopped);
}

}  // namespace

void add_selfplay(CommandLine& line) {
  auto options = std::make_shared<SelfplayOptions>();
  const Command selfplay = line.add_command("selfplay", "Play games with a model and store them in shards");
  selfplay.add_option("config", options->config,
                      "Configuration, e.g. configs/quickstart.toml; needed without --run. With --run it may be left "
                      "out; if given it must equal the run's, but for run.threads, selfplay.slots and selfplay.device, "
                      "which are then this worker's. With --run and --generation it replaces the run's");
  selfplay.add_option("--model", options->model, "Model file, or name of a trained model, that plays")
      .type_name("FILE");
  selfplay
      .add_option("--out", options->out,
                  "Folder for the shards; games of the same model that are there already are kept")
      .type_name("DIR");
  selfplay
      .add_option("--run", options->run, "Instead: join the run in this directory and play along until it is finished")
      .type_name("DIR")
      .excludes("--model")
      .excludes("--out");
  selfplay
      .add_option("--generation", options->generation,
                  "The generation these games belong to; with --run: play this one alone, or in a continuous run all")
      .range(0, 1000000)
      .show_default("0");
  selfplay.add_option("--game", options->game, "Which of run.games to play, counted from 0")
      .range(0, 1000)
      .show_default();
  selfplay.add_option("--threads", options->threads, "0: the configuration's, or all cores")
      .range(0, 1024)
      .show_default();
  add_key_settings(selfplay, options->settings);
  selfplay.runs([options] {
    catch_signals();
    if (options->run.empty()) return selfplay_alone(*options);
    const bool alone = options->generation >= 0;
    if (!options->settings.empty() && (alone || options->config.empty())) {
      throw UserError(alone
                          ? "--set: a generation is played with the run's own configuration, or the one given"
                          : "--set: a run is joined with its own configuration; give CONFIG as well, which is compared "
                            "with it");
    }
    if (options->game > 0 && !alone) {
      throw UserError("--game N needs --generation G: who joins a run plays what is to be played");
    }
    alone ? selfplay_in_run(*options) : join(*options);
  });
}

}  // namespace koridor::cli
