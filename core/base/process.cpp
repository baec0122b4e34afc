#include "core/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/base/error.h"

namespace koridor {
namespace {

int exit_status(int raw) {
  return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const std::filesystem::path& log) {
  if (::access(arguments[0].c_str(), X_OK) != 0) {
    throw UserError("cannot start " + arguments[0] + ": " + std::strerror(errno) +
                    "; build it with cmake --build build");
  }
  std::filesystem::create_directories(log.parent_path());
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0) throw UserError("cannot write " + log.string() + ": " + std::strerror(errno));
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    // Only calls that are safe between fork and exec.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  const int error = errno;
  ::close(output);
  if (pid_ < 0) throw UserError("cannot start " + arguments[0] + ": " + std::strerror(error));
}

Process::~Process() {
  if (pid_ > 0 && !status_) {
    ::kill(pid_, SIGKILL);
    wait();
  }
}

std::optional<int> Process::poll() {
  int raw = 0;
  if (!status_ && ::waitpid(pid_, &raw, WNOHANG) == pid_) status_ = exit_status(raw);
  return status_;
}

int Process::wait() {
  int raw = 0;
  while (!status_) {
    const pid_t ended = ::waitpid(pid_, &raw, 0);
    if (ended == pid_) status_ = exit_status(raw);
    if (ended < 0 && errno != EINTR) status_ = 1;
  }
  return *status_;
}

void Process::terminate() {
  if (!poll()) ::kill(pid_, SIGTERM);
}

std::string last_line(const std::filesystem::path& log) {
  std::ifstream in(log);
  std::string last = "(its log is empty)";
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace koridor
