// The child processes of a run's loop, the trainer and workers of self-play: how they start and end, whether they have
// left work, what they warn of and whether they are silent. They show nothing: what the user should read is returned.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/process.h"
#include "train/run/config.h"
#include "train/run/run_directory.h"
#include "train/run/trainers.h"

namespace koridor {

// How long a child may take to end after SIGTERM before it gets SIGKILL, and a worker after its games are complete.
inline constexpr std::chrono::seconds kStopPatience{30};

// What a child shows of itself: its log, and the file of its live progress.
class ChildSigns {
 public:
  using Clock = std::chrono::steady_clock;

  // `process`: "trainer" or "selfplay", as the run's directory names its files. The log is followed from where it ends
  // now, so that this comes before the child's start.
  ChildSigns(const RunDirectory& run, const std::string& process);

  // Those in the log that were not returned before. `status`: the child's exit status; nothing while it runs. The last
  // words of a child that failed are in its error instead: so the newest line of one that runs waits for a second.
  std::vector<std::string> new_warnings(std::optional<int> status, Clock::time_point now = Clock::now());

  // Words where the process `pid` (0: somebody else's) has written no progress for a minute, from `since` on; else "".
  std::string silence(pid_t pid, Clock::time_point since);

  // "LINE (log: PATH)", for a message that says why a child ended.
  std::string last_words() const;
  // The last line that the child wrote, where that says what is wrong, else "".
  std::string last_error() const;
  const std::filesystem::path& log() const { return log_; }

 private:
  std::filesystem::path log_;
  std::filesystem::path status_;
  LogReader reader_;
  std::optional<std::string> newest_{};        // the line that is held back
  Clock::time_point newest_read_{};            // when the newest line was read
  std::uintmax_t log_before_ = 0;              // bytes of it, before the child
  std::filesystem::file_time_type written_{};  // when `status_` was written, by the clock of its file server
  Clock::time_point seen_{};                   // when that time was first seen
};

// The trainer of all generations; it waits for their games.
class LoopTrainer {
 public:
  static constexpr const char* kName = "the trainer";

  // Starts `count` processes that train together, from the folder `programs`. With 0 others train the run: then this
  // trainer never ends. `stop` is kept. Throws UserError where a process cannot be started.
  LoopTrainer(const RunDirectory& run, const Config& config, const std::filesystem::path& programs, int count,
              const std::atomic<bool>& stop);

  pid_t pid() const { return processes_.pid(); }  // 0 where others train
  bool runs() { return pid() != 0 && !ended(); }  // here
  bool ended() { return processes_.poll().has_value(); }
  // Whether it has ended by itself before the run's last model was there.
  bool has_left_work();
  // Throws UserError where it has left work, unless a stop was asked for, which it gets as well, and where it has ended
  // and the run's directory has vanished.
  void check();
  // Tells it to end, and does not wait for that. From now on it has left no work.
  void tell_to_end();
  // Tells it to end unless it was told before, and ends it by force where it does not within `patience`. Returns words
  // where that was needed, or where it failed at its stop; else "".
  std::string end(std::chrono::seconds patience = kStopPatience);

  std::vector<std::string> new_warnings() { return signs_.new_warnings(processes_.poll()); }
  // As ChildSigns; never once it was told to end.
  std::string silence(ChildSigns::Clock::time_point since);
  // The process of the trainer of an earlier start, for whose end it waits, as lock_holder() says it.
  pid_t waits_for() const;

 private:
  RunDirectory run_;
  std::filesystem::path last_model_;
  const std::atomic<bool>& stop_;
  ChildSigns signs_;
  Trainers processes_;
  bool told_to_end_ = false;
  bool stops_ = false;  // it ran when it was told to end, and end() has not seen how it ended
};

// A worker of self-play.
class LoopWorker {
 public:
  static constexpr const char* kName = "self-play";

  struct Board {
    int generation = 0;
    int game = 0;  // the board's index in run.games
  };

  // Starts self-play of one generation on one board, or, without `board`, of all generations of the run. `stop` is
  // kept. Throws UserError where the process cannot be started.
  LoopWorker(const RunDirectory& run, const Config& config, const std::filesystem::path& programs,
             const std::optional<Board>& board, const std::atomic<bool>& stop);

  bool runs() { return !process_.poll(); }
  // Whether the games that it was started for are complete, whoever played them.
  bool complete() const;
  // Whether it has ended, without a stop, before they were.
  bool has_left_games() { return !runs() && !stop_ && !complete(); }
  // Throws failure() where it has left games, unless a stop was asked for, which it gets as well.
  void check();
  // Why it has left games; only once it has ended.
  UserError failure();
  // As those of LoopTrainer.
  void tell_to_end();
  std::string end(std::chrono::seconds patience = kStopPatience);

  std::vector<std::string> new_warnings() { return signs_.new_warnings(process_.poll()); }
  // As ChildSigns, since its start.
  std::string silence() { return signs_.silence(process_.pid(), started_); }

 private:
  RunDirectory run_;
  int generations_;
  std::optional<Board> board_;
  const std::atomic<bool>& stop_;
  ChildSigns signs_;
  Process process_;
  bool stops_ = false;  // as in LoopTrainer
  ChildSigns::Clock::time_point started_ = ChildSigns::Clock::now();
};

}  // namespace koridor
