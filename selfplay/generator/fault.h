// What a worker does about a file system that fails: a full disk, a folder that has vanished, a read-only mount.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>

#include "core/base/error.h"
#include "core/base/heartbeat.h"
#include "selfplay/generator/generation_shards.h"

namespace koridor {

// Tries again what failed, where the worker is patient: it says so in one line on standard error and in its heartbeat,
// and in another line when it goes on. Otherwise the error is thrown on. Of two threads that may fail each needs a
// member of the heartbeat of its own.
class Fault {
 public:
  Fault(Heartbeat& heartbeat, std::chrono::milliseconds again_after, bool patient, const char* member = "fault")
      : heartbeat_(heartbeat), again_after_(again_after), patient_(patient), member_(member) {}

  // Does the work; false where it failed and is to be tried again. Between two tries lies some time: the work is not
  // tried at all before.
  template <class Work>
  bool attempt(const Work& work) {
    if (Clock::now() < next_) return false;
    try {
      work();
    } catch (const ForeignShard&) {
      throw;
    } catch (const UserError& error) {
      if (!patient_) throw;
      begin(error.what());
      return false;
    } catch (const std::filesystem::filesystem_error& error) {
      if (!patient_) throw;
      begin(error.path1().string() + ": " + error.code().message());
      return false;
    }
    end();
    return true;
  }

  // Does the work, trying again as long as it fails; false where `stop` was set meanwhile.
  template <class Work>
  bool persist(const std::atomic<bool>& stop, const Work& work) {
    while (!attempt(work)) {
      if (stop) return false;
      pause();
    }
    return true;
  }

  // Has the next attempt made at once.
  void hurry() { next_ = {}; }
  const std::string& text() const { return text_; }

 private:
  using Clock = std::chrono::steady_clock;

  void begin(const std::string& text);
  void end();
  static void pause();

  Heartbeat& heartbeat_;
  std::chrono::milliseconds again_after_;
  bool patient_;
  const char* member_;
  std::string text_;
  Clock::time_point began_{};
  Clock::time_point next_{};
};

}  // namespace koridor
