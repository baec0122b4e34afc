// What a worker does about a file system that fails: a full disk, a folder that has vanished, a read-only mount.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/base/heartbeat.h"
#include "selfplay/generator/generation_shards.h"

namespace koridor {

// Tries again what failed, where the worker is patient: it says so in one line on standard error and in its heartbeat,
// and in another line when it goes on. Otherwise the error is thrown on. Works have numbers of their own where one may
// fail while another succeeds: the fault is gone when none fails any more. Of two threads that may fail each needs a
// member of the heartbeat of its own.
class Fault {
 public:
  Fault(Heartbeat& heartbeat, std::chrono::milliseconds again_after, bool patient, const char* member = "fault")
      : heartbeat_(heartbeat), again_after_(again_after), patient_(patient), member_(member) {}

  // Does the work; false where it failed and is to be tried again. Between two tries lies some time: the work of this
  // number is not tried at all before.
  template <class Work>
  bool attempt(const Work& work, int number = 0) {
    if (waits(number)) return false;
    try {
      work();
    } catch (const ForeignShard&) {
      throw;
    } catch (const UserError& error) {
      if (!patient_) throw;
      begin(number, error.what());
      return false;
    } catch (const std::filesystem::filesystem_error& error) {
      if (!patient_) throw;
      begin(number, error.path1().string() + ": " + error.code().message());
      return false;
    }
    succeeded(number);
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

  // Has the next attempts made at once.
  void hurry();
  // The work of this number has been done, or need not be done any more.
  void succeeded(int number);
  // So has all work.
  void succeeded();
  // Of something that still fails, if possible what failed last; empty where nothing does.
  const std::string& text() const { return text_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Failed {
    std::string text;
    Clock::time_point next;  // try
  };

  bool waits(int number) const;
  void begin(int number, const std::string& text);
  void say(const std::string& text);
  static void pause();

  Heartbeat& heartbeat_;
  std::chrono::milliseconds again_after_;
  bool patient_;
  const char* member_;
  std::map<int, Failed> failed_;
  std::string text_;
  Clock::time_point began_{};
};

}  // namespace koridor
