#include "train/run/run_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/base/error.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/signs_of_life.h"
#include "selfplay/generator/lease_files.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kHang = 120;  // seconds without a move of a worker that holds games
constexpr double kSilence = std::chrono::duration<double>(kDeadAfter).count();

// One sign of life, as it is watched.
struct Sign {
  fs::path file;
  json object;
  std::uint64_t counter = 0;
  bool beats = false;  // its counter changed while it was watched
};

std::optional<double> age_of(const fs::path& file, const fs::path& newest) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  if (error) return std::nullopt;
  const auto last = fs::last_write_time(newest, error);
  if (error) return std::nullopt;
  return std::max(0.0, std::chrono::duration<double>(last - time).count());
}

std::vector<Sign> signs_of(const RunDirectory& run) {
  std::vector<Sign> signs;
  const auto add = [&](const fs::path& file, const json& object) {
    signs.push_back({file, object, counter_of(object)});
    return true;
  };
  if (const auto leader = read_heartbeat(run.leader())) add(run.leader(), *leader);
  const std::ptrdiff_t leaders = std::ssize(signs);
  for_each_sign(run.trainers(), add);
  for_each_sign(run.workers(), add);
  std::ranges::sort(signs.begin() + leaders, signs.end(), {}, &Sign::file);
  return signs;
}

// Whether a process of this machine, which runs by its kernel's word, has written its file lately by this one clock.
bool fresh_here(const Sign& sign) {
  static const std::string here = this_process().machine;
  std::error_code error;
  const auto time = fs::last_write_time(sign.file, error);
  return !error && may_run(sign.object) && writer_of(sign.object).machine == here &&
         std::chrono::abs(fs::file_time_type::clock::now() - time) < 3 * kBeat;
}

// "worker NAME (process 4711 on HOST)".
std::string with_place(const std::string& name, const RunProcess& process) {
  return fmt::format("{} (process {} on {})", name, process.pid, process.host);
}

// "; waited 12% of the time" of a process that says how long it waited for another, where the loop runs at once.
std::string waited_text(const json& object, double seconds) {
  const double waited = member(object, "waited_seconds", -1.0);
  if (waited < 0 || seconds <= 0) return "";
  return fmt::format("; waited {:.0f}% of the time", 100.0 * std::min(1.0, waited / seconds));
}

class Look {
 public:
  Look(const RunDirectory& run, std::chrono::milliseconds patience, const std::atomic<bool>& stop)
      : run_(run), signs_(signs_of(run)) {
    watch(patience, stop);
    // The file system's clock, which is one for all hosts, says now by the folder's time; where nothing can be written,
    // the newest sign does.
    refresh_folder(run_.root());
    newest_ = run_.root();
    for (const Sign& sign : signs_) {
      std::error_code error;
      if (fs::last_write_time(sign.file, error) > fs::last_write_time(newest_, error)) {
        newest_ = sign.file;
      }
    }
  }

  RunStatus status() {
    status_.models = run_.models();
    int ahead = 0;  // generations that are played before the model of this one is there
    try {
      const RunConfig config = load_run_config(run_).run;
      status_.generations = config.generations;
      ahead = config.ahead;
    } catch (const UserError& error) {
      status_.stuck.push_back(run_.is_there() ? error.what()
                                              : run_.config().string() +
                                                    ": missing; put it back, or `koridor train` with the run's "
                                                    "configuration writes it anew");
    }
    for (const Sign& sign : signs_) {
      if (sign.file == run_.leader()) add_leader(sign);
    }
    add_trainers();
    for (const Sign& sign : signs_) {
      if (sign.file.parent_path() == run_.workers()) add_worker(sign);
    }
    if (status_.phase == "play") add_play(0);
    if (status_.phase == "continuous") add_play(ahead);
    add_faults();
    return std::move(status_);
  }

 private:
  // Where every sign of a process that should beat has done so, nothing more is to be learned.
  void watch(std::chrono::milliseconds patience, const std::atomic<bool>& stop) {
    const auto begin = std::chrono::steady_clock::now();
    for (Sign& sign : signs_) sign.beats = fresh_here(sign);
    const auto waits = [](const Sign& sign) { return may_run(sign.object) && !sign.beats; };
    // A thousand files a second at most are asked of the file system.
    const auto waiting = std::ranges::count_if(signs_, waits);
    const std::chrono::milliseconds pause(std::clamp<std::int64_t>(waiting, 200, kBeat.count()));
    while (!stop && std::ranges::any_of(signs_, waits) && std::chrono::steady_clock::now() - begin < patience) {
      std::this_thread::sleep_for(std::min(patience, pause));
      for (Sign& sign : signs_) {
        if (!waits(sign)) continue;
        const auto now = read_heartbeat(sign.file);
        if (!now) continue;
        sign.beats = counter_of(*now) != sign.counter;
        sign.object = *now;
      }
    }
    watched_ = std::chrono::steady_clock::now() - begin >= 2 * kBeat;
    read_again();
  }

  // Brings what all signs say to one time, that of the files which are read after this.
  void read_again() {
    std::vector<Sign> now = signs_of(run_);
    for (Sign& sign : now) {
      const auto before = std::ranges::find(signs_, sign.file, &Sign::file);
      sign.beats = before == signs_.end() ? fresh_here(sign) : before->beats || sign.counter != before->counter;
    }
    signs_ = std::move(now);
  }

  // Whether it has ended and says so itself.
  static bool has_left(const RunProcess& process) { return !process.still; }

  RunProcess process_of(const Sign& sign, const char* what) const {
    const ProcessIdentity who = writer_of(sign.object);
    RunProcess process{.process = what, .name = sign.file.stem().string(), .host = who.host, .pid = who.pid};
    const std::string state = state_of(sign.object);
    process.state = state != "running" ? state
                    : has_ended(who)   ? "dead"
                    : sign.beats       ? "living"
                    : watched_         ? "silent"
                                       : "unknown";
    if (state == "running") process.still = sign.beats ? 0.0 : age_of(sign.file, newest_).value_or(0.0);
    process.doing = member(sign.object, "doing", std::string());
    return process;
  }

  void add_leader(const Sign& sign) {
    status_.phase = member(sign.object, "phase", std::string());
    status_.generation = member(sign.object, "generation", -1);
    RunProcess loop = process_of(sign, "loop");
    loop.name.clear();
    status_.state = loop.state;
    const std::map<std::string, std::string> words = {
        {"start", "starts"},
        {"train", fmt::format("waits for generation {}", status_.generation)},
        {"play", fmt::format("has generation {} played", status_.generation)},
        {"rate", fmt::format("rates generation {}", status_.generation)},
        {"continuous", fmt::format("has generation {} played and learned from", status_.generation)},
        {"gate", fmt::format("asks whether generation {} plays", status_.generation)}};
    if (const auto found = words.find(status_.phase); found != words.end() && !has_left(loop))
      loop.doing = found->second;
    status_.processes.push_back(loop);
    if (loop.state != "finished") return;
    status_.phase.clear();  // nothing is done now
    status_.generation = -1;
  }

  bool led() const { return status_.state == "living" || status_.state == "unknown"; }

  // Whether some process of the kind, "worker" or "trainer", may still work. A silent one has a line of its own.
  bool any_works(std::string_view kind) const {
    return std::ranges::any_of(status_.processes, [&](const RunProcess& process) {
      return process.process == kind &&
             (process.state == "living" || process.state == "unknown" || process.state == "silent");
    });
  }

  bool trains() const { return status_.phase == "train" || status_.phase == "continuous"; }

  // Those that the loop has started and those that others have.
  void add_trainers() {
    const auto started = led() ? member(leader().object, "trainer", 0) : 0;
    bool has_sign = false;
    for (const Sign& sign : signs_) {
      if (sign.file.parent_path() != run_.trainers()) continue;
      add_trainer(sign);
      has_sign = has_sign || status_.processes.back().pid == started;
    }
    if (started != 0 && !has_sign) add_trainer_without_sign(started);
    if (led() && started == 0 && !any_works("trainer") && trains()) {
      const bool had_some = std::ranges::any_of(status_.processes,
                                                [](const RunProcess& process) { return process.process == "trainer"; });
      status_.stuck.push_back(fmt::format("nobody trains the run: its loop starts no trainer (--trainers 0), and {}",
                                          had_some
                                              ? "the trainers have ended; start them again, and the training goes on"
                                              : "no koridor-trainer has joined it"));
    }
  }

  // One that has only begun.
  void add_trainer_without_sign(pid_t pid) {
    ProcessIdentity who = writer_of(leader().object);
    who.pid = pid;
    who.start = 0;
    const bool dead = has_ended(who);
    status_.processes.push_back(
        {.process = "trainer", .host = who.host, .pid = pid, .state = dead ? "dead" : "living", .doing = "starts"});
    if (dead) status_.stuck.push_back(with_place("the trainer", status_.processes.back()) + " is dead");
  }

  // "the trainer", "trainer 2 of 4".
  static std::string trainer_name(const Sign& sign) {
    const int trainers = member(sign.object, "trainers", 1);
    return trainers == 1 ? "the trainer"
                         : fmt::format("trainer {} of {}", member(sign.object, "rank", 0) + 1, trainers);
  }

  void add_trainer(const Sign& sign) {
    RunProcess trainer = process_of(sign, "trainer");
    trainer.name.clear();
    const std::string name = with_place(trainer_name(sign), trainer);
    if (trainer.state == "dead") {
      trainer.doing.clear();
      status_.stuck.push_back(name + " is dead");
    } else if (trainer.state == "silent" && *trainer.still >= kSilence) {
      status_.stuck.push_back(fmt::format("{} gives no sign of life: none for {}", name, clock_text(*trainer.still)));
    } else if (has_left(trainer)) {
      trainer.doing.clear();  // where it failed, add_faults says why
    } else if (!trainer.doing.empty()) {
      // It waits for other trainers, and says where.
    } else if (member(sign.object, "rank", 0) > 0) {
      trainer.doing = "trains along";
    } else {
      describe_training(trainer, name);
    }
    if (member(sign.object, "trainers", 1) > 1) {
      trainer.doing += fmt::format("{}({})", trainer.doing.empty() ? "" : " ", trainer_name(sign));
    }
    status_.processes.push_back(trainer);
  }

  // What the trainer that writes models does. It writes how far it is only while it trains.
  void describe_training(RunProcess& trainer, const std::string& name) {
    trainer.doing = "waits for games";
    if (!trains()) return;
    // Where the loop runs at once, its generation is that of the games.
    int made = status_.generation + (status_.phase == "continuous" ? 1 : 0);
    const auto now = read_heartbeat(run_.status("trainer"));
    if (now && status_.phase == "continuous") made = std::max(made, member(*now, "generation", made));
    trainer.doing = fmt::format("makes generation {}", made);
    const json& loop = leader().object;
    const double here = member(loop, "seconds", 0.0) - member(loop, "phase_began", 0.0);
    const double still = std::min(here, age_of(run_.status("trainer"), newest_).value_or(here));
    if (now && member(*now, "waits", false)) {
      trainer.doing = fmt::format("waits for the games of generation {}", made - 1);
    } else if (now && member(*now, "generation", -1) == made) {
      status_.step = member(*now, "step", 0);
      status_.steps = member(*now, "steps", 0);
      trainer.rate = member(*now, "samples_per_second", 0.0);
    }
    if (now) trainer.doing += waited_text(*now, member(*now, "seconds_here", 0.0));
    if (trainer.state == "living" && still > kSilence) {
      trainer.state = "silent";
      trainer.still = still;
      status_.stuck.push_back(fmt::format("{} lives, but has done nothing for {}", name, clock_text(still)));
    }
  }

  void add_worker(const Sign& sign) {
    RunProcess worker = process_of(sign, "worker");
    const bool lives = worker.state == "living";
    if (lives && member(sign.object, "generation", -1) >= 0) {
      worker.rate = member(sign.object, "positions_per_second", 0.0);
    }
    worker.games = member(sign.object, "games", 0.0);
    worker.doing += waited_text(sign.object, member(sign.object, "continuous_seconds", 0.0));
    if (!lives) worker.doing.clear();
    status_.processes.push_back(worker);
    const auto idle = member(sign.object, "seconds_without_a_move", 0.0);
    const auto ranges = member(sign.object, "ranges", 0);
    if (lives && ranges > 0 && idle >= kHang) {
      status_.stuck.push_back(
          fmt::format("{} lives, but has not moved for {} and holds {} of games: end it, and others go on",
                      with_place("worker " + worker.name, worker), clock_text(idle), counted(ranges, "range")));
    }
  }

  // How far the games are, and which dead workers hold some of them or of those of `ahead` further generations.
  void add_play(int ahead) {
    if (led() && !member(leader().object, "selfplay", true) && !any_works("worker")) {
      status_.stuck.emplace_back(
          "nobody plays the run: its loop starts no worker (--no-selfplay), and no `koridor selfplay --run` has joined "
          "it");
    }
    const auto board = std::max(0, member(leader().object, "game", 0));
    const int present = std::max(0, status_.generation);
    const json own = read_heartbeat(run_.status("selfplay")).value_or(json::object());
    std::map<std::string, int> held;
    for (int generation = present; generation <= present + ahead; ++generation) {
      LeaseCount count;
      try {
        count = count_leases(run_.shards(generation, board));
      } catch (const UserError& error) {
        status_.stuck.emplace_back(error.what());
      }
      if (generation == present) status_.games = static_cast<int>(count.games_done);
      for (const auto& [name, ranges] : count.held) held[name] += ranges;
    }
    if (member(own, "generation", -1) == status_.generation) {
      status_.games_wanted = member(own, "games_wanted", 0);
      status_.games = std::max(*status_.games, member(own, "games", 0));
    }
    for (const auto& [holder, ranges] : held) {
      const std::string& name = holder;  // clang 14 captures no name of a structured binding
      const auto worker = std::ranges::find_if(status_.processes, [&](const RunProcess& process) {
        return process.process == "worker" && process.name == name;
      });
      if (worker == status_.processes.end()) {
        status_.stuck.push_back(fmt::format("worker {} is gone and holds {} of games", name, counted(ranges, "range")));
      } else if (worker->state != "living" && worker->state != "unknown") {
        status_.stuck.push_back(fmt::format("{} is {} and holds {} of games: {}", with_place("worker " + name, *worker),
                                            worker->state, counted(ranges, "range"), who_takes_over(*worker)));
      }
    }
  }

  // The games of a worker that plays them no longer. That it is dead only its own machine's kernel says at once.
  static std::string who_takes_over(const RunProcess& worker) {
    const std::string later = fmt::format("once it has been silent for {:.0f} s", kSilence);
    if (worker.state == "dead") {
      return fmt::format("a worker on {} takes them over when no other games are left, one elsewhere {}", worker.host,
                         later);
    }
    return "another worker takes them over" + (worker.state == "silent" ? " " + later : "");
  }

  std::string name_of(const Sign& sign) const {
    if (sign.file == run_.leader()) return "the loop";
    if (sign.file.parent_path() == run_.trainers()) return trainer_name(sign);
    return "worker " + sign.file.stem().string();
  }

  // There is one where status_ has its state.
  const Sign& leader() const { return signs_.front(); }

  void add_faults() {
    if (signs_.empty() || signs_.front().file != run_.leader()) {
      // A finished run of a build without signs of life needs nobody.
      const bool finished = status_.generations > 0 && status_.models > status_.generations;
      if (!finished) status_.stuck.emplace_back("nobody leads the run; `koridor train` with its configuration does");
    } else if (status_.state == "dead" ||
               (status_.state == "silent" && status_.processes.front().still.value_or(0.0) >= kSilence)) {
      status_.stuck.push_back(fmt::format("{} is {}: the same `koridor train` goes on",
                                          with_place("the loop", status_.processes.front()), status_.state));
    }
    for (const Sign& sign : signs_) {
      if (!may_run(sign.object) && state_of(sign.object) != "failed") continue;
      for (const char* name : {"fault", "model_fault"}) {
        const std::string fault = member(sign.object, name, std::string());
        if (fault.empty()) continue;
        status_.stuck.push_back(fmt::format("{}: {}", name_of(sign), fault));
      }
    }
  }

  const RunDirectory& run_;
  std::vector<Sign> signs_;
  fs::path newest_;
  bool watched_ = false;  // for long enough to call a process silent
  RunStatus status_;
};

}  // namespace

RunStatus run_status(const RunDirectory& run, std::chrono::milliseconds patience, const std::atomic<bool>& stop) {
  // Without its configuration it is a run as long as processes say so.
  if (!run.is_there() && signs_of(run).empty()) check_is_run(run);
  return Look(run, patience, stop).status();
}

}  // namespace koridor
