// A child process with its output in a log file; it does not outlive its owner for long.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <ios>
#include <optional>
#include <string>
#include <vector>

namespace koridor {

class Process {
 public:
  // Starts arguments[0] with `input` on its standard input, where nobody can change it any more, and standard output
  // and error appended to `log`. It has this process's variables but for what `environment` changes: "NAME=VALUE" sets
  // one, "NAME" unsets it. The child is sent SIGTERM should this thread end, however it ends. Throws UserError where it
  // cannot be started.
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& log, const std::string& input = "",
          const std::vector<std::string>& environment = {});
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  // The exit status once it has ended (128 + signal where one ended it), nothing while it runs.
  std::optional<int> poll();
  int wait();
  // Waits for at most that long.
  std::optional<int> wait_for(std::chrono::milliseconds limit);
  void terminate();  // SIGTERM: "finish your step and end"
  void kill();       // SIGKILL; it has ended when this returns

 private:
  // Notes the end of the child where waitpid with these options tells of it; the status, once it has ended.
  std::optional<int> look(int options);

  pid_t pid_ = -1;
  std::optional<int> status_;
};

// Follows a log from where it ends now.
class LogReader {
 public:
  explicit LogReader(std::filesystem::path log);
  // The lines that were completed since the last call.
  std::vector<std::string> new_lines();

 private:
  std::filesystem::path log_;
  std::streamoff read_ = 0;
};

// The last line of a log, for a message that says why a process ended. Of an empty log it says that, and whether its
// disk is full.
std::string last_line(const std::filesystem::path& log);

}  // namespace koridor
