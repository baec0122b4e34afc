// The trainer of a run as its loop sees it: one process or several on this machine, which train together. To the loop
// they are one: they start and stop together, and each ends where another is lost. There may also be none: then others
// train the run, which were started otherwise.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/process.h"

namespace koridor {

class Trainers {
 public:
  // Starts `count` times the command with its log and standard input, as Process does, and tells each process its place
  // (train/learner/rank_place.h). `environment`: further changes of variables, as Process takes them. Throws UserError
  // where one cannot be started.
  Trainers(int count, const std::vector<std::string>& command, const std::filesystem::path& log,
           const std::string& input, const std::vector<std::string>& environment = {});

  // Of the first, which writes; 0 where there is none.
  pid_t pid() const { return processes_.empty() ? 0 : processes_.front()->pid(); }
  // Once all have ended: 0, or the status of the first that failed. Where there is none it never ends. Once one has
  // failed, the others get SIGTERM.
  std::optional<int> poll();
  std::optional<int> wait_for(std::chrono::milliseconds limit);
  void terminate();  // SIGTERM to each
  void kill();       // SIGKILL; they have ended when this returns

 private:
  std::vector<std::unique_ptr<Process>> processes_;
  int status_ = 0;  // of the first that failed
};

}  // namespace koridor
