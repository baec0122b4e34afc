#include "train/run/loop.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/process.h"
#include "core/base/progress.h"
#include "train/run/continuous_watch.h"
#include "train/run/cost.h"
#include "train/run/gate.h"
#include "train/run/joined_workers.h"
#include "train/run/live_words.h"
#include "train/run/next_steps.h"
#include "train/run/open_run.h"
#include "train/run/rating.h"
#include "train/run/run_directory.h"
#include "train/run/run_figures.h"
#include "train/run/start_check.h"
#include "train/run/time_left.h"
#include "train/run/trainers.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kPollInterval = std::chrono::milliseconds(100);

// How long a child may take to end after SIGTERM before it gets SIGKILL, and how long it may write nothing before the
// live line says so. train/run/README.md names both.
constexpr auto kStopPatience = std::chrono::seconds(30);
constexpr auto kSilence = std::chrono::seconds(60);

// A JSON file as its process last wrote it; empty where there is none that can be read.
json read_live(const fs::path& path) {
  try {
    if (fs::exists(path)) return read_json(path);
  } catch (const UserError&) {
    // It is written again within a second.
  }
  return json::object();
}

class Loop {
 public:
  Loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop)
      : config_(config),
        options_(options),
        stop_(stop),
        run_(options.run),
        joined_(run_),
        ratings_(run_, config),
        figures_(run_, config),
        cost_(run_, config),
        left_({config.run.generations, 60.0 * config.run.max_minutes, config.rating.every}) {}

  LoopEnd run() {
    check_start(run_, config_, options_.programs, stop_);
    FileLock lock(run_.lock());
    if (!lock.try_take()) {
      throw UserError(fmt::format("the run {} is in use by another process ({}); stop that first", run_.root().string(),
                                  lock.holder()));
    }
    const OpenedRun opened = open_run(run_, config_);
    leader_.emplace(run_.leader(), json{{"role", "loop"}, {"phase", "start"}});
    seconds_before_ = opened.seconds;
    started_ = Clock::now();
    greet();
    for (const std::string& note : opened.notes) say(note);
    start_trainer();
    bool done = false;
    try {
      done = continuous() ? run_continuously() : run_generations();
    } catch (const std::exception& error) {
      leader_->say({{"state", "failed"}, {"fault", error.what()}});
      end_worker();
      end_trainer();
      throw;
    }
    end_worker();
    end_trainer();
    save_clock();
    if (stop_ && !done) {
      leader_->say({{"state", "stopped"}});
      say_goodbye();
      return LoopEnd::stopped;
    }
    leader_->say({{"state", "finished"}});
    finish();
    return LoopEnd::finished;
  }

 private:
  // Whether the run is done; false when stopped.
  bool run_generations() {
    bool done = wait_for_model(0) && rate(0);
    int generation = 0;
    for (; done && generation < config_.run.generations && !out_of_time(generation) && !out_of_budget(generation);
         ++generation) {
      generation_ = generation + 1;
      done = play(generation) && wait_for_model(generation + 1) && rate(generation + 1) && pass_gate(generation + 1);
    }
    // Where time or cost ends the run, it was not known before that this generation is the last.
    return done && play_rating(generation, true);
  }

  // The same where self-play, training and rating go on at once: this process watches and rates. False when stopped.
  bool run_continuously() {
    if (!wait_for_model(0)) return false;
    seen_.emplace(run_, seconds());
    while (figures_.finished(first_shown_)) ++first_shown_;
    if (options_.selfplay && !fs::exists(run_.model(config_.run.generations))) start_worker();
    look_for_models();
    bool done = rate(0);
    int generation = 0;
    for (; done && generation < config_.run.generations && !out_of_time(generation) && !out_of_budget(generation);
         ++generation) {
      generation_ = generation + 1;
      done = wait_beside_games(generation) && rate(generation + 1);
    }
    if (!done) return false;
    // The last rating is of the newest model, so that none may follow.
    end_worker();
    ending_ = true;
    end_trainer();
    look_for_models();
    for (; done && fs::exists(run_.model(generation + 1)); ++generation) done = rate(generation + 1);
    return done && play_rating(generation, true);
  }

  // Tells everybody which generation's games are awaited.
  void look_for_models() {
    const int newest = seen_->look(seconds());
    announce(newest < config_.run.generations ? "continuous" : "rate", newest);
  }

  bool continuous() const { return config_.run.mode == "continuous"; }

  bool whole() const { return options_.part_of.empty(); }

  // Tells joined workers and `koridor status` what is to be done now.
  void announce(const char* phase, int generation, int game = 0) {
    const json now{{"phase", phase}, {"generation", generation}, {"game", game}, {"trainer", trainer_->pid()}};
    if (now == announced_) return;
    announced_ = now;
    leader_->say(now);
    leader_->say({{"phase_began", std::chrono::duration<double>(Clock::now() - started_).count()}});
    leader_->write();
  }

  int threads() const { return thread_count(config_.run.threads); }

  void greet() {
    // The lines of generations that an earlier start finished are not shown again.
    first_shown_ = std::max(first_shown_, run_.models() - 1);
    if (whole()) say_what_begins();
    // Where the loop runs at once, ratings and lines may be some generations behind the models.
    if (continuous()) first_shown_ = 0;
    if (figures_.finished(first_shown_)) ++first_shown_;
  }

  void say_what_begins() {
    say(fmt::format(
        "Koridor learns {} in {} on {}: network of {} x {}.",
        config_.run.games.empty() ? config_.run.game : fmt::format("{}", fmt::join(config_.run.games, " and ")),
        run_.root().string(), counted(threads(), "thread"), counted(config_.network.blocks, "block"),
        counted(config_.network.channels, "channel")));
    say("Ctrl-C stops it cleanly; the same command goes on.");
    if (first_shown_ > 0) {
      say(fmt::format("It goes on from {} after {} of work; `koridor rate` shows what was before.",
                      RunDirectory::label(first_shown_), clock_text(seconds())));
    }
  }

  static double seconds_since(Clock::time_point moment) {
    return std::chrono::duration<double>(Clock::now() - moment).count();
  }
  double seconds() const { return seconds_before_ + seconds_since(started_); }

  // Where the directory has vanished, a write would make it anew and hide that.
  void save_clock() {
    run_.require_there();
    write_json(run_.status("loop"), {{"seconds", seconds()}});
  }

  bool out_of_time(int generation) const {
    // A generation that was trained already still counts, whatever the time.
    return config_.run.max_minutes > 0 && seconds() >= 60.0 * config_.run.max_minutes &&
           !fs::exists(run_.model(generation + 1));
  }

  // Whether the run has cost what it may when this generation's model is there. The same answer comes after every stop.
  bool out_of_budget(int generation) {
    if (config_.run.max_cost <= 0) return false;
    spent_ = cost_.until(generation) / config_.run.max_cost;
    return spent_ >= 1;
  }

  // A terminal that was closed must not end the run before its work is saved.
  template <class Show>
  void show(Show&& show) {
    try {
      show();
    } catch (const std::system_error&) {
      if (!stop_) throw;
    }
  }

  void print(const std::string& text) {
    show([&] { progress_.print(text); });
  }

  // A text that stays, in lines that no terminal wraps.
  void say(const std::string& text) { print(wrapped_text(text)); }

  // Shows what is being done, the most telling parts first.
  void live(std::vector<std::string> work) {
    if (config_.run.max_cost > 0) {
      work.insert(work.begin(), fmt::format("generation {}, {:.0f}% of the cost", generation_, 100.0 * spent_));
    } else {
      work.insert(work.begin(), fmt::format("generation {}/{}", generation_, config_.run.generations));
      if (const auto left = left_.seconds(seconds())) work.insert(work.begin(), clock_text(*left) + " left");
    }
    if (!whole()) work.insert(work.begin(), options_.part_of);
    show([&] { progress_.live(work); });
    joined_.tidy();
    if (Clock::now() - clock_saved_ > std::chrono::seconds(2)) {
      save_clock();
      clock_saved_ = Clock::now();
    }
  }

  // Both children get the configuration itself: what happens to config.toml while they run does not change them.
  void start_trainer() {
    trainer_log_.emplace(run_.log("trainer"));
    const int threads_each = std::max(1, threads() / std::max(1, options_.trainers));
    // Beside self-play, threads that wait for each other by spinning would take the cores from it.
    std::vector<std::string> environment;
    if (continuous() && std::getenv("OMP_WAIT_POLICY") == nullptr) environment = {"OMP_WAIT_POLICY=passive"};
    trainer_ = std::make_unique<Trainers>(
        options_.trainers,
        std::vector<std::string>{(options_.programs / "koridor-trainer").string(), "--run", run_.root().string(),
                                 "--config", "/dev/stdin", "--threads", std::to_string(threads_each)},
        run_.log("trainer"), to_toml(config_), environment);
  }

  // Self-play of all generations, where the loop runs at once.
  void start_worker() {
    worker_log_.emplace(run_.log("selfplay"));
    worker_ = std::make_unique<Process>(
        std::vector<std::string>{(options_.programs / "koridor").string(), "selfplay", "/dev/stdin", "--run",
                                 run_.root().string(), "--generation", "0"},
        run_.log("selfplay"), to_toml(config_));
  }

  void end_worker() {
    if (!worker_) return;
    end(*worker_, "self-play");
    show_warnings(*worker_, *worker_log_);
    worker_.reset();
  }

  // Generations may be complete out of order.
  bool worker_has_left_games() {
    if (!worker_ || !worker_->poll() || stop_) return false;
    for (int generation = std::max(0, run_.models() - 1); generation < config_.run.generations; ++generation) {
      if (!fs::exists(run_.complete(generation))) return true;
    }
    return false;
  }

  // Throws UserError where self-play of all generations has ended with games left, unless a stop was asked for.
  void check_worker() {
    if (!worker_has_left_games()) return;
    std::this_thread::sleep_for(kPollInterval);
    if (stop_) return;
    throw UserError(fmt::format("self-play ended with status {}: {} (log: {})", *worker_->poll(),
                                last_line(run_.log("selfplay")), run_.log("selfplay").string()));
  }

  void end_trainer() {
    if (options_.trainers > 0) end(*trainer_, "the trainer");
    show_warnings(*trainer_, *trainer_log_);
  }

  // Ends a child, by force where it does not end by itself.
  template <class Child>
  void end(Child& child, const char* name) {
    if (child.poll()) return;
    live({fmt::format("waiting until {} has saved its work", name)});
    child.terminate();
    if (child.wait_for(kStopPatience)) return;
    child.kill();
    say(fmt::format("Killed {} (process {}), which did not end within {} s; what it had not saved is lost.", name,
                    child.pid(), kStopPatience.count()));
  }

  // Throws UserError where the trainer has ended with work left, unless a stop was asked for, which it gets as well.
  void check_trainer() {
    const auto status = trainer_->poll();
    if (status) run_.require_there();
    if (!status || ending_ || fs::exists(run_.model(config_.run.generations))) return;
    std::this_thread::sleep_for(kPollInterval);
    if (stop_) return;
    throw UserError(fmt::format("the trainer ended with status {}: {} (log: {})", *status,
                                last_line(run_.log("trainer")), run_.log("trainer").string()));
  }

  // Shows the new warnings in the log of a child. The last words of one that failed are in its error.
  template <class Child>
  void show_warnings(Child& child, LogReader& log) {
    const bool failed = child.poll().value_or(0) != 0;
    std::vector<std::string> lines = log.new_lines();
    if (failed && !lines.empty()) lines.pop_back();
    for (const std::string& line : lines) {
      if (line.starts_with("koridor")) say(line);
    }
  }

  // "" while a process writes its status, else words about its silence.
  // A file server's clock may differ: what counts is when this process saw the file's time change.
  template <class Child>
  std::string silence(const Child& process, const fs::path& status, Clock::time_point since) {
    std::error_code error;
    const auto written = fs::last_write_time(status, error);
    if (auto& [time, seen] = written_[status]; !error && (written != time || seen < since)) {
      time = written;
      seen = Clock::now();
    }
    const std::chrono::duration<double> quiet = Clock::now() - std::max(since, written_[status].second);
    return quiet < kSilence ? ""
                            : fmt::format("no sign of life from {} for {}",
                                          process.pid() == 0 ? "a trainer" : fmt::format("process {}", process.pid()),
                                          clock_text(quiet.count()));
  }

  // Waits while the trainer makes the model of `generation`; false when stopped.
  bool wait_for_model(int generation) {
    if (generation > 0 && !fs::exists(run_.model(generation))) left_.begin(RunPhase::train, generation, seconds());
    if (!fs::exists(run_.model(generation))) announce("train", generation);
    const auto since = Clock::now();
    while (!fs::exists(run_.model(generation))) {
      if (stop_) return false;
      if (trainer_->poll() && !fs::exists(run_.model(generation))) check_trainer();
      require_models(run_);
      show_warnings(*trainer_, *trainer_log_);
      const pid_t other = lock_holder(run_.trainer_lock());
      const std::string silent = silence(*trainer_, run_.status("trainer"), since);
      if (options_.trainers > 0 && other != 0 && other != trainer_->pid()) {
        live({fmt::format("training: waiting for the trainer of an earlier start to end (process {})", other)});
      } else if (!silent.empty()) {
        live({"training: " + silent});
      } else {
        show_training(generation);
      }
      std::this_thread::sleep_for(kPollInterval);
    }
    show_warnings(*trainer_, *trainer_log_);
    return true;
  }

  // Waits while the games of `generation` are played and the next model is made of them, and others beside; false when
  // stopped.
  bool wait_beside_games(int generation) {
    const fs::path model = run_.model(generation + 1);
    // Both go on at once, so that a generation is one phase beside its rating.
    left_.begin(RunPhase::train, generation + 1, seconds());
    const auto since = Clock::now();
    while (!fs::exists(model)) {
      if (stop_) return false;
      if (trainer_->poll() && !fs::exists(model)) check_trainer();
      check_worker();
      require_models(run_);
      show_warnings(*trainer_, *trainer_log_);
      if (worker_) show_warnings(*worker_, *worker_log_);
      look_for_models();
      live(what_both_do(since));
      std::this_thread::sleep_for(kPollInterval);
    }
    look_for_models();
    show_warnings(*trainer_, *trainer_log_);
    left_.end(seconds());
    return true;
  }

  // What training and self-play do at once, in words.
  std::vector<std::string> what_both_do(Clock::time_point since) {
    const std::string silent = ending_ ? "" : silence(*trainer_, run_.status("trainer"), since);
    return words_of_both(read_live(run_.status("trainer")), read_live(run_.status("selfplay")), silent);
  }

  void show_training(int generation) {
    const json status = read_live(run_.status("trainer"));
    if (generation == 0 || member(status, "generation", -1) != generation) {
      live({generation == 0 ? "starting the trainer" : "training: reading the new games"});
      return;
    }
    left_.progress(member(status, "step", 0) / std::max(1.0, member(status, "steps", 0.0)));
    live(training_words(status));
  }

  // Self-play of one generation, board after board; false when stopped.
  bool play(int generation) {
    const int games = static_cast<int>(games_of(config_).size());
    speeds_.assign(static_cast<std::size_t>(games), json::object());
    bool begun = false;
    for (int game = 0; game < games; ++game) {
      if (fs::exists(run_.complete(generation, game))) continue;
      if (!std::exchange(begun, true)) left_.begin(RunPhase::play, generation + 1, seconds());
      if (!play(generation, game)) return false;
    }
    return true;
  }

  // Self-play on one board of run.games, by a worker of this run and those that have joined it.
  bool play(int generation, int game) {
    announce("play", generation, game);
    const auto began = Clock::now();
    if (!options_.selfplay) return wait_for_joined(generation, game, began);
    LogReader log(run_.log("selfplay"));
    Process worker({(options_.programs / "koridor").string(), "selfplay", "/dev/stdin", "--run", run_.root().string(),
                    "--generation", std::to_string(generation), "--game", std::to_string(game)},
                   run_.log("selfplay"), to_toml(config_));
    watch_worker(worker, log, generation, game);
    if (*worker.poll() != 0 && !stop_ && !fs::exists(run_.complete(generation, game))) {
      throw UserError(fmt::format("self-play ended with status {}: {} (log: {})", *worker.poll(),
                                  last_line(run_.log("selfplay")), run_.log("selfplay").string()));
    }
    if (!fs::exists(run_.complete(generation, game))) {
      if (stop_) return false;
      throw UserError(fmt::format("self-play ended before its games were complete (log: {}); the same command goes on",
                                  run_.log("selfplay").string()));
    }
    const json status = read_live(run_.status("selfplay"));
    if (member(status, "generation", -1) == generation) {
      speeds_[static_cast<std::size_t>(game)] = joined_.speeds(status, generation, seconds_since(began));
    }
    return true;
  }

  // Waits until workers that have joined the run have played a board; false when stopped.
  bool wait_for_joined(int generation, int game, Clock::time_point began) {
    while (!fs::exists(run_.complete(generation, game))) {
      check_trainer();
      if (stop_) return false;
      show_warnings(*trainer_, *trainer_log_);
      live({"self-play by joined workers"});
      std::this_thread::sleep_for(kPollInterval);
    }
    speeds_[static_cast<std::size_t>(game)] = joined_.speeds(json::object(), generation, seconds_since(began));
    return true;
  }

  // Shows what a worker does until it has ended.
  void watch_worker(Process& worker, LogReader& log, int generation, int game) {
    const auto since = Clock::now();
    std::optional<Clock::time_point> complete;
    while (!worker.poll()) {
      // A worker that slept while others finished its generation is not waited for.
      if (!complete && fs::exists(run_.complete(generation, game))) complete = Clock::now();
      if (complete && Clock::now() - *complete > kStopPatience) return end(worker, "self-play");
      try {
        check_trainer();
      } catch (...) {
        end(worker, "self-play");
        throw;
      }
      if (stop_) return end(worker, "self-play");
      show_warnings(worker, log);
      show_warnings(*trainer_, *trainer_log_);
      const std::string silent = silence(worker, run_.status("selfplay"), since);
      if (!silent.empty()) {
        live({"self-play: " + silent});
      } else {
        show_selfplay(generation, game);
      }
      std::this_thread::sleep_for(kPollInterval);
    }
    show_warnings(worker, log);
  }

  void show_selfplay(int generation, int game) {
    const json status = read_live(run_.status("selfplay"));
    if (member(status, "generation", -1) != generation) {
      live({"self-play: starting"});
      return;
    }
    const int games = member(status, "games", 0);
    const int wanted = member(status, "games_wanted", 0);
    const auto boards = static_cast<double>(games_of(config_).size());
    left_.progress((game + static_cast<double>(games) / std::max(1, wanted)) / boards);
    const auto& names = config_.run.games;
    live(selfplay_words(status, names.empty() ? "" : names[static_cast<std::size_t>(game)]));
  }

  // What matches(end) returns, which plays matches. They may take long, so a thread of its own looks whether they still
  // make sense, and sets `end` where they do not.
  template <class Matches>
  auto while_watched(const Matches& matches) {
    std::atomic<bool> end{false};
    std::mutex mutex;
    std::condition_variable_any over;
    const std::jthread watch([&](const std::stop_token& played_all) {
      std::unique_lock lock(mutex);
      while (!over.wait_for(lock, played_all, kPollInterval, [&] { return played_all.stop_requested(); })) {
        if (stop_ || (trainer_->poll() && !ending_)) end = stop_ || !fs::exists(run_.model(config_.run.generations));
        if (worker_has_left_games()) end = true;
        if (seen_) look_for_models();
      }
    });
    return matches(end);
  }

  // Decides whether the generation plays self-play, where rating.gate asks for it; false when stopped.
  bool pass_gate(int generation) {
    if (!gate_due(run_, config_, generation)) return true;
    announce("gate", generation);
    const auto progress = [&](int games, int most) { live({fmt::format("gate {}/{} games", games, most)}); };
    const auto decision = while_watched(
        [&](const std::atomic<bool>& end) { return decide_gate(run_, config_, generation, progress, end); });
    if (!decision) check_trainer();
    if (!decision) return false;
    say(gate_text(*decision));
    return true;
  }

  // Plays the matches of a generation where they are due; false when stopped.
  bool play_rating(int generation, bool last) {
    if (!whole() || !ratings_.due(generation, last)) return true;
    if (!continuous()) announce("rate", generation);
    left_.begin(RunPhase::rate, generation, seconds());
    const auto since = Clock::now();
    const auto progress = [&](int games, int total) {
      left_.progress(static_cast<double>(games) / std::max(1, total));
      std::vector<std::string> parts = continuous() ? what_both_do(since) : std::vector<std::string>{};
      parts.insert(parts.begin(), fmt::format("rating {}/{} games", games, total));
      live(std::move(parts));
    };
    const bool rated =
        while_watched([&](const std::atomic<bool>& end) { return ratings_.rate(generation, progress, end); });
    if (!rated) check_trainer();
    if (!rated) check_worker();
    return rated;
  }

  // Plays the matches of a generation that is not rated yet, writes its figures, prints its line; false when stopped.
  bool rate(int generation) {
    if (!play_rating(generation, false)) return false;
    left_.end(seconds());
    if (generation < first_shown_) return true;
    const std::vector<RatedPlayer> table = ratings_.table();
    if (seen_) speeds_ = {seen_->speeds_of(generation)};
    const json line = figures_.finish(generation, seen_ ? seen_->seconds_of(generation) : seconds(), speeds_, table);
    if (whole()) show_line(line);
    if (line.contains("note")) say(member(line, "note", std::string()));
    return true;
  }

  void show_line(const json& line) {
    if (!std::exchange(header_shown_, true)) print("\n" + generation_header(config_.rating.baselines));
    print(generation_text(line, config_.rating.baselines));
  }

  // The terminal may be gone, so the log has the line too.
  void say_goodbye() {
    if (!whole()) return;
    std::ofstream(run_.log("train"), std::ios::app)
        << fmt::format("{:%F %T} stopped; go on with: {}\n", fmt::localtime(std::time(nullptr)), options_.command);
    print(fmt::format("\nStopped. Nothing that was finished is lost; go on with:\n  {}", options_.command));
  }

  void finish() {
    if (!whole()) return;
    ratings_.save_table();
    figures_.write_last_ratings(ratings_.table());
    print("\n" + ratings_.table_text());
    print(fmt::format("Trained for {}. {}", clock_text(seconds()), next_steps(run_, config_, options_.programs)));
  }

  Config config_;
  LoopOptions options_;
  const std::atomic<bool>& stop_;
  RunDirectory run_;
  JoinedWorkers joined_;
  Ratings ratings_;
  Progress progress_;
  RunFigures figures_;
  RunCost cost_;
  TimeLeft left_;
  std::vector<json> speeds_;  // of the generation being made, by board
  std::optional<Heartbeat> leader_;
  json announced_;
  std::unique_ptr<Trainers> trainer_;
  std::optional<LogReader> trainer_log_;
  std::unique_ptr<Process> worker_;  // of all generations, where the loop runs at once
  std::optional<LogReader> worker_log_;
  std::optional<ContinuousWatch> seen_;  // where the loop runs at once
  bool ending_ = false;                  // the trainer was told to end, since the run does
  std::map<fs::path, std::pair<fs::file_time_type, Clock::time_point>> written_;  // status files, and when they changed
  Clock::time_point started_;
  Clock::time_point clock_saved_{};
  double seconds_before_ = 0.0;
  double spent_ = 0;     // share of run.max_cost, where there is one
  int generation_ = 0;   // of the model being made
  int first_shown_ = 0;  // earlier generations were finished before this start
  bool header_shown_ = false;
};

}  // namespace

LoopEnd run_loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop) {
  return Loop(config, options, stop).run();
}

}  // namespace koridor
