// What workers on one generation and on all of them share.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/network/model_file.h"
#include "selfplay/generator/choose_slots.h"
#include "selfplay/generator/fault.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/worker.h"

namespace koridor {

// The headers of the generation's shards, one for each variant.
std::vector<ShardInfo> shard_infos(const SelfplayJob& job);

bool needs_model(const SelfplayJob& job);

// Reads the job's model; null where none is needed. Throws UserError where it cannot be read.
std::shared_ptr<const Model> model_of(const SelfplayJob& job);
// Throws UserError where the model does not fit the job's game.
void require_fits(const SelfplayJob& job, const ModelInfo& info);
// Throws UserError likewise.
EvaluatorFactory evaluator_factory(const SelfplayJob& job, std::shared_ptr<const Model> model);
// Both, trying again as `fault` does; nothing where `stop` was set while the model could not be read.
std::optional<EvaluatorFactory> evaluator_factory(const SelfplayJob& job, Fault& fault, const std::atomic<bool>& stop);

// The description of a new evaluator, for the status.
std::string describe_evaluator(const SelfplayJob& job, const EvaluatorFactory& factory);

// The slots and threads: as configured, else as chosen before on a machine with the same number of cores, for the same
// device, else chosen now and kept.
SlotChoice slots_of(const SelfplayJob& job, const GeneratorOptions& options, const EvaluatorFactory& factory,
                    const std::atomic<bool>& stop);

// How often a worker looks again at a folder whose shards vanish or go bad as soon as they are written.
inline constexpr int kMostLooks = 3;

// How many of so many ranges a worker may hold at once, so that every worker gets some.
std::size_t most_ranges(const WorkerSign& sign, std::size_t ranges);

// Stores the games of threads that an error has ended. A second error must not hide the first.
template <class Games>
void store_what_is_played(Games& games) {
  try {
    games.finish();
  } catch (const std::exception&) {
    // Other workers play them again.
  }
}

class StatusFile {
 public:
  // Makes the folder, which is never made again: a run that has vanished stays so.
  StatusFile(const SelfplayJob& job, const SlotChoice& choice, std::string evaluator);

  // Members of its own; they are in every file from now on.
  void say(const nlohmann::json& members) { status_.update(members); }
  // `games`: of the generation so far. Throws UserError where the file cannot be written.
  void write(const char* state, const SelfplayStatistics& now, std::uint64_t games);

 private:
  std::filesystem::path path_;
  nlohmann::json status_;
};

}  // namespace koridor
