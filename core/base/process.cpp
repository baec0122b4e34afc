#include "core/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/children.h"
#include "core/base/error.h"
#include "core/base/write_all.h"

namespace koridor {
namespace {

constexpr auto kLookForEnd = std::chrono::milliseconds(10);
constexpr std::uintmax_t kBlock = 4096;  // of a file system: less than that is no space

// A file in memory without a name; the kernel drops it with its last descriptor.
int memory_file(const std::string& content) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  if (file < 0) throw UserError(std::string("cannot make a file in memory: ") + std::strerror(errno));
  if (const int error = write_all(file, content); error != 0) {
    ::close(file);
    throw UserError(std::string("cannot write to a file in memory: ") + std::strerror(error));
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

// The name of a variable, which stands as "NAME=VALUE" or alone.
std::string_view variable_name(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

// The variables of this process with the changes that Process takes.
std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> variables;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    const bool kept = std::ranges::none_of(
        changes, [&](const std::string& change) { return variable_name(change) == variable_name(*variable); });
    if (kept) variables.emplace_back(*variable);
  }
  for (const std::string& change : changes) {
    if (change.find('=') != std::string::npos) variables.push_back(change);
  }
  return variables;
}

// The strings as exec takes them; they must outlive what is returned.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const std::filesystem::path& log, const std::string& input,
                 const std::vector<std::string>& environment) {
  if (::access(arguments[0].c_str(), X_OK) != 0) {
    throw UserError("cannot start " + arguments[0] + ": " + std::strerror(errno) +
                    "; build it with cmake --build build");
  }
  std::error_code ignored;
  std::filesystem::create_directories(log.parent_path(), ignored);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<std::string> variables = changed_environment(environment);
  const std::vector<char*> envp = pointers_to(variables);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0) throw UserError("cannot write " + log.string() + ": " + std::strerror(errno));
  int standard_input = -1;
  try {
    standard_input = memory_file(input);
  } catch (...) {
    ::close(output);
    throw;
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    // Only calls that are safe between fork and exec.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(standard_input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  const int error = errno;
  ::close(output);
  ::close(standard_input);
  if (pid_ < 0) throw UserError("cannot start " + arguments[0] + ": " + std::strerror(error));
  remember_child(pid_);
}

Process::~Process() {
  if (pid_ > 0 && !status_) kill();
}

std::optional<int> Process::look(int options) {
  if (status_) return status_;
  status_ = reap(pid_, options);
  if (status_) forget_child(pid_);
  return status_;
}

std::optional<int> Process::poll() {
  return look(WNOHANG);
}

int Process::wait() {
  return *look(0);
}

std::optional<int> Process::wait_for(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!poll() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kLookForEnd);
  return status_;
}

void Process::terminate() {
  if (!poll()) ::kill(pid_, SIGTERM);
}

void Process::kill() {
  if (!poll()) ::kill(pid_, SIGKILL);
  wait();
}

LogReader::LogReader(std::filesystem::path log) : log_(std::move(log)) {
  std::error_code error;
  const auto size = std::filesystem::file_size(log_, error);
  if (!error) read_ = static_cast<std::streamoff>(size);
}

std::vector<std::string> LogReader::new_lines() {
  std::vector<std::string> lines;
  std::error_code error;
  if (static_cast<std::streamoff>(std::filesystem::file_size(log_, error)) <= read_ || error) return lines;
  std::ifstream in(log_);
  in.seekg(read_);
  for (std::string line; std::getline(in, line) && !in.eof();) {
    read_ = in.tellg();
    lines.push_back(line);
  }
  return lines;
}

std::string last_line(const std::filesystem::path& log) {
  std::ifstream in(log);
  // On a full disk a log stays empty, and its disk says why.
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(log.parent_path(), error);
  const bool full = !error && space.available < kBlock;
  std::string last = full ? "(its log is empty: No space left on device)" : "(its log is empty)";
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace koridor
