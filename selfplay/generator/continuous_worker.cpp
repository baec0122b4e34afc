#include "selfplay/generator/continuous_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "models/backends.h"
#include "selfplay/generator/continuous_games.h"
#include "selfplay/generator/worker_parts.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr double kTickSeconds = 0.1;    // who waits for a model goes on soon after it is there
constexpr double kReportSeconds = 0.5;  // between two files of status

// The models of a run, as they appear.
class RunModels : public ModelSource {
 public:
  RunModels(const ContinuousJob& job, WorkerSign& sign, const std::atomic<bool>& stop)
      : job_(job),
        stop_(stop),
        fault_(sign.heartbeat(), job.generation(0).again_after, job.generation(0).patient, "model_fault") {}

  // Looks for the generation of the newest model; -1: there is none.
  int look() {
    std::error_code ignored;
    while (seen_ + 1 <= job_.generations && fs::exists(job_.generation(seen_ + 1).model, ignored)) ++seen_;
    return seen_;
  }

  // Waits for a model that can be read; nothing where `stop` was set meanwhile.
  std::optional<EvaluatorFactory> first() {
    std::shared_ptr<const Model> model;
    // Where the newest cannot be read, a later one may be there at the next try.
    if (!fault_.persist(stop_, [&] { model = model_of(job_.generation(look())); })) return std::nullopt;
    in_play_ = seen_;
    found_ = Clock::now();
    return evaluator_factory(job_.generation(seen_), std::move(model));
  }

  // The generation of the newest model that the threads were given. Each takes it before it begins further games, but
  // for those that still play games of the model before the last, which take it once these are over.
  const std::atomic<int>& in_play() const { return in_play_; }

  std::optional<NumberedModel> newer(std::uint32_t than) override {
    if (!due()) return std::nullopt;
    refresh_folder(job_.generation(0).model.parent_path());
    const int newest = look();
    if (newest <= static_cast<int>(than)) return std::nullopt;
    forget_past_evaluators();
    // Where this one cannot be read, a later one may be there at the next look.
    std::shared_ptr<const Model> model;
    const SelfplayJob job = job_.generation(newest);
    failed_ = !fault_.attempt([&] { model = model_of(job); });
    if (failed_) return std::nullopt;
    between_ = seconds_since(std::exchange(found_, Clock::now()));
    return NumberedModel{static_cast<std::uint32_t>(newest), evaluator_factory(job, std::move(model))};
  }

  void given(std::uint32_t number) override { in_play_ = static_cast<int>(number); }

  // Whether the threads have nothing to play before the next model. Any thread may say so.
  void wait(bool waits) { waits_ = waits; }

 private:
  using Clock = std::chrono::steady_clock;

  bool due() {
    const double between = std::max(seconds_since(found_), between_);
    if (seconds_since(looked_) < pause_between_looks(between, waits_ || failed_)) return false;
    looked_ = Clock::now();
    return true;
  }

  const ContinuousJob& job_;
  const std::atomic<bool>& stop_;
  Fault fault_;  // of the thread that looks for models
  int seen_ = -1;
  Clock::time_point found_ = Clock::now(), looked_ = found_;  // the newest model; the last look for a newer one
  double between_ = 0;                                        // seconds from the model before to the newest
  bool failed_ = false;                                       // the last look found a model that could not be read
  std::atomic<bool> waits_{false};
  std::atomic<int> in_play_{-1};
};

class ContinuousWork {
 public:
  ContinuousWork(const ContinuousJob& job, WorkerSign& sign, const std::atomic<bool>& stop)
      : job_(job),
        first_(job.generation(0)),
        sign_(sign),
        stop_(stop),
        fault_(sign.heartbeat(), first_.again_after, first_.patient),
        models_(job, sign, stop) {}

  WorkerEnd run() {
    sign_.heartbeat().say({{"positions_per_second", 0.0}, {"evaluations_per_second", 0.0}});
    if (!wait_for_first_model()) return WorkerEnd::stopped;
    const std::optional<EvaluatorFactory> factory = models_.first();
    if (!factory) return WorkerEnd::stopped;
    GeneratorOptions options{.selfplay = first_.selfplay,
                             .search = first_.search,
                             .features = first_.features,
                             .seed = first_.seed,
                             .model = models_.in_play(),
                             .threads = first_.threads};
    if (!needs_model(first_)) options.selfplay.evaluation.cache_mebibytes = 0;
    options.tick_seconds = kTickSeconds;
    sign_.does("chooses slots and threads");
    choice_ = slots_of(first_, options, *factory, stop_);
    if (stop_) return WorkerEnd::stopped;
    options.threads = choice_.threads;
    options.selfplay.slots = choice_.slots;
    status_.emplace(first_, choice_, describe_evaluator(first_, *factory));
    const auto in_flight = static_cast<std::size_t>(choice_.threads) * static_cast<std::size_t>(choice_.slots);
    ContinuousGames games(job_, sign_, fault_, models_.in_play(), in_flight);
    games.begin([&](const SelfplayStatistics& now) { report("running", now, games); });
    sign_.spends(Pastime::games);
    SelfplayStatistics end;
    try {
      end = generate_games({first_.game, options, *factory}, games, games, stop_, &models_);
    } catch (...) {
      store_what_is_played(games);
      throw;
    }
    fault_.hurry();
    if (!fault_.persist(stop_, [&] { games.finish(); })) {
      throw UserError(fault_.text() + "; games that were not in shards yet are lost");
    }
    fault_.succeeded();
    const bool complete = games.all_complete();
    report(complete ? "complete" : "stopped", end, games);
    sign_.played();
    // These would be untrue of generations that it plays one by one later.
    sign_.heartbeat().say({{"last_generation", nullptr},
                           {"waits", nullptr},
                           {"waited_seconds", nullptr},
                           {"idle_seconds", nullptr},
                           {"continuous_seconds", nullptr},
                           {"model", nullptr},
                           {"model_fault", nullptr}});
    return complete ? WorkerEnd::complete : WorkerEnd::stopped;
  }

 private:
  bool wait_for_first_model() {
    while (models_.look() < 0) {
      sign_.does("waits for the model of generation 0");
      if (stop_) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      refresh_folder(first_.model.parent_path());
    }
    return true;
  }

  // Says what the worker does, to those who watch.
  void report(const char* state, const SelfplayStatistics& now, const ContinuousGames& games) {
    using Wait = ContinuousGames::Wait;
    const int generation = std::min(games.generation(), job_.generations - 1);
    const int last = std::min(games.last_generation(), job_.generations - 1);
    const int model = models_.in_play();
    const Wait cause = games.waits_for();
    models_.wait(cause != Wait::none);
    const double idle = now.waiting_seconds / std::max(1, choice_.threads);
    // What the threads waited since the last report has the cause that there is now.
    const Wait wait = idle > idle_ ? cause : Wait::none;
    if (wait == Wait::model) waited_ += idle - idle_;
    idle_ = idle;
    const bool changed = std::exchange(wait_, wait) != wait;
    if (!changed && now.seconds < reported_ + kReportSeconds && std::string_view(state) == "running") return;
    reported_ = now.seconds;
    const nlohmann::json more = {
        {"generation", generation},         {"last_generation", last},   {"model", model},
        {"waits", wait == Wait::model},     {"waited_seconds", waited_}, {"idle_seconds", idle_},
        {"continuous_seconds", now.seconds}};
    sign_.plays(now, choice_.threads, games.ranges_held(), games.operations());
    sign_.heartbeat().say(more);
    const std::string plays = last > generation
                                  ? fmt::format("plays generations {} to {} with model {}", generation, last, model)
                                  : fmt::format("plays generation {} with model {}", generation, model);
    sign_.does(wait == Wait::model   ? fmt::format("waits for the trainer's model {}", model + 1)
               : wait == Wait::games ? fmt::format("waits for the last games of generation {}", generation)
                                     : plays);
    if (changed) sign_.heartbeat().write();  // the next beat may be seconds away
    const std::uint64_t known =
        games.all_complete() ? static_cast<std::uint64_t>(job_.generation(generation).games()) : games.games_known();
    if (first_.progress) first_.progress(now, known);
    if (!fault_.text().empty()) return;
    try {
      status_->say(more);
      status_->say({{"games_wanted", job_.generation(generation).games()}});
      status_->write(state, now, known);
    } catch (const UserError&) {
      if (!first_.patient) throw;  // else nobody needs it
    }
  }

  const ContinuousJob& job_;
  const SelfplayJob first_;
  WorkerSign& sign_;
  const std::atomic<bool>& stop_;
  Fault fault_;  // of the thread that stores games
  RunModels models_;
  SlotChoice choice_;
  std::optional<StatusFile> status_;
  double idle_ = 0;    // seconds that its threads had no game, on the average of the threads
  double waited_ = 0;  // of them, those in which a model was waited for
  double reported_ = -kReportSeconds;
  ContinuousGames::Wait wait_ = ContinuousGames::Wait::none;
};

}  // namespace

WorkerEnd run_continuous_worker(const ContinuousJob& job, WorkerSign& sign, const std::atomic<bool>& stop) {
  sign.begins_work();
  const WorkerEnd end = ContinuousWork(job, sign, stop).run();
  sign.ends_work();
  return end;
}

}  // namespace koridor
