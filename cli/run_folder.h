// What the subcommands that lead or join a run ask of its folder first.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/foreign_name.h"
#include "train/run/join.h"
#include "train/run/run_directory.h"

namespace koridor::cli {

// The names of what stands in a run's directory.
inline std::vector<std::string> names_in_runs() {
  const RunDirectory run("run");
  std::vector<std::string> names;
  for (const std::filesystem::path& path :
       {run.config(), run.model(0), run.shards(0), run.checkpoint(0), run.metrics(0), run.rating(0), run.gate(0),
        run.yardstick(0), run.status("selfplay"), run.figures(), run.events(), run.log("train"), run.lock(),
        run.leader(), run.workers(), run.trainers()}) {
    names.push_back(std::next(path.begin())->string());
  }
  return names;
}

// Throws UserError where the folder has no configuration and holds anything that is nothing of a run: a slip of the
// hand, since a run would lie among other files, and a worker would wait there for ever. `otherwise` says what it may
// be beside the directory of a run. A run that is about to begin may have its folder, empty or with its logs alone, or
// what a start that was broken off has left.
inline void refuse_other_folder(const std::filesystem::path& folder, std::string_view otherwise) {
  if (RunDirectory(folder).is_there()) return;
  const std::vector<std::string> names = names_in_runs();
  const std::string other =
      foreign_name(folder, [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
  if (other.empty()) return;
  throw UserError(fmt::format(
      "{}: no run directory: it has no config.toml, and holds {}, which is nothing of a run; name the directory of a "
      "run, or {}",
      folder.string(), other, otherwise));
}

// Throws UserError where no worker can join a run: there is no such directory, or it holds other things.
inline void require_joinable(const RunDirectory& run) {
  require_directory_to_join(run);
  refuse_other_folder(run.root(), "an empty one to wait there for a run to begin");
}

}  // namespace koridor::cli
