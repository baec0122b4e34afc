#include "selfplay/matches/engines/engine_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "core/base/children.h"
#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/base/text.h"

namespace koridor {
namespace {

constexpr std::size_t kLongestErrorLine = 300;
constexpr std::size_t kChunk = 4096;
constexpr int kChunks = 64;  // that are read at once; an engine may write faster than this reads

UserError no_engine(const std::string& command) {
  return UserError("cannot start the engine \"" + command + "\": " + std::strerror(errno));
}

void make_non_blocking(int file) {
  ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
}

// Words that are the shell's own: `exec` would look for a program of that name.
constexpr std::array kShellWords = {
    "!",       ".",        ":",      "alias",  "bg",      "break", "builtin", "cd",      "command", "continue",
    "declare", "eval",     "exec",   "exit",   "export",  "fc",    "fg",      "getopts", "hash",    "jobs",
    "local",   "readonly", "read",   "return", "set",     "shift", "source",  "time",    "times",   "trap",
    "type",    "typeset",  "ulimit", "umask",  "unalias", "unset", "wait"};

// The command so that the shell becomes the program, where it is a simple one.
std::string in_place_of_shell(const std::string& command) {
  constexpr const char* kSpaces = " \t";
  const std::size_t begin = std::min(command.find_first_not_of(kSpaces), command.size());
  const std::string first = command.substr(begin, command.find_first_of(kSpaces, begin) - begin);
  const bool simple = command.find_first_of(";&|<>(){}`\n") == std::string::npos &&
                      first.find('=') == std::string::npos &&
                      std::ranges::find(kShellWords, first) == kShellWords.end();
  return simple ? "exec " + command : command;
}

// The first descriptor that an engine does not get: this program's own files are open to write.
constexpr int kFirstOwnFile = 3;

// Closes them in the child; `end` is one more than the largest there may be. Safe between fork and exec.
void close_own_files(int end) {
#ifdef CLOSE_RANGE_CLOEXEC
  if (::close_range(kFirstOwnFile, ~0U, 0) == 0) return;  // an older kernel does not know it
#endif
  for (int file = kFirstOwnFile; file < end; ++file) ::close(file);
}

// One more than the largest descriptor that this process is likely to have.
int end_of_files() {
  constexpr long kMost = 1 << 16;
  const long limit = ::sysconf(_SC_OPEN_MAX);
  return static_cast<int>(limit < 0 ? kMost : std::min(limit, kMost));
}

// The end of a pipe that nobody writes to and that is closed when this program has ended, killed or not. The other end
// is this program's alone.
int lifeline() {
  static const int end = [] {
    int ends[2];
    return ::pipe2(ends, O_CLOEXEC) == 0 ? ends[0] : -1;
  }();
  return end;
}

// Starts a shell in the group of `leader` that waits for the end of this program and then kills the group. (The signal
// that the system sends to a child whose parent has died reaches that child alone, not what it has started.) Its
// number, or -1 with errno set.
pid_t start_guard(pid_t leader) {
  if (lifeline() < 0) return -1;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&files, lifeline(), STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#ifdef CLOSE_RANGE_CLOEXEC
  ::posix_spawn_file_actions_addclosefrom_np(&files, kFirstOwnFile);
#endif
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, leader);
  const std::array<const char*, 4> argv = {"sh", "-c", "read -r line; kill -9 0", nullptr};
  pid_t guard = -1;
  const int error = ::posix_spawn(&guard, "/bin/sh", &files, &attributes, const_cast<char**>(argv.data()), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  errno = error;
  return error == 0 ? guard : -1;
}

// Reads what there is, at most a chunk: false at the end of the file.
bool read_some(int file, std::string& out) {
  std::array<char, kChunk> chunk;
  const ssize_t count = ::read(file, chunk.data(), chunk.size());
  if (count > 0) out.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

void EngineProcess::Pipe::close() {
  if (file >= 0) ::close(file);
  file = -1;
}

EngineProcess::EngineProcess(const std::string& command, const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!directory.empty() && !std::filesystem::is_directory(directory, ignored)) {
    throw UserError("engine \"" + command + "\": there is no directory " + directory.string());
  }
  // Ends for the child and for this program.
  std::array<Pipe, 3> theirs;
  const std::array<Pipe*, 3> ours = {&to_engine_, &from_engine_, &errors_};
  for (std::size_t i = 0; i < ours.size(); ++i) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw no_engine(command);
    ours[i]->file = ends[i == 0 ? 1 : 0];
    theirs[i].file = ends[i == 0 ? 0 : 1];
    make_non_blocking(ours[i]->file);
  }
  const std::string line = in_place_of_shell(command);
  const std::array<const char*, 4> argv = {"sh", "-c", line.c_str(), nullptr};
  const std::string place = directory.string();
  const int end = end_of_files();
  pid_ = ::fork();
  if (pid_ == 0) {
    // Only calls that are safe between fork and exec.
    ::setpgid(0, 0);
    if (!place.empty() && ::chdir(place.c_str()) != 0) ::_exit(126);
    for (int i = 0; i < 3; ++i) ::dup2(theirs[static_cast<std::size_t>(i)].file, i);
    close_own_files(end);
    ::execv("/bin/sh", const_cast<char**>(argv.data()));
    ::_exit(127);
  }
  if (pid_ < 0) throw no_engine(command);
  ::setpgid(pid_, pid_);  // whichever of the two comes first
  remember_child(-pid_);
  guard_ = start_guard(pid_);
  if (guard_ >= 0) return;
  const UserError failure = no_engine(command);
  kill();
  throw failure;
}

EngineProcess::~EngineProcess() {
  constexpr std::chrono::milliseconds kPause{2};
  to_engine_.close();
  const auto end = std::chrono::steady_clock::now() + kGoodbye;
  while (!exited() && std::chrono::steady_clock::now() < end) {
    // An engine that cannot write cannot end.
    std::string ignored;
    for (int chunk = 0; chunk < kChunks && read_some(from_engine_.file, ignored) && !ignored.empty(); ++chunk) {
      ignored.clear();
    }
    read_errors();
    std::this_thread::sleep_for(kPause);
  }
  kill();
}

void EngineProcess::send(std::string_view line) {
  unsent_ += line;
  unsent_ += '\n';
  flush();
}

void EngineProcess::flush() {
  while (!unsent_.empty()) {
    const ssize_t written = write_quietly(to_engine_.file, unsent_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    // Nobody reads any more, which its output will show.
    unsent_.erase(0, written < 0 ? unsent_.size() : static_cast<std::size_t>(written));
  }
}

std::optional<std::string> EngineProcess::receive() {
  flush();
  read_errors();
  for (;;) {
    const std::size_t end = output_.find('\n', searched_);
    if (end != std::string::npos || (output_ended_ && !output_.empty())) {
      std::string line = output_.substr(0, end);
      output_.erase(0, end == std::string::npos ? end : end + 1);
      searched_ = 0;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    searched_ = output_.size();
    if (output_ended_) return std::nullopt;
    read_output();
    if (output_.size() == searched_ && !output_ended_) return std::nullopt;
  }
}

void EngineProcess::read_output() {
  output_ended_ = !read_some(from_engine_.file, output_);
  output_end_ = std::chrono::steady_clock::now();
  if (output_.size() > kLongestLine && output_.find('\n', searched_) == std::string::npos) {
    flooded_ = true;
    output_ended_ = true;
    output_.clear();
    searched_ = 0;
  }
}

void EngineProcess::read_errors() {
  std::string text;
  for (int chunk = 0; chunk < kChunks && errors_.file >= 0; ++chunk) {
    text.clear();
    if (!read_some(errors_.file, text)) errors_.close();
    if (text.empty()) return;
    for (const char c : text) {
      if (c != '\n') {
        if (error_line_.size() < kLongestErrorLine) error_line_ += c;
        continue;
      }
      if (const std::string_view line = trimmed(error_line_); !line.empty()) last_error_line_ = line;
      error_line_.clear();
    }
  }
}

bool EngineProcess::gone() {
  return exited() || std::chrono::steady_clock::now() > output_end_ + kGoodbye;
}

std::string EngineProcess::last_words() {
  read_errors();
  std::string words = "it closed its output";
  if (status_) {
    words = *status_ > 128 ? "signal " + std::to_string(*status_ - 128) : "status " + std::to_string(*status_);
  }
  const std::string line(trimmed(error_line_).empty() ? std::string_view(last_error_line_) : trimmed(error_line_));
  return line.empty() ? words : words + ": " + line;
}

// Whether its first process has ended; then what that has started is ended too.
bool EngineProcess::exited() {
  if (status_) return true;
  siginfo_t info{};
  const int error = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? 0 : errno;
  // Where SIGCHLD is ignored the kernel has waited for it.
  if (error == ECHILD || (error == 0 && info.si_pid == pid_)) kill();
  return status_.has_value();
}

void EngineProcess::kill() {
  if (status_) return;
  // The group's first process was not waited for yet, or else its guard still lives in it, so that no other group can
  // have its number.
  ::kill(-pid_, SIGKILL);
  status_ = reap(pid_);
  if (guard_ >= 0) reap(guard_);
  forget_child(-pid_);
}

}  // namespace koridor
