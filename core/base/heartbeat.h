// Signs of life in files, for processes on several machines whose clocks need not agree: a process writes its file anew
// every few seconds with a counter in it, and who watches judges by whether the counter changes while it watches.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "core/base/identity.h"

namespace koridor {

// A process writes its file this often, and counts as dead once others have watched its counter stand still this long.
inline constexpr std::chrono::milliseconds kBeat{5000};
inline constexpr std::chrono::milliseconds kDeadAfter{60000};

// The file of this process: an object of "host", "machine", "pid", "start", "version", "commit", "state" ("running",
// and at the end "ended" or what say() gave it), "counter", "seconds" since it began, "resident_bytes", and what say()
// adds. A thread of its own writes it; where it cannot be written, it is tried again at the next beat.
class Heartbeat {
 public:
  // Writes the file once, and makes its folder. Throws UserError where that fails.
  explicit Heartbeat(std::filesystem::path file, nlohmann::json said = nlohmann::json::object(),
                     std::chrono::milliseconds beat = kBeat);
  // Writes "ended", or removes the file after remove_at_end().
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  // Replaces members of the object; the next beat writes them.
  void say(const nlohmann::json& members);
  // Writes at once what was said; it may fail, as any beat.
  void write();
  void remove_at_end() { remove_ = true; }

  const std::filesystem::path& file() const { return file_; }

 private:
  void beat();

  std::filesystem::path file_;
  std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  nlohmann::json object_;
  std::uint64_t counter_ = 0;
  bool remove_ = false;
  bool over_ = false;
  std::mutex mutex_;    // of what is said; never held while a file is written, which may take long
  std::mutex writing_;  // one at a time, since all have the same temporary file
  std::condition_variable wake_;
  std::thread thread_;
};

// The object of a heartbeat's file; nothing where there is no such file or it cannot be read.
std::optional<nlohmann::json> read_heartbeat(const std::filesystem::path& file);
// Who wrote it, its counter, and its state: "running" where it says none, since nobody has said that it ended.
ProcessIdentity writer_of(const nlohmann::json& heartbeat);
std::uint64_t counter_of(const nlohmann::json& heartbeat);
std::string state_of(const nlohmann::json& heartbeat);
// Whether that process runs, as far as is known: it says so, and its kernel, where that is this machine's, does not say
// otherwise.
bool may_run(const nlohmann::json& heartbeat);

// What is known of a process by its heartbeat.
enum class Life {
  living,  // its counter changed lately, or was not watched for long enough to say more
  silent,  // its counter has stood still as long as makes a process dead
  gone,    // its file is missing, or this machine's kernel says that it has ended without saying so
  ended,   // it says so itself
};

// Watches files of heartbeats. Times are of this process's own clock.
class Watch {
 public:
  explicit Watch(std::chrono::milliseconds dead_after = kDeadAfter) : dead_after_(dead_after) {}

  // Looks at the file, if it was not looked at just before: a twelfth of `dead_after` ago, and the kernel asked a
  // twentieth of a second ago. Time between two looks counts as watched where it is at most half of `dead_after`.
  Life look(const std::filesystem::path& file);
  // How often a file was read.
  std::uint64_t reads() const { return reads_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    Clock::time_point read{};
    Clock::time_point changed{};
    std::uint64_t counter = 0;
    ProcessIdentity who{};
    bool there = false;
    bool ended = false;
    Clock::time_point asked{};
    bool gone = false;  // by the kernel's word
  };

  std::uint64_t reads_ = 0;
  std::chrono::milliseconds dead_after_;
  std::map<std::filesystem::path, Seen> seen_;
};

}  // namespace koridor
