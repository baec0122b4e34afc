#include "train/run/run_identity.h"

#include "core/base/error.h"
#include "models/network/model_file.h"

namespace koridor {

std::string run_identity(const RunDirectory& run, const Config& config) {
  for (int generation = 0, models = run.models(); generation < models; ++generation) {
    try {
      const std::string hash = load_model(run.model(generation).string()).info.config_hash;
      if (!hash.empty()) return hash;
    } catch (const UserError&) {
      // A damaged model; all models of a run hold the same hash.
    }
  }
  return config_hash(config);
}

}  // namespace koridor
