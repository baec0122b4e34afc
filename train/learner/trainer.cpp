#include "train/learner/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/registry.h"
#include "models/network/model_file.h"
#include "train/learner/checkpoint.h"
#include "train/learner/ranks.h"
#include "train/learner/run_checkpoints.h"
#include "train/learner/run_schedule.h"
#include "train/learner/run_window.h"
#include "train/learner/steps.h"
#include "train/learner/trainer_agreement.h"
#include "train/learner/training_parts.h"
#include "train/learner/training_report.h"
#include "train/run/loss_report.h"
#include "train/run/run_config.h"
#include "train/run/run_directory.h"
#include "train/run/run_identity.h"
#include "train/run/selfplay_figures.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr auto kLeaderInterval = std::chrono::milliseconds(200);
constexpr auto kStatusInterval = std::chrono::milliseconds(500);
constexpr double kSilence = 2.0;    // seconds that it waits for games without a word where no process leads the run
constexpr int kStepsChecked = 100;  // after so many steps processes that train together compare their weights

class RunTrainer {
 public:
  RunTrainer(const fs::path& directory, const Config& config, int threads, const std::atomic<bool>& stop, Ranks& ranks)
      : ranks_(ranks),
        run_(directory),
        config_(config),
        hash_(run_identity(run_, config_)),
        stop_(stop),
        threads_(threads_of(config_, threads)),
        checkpoints_(run_),
        schedule_(run_, config_),
        games_(run_, config_, hash_, stop),
        window_(games_.positions()) {}

  TrainerEnd run() {
    if (ranks_.is_first()) warn_of_idle_heads(config_);
    restore_all();
    while (at_.generation < config_.run.generations) {
      if (!(at_.steps == 0 ? take_new_games() : take_lost_games())) return TrainerEnd::stopped;
      if (!train_generation()) return TrainerEnd::stopped;
    }
    return TrainerEnd::finished;
  }

 private:
  // What learner and window need of the other processes.
  Ranks* others() { return ranks_.alone() ? nullptr : &ranks_; }

  // The first process restores the state, and the others take it from there.
  void restore_all() {
    ranks_.side_by_side([this] {
      if (ranks_.is_first()) restore();
    });
    if (!ranks_.alone()) share_state();
    // The state may come from a GPU or another CPU.
    if (ranks_.any(learner_->unsuited_arithmetic())) learner_->choose_arithmetic_again();
  }

  void share_state() {
    std::string bytes = ranks_.is_first() ? checkpoint_bytes(present()) : "";
    ranks_.broadcast(bytes);
    ranks_.side_by_side([&] {
      const std::string where = "the first trainer's state";
      if (!ranks_.is_first()) take(read_checkpoint(bytes, where), where, new_learner_for_restore());
    });
    require_equal_windows();
    agree_on_devices();
  }

  // Processes on different kinds of devices would wait for each other in different ways.
  void agree_on_devices() {
    const int gpu = learner_->gpu();
    ranks_.require_equal(gpu >= 0 ? 1 : 0, "the devices that training.device means, GPUs or CPUs");
    if (ranks_.use_gpu(gpu) && ranks_.is_first()) {
      warn("several trainers share a GPU, which NCCL cannot add up: gradients go through their hosts, which is slower");
    }
  }

  void require_equal_windows() {
    ranks_.require_equal(games_.checksum(), "the positions that could be read of the run's shards");
  }

  // Restores the newest state that can be read: a checkpoint, else the newest model's weights, else a new network.
  void restore() {
    learner_ = nullptr;
    for (int generation = checkpoints_.newest(); generation >= 0 && learner_ == nullptr; --generation) {
      if (games_are_gone_after(generation)) continue;
      if (restore_from(checkpoints_.after(generation))) break;
      // A state on the way to a generation cannot export the model before it, should that be missing.
      if (generation > 0 && fs::exists(run_.model(generation - 1))) restore_from(checkpoints_.partial(generation));
    }
    if (learner_ == nullptr) restore_without_checkpoint();
    if (!fs::exists(run_.model(at_.generation)) && at_.steps == 0) export_model_of(at_.generation);
  }

  // Whether a state cannot be gone on from: the next model is there, so that nobody plays again the games it was made
  // of, and they have been removed.
  bool games_are_gone_after(int generation) {
    if (!fs::exists(checkpoints_.after(generation)) || !fs::exists(run_.model(generation + 1)) ||
        games_.shards().complete(generation)) {
      return false;
    }
    warn(fmt::format("{}: the games that come after this state are not there any more; it is passed over",
                     checkpoints_.after(generation).string()));
    return true;
  }

  bool restore_from(const fs::path& path) {
    if (!fs::exists(path)) return false;
    auto learner = new_learner_for_restore();  // its errors are the configuration's, whatever the state
    try {
      take(load_checkpoint(path), path.string(), std::move(learner));
    } catch (const ForeignFile&) {
      throw;  // going on without it would lose the run's training
    } catch (const ReadError&) {
      throw;  // so would this: it may be sound
    } catch (const UserError& error) {
      warn(std::string(error.what()) + "; an earlier state is used");
      return false;
    }
    return true;
  }

  // Goes on from a checkpoint, by a learner made for it; errors name `where` it was.
  void take(Checkpoint checkpoint, const std::string& where, std::unique_ptr<Learner> learner) {
    if (checkpoint.config_hash != hash_) throw ForeignFile(where + ": a checkpoint of another configuration");
    if (checkpoint.encoding_version != encoding_version()) {
      throw ForeignFile(fmt::format("{}: a checkpoint of version {} of the game's encoding, which is at version {} now",
                                    where, checkpoint.encoding_version, encoding_version()));
    }
    learner->restore(checkpoint.learner, where);
    learner_ = std::move(learner);
    at_ = std::move(checkpoint);
    at_.learner = {};
    lost_games_ = false;
    for (const std::string& file : std::exchange(at_.window, {})) {
      const fs::path path = run_.root() / file;
      if (games_.add(path) == 0 && games_.is_of(path, at_.generation)) lost_games_ = true;
    }
    window_.set_positions_so_far(at_.positions_so_far);
    window_.trim();  // the oldest file may hold games that had been dropped
  }

  int encoding_version() const {
    return std::visit([&](const auto& game) { return game.encoding(config_.features).version; },
                      games_of(config_).front());
  }

  std::unique_ptr<Learner> new_learner_for_restore() {
    return std::make_unique<Learner>(network_training(config_), config_.run.seed, threads_, others());
  }

  void restore_without_checkpoint() {
    const int newest = run_.models() - 1;
    if (newest <= 0) {
      learner_ = new_learner(config_, threads_, others());
    } else {
      learner_ = new_learner_for_restore();
      // The weights are in the model; optimiser and batch statistics start afresh.
      const std::string model = run_.model(newest).string();
      warn(fmt::format("no checkpoint can be read; going on from {}", model));
      start_from_file(*learner_, config_, model);
      for (int generation = 0; generation < newest; ++generation) {
        if (games_.add_generation(generation) == 0) {
          warn(fmt::format("no positions in {}", run_.shards(generation).string()));
        }
        window_.trim();  // as when they were learned from: never all of a long run at once
      }
    }
    at_ = {};
    at_.generation = std::max(0, newest);
    save(checkpoints_.after(at_.generation));
  }

  // Whether the process that leads the run has ended while this one trains it, and says so: then no games will come.
  // What a leader said before this process began does not count, since the next leader may be about to begin.
  bool leader_has_ended() {
    if (Clock::now() - leader_read_ < kLeaderInterval) return false;
    leader_read_ = Clock::now();
    std::error_code ignored;
    const auto sign = fs::exists(run_.leader(), ignored) ? read_heartbeat(run_.leader()) : std::nullopt;
    if (!sign || state_of(*sign) == "running") {
      leader_seen_ = leader_seen_ || sign.has_value();
      return false;
    }
    return leader_seen_;
  }

  // Once, and only where no leader was seen. One may come yet.
  void say_that_nobody_leads() {
    if (leader_seen_ || std::exchange(said_that_nobody_leads_, true)) return;
    warn(
        fmt::format("waits for the games of generation {}; no process leads the run now: `koridor train --run {}` does",
                    at_.generation, run_.root().string()));
  }

  // Waits for the present generation's games and adds them to the window; false when stopped, or when the run has
  // ended.
  bool take_new_games() {
    const double waited_before = waited_;
    if (!wait_for_games(true)) return false;
    waited_for_games_ = waited_ - waited_before;
    at_.new_positions = add_new_shards();
    window_.trim();
    at_.step = 0;
    at_.so_far = {};
    at_.steps = steps_of_generation(config_.training, at_.new_positions, window_.positions());
    if (at_.steps == 0) warn(fmt::format("no new positions in {}", run_.shards(at_.generation).string()));
    return true;
  }

  // In mid-generation: adds those of its games whose file could not be read, and which are played again into another
  // one. They are counted already. False when stopped, or when the run has ended.
  bool take_lost_games() {
    if (!ranks_.any(std::exchange(lost_games_, false))) return true;
    if (!wait_for_games(false)) return false;
    add_new_shards();
    window_.set_positions_so_far(at_.positions_so_far);
    window_.trim();
    return true;
  }

  // Waits until the present generation's games are complete; false when stopped, or when the run has ended. `begins`:
  // the generation begins now, which it does not behind the run's budget.
  bool wait_for_games(bool begins) {
    const Clock::time_point began = Clock::now();
    const double waited_before = waited_;
    const bool late = begins && ranks_.is_first() && time_is_over();
    Clock::time_point shown{};
    for (;;) {
      bool complete = false;
      bool over = false;
      ranks_.side_by_side([&] {
        if (!ranks_.is_first()) return;
        const bool may = !begins || (!late && !budget_is_spent());
        complete = may && games_.shards().complete(at_.generation);
        const bool ended = leader_has_ended();  // asked also where games are there, so that a leader was seen
        over = !complete && ended;
      });
      if (ranks_.any(complete)) break;
      if (ranks_.any(stop_ || over)) return false;
      std::this_thread::sleep_for(kPollInterval);
      waited_ = waited_before + seconds_since(began);
      if (ranks_.is_first() && seconds_since(began) > kSilence) say_that_nobody_leads();
      if (continuous() && ranks_.is_first() && Clock::now() - shown >= kStatusInterval) {
        write_trainer_status(run_,
                             with_waiting({{"generation", at_.generation + 1}, {"waits", true}, {"time_over", late}}));
        shown = Clock::now();
      }
    }
    return true;
  }

  bool continuous() const { return config_.run.mode == "continuous"; }

  // Where the loop runs at once, it may be busy when the run's cost or time is spent, and ends this process later. A
  // generation that begins before its time is over is finished, as in step.
  bool budget_is_spent() { return continuous() && schedule_.budget_is_spent(at_.generation); }
  bool time_is_over() { return continuous() && schedule_.time_is_over(); }

  // Adds how long this process has waited for games, and how long it runs, where it need not wait while games are
  // played.
  json with_waiting(json status) const {
    if (!continuous()) return status;
    status["waited_seconds"] = waited_;
    status["seconds_here"] = seconds_since(started_);
    return status;
  }

  // Adds the present generation's shards that the window lacks: those that the first process sees.
  std::size_t add_new_shards() {
    if (ranks_.alone()) return games_.add_generation(at_.generation);
    std::string text = json(ranks_.is_first() ? games_.missing(at_.generation) : std::vector<std::string>{}).dump();
    ranks_.broadcast(text);
    std::size_t positions = 0;
    ranks_.side_by_side([&] {
      for (const std::string file : json::parse(text)) positions += games_.add(run_.root() / file);
    });
    require_equal_windows();
    return positions;
  }

  // The first process's schedule, for all.
  StepPlan schedule_of_all() {
    StepPlan plan;
    ranks_.side_by_side([&] {
      if (!ranks_.is_first()) return;
      const RunSchedule::Part part = schedule_.part(at_.generation, at_.steps);
      plan.from = part.from;
      plan.to = part.to;
      if (std::exchange(trained_, true)) return;
      if (const auto warning = schedule_.higher_rate(at_.generation, part, learner_->steps())) warn(*warning);
    });
    std::string text = json{plan.from, plan.to}.dump();
    ranks_.broadcast(text);
    const json ends = json::parse(text);
    plan.from = ends[0];
    plan.to = ends[1];
    plan.range = {config_.run.seed, at_.generation,         at_.step,
                  at_.steps,        config_.training.batch, {ranks_.place().rank, ranks_.size()}};
    plan.before = at_.so_far;
    return plan;
  }

  bool train_generation() {
    const int next = at_.generation + 1;
    const StepPlan plan = schedule_of_all();
    Clock::time_point shown{};
    const auto after_step = [&](int step, const StepSummary& summary) {
      at_.step = step;
      at_.so_far = summary;
      const bool known = summary.recent.weight() > 0 || summary.skipped > plan.before.skipped;
      if (ranks_.is_first() && known && (Clock::now() - shown >= kStatusInterval || step == at_.steps)) {
        json status = figures_of(summary, summary.recent, *learner_);
        status.update({{"generation", next}, {"step", step}, {"steps", at_.steps}});
        write_trainer_status(run_, with_waiting(std::move(status)));
        shown = Clock::now();
      }
      if (!ranks_.alone() && (step % kStepsChecked == 0 || step == at_.steps)) {
        ranks_.require_equal(learner_->checksum(),
                             fmt::format("the weights after step {} of generation {}", step, next));
      }
      return !ranks_.any(stop_);
    };
    try {
      at_.so_far = run_steps(*learner_, window_, config_.training, plan, after_step);
    } catch (const RankLost&) {
      // Nothing is lost even where another process is.
      if (ranks_.is_first() && at_.step < at_.steps) save(checkpoints_.partial(next));
      if (ranks_.is_first() && at_.step == at_.steps) finish_generation(next);
      throw;
    }
    if (at_.step < at_.steps && window_.positions() > 0) {
      if (ranks_.is_first()) save(checkpoints_.partial(next));
      return false;
    }
    ranks_.side_by_side([&] {
      if (ranks_.is_first()) finish_generation(next);
    });
    begin_after(next);
    return true;
  }

  // No step is made yet towards the generation after this one.
  void begin_after(int generation) {
    at_.generation = generation;
    at_.step = at_.steps = 0;
    at_.so_far = {};
  }

  void finish_generation(int generation) {
    require_no_overflow(*learner_, config_, {hash_, generation});
    write_metrics(generation, at_.so_far);
    begin_after(generation);
    save(checkpoints_.after(generation));
    export_model_of(generation);
    checkpoints_.remove_old(generation);
  }

  void write_metrics(int generation, const StepSummary& summary) {
    run_.require_there();
    json metrics = figures_of(summary, summary.all, *learner_);
    metrics.update({{"generation", generation},
                    {"steps", at_.steps},
                    {"batch", config_.training.batch},
                    {"new_positions", at_.new_positions},
                    {"positions_so_far", window_.positions_so_far()},
                    {"window_positions", window_.positions()},
                    {"window_shards", window_.files().size()},
                    {"optimizer_steps", learner_->steps()},
                    {"arithmetic", learner_->arithmetic() == Arithmetic::bf16 ? "bf16" : "f32"}});
    if (continuous()) metrics["waited_seconds"] = waited_for_games_;
    add_games(games_.shards().figures(generation - 1), config_.run.games, summary, *learner_, metrics);
    write_json(run_.metrics(generation), metrics);
    fmt::print("generation {}: {}, {:.0f} samples/s, {}\n", generation, counted(at_.steps, "step"),
               summary.samples_per_second, loss_text(report_of(summary.all, *learner_)));
    std::fflush(stdout);
  }

  void save(const fs::path& path) {
    run_.require_there();
    save_checkpoint(path, present());
  }

  Checkpoint present() const {
    Checkpoint checkpoint = at_;
    checkpoint.config_hash = hash_;
    checkpoint.encoding_version = encoding_version();
    checkpoint.seed = config_.run.seed;
    checkpoint.window = games_.files();
    checkpoint.positions_so_far = window_.positions_so_far();
    checkpoint.learner = learner_->state();
    return checkpoint;
  }

  // An existing model stays, since games may have been played with it.
  void export_model_of(int generation) {
    run_.require_there();
    if (fs::exists(run_.model(generation))) return;
    const Model model = export_for_play(*learner_, config_, {hash_, generation}, window_);
    save_model(run_.model(generation).string(), model);
  }

  Ranks& ranks_;
  RunDirectory run_;
  Config config_;
  std::string hash_;
  const std::atomic<bool>& stop_;
  int threads_;
  RunCheckpoints checkpoints_;
  RunSchedule schedule_;
  Clock::time_point leader_read_{};
  bool leader_seen_ = false;  // running
  bool said_that_nobody_leads_ = false;
  bool trained_ = false;     // by this process
  bool lost_games_ = false;  // files of the present generation could not be read where it went on in its midst
  RunWindow games_;
  ReplayWindow& window_;  // of games_
  std::unique_ptr<Learner> learner_;
  Clock::time_point started_ = Clock::now();
  double waited_ = 0;            // for games, in seconds, since this process began
  double waited_for_games_ = 0;  // for those of the present generation
  Checkpoint at_;  // where the run stands; its arrays and its window stay empty: learner_ and window_ hold them
};

// The signs of life of trainers of an earlier start, when there were more of them.
void remove_signs_of_others(const RunDirectory& run, int trainers) {
  std::set<fs::path> kept;
  for (int rank = 0; rank < trainers; ++rank) kept.insert(run.trainer(rank));
  for (const std::string& name : names_in(run.trainers())) {
    const fs::path file = run.trainers() / name;
    std::error_code ignored;
    if (file.extension() == ".json" && !kept.contains(file)) fs::remove(file, ignored);
  }
}

}  // namespace

TrainerEnd train_run(const fs::path& directory, const Config& config, int threads, const std::atomic<bool>& stop,
                     const RankPlace& place) {
  FileLock lock(RunDirectory(directory).trainer_lock());
  if (place.rank == 0 && !lock.take("trains " + directory.string(), stop)) return TrainerEnd::stopped;
  const RunDirectory run(directory);
  run.require_there();
  const FolderInUse in_use(run.root(), run.config());
  Heartbeat sign(run.trainer(place.rank), {{"role", "trainer"}, {"rank", place.rank}, {"trainers", place.size}});
  if (place.size > 1) {
    sign.say({{"doing", fmt::format("waits for other trainers at {}:{}", place.host, place.port)}});
    sign.write();
  }
  try {
    const std::unique_ptr<Ranks> ranks = Ranks::join(place, stop);
    if (ranks == nullptr) {
      sign.remove_at_end();
      return TrainerEnd::stopped;
    }
    sign.say({{"doing", ""}});
    sign.write();
    run.require_there();
    require_the_build_that_leads(run);
    if (ranks->is_first()) remove_signs_of_others(run, ranks->size());
    const TrainerEnd end = RunTrainer(directory, config_of_all(config, *ranks), threads, stop, *ranks).run();
    sign.remove_at_end();
    return end;
  } catch (const std::exception& error) {
    sign.say({{"state", "failed"}, {"fault", error.what()}});
    throw;
  }
}

}  // namespace koridor
