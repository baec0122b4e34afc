#include "train/run/join.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/terminal.h"
#include "models/backends.h"
#include "selfplay/generator/fault.h"
#include "selfplay/generator/worker.h"
#include "train/run/continuous_job.h"
#include "train/run/gate.h"
#include "train/run/leader_watch.h"
#include "train/run/run_config.h"
#include "train/run/run_identity.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kShortestPause{20};
constexpr milliseconds kLongestPause{1000};

// What is the worker's own affair, and follows the configuration that it was given: job_of().
constexpr std::array<std::string_view, 3> kWorkersOwn{"run.threads", "selfplay.slots", "selfplay.device"};

bool is_workers_own(const Setting& setting) {
  return std::ranges::find(kWorkersOwn, setting.name) != kWorkersOwn.end();
}

// What may fail while other parts of this succeed (fault.h).
enum Reads { kReadLeader, kReadConfig, kReadIdentity, kReadGate };

// Whether work that was begun under one leader goes on under the next. It does under another leader of the same run,
// unless that one has another configuration.
class Followed {
 public:
  // `shards`: the folder of the generation that is played, or played first.
  Followed(const RunDirectory& run, const Config& config, const nlohmann::json& leader, fs::path shards)
      : run_(run),
        config_(config),
        shards_(std::move(shards)),
        who_(writer_of(leader)),
        begun_at_(member(leader, "generation", 0)),
        reached_(begun_at_) {}

  // Whether the work has to end under the leader of now. Where another run is the reason, a line says so.
  bool ends(const nlohmann::json& now) {
    if (is_of_another_build(now) || state_of(now) == "finished") return true;
    const int generation = member(now, "generation", 0);
    std::error_code ignored;
    seen_ = seen_ || fs::exists(shards_, ignored);
    if (writer_of(now) == who_) {
      reached_ = std::max(reached_, generation);
      return false;
    }
    const auto phase = member(now, "phase", std::string());
    if (phase == "start") return false;  // it may write the configuration yet
    const Config config = load_run_config(run_);
    // Matches of earlier generations may be played again, but nothing else goes back within a run.
    const bool rates = phase == "rate" || phase == "gate";
    if (!first_frozen_difference(config_, config).empty() || (!rates && generation < reached_)) {
      print_message("koridor", run_.root().string() + ": another run was begun here; takes that one up");
      return true;
    }
    if (generation == begun_at_ && games_are_gone()) {
      print_message("koridor", shards_.string() + " is gone, as where the run was begun anew; begins anew, too");
      return true;
    }
    if (to_toml(config) != to_toml(config_)) return true;
    if (!rates) who_ = writer_of(now);
    return false;
  }

 private:
  // Of a run of the same configuration, which is at the same generation. Games of earlier ones may have been put
  // elsewhere.
  bool games_are_gone() const {
    std::error_code error;
    return seen_ && !fs::exists(shards_, error) && !error;
  }

  const RunDirectory& run_;
  const Config& config_;
  fs::path shards_;
  ProcessIdentity who_;
  int begun_at_;
  int reached_;
  bool seen_ = false;  // the shards' folder
};

class Joined {
 public:
  Joined(const RunDirectory& run, const std::optional<Config>& given, const JoinOptions& options, WorkerSign& sign,
         const std::atomic<bool>& stop)
      : run_(run),
        given_(given),
        options_(options),
        stop_(stop),
        sign_(sign),
        fault_(sign.heartbeat(), options.again_after, true) {}

  JoinEnd run() {
    milliseconds pause = kShortestPause;
    for (;;) {
      sign_.spends(Pastime::between);
      if (stop_) return JoinEnd::stopped;
      std::optional<nlohmann::json> leader = read_leader();
      compare_once(leader);
      if (leader && state_of(*leader) == "finished") {
        if (lock_holder(run_.lock()) == 0) return JoinEnd::finished;
        leader.reset();  // who has the lock may be about to go on with more generations
      }
      const std::string phase = leader ? member(*leader, "phase", std::string()) : "";
      if ((phase == "play" && play(*leader)) || (phase == "continuous" && play_continuously(*leader))) {
        pause = kShortestPause;
        continue;
      }
      wait_words(leader);
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 5 / 4, kLongestPause);  // late by a fifth of the wait
    }
  }

 private:
  // The sign of life of the process that leads the run, or has led it; nothing where there is none, or where it was of
  // another build and left something to do: then the next leader is waited for.
  std::optional<nlohmann::json> read_leader() {
    std::optional<nlohmann::json> leader;
    const auto read_sign = [&] {
      std::error_code error;
      if (!fs::exists(run_.root(), error))
        throw UserError("the run directory " + run_.root().string() + " is not there");
      if (fs::exists(run_.leader(), error)) leader = read_json(run_.leader());
    };
    if (!fault_.attempt(read_sign, kReadLeader) || !leader) return std::nullopt;
    if (may_run(*leader)) require_the_leaders_build(run_, *leader, "a worker");
    other_build_ = is_of_another_build(*leader) && state_of(*leader) != "finished";
    if (other_build_) return std::nullopt;
    return leader;
  }

  // Throws UserError where the run has begun with another configuration than the one given, also while there is nothing
  // to play.
  void compare_once(const std::optional<nlohmann::json>& leader) {
    if (!given_ || compared_ || other_build_) return;
    std::error_code ignored;
    const bool begins = leader && member(*leader, "phase", std::string()) == "start";  // it may write it anew
    if (begins || !fs::exists(run_.model(0), ignored)) return;
    std::optional<Config> config;
    compared_ = fault_.attempt([&] { config = load_run_config(run_); }, kReadConfig);
    if (config) require_same_run(*config);
  }

  // Throws UserError where a key that may not change differs from the configuration given.
  void require_same_run(const Config& config) const {
    const std::string difference = first_frozen_difference(config, *given_);
    if (difference.empty()) return;
    throw UserError(fmt::format("the run {} belongs to another configuration: {}", run_.root().string(), difference));
  }

  void wait_words(const std::optional<nlohmann::json>& leader) {
    std::string words =
        other_build_ ? "waits for the next leader: the last one was of another build" : "waits for the run to begin";
    if (leader) {
      const int generation = member(*leader, "generation", 0);
      const auto phase = member(*leader, "phase", std::string());
      words = phase == "train"        ? fmt::format("waits for the model of generation {}", generation)
              : phase == "play"       ? fmt::format("waits for what follows generation {}", generation)
              : phase == "start"      ? "waits for the run to begin"
              : phase == "continuous" ? "waits for the end of the run"
                                      : fmt::format("waits while generation {} is rated", generation);
    }
    if (!fault_.text().empty()) words = fault_.text();
    show({words});
    if (words == words_) return;
    words_ = words;
    sign_.does(words);
    sign_.heartbeat().write();
  }

  void show(const std::vector<std::string>& parts) const {
    if (options_.show) options_.show(parts);
  }

  // The run's configuration; nothing where it cannot be read now.
  std::optional<Config> read_config() {
    std::optional<Config> config;
    if (!fault_.attempt([&] { config = load_run_config(run_); }, kReadConfig)) return std::nullopt;
    if (!given_) return config;
    require_same_run(*config);
    const auto passed_over = [](const Setting& setting) { return !setting.frozen && !is_workers_own(setting); };
    const std::string ignored = first_difference(*config, *given_, passed_over);
    if (!ignored.empty() && !std::exchange(told_what_is_ignored_, true)) {
      print_message("koridor", fmt::format("the run {} keeps its own configuration, but for {}: {}",
                                           run_.root().string(), fmt::join(kWorkersOwn, ", "), ignored));
    }
    return config;
  }

  // The hash by which the run knows its games; false where it cannot be read now. Another leader may lead another run
  // in the same directory.
  bool read_identity(const nlohmann::json& leader, const Config& config) {
    const ProcessIdentity writer = writer_of(leader);
    if (!identity_.empty() && writer == identity_by_) return true;
    if (!fault_.attempt([&] { identity_ = identity_in_models(run_, config); }, kReadIdentity)) return false;
    identity_by_ = writer;
    return true;
  }

  // Whether another leader has come since this one's sign was read: what is not complete may be another run's.
  bool has_been_followed(const nlohmann::json& leader) const {
    const auto now = read_heartbeat(run_.leader());
    return now && writer_of(*now) != writer_of(leader);
  }

  // Plays what the leader says is to be played; false where there is nothing to play.
  bool play(const nlohmann::json& leader) {
    const int generation = member(leader, "generation", -1);
    const int board = member(leader, "game", 0);
    std::error_code ignored;
    if (generation < 0 || board < 0 || fs::exists(run_.complete(generation, board), ignored)) return false;
    if (has_been_followed(leader)) return false;
    const std::optional<Config> config = read_config();
    if (!config) return false;
    const std::vector<AnyGame> games = games_of(*config);
    if (board >= static_cast<int>(games.size())) return false;
    if (!read_identity(leader, *config)) return false;
    SelfplayJob job = job_of(*config, games[static_cast<std::size_t>(board)], board);
    job.generation = generation;
    const auto read_gate = [&] { job.model_generation = champion_of(run_, *config, generation); };
    if (!fault_.attempt(read_gate, kReadGate)) return false;
    job.model = run_.model(job.model_generation);
    job.shards = run_.shards(generation, board);
    job.complete = run_.complete(generation, board);
    job.progress = [&](const SelfplayStatistics& now, std::uint64_t known) {
      const double seconds = std::max(1e-3, now.seconds);
      show({fmt::format("generation {}", generation), fmt::format("{}/{} games", known, job.games()),
            fmt::format("{} here", now.games), short_count(static_cast<double>(now.plies) / seconds) + " positions/s",
            short_count(static_cast<double>(now.evaluations) / seconds) + " evaluations/s"});
    };
    words_.clear();
    Followed followed(run_, *config, leader, job.shards);
    const LeaderWatch watch(run_.leader(), stop_, [&](const nlohmann::json& now) { return followed.ends(now); });
    run_selfplay_worker(job, sign_, watch.end());
    forget_past_evaluators();  // this process goes on with another model
    return true;
  }

  // The part of a job that is the same for all generations.
  SelfplayJob job_of(const Config& config, const AnyGame& game, int board) const {
    const Config& own = given_ ? *given_ : config;
    SelfplayJob job{.game = game,
                    .selfplay = config.selfplay,
                    .search = config.search,
                    .features = config.features,
                    .seed = config.run.seed,
                    .board = board,
                    .config_hash = identity_,
                    .threads = options_.threads > 0 ? options_.threads : own.run.threads};
    job.selfplay.slots = own.selfplay.slots;
    job.selfplay.evaluation.device = own.selfplay.evaluation.device;
    job.choice = run_.joined_slots(host_name(), job.selfplay.evaluation.device, job.threads, board);
    job.patient = true;
    job.again_after = options_.again_after;
    return job;
  }

  // Plays games of a run whose loop runs at once, as long as this leader leads it; false where all are played.
  bool play_continuously(const nlohmann::json& leader) {
    const std::optional<Config> config = read_config();
    if (!config) return false;
    if (!read_identity(leader, *config)) return false;
    std::error_code ignored;
    int first = member(leader, "generation", 0);
    while (first < config->run.generations && fs::exists(run_.complete(first), ignored)) ++first;
    if (first >= config->run.generations || has_been_followed(leader)) return false;
    SelfplayJob like = job_of(*config, games_of(*config).front(), 0);
    like.shards = run_.shards(first);
    like.progress = [&](const SelfplayStatistics& now, std::uint64_t) {
      const double seconds = std::max(1e-3, now.seconds);
      show({fmt::format("{} here", now.games), short_count(static_cast<double>(now.plies) / seconds) + " positions/s",
            short_count(static_cast<double>(now.evaluations) / seconds) + " evaluations/s"});
    };
    words_.clear();
    Followed followed(run_, *config, leader, like.shards);
    const LeaderWatch watch(run_.leader(), stop_, [&](const nlohmann::json& now) { return followed.ends(now); });
    run_continuous_worker(continuous_job(run_, *config, like), sign_, watch.end());
    return true;
  }

  RunDirectory run_;
  const std::optional<Config>& given_;
  const JoinOptions& options_;
  const std::atomic<bool>& stop_;
  WorkerSign& sign_;
  Fault fault_;
  std::string identity_;
  ProcessIdentity identity_by_;  // the leader when it was read
  std::string words_;
  bool compared_ = false;
  bool told_what_is_ignored_ = false;
  bool other_build_ = false;  // the leader was, and has ended before the run was finished
};

// Waits for a run's configuration, without which nothing is written: the folder may be no run directory at all. False
// where `stop` was set before.
bool wait_for_run(const RunDirectory& run, const JoinOptions& options, const std::atomic<bool>& stop) {
  if (run.is_there()) return true;
  print_message("koridor", fmt::format("{}: it has no config.toml yet; waits for the process that leads the run "
                                       "(`koridor train CONFIG --run {}`)",
                                       run.root().string(), run.root().string()));
  while (!stop && !run.is_there()) std::this_thread::sleep_for(std::min(options.again_after, kLongestPause));
  return !stop;
}

// The sign of life, as soon as it can be written; nothing where `stop` was set before.
std::unique_ptr<WorkerSign> joined_sign(const RunDirectory& run, const JoinOptions& options,
                                        const std::atomic<bool>& stop) {
  for (std::string said; !stop;) {
    try {
      auto sign = std::make_unique<WorkerSign>(run.workers(), "joined");
      if (!said.empty()) print_message("koridor", "the fault is gone");
      return sign;
    } catch (const UserError& error) {
      if (said.empty()) {
        print_message("koridor", fmt::format("{}; tried again every {} s", error.what(),
                                             std::chrono::duration<double>(options.again_after).count()));
      }
      said = error.what();
    }
    const auto until = std::chrono::steady_clock::now() + options.again_after;
    while (!stop && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kShortestPause);
  }
  return nullptr;
}

}  // namespace

void require_directory_to_join(const RunDirectory& run) {
  std::error_code error;
  if (fs::is_directory(run.root(), error)) return;
  throw UserError(fmt::format("{}: there is no run directory to join; `koridor train` makes one", run.root().string()));
}

JoinEnd join_run(const RunDirectory& run, const std::optional<Config>& given, const JoinOptions& options,
                 const std::atomic<bool>& stop) {
  require_directory_to_join(run);
  if (!wait_for_run(run, options, stop)) return JoinEnd::stopped;
  const FolderInUse in_use(run.root(), run.config());
  const std::unique_ptr<WorkerSign> sign = joined_sign(run, options, stop);
  return sign ? Joined(run, given, options, *sign, stop).run() : JoinEnd::stopped;
}

}  // namespace koridor
