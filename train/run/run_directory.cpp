#include "train/run/run_directory.h"

#include <fmt/format.h>

#include "core/base/files.h"

namespace koridor {

std::filesystem::path RunDirectory::shards(int generation, int game) const {
  const std::filesystem::path first = root_ / "shards" / label(generation);
  return game == 0 ? first : first / fmt::format("game-{}", game);
}

void RunDirectory::remove_stale_temporaries() const {
  koridor::remove_stale_temporaries(root_);
  for (const char* folder : {"models", "checkpoints", "metrics", "ratings", "status"}) {
    koridor::remove_stale_temporaries(root_ / folder);
  }
}

std::string RunDirectory::label(int generation) {
  return fmt::format("gen-{:04}", generation);
}

}  // namespace koridor
