#include "train/run/run_directory.h"

#include <fmt/format.h>

namespace koridor {

std::filesystem::path RunDirectory::shards(int generation, int game) const {
  const std::filesystem::path first = root_ / "shards" / label(generation);
  return game == 0 ? first : first / fmt::format("game-{}", game);
}

std::string RunDirectory::label(int generation) {
  return fmt::format("gen-{:04}", generation);
}

}  // namespace koridor
