#include "core/base/heartbeat.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "core/base/resident_bytes.h"
#include "core/base/version.h"

namespace koridor {

namespace fs = std::filesystem;

Heartbeat::Heartbeat(fs::path file, nlohmann::json said, std::chrono::milliseconds beat)
    : file_(std::move(file)), interval_(beat), object_(std::move(said)) {
  const ProcessIdentity process = this_process();
  const Build build = this_build();
  object_.update({{"host", process.host},
                  {"machine", process.machine},
                  {"pid", process.pid},
                  {"start", process.start},
                  {"version", build.version},
                  {"commit", build.commit}});
  if (!object_.contains("state")) object_["state"] = "running";
  make_folder(file_.parent_path());
  this->beat();
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval_, [this] { return over_; })) {
      lock.unlock();
      write();  // where that fails, who watches sees no sign of life, as it should be
      lock.lock();
    }
  });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
  try {
    if (remove_) {
      std::error_code ignored;
      fs::remove(file_, ignored);
    } else {
      if (object_["state"] == "running") object_["state"] = "ended";
      beat();
    }
  } catch (const std::exception&) {
    // Others will see that it is silent.
  }
}

void Heartbeat::say(const nlohmann::json& members) {
  const std::lock_guard lock(mutex_);
  object_.update(members);
}

void Heartbeat::write() {
  try {
    beat();
  } catch (const std::exception&) {
    // The next beat tries again.
  }
}

void Heartbeat::beat() {
  const std::lock_guard one(writing_);
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    object_["counter"] = ++counter_;
    object_["seconds"] = seconds_since(began_);
    object_["resident_bytes"] = resident_bytes();
    text = sealed_json_text(object_);
  }
  replace_file(file_, text);
}

std::optional<nlohmann::json> read_heartbeat(const fs::path& file) {
  try {
    return read_json(file);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

ProcessIdentity writer_of(const nlohmann::json& heartbeat) {
  return {member(heartbeat, "host", std::string()), member(heartbeat, "machine", std::string()),
          member(heartbeat, "pid", pid_t{0}), member(heartbeat, "start", std::uint64_t{0})};
}

std::uint64_t counter_of(const nlohmann::json& heartbeat) {
  return member(heartbeat, "counter", std::uint64_t{0});
}

std::string state_of(const nlohmann::json& heartbeat) {
  return member(heartbeat, "state", std::string("running"));
}

bool may_run(const nlohmann::json& heartbeat) {
  return state_of(heartbeat) == "running" && !has_ended(writer_of(heartbeat));
}

Life Watch::look(const fs::path& file) {
  const Clock::time_point now = Clock::now();
  Seen& seen = seen_[file];
  const bool first = seen.read == Clock::time_point{};
  const auto often = dead_after_ / 12;  // as often as it changes
  if (first || now - seen.read >= often) {
    const std::optional<nlohmann::json> read = read_heartbeat(file);
    ++reads_;
    // What was not watched for long may have beaten and stopped with everything else, in a fault of the file system:
    // the watch begins anew.
    if (first || now - seen.read > dead_after_ / 2) seen.changed = now;
    seen.read = now;
    std::error_code error;
    // A file that cannot be read is one that stands still; only one that is not there is missing.
    seen.there = read.has_value() || fs::exists(file, error) || error;
    if (read) {
      const std::uint64_t counter = counter_of(*read);
      const ProcessIdentity who = writer_of(*read);
      if (counter != seen.counter || who != seen.who) seen.changed = now;
      seen.counter = counter;
      seen.who = who;
      seen.ended = state_of(*read) != "running";
    }
  }
  if (!seen.there) return Life::gone;
  if (seen.ended) return Life::ended;
  if (now - seen.asked >= std::chrono::milliseconds(50)) {
    seen.asked = now;
    seen.gone = has_ended(seen.who);
  }
  if (seen.gone) return Life::gone;
  return now - seen.changed >= dead_after_ ? Life::silent : Life::living;
}

}  // namespace koridor
