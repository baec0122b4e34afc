#include "train/run/run_identity.h"

#include <filesystem>
#include <optional>

#include "core/base/damage.h"
#include "core/base/error.h"
#include "models/network/model_file.h"
#include "train/run/run_config.h"

namespace koridor {

std::string run_identity(const RunDirectory& run, const Config& config) {
  try {
    return identity_in_models(run, config);
  } catch (const UserError&) {
    return config_hash(config);
  }
}

std::string identity_in_models(const RunDirectory& run, const Config& config) {
  const int models = run.models();
  if (models == 0) throw UserError("the run " + run.root().string() + " has no model yet");
  std::optional<UserError> failure;
  bool any = false;
  for (int generation = 0; generation < models; ++generation) {
    try {
      const std::string hash = load_model(run.model(generation).string()).info.config_hash;
      if (!hash.empty()) return hash;
      any = true;
    } catch (const UserError& error) {
      // A damaged model, or one that is being copied; all models of a run hold the same hash.
      if (!failure) failure = error;
    }
  }
  if (!any && failure) throw UserError(*failure);
  return config_hash(config);
}

FoundConfig find_run_config(const RunDirectory& run, const Config& given) {
  std::string damage = run.config().string() + ": missing";
  if (std::filesystem::exists(run.config())) {
    FoundConfig found;
    const auto of_file = damage_of([&] { found.config = load_run_config(run); });
    if (!of_file) return found;
    damage = *of_file;
  }
  if (!std::filesystem::exists(run.model(0))) return {given, ""};
  if (run_identity(run, given) != config_hash(given)) {
    throw UserError(damage + "; give the configuration that the run began with, and it is written anew");
  }
  return {given, damage + "; written anew: the run's models carry the hash of the configuration given"};
}

}  // namespace koridor
