#include "core/base/signals.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "core/base/children.h"
#include "core/base/stopped.h"

namespace koridor {
namespace {

std::atomic<bool> requested{false};
std::atomic<long> first_interrupt{0};  // in milliseconds of the monotonic clock; 0: none yet
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<long>::is_always_lock_free);

long milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000 + 1;
}

// Handlers make only calls that are safe there, and leave errno as it was.
void ask(int) {
  requested = true;
}

void say_line(std::string_view line) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void end_with_a_word(int signal) {
  kill_children();
  say_line("\nkoridor: stopped\n");
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // takes effect when this returns
}

void interrupt(int) {
  const int error = errno;
  long first = 0;
  const long now = milliseconds();
  if (!first_interrupt.compare_exchange_strong(first, now) && now - first > kSameInterrupt) {
    kill_children();
    say_line("\nkoridor: ended at once, by a second Ctrl-C\n");
    ::_exit(kStoppedExit);
  }
  requested = true;
  errno = error;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

// A program that was started with the signal ignored, as by nohup, goes on ignoring it.
void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction before {};
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(signal, handler);
}

}  // namespace

std::atomic<bool>& stop_requested() {
  return requested;
}

void catch_signals() {
  handle(SIGINT, interrupt);
  handle(SIGTERM, ask);
  handle_unless_ignored(SIGHUP, ask);
  handle_unless_ignored(SIGPIPE, ask);
}

void release_signals() {
  say_when_interrupted();
  for (const int signal : {SIGTERM, SIGHUP, SIGPIPE}) handle_unless_ignored(signal, SIG_DFL);
}

ssize_t write_quietly(int file, std::string_view bytes) {
#ifdef __linux__
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = ::write(file, bytes.data(), bytes.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec now{};
    while (::sigtimedwait(&pipe_signal, nullptr, &now) < 0 && errno == EINTR) continue;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
#else
  return ::write(file, bytes.data(), bytes.size());
#endif
}

void say_when_interrupted() {
  handle_unless_ignored(SIGINT, end_with_a_word);
}

void keep_ended_children() {
  ::signal(SIGCHLD, SIG_DFL);
}

void report_full_disks() {
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace koridor
