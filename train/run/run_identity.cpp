#include "train/run/run_identity.h"

#include <optional>

#include "core/base/error.h"
#include "models/network/model_file.h"

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

}  // namespace koridor
