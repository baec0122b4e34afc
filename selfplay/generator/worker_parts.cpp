#include "selfplay/generator/worker_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/terminal.h"
#include "core/base/threads.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "selfplay/generator/evaluators.h"
#include "selfplay/shards/describe_game.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

constexpr int kMostThreads = 1024;  // as run.threads

}  // namespace

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

bool needs_model(const SelfplayJob& job) {
  return find_backend(job.selfplay.evaluation.backend).needs_model;
}

std::shared_ptr<const Model> model_of(const SelfplayJob& job) {
  return needs_model(job) ? std::make_shared<const Model>(load_model(job.model.string())) : nullptr;
}

void require_fits(const SelfplayJob& job, const ModelInfo& info) {
  std::visit(
      [&](const auto& game) { require_fits(info, game.family(), game.encoding(job.features), job.model.string()); },
      job.game);
}

EvaluatorFactory evaluator_factory(const SelfplayJob& job, std::shared_ptr<const Model> model) {
  if (model) require_fits(job, model->info);
  return selfplay_evaluators(std::move(model), job.selfplay, job.model.string(), job.threads);
}

std::optional<EvaluatorFactory> evaluator_factory(const SelfplayJob& job, Fault& fault, const std::atomic<bool>& stop) {
  std::shared_ptr<const Model> model;
  if (!fault.persist(stop, [&] { model = model_of(job); })) return std::nullopt;
  return evaluator_factory(job, std::move(model));
}

std::string describe_evaluator(const SelfplayJob& job, const EvaluatorFactory& factory) {
  const EncodingShape shape = std::visit([&](const auto& game) { return game.encoding(job.features); }, job.game);
  return factory(shape, 1)->describe();
}

SlotChoice slots_of(const SelfplayJob& job, const GeneratorOptions& options, const EvaluatorFactory& factory,
                    const std::atomic<bool>& stop) {
  const int cores = thread_count(0);
  const nlohmann::json asked = {{"cores", cores},
                                {"threads", job.threads},
                                {"slots", job.selfplay.slots},
                                {"device", job.selfplay.evaluation.device}};
  std::error_code ignored;
  if (!job.choice.empty() && fs::exists(job.choice, ignored)) {
    try {
      const nlohmann::json kept = read_json(job.choice);
      const SlotChoice choice{member(kept, "threads", 0), member(kept, "slots", 0),
                              member(kept, "reason", std::string())};
      const bool whole =
          choice.threads >= 1 && choice.threads <= kMostThreads && choice.slots >= 1 && choice.slots <= kLargestSlots;
      if (!whole) {
        throw UserError(fmt::format("{}: damaged: it must name 1 to {} threads and 1 to {} slots", job.choice.string(),
                                    kMostThreads, kLargestSlots));
      }
      if (kept.contains("asked") && kept["asked"] == asked) return choice;
    } catch (const UserError& error) {
      print_message("koridor", fmt::format("warning: {}; slots and threads are chosen again", error.what()));
    }
  }
  SlotChoice choice = choose_slots(job.game, options, factory, job.selfplay.games, stop);
  if (!job.choice.empty() && !stop && (!job.patient || fs::exists(job.choice.parent_path(), ignored))) {
    try {
      write_json(job.choice,
                 {{"asked", asked}, {"threads", choice.threads}, {"slots", choice.slots}, {"reason", choice.reason}});
    } catch (const UserError&) {
      if (!job.patient) throw;  // else the next generation chooses again
    }
  }
  return choice;
}

std::size_t most_ranges(const WorkerSign& sign, std::size_t ranges) {
  // Of many workers most signs are counted and not read, as if all were at work: each reading those of all others, at
  // once when a generation begins, would be too much for a file server.
  constexpr std::size_t kAtWork = 16;
  constexpr std::size_t kSignsRead = 64;  // where some of them say that their worker has ended
  std::size_t workers = 0;
  std::size_t read = 0;
  std::error_code error;
  for (const std::string& name : names_in(sign.folder(), error)) {
    if (!name.ends_with(".json")) continue;
    const bool reads = workers < kAtWork && read < kSignsRead;
    if (reads) ++read;
    const auto other = reads ? read_heartbeat(sign.folder() / name) : std::nullopt;
    if (!other || may_run(*other)) ++workers;
  }
  workers = std::max<std::size_t>(1, workers);
  return std::max<std::size_t>(2, (ranges + workers - 1) / workers);
}

StatusFile::StatusFile(const SelfplayJob& job, const SlotChoice& choice, std::string evaluator) : path_(job.status) {
  status_["generation"] = job.generation;
  status_["games_wanted"] = job.games();
  status_["threads"] = choice.threads;
  status_["slots"] = choice.slots;
  status_["choice"] = choice.reason;
  status_["evaluator"] = std::move(evaluator);
  std::error_code ignored;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), ignored);
}

void StatusFile::write(const char* state, const SelfplayStatistics& now, std::uint64_t games) {
  if (path_.empty()) return;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  };
  const auto rate = [&](std::uint64_t count) {
    return now.seconds > 0 ? static_cast<double>(count) / now.seconds : 0.0;
  };
  status_["state"] = state;
  status_["games"] = games;
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
  replace_file(path_, sealed_json_text(status_));
}

}  // namespace koridor
