// A child process with its output in a log file; it does not outlive its owner.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace koridor {

class Process {
 public:
  // Starts arguments[0] with standard output and error appended to `log`. The child is sent SIGTERM should this process
  // die. Throws UserError where it cannot be started.
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& log);
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The exit status once it has ended (128 + signal where one ended it), nothing while it runs.
  std::optional<int> poll();
  int wait();
  void terminate();  // SIGTERM: "finish your step and end"

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// The last line of a log, for a message that says why a process ended.
std::string last_line(const std::filesystem::path& log);

}  // namespace koridor
