#include "selfplay/generator/continuous_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "selfplay/generator/continuous_games.h"
#include "selfplay/generator/worker_parts.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// The models of a run, as they appear.
class RunModels : public ModelSource {
 public:
  RunModels(const ContinuousJob& job, WorkerSign& sign, const std::atomic<bool>& stop)
      : job_(job), stop_(stop), fault_(sign.heartbeat(), job.generation(0).again_after, job.generation(0).patient) {}

  // The generation of the newest model; -1: there is none.
  const std::atomic<int>& newest() const { return newest_; }

  // Looks for the newest model.
  void look() {
    int newest = newest_;
    std::error_code ignored;
    while (newest + 1 <= job_.generations && fs::exists(job_.generation(newest + 1).model, ignored)) ++newest;
    newest_ = newest;
  }

  std::optional<EvaluatorFactory> load(int generation) {
    return evaluator_factory(job_.generation(generation), fault_, stop_);
  }

  std::optional<NumberedModel> newer(std::uint32_t than) override {
    refresh_folder(job_.generation(0).model.parent_path());
    look();
    const int newest = newest_;
    if (newest <= static_cast<int>(than)) return std::nullopt;
    const std::optional<EvaluatorFactory> factory = load(newest);
    if (!factory) return std::nullopt;
    return NumberedModel{static_cast<std::uint32_t>(newest), *factory};
  }

 private:
  const ContinuousJob& job_;
  const std::atomic<bool>& stop_;
  Fault fault_;  // of the thread that looks for models
  std::atomic<int> newest_{-1};
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
    const int model = models_.newest();
    const std::optional<EvaluatorFactory> factory = models_.load(model);
    if (!factory) return WorkerEnd::stopped;
    GeneratorOptions options{.selfplay = first_.selfplay,
                             .search = first_.search,
                             .features = first_.features,
                             .seed = first_.seed,
                             .model = model,
                             .threads = first_.threads};
    if (!needs_model(first_)) options.selfplay.evaluation.cache_mebibytes = 0;
    sign_.does("chooses slots and threads");
    choice_ = slots_of(first_, options, *factory, stop_);
    if (stop_) return WorkerEnd::stopped;
    options.threads = choice_.threads;
    options.selfplay.slots = choice_.slots;
    evaluator_ = describe_evaluator(first_, *factory);
    const auto in_flight = static_cast<std::size_t>(choice_.threads) * static_cast<std::size_t>(choice_.slots);
    ContinuousGames games(job_, sign_, fault_, models_.newest(), in_flight,
                          [&](const SelfplayStatistics& now) { report("running", now, games); });
    games.begin();
    const SelfplayStatistics end = generate_games(first_.game, options, *factory, games, games, stop_, &models_);
    fault_.hurry();
    if (!fault_.persist(stop_, [&] { games.finish(); })) {
      throw UserError(fault_.text() + "; games that were not in shards yet are lost");
    }
    const bool complete = games.all_complete();
    report(complete ? "complete" : "stopped", end, games);
    sign_.played();
    return complete ? WorkerEnd::complete : WorkerEnd::stopped;
  }

 private:
  bool wait_for_first_model() {
    for (models_.look(); models_.newest() < 0; models_.look()) {
      sign_.does("waits for the model of generation 0");
      if (stop_) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      refresh_folder(first_.model.parent_path());
    }
    return true;
  }

  // Says what the worker does, to those who watch.
  void report(const char* state, const SelfplayStatistics& now, const ContinuousGames& games) {
    const int generation = std::min(games.generation(), job_.generations - 1);
    const int last = std::min(games.last_generation(), job_.generations - 1);
    const int model = models_.newest();
    const double waited = now.waiting_seconds / std::max(1, choice_.threads);
    const nlohmann::json more = {{"generation", generation},
                                 {"last_generation", last},
                                 {"model", model},
                                 {"waits", games.waits()},
                                 {"waited_seconds", waited}};
    sign_.plays(now, choice_.threads, games.ranges_held(), games.operations());
    sign_.heartbeat().say(more);
    const std::string plays = last > generation
                                  ? fmt::format("plays generations {} to {} with model {}", generation, last, model)
                                  : fmt::format("plays generation {} with model {}", generation, model);
    sign_.does(games.waits() ? fmt::format("waits for the trainer's model {}", model + 1) : plays);
    const std::uint64_t known =
        games.all_complete() ? static_cast<std::uint64_t>(job_.generation(generation).games()) : games.games_known();
    if (first_.progress) first_.progress(now, known);
    if (!fault_.text().empty()) return;
    try {
      StatusFile file(job_.generation(generation), choice_, evaluator_);
      file.say(more);
      file.write(state, now, known);
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
  std::string evaluator_;
};

}  // namespace

WorkerEnd run_continuous_worker(const ContinuousJob& job, WorkerSign& sign, const std::atomic<bool>& stop) {
  sign.begins_work();
  const WorkerEnd end = ContinuousWork(job, sign, stop).run();
  sign.ends_work();
  return end;
}

}  // namespace koridor
