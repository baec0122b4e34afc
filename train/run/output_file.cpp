#include "train/run/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "core/base/files.h"
#include "train/run/run_directory.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// `path`: from the run's directory on, with at least one part.
bool is_file_of_run(const fs::path& path) {
  constexpr std::array kFiles = {"config.toml", "figures.jsonl", "leader.json", "lock"};
  constexpr std::array kFolders = {"checkpoints", "events",   "gates",  "logs",    "metrics",   "ratings",
                                   "shards",      "trainers", "status", "workers", "yardsticks"};
  const std::string first = path.begin()->string();
  if (std::next(path.begin()) == path.end()) return std::ranges::find(kFiles, first) != kFiles.end();
  if (first != "models") return std::ranges::find(kFolders, first) != kFolders.end();
  return path.extension() == ".koridor" && RunDirectory::generation_of(path.stem().string()).has_value();
}

}  // namespace

void refuse_file_of_run(std::string_view option, const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::weakly_canonical(path, ignored);
  if (!fs::exists(file, ignored)) return;  // what is not there cannot be lost
  for (fs::path folder = file.parent_path(); folder != folder.parent_path(); folder = folder.parent_path()) {
    if (!RunDirectory(folder).is_there() || !is_file_of_run(file.lexically_relative(folder))) continue;
    throw UserError(
        fmt::format("{} {}: this is a file of the run {}; name another one", option, path.string(), folder.string()));
  }
}

void check_output(std::string_view option, const fs::path& path) {
  refuse_file_of_run(option, path);
  check_writable(path);
}

}  // namespace koridor
