#include "train/run/run_identity.h"

#include <filesystem>

#include "core/base/error.h"
#include "models/network/model_file.h"

namespace koridor {

std::string run_identity(const RunDirectory& run, const Config& config) {
  if (std::filesystem::exists(run.model(0))) {
    try {
      const std::string hash = load_model(run.model(0).string()).info.config_hash;
      if (!hash.empty()) return hash;
    } catch (const UserError&) {
      // The next reader of the model says what is wrong with it.
    }
  }
  return config_hash(config);
}

}  // namespace koridor
