#include "train/run/loop_children.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/cores.h"
#include "core/base/file_lock.h"
#include "core/base/number_text.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// How the lines begin by which a child says what is wrong (core/base/terminal.h).
constexpr std::string_view kProgram = "koridor";

// How long a child may write nothing before the live line says so.
constexpr auto kChildSilence = std::chrono::seconds(60);

// A Ctrl-C reaches the children as well, and one of them may end before `stop` is set here.
constexpr auto kStopDelay = std::chrono::milliseconds(100);

// How long the newest line of a child that runs may turn out to be its last word: it ends soon after that.
constexpr auto kLastWordDelay = std::chrono::seconds(1);

// Whether it has ended by itself or by a stop.
bool ended_in_order(int status) {
  return status == 0 || status == 128 + SIGTERM || status == 128 + SIGINT;
}

// Tells a child to end where it runs and was not told before. `stops`: whether it was.
template <class Child>
void tell_child_to_end(Child& child, bool& stops) {
  if (stops || child.poll()) return;
  stops = true;
  child.terminate();
}

// Waits for the end of a child. `stopped`: it was told to end, by this process or by the user's stop.
template <class Child>
std::string end_child(Child& child, const char* name, std::chrono::seconds patience, bool stopped,
                      const ChildSigns& signs) {
  const std::optional<int> status = child.wait_for(patience);
  if (!status) {
    child.kill();
    return fmt::format("Killed {} (process {}), which did not end within {} s; what it had not saved is lost.", name,
                       child.pid(), patience.count());
  }
  if (ended_in_order(*status) || !stopped) return "";
  return fmt::format("What {} had not saved is lost, since it failed when it was told to stop: {}", name,
                     signs.last_words());
}

// Why a child ended, as far as it has said so. What it printed before it was killed is no reason unless it is an error.
UserError ended_error(const char* name, int status, const ChildSigns& signs) {
  const int signal = status - 128;
  if (signal <= 0) return UserError(fmt::format("{} ended with status {}: {}", name, status, signs.last_words()));
  const std::string how = signal == SIGKILL ? "killed by signal 9 (no memory left?)"
                                            : fmt::format("ended by signal {} ({})", signal, ::strsignal(signal));
  const std::string error = signs.last_error();
  return UserError(fmt::format("{} was {}{}{} (log: {}); the same command goes on", name, how,
                               error.empty() ? "" : ": ", error, signs.log().string()));
}

// Both children get the configuration itself on standard input: what happens to config.toml while they run does not
// change them.
std::vector<std::string> trainer_command(const RunDirectory& run, const Config& config, const fs::path& programs,
                                         int count) {
  const int threads = std::max(1, thread_count(config.run.threads) / std::max(1, count));
  return {(programs / "koridor-trainer").string(),
          "--run",
          run.root().string(),
          "--config",
          "/dev/stdin",
          "--threads",
          std::to_string(threads)};
}

// Beside self-play, threads that wait for each other by spinning would take the cores from it.
std::vector<std::string> trainer_environment(const Config& config) {
  if (config.run.mode != "continuous" || std::getenv("OMP_WAIT_POLICY") != nullptr) return {};
  return {"OMP_WAIT_POLICY=passive"};
}

std::vector<std::string> worker_command(const RunDirectory& run, const fs::path& programs,
                                        const std::optional<LoopWorker::Board>& board) {
  std::vector<std::string> command{
      (programs / "koridor").string(), "selfplay", "/dev/stdin", "--run", run.root().string(), "--generation"};
  command.push_back(std::to_string(board ? board->generation : 0));
  if (board) command.insert(command.end(), {"--game", std::to_string(board->game)});
  return command;
}

}  // namespace

ChildSigns::ChildSigns(const RunDirectory& run, const std::string& process)
    : log_(run.log(process)), status_(run.status(process)), reader_(log_) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(log_, missing);
  if (!missing) log_before_ = size;
}

std::vector<std::string> ChildSigns::new_warnings(std::optional<int> status, Clock::time_point now) {
  std::vector<std::string> lines = reader_.new_lines();
  const bool fresh = !lines.empty();
  if (fresh) newest_read_ = now;
  if (newest_) lines.insert(lines.begin(), *std::exchange(newest_, std::nullopt));
  if (!lines.empty() && !status && now - newest_read_ < kLastWordDelay) {
    newest_ = lines.back();
    lines.pop_back();
  } else if (!lines.empty() && status.value_or(0) != 0 && (fresh || !ended_in_order(*status))) {
    lines.pop_back();
  }
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with(kProgram); });
  return lines;
}

// A file server's clock may differ: what counts is when this process saw the file's time change.
std::string ChildSigns::silence(pid_t pid, Clock::time_point since) {
  std::error_code error;
  const auto written = fs::last_write_time(status_, error);
  if (!error && (written != written_ || seen_ < since)) {
    written_ = written;
    seen_ = Clock::now();
  }
  const std::chrono::duration<double> quiet = Clock::now() - std::max(since, seen_);
  if (quiet < kChildSilence) return "";
  return fmt::format("no sign of life from {} for {}", pid == 0 ? "a trainer" : fmt::format("process {}", pid),
                     clock_text(quiet.count()));
}

std::string ChildSigns::last_words() const {
  return fmt::format("{} (log: {})", last_line(log_), log_.string());
}

std::string ChildSigns::last_error() const {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(log_, missing);
  if (missing || size == log_before_) return "";  // what is there was said by an earlier child
  std::string line = last_line(log_);
  return line.starts_with(kProgram) ? line : "";
}

LoopTrainer::LoopTrainer(const RunDirectory& run, const Config& config, const fs::path& programs, int count,
                         const std::atomic<bool>& stop)
    : run_(run),
      last_model_(run.model(config.run.generations)),
      stop_(stop),
      signs_(run, "trainer"),
      processes_(count, trainer_command(run, config, programs, count), run.log("trainer"), to_toml(config),
                 trainer_environment(config)) {}

bool LoopTrainer::has_left_work() {
  return ended() && !told_to_end_ && !fs::exists(last_model_);
}

void LoopTrainer::check() {
  if (!ended()) return;
  run_.require_there();
  if (!has_left_work()) return;
  std::this_thread::sleep_for(kStopDelay);
  if (!stop_) throw ended_error(kName, *processes_.poll(), signs_);
}

void LoopTrainer::tell_to_end() {
  told_to_end_ = true;
  tell_child_to_end(processes_, stops_);
}

std::string LoopTrainer::end(std::chrono::seconds patience) {
  tell_to_end();
  const bool stopped = std::exchange(stops_, false) || stop_;
  return pid() != 0 ? end_child(processes_, kName, patience, stopped, signs_) : "";
}

std::string LoopTrainer::silence(ChildSigns::Clock::time_point since) {
  return told_to_end_ ? "" : signs_.silence(pid(), since);
}

pid_t LoopTrainer::waits_for() const {
  if (pid() == 0) return 0;
  const pid_t holder = lock_holder(run_.trainer_lock());
  return holder == pid() ? 0 : holder;
}

LoopWorker::LoopWorker(const RunDirectory& run, const Config& config, const fs::path& programs,
                       const std::optional<Board>& board, const std::atomic<bool>& stop)
    : run_(run),
      generations_(config.run.generations),
      board_(board),
      stop_(stop),
      signs_(run, "selfplay"),
      process_(worker_command(run, programs, board), run.log("selfplay"), to_toml(config)) {}

bool LoopWorker::complete() const {
  if (board_) return fs::exists(run_.complete(board_->generation, board_->game));
  // Generations may be complete out of order.
  for (int generation = std::max(0, run_.models() - 1); generation < generations_; ++generation) {
    if (!fs::exists(run_.complete(generation))) return false;
  }
  return true;
}

void LoopWorker::check() {
  if (!has_left_games()) return;
  run_.require_there();
  std::this_thread::sleep_for(kStopDelay);
  if (!stop_) throw failure();
}

UserError LoopWorker::failure() {
  const int status = *process_.poll();
  if (!board_ || status != 0) return ended_error(kName, status, signs_);
  return UserError(fmt::format("self-play ended before its games were complete (log: {}); the same command goes on",
                               signs_.log().string()));
}

void LoopWorker::tell_to_end() {
  tell_child_to_end(process_, stops_);
}

std::string LoopWorker::end(std::chrono::seconds patience) {
  tell_to_end();
  const bool stopped = std::exchange(stops_, false) || stop_;
  return end_child(process_, kName, patience, stopped, signs_);
}

}  // namespace koridor
