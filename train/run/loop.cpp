#include "train/run/loop.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/damage.h"
#include "core/base/error.h"
#include "core/base/failure.h"
#include "core/base/files.h"
#include "core/base/heartbeat.h"
#include "core/base/json_file.h"
#include "core/base/number_text.h"
#include "core/base/shell.h"
#include "train/run/continuous_watch.h"
#include "train/run/cost.h"
#include "train/run/gate.h"
#include "train/run/joined_workers.h"
#include "train/run/live_words.h"
#include "train/run/loop_children.h"
#include "train/run/loop_screen.h"
#include "train/run/next_steps.h"
#include "train/run/open_run.h"
#include "train/run/rating.h"
#include "train/run/run_clock.h"
#include "train/run/run_directory.h"
#include "train/run/run_figures.h"
#include "train/run/run_lead.h"
#include "train/run/run_limits.h"
#include "train/run/start_check.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kPollInterval = std::chrono::milliseconds(100);
constexpr auto kLookForEnd = std::chrono::milliseconds(10);  // of what is waited for
constexpr auto kLookForMissing = std::chrono::seconds(2);

class Loop {
 public:
  Loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop)
      : config_(config),
        options_(options),
        stop_(stop),
        run_(options.run),
        clock_(run_),
        screen_(run_, config_, options.part_of, clock_, stop),
        joined_(run_),
        ratings_(run_, config),
        figures_(run_, config),
        cost_(run_, config) {}

  LoopEnd run() {
    // A run that is there is locked before the checks, which take seconds: so workers see that it goes on.
    std::unique_ptr<FileLock> lock;
    std::error_code ignored;
    if (fs::exists(run_.lock(), ignored)) lock = take_lead(run_, stop_);
    check_start(run_, config_, options_.programs, stop_);
    if (!lock) lock = take_lead(run_, stop_);
    const OpenedRun opened = open_run(run_, config_);
    const FolderInUse in_use(run_.root(), run_.config());
    fs::create_directories(run_.workers());  // where workers find the run again that were here before it
    leader_.emplace(run_.leader(), json{{"role", "loop"}, {"phase", "start"}, {"selfplay", options_.selfplay}});
    clock_.begin(opened.seconds);
    greet();
    for (const std::string& note : opened.notes) screen_.say(note);
    if (const std::string note = whole() ? ratings_.changed_search() : ""; !note.empty()) screen_.say(note);
    trainer_.emplace(run_, config_, options_.programs, options_.trainers, stop_);
    bool done = false;
    try {
      done = continuous() ? run_continuously() : run_generations();
    } catch (const std::exception& error) {
      leader_->say({{"state", "failed"}, {"fault", error.what()}});
      end_after_failure();
      run_.require_there();  // whatever went wrong, this is why
      throw;
    }
    end_children();
    clock_.save();
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
      // Only now it is sure that the generation is not the last, which plays no games.
      if (!pass_gate(generation)) return false;
      screen_.makes(generation + 1);
      done = play(generation) && wait_for_model(generation + 1) && rate(generation + 1);
    }
    // Where time or cost ends the run, it was not known before that this generation is the last.
    return done && play_rating(generation, true);
  }

  // The same where self-play, training and rating go on at once: this process watches and rates. False when stopped.
  bool run_continuously() {
    if (!wait_for_model(0)) return false;
    seen_.emplace(run_, clock_.seconds());
    const int made = run_.models() - 1;  // before this start: that says nothing of the time left
    while (figures_.finished(first_shown_)) ++first_shown_;
    if (options_.selfplay && !fs::exists(run_.model(config_.run.generations))) {
      worker_.emplace(run_, config_, options_.programs, std::nullopt, stop_);
    }
    look_for_models();
    bool done = rate(0);
    int generation = 0;
    for (; done && generation < config_.run.generations && !out_of_time(generation) && !out_of_budget(generation);
         ++generation) {
      screen_.makes(generation + 1);
      // Both go on at once, so that a generation is one phase beside its rating.
      if (generation >= made) screen_.begin_phase(RunPhase::train, generation + 1);
      done = wait_beside_games(generation);
      if (!done || !fs::exists(run_.model(generation + 1))) break;
      done = rate(generation + 1);
    }
    if (!done) return false;
    // The last rating is of the newest model, so that none may follow.
    end_children();
    look_for_models();
    for (; done && fs::exists(run_.model(generation + 1)); ++generation) done = rate(generation + 1);
    return done && play_rating(generation, true);
  }

  // Tells everybody which generation's games are awaited.
  void look_for_models() {
    const int newest = seen_->look(clock_.seconds());
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
    leader_->say({{"phase_began", clock_.seconds_here()}});
    leader_->write();
  }

  void greet() {
    // The lines of generations that an earlier start finished are not shown again.
    first_shown_ = std::max(first_shown_, run_.models() - 1);
    if (whole()) screen_.greet(first_shown_);
    // Where the loop runs at once, ratings and lines may be some generations behind the models.
    if (continuous()) first_shown_ = 0;
    if (figures_.finished(first_shown_)) ++first_shown_;
  }

  bool out_of_time(int generation) const {
    // A generation that was trained already still counts, whatever the time.
    return config_.run.max_minutes > 0 && clock_.seconds() >= 60.0 * config_.run.max_minutes &&
           !fs::exists(run_.model(generation + 1));
  }

  // Whether the run has cost what it may when this generation's model is there. The same answer comes after every stop.
  bool out_of_budget(int generation) {
    if (config_.run.max_cost <= 0) return false;
    const double spent = cost_.until(generation) / config_.run.max_cost;
    screen_.has_spent(spent);
    return spent >= 1;
  }

  // Throws UserError where a model is gone; looks every few seconds, since a folder may have thousands.
  void look_for_missing_model() {
    if (Clock::now() - looked_for_missing_ < kLookForMissing) return;
    looked_for_missing_ = Clock::now();
    require_models(run_);
  }

  // What is done again and again while something is waited for; by one thread at a time.
  void look_after_run() {
    joined_.tidy();
    clock_.save_now_and_then();
    if (Clock::now() - looked_for_leaders_ < kBeat) return;
    looked_for_leaders_ = Clock::now();
    require_lead(run_);
  }

  // Until the next look at everything, or until what is waited for is `over()`: work that others do goes on then.
  template <class Over>
  void pause(const Over& over) {
    look_after_run();
    const auto next = Clock::now() + kPollInterval;
    while (!stop_ && !over() && Clock::now() < next) std::this_thread::sleep_for(kLookForEnd);
  }

  // Each has its time to save its work while the others save theirs.
  void tell_children_to_end() {
    if (worker_) worker_->tell_to_end();
    trainer_->tell_to_end();
  }

  void end_children() {
    tell_children_to_end();
    end_worker();
    end_trainer();
  }

  void end_trainer() {
    end(*trainer_);
    show_warnings(*trainer_);
  }

  // What fails now as well is not what went wrong.
  void end_after_failure() {
    tell_children_to_end();
    for (const auto step : {&Loop::end_worker, &Loop::end_trainer}) {
      try {
        (this->*step)();
      } catch (const std::exception&) {
        continue;
      }
    }
  }

  // Of the worker of all generations.
  void end_worker() {
    if (!worker_) return;
    end(*worker_);
    show_warnings(*worker_);
    worker_.reset();
  }

  template <class Child>
  void end(Child& child) {
    if (child.runs()) {
      try {
        screen_.live({fmt::format("waiting until {} has saved its work", Child::kName)});
        look_after_run();
      } catch (const std::exception&) {  // it must not keep the child from being ended in order
      }
    }
    const std::string killed = child.end();
    if (!killed.empty()) screen_.say(killed);
  }

  template <class Child>
  void show_warnings(Child& child) {
    for (const std::string& warning : child.new_warnings()) screen_.say(warning);
  }

  // Waits while the trainer makes the model of `generation`; false when stopped.
  bool wait_for_model(int generation) {
    if (generation > 0 && !fs::exists(run_.model(generation))) screen_.begin_phase(RunPhase::train, generation);
    if (!fs::exists(run_.model(generation))) announce("train", generation);
    const auto since = Clock::now();
    while (!fs::exists(run_.model(generation))) {
      if (stop_) return false;
      if (trainer_->ended() && !fs::exists(run_.model(generation))) trainer_->check();
      look_for_missing_model();
      show_warnings(*trainer_);
      const std::string silent = trainer_->silence(since);
      if (const pid_t other = trainer_->waits_for(); other != 0) {
        screen_.live(
            {fmt::format("training: waiting for the trainer of an earlier start to end ({})", process_text(other))});
      } else if (!silent.empty()) {
        screen_.live({"training: " + silent});
      } else {
        screen_.live_training(generation);
      }
      pause([&] { return fs::exists(run_.model(generation)); });
    }
    show_warnings(*trainer_);
    return true;
  }

  // Waits while the games of `generation` are played and the next model is made of them, and others beside, or until
  // the trainer says that it takes no more games, as the time is over; false when stopped.
  bool wait_beside_games(int generation) {
    const fs::path model = run_.model(generation + 1);
    const auto since = Clock::now();
    while (!fs::exists(model)) {
      if (stop_) return false;
      if (out_of_time(generation) && member(live_progress(run_.status("trainer")), "time_over", false)) break;
      if (trainer_->ended() && !fs::exists(model)) trainer_->check();
      if (worker_) worker_->check();
      look_for_missing_model();
      show_warnings(*trainer_);
      if (worker_) show_warnings(*worker_);
      look_for_models();
      screen_.live(what_both_do(since));
      pause([&] { return fs::exists(model); });
    }
    look_for_models();
    show_warnings(*trainer_);
    screen_.end_phase();
    return true;
  }

  // What training and self-play do at once, in words.
  std::vector<std::string> what_both_do(Clock::time_point since) {
    return words_of_both(live_progress(run_.status("trainer")), live_progress(run_.status("selfplay")),
                         trainer_->silence(since));
  }

  // Self-play of one generation, board after board; false when stopped.
  bool play(int generation) {
    // The next model was made of its games, which may not be here any more.
    if (fs::exists(run_.model(generation + 1))) return true;
    const int games = static_cast<int>(games_of(config_).size());
    speeds_.assign(static_cast<std::size_t>(games), json::object());
    bool begun = false;
    for (int game = 0; game < games; ++game) {
      if (fs::exists(run_.complete(generation, game))) continue;
      if (!std::exchange(begun, true)) screen_.begin_phase(RunPhase::play, generation + 1);
      if (!play(generation, game)) return false;
    }
    return true;
  }

  // Self-play on one board of run.games, by a worker of this run and those that have joined it.
  bool play(int generation, int game) {
    // Games of an earlier start would count as played in the time of this one.
    const bool whole_here = !fs::exists(run_.shards(generation, game));
    announce("play", generation, game);
    const double began = clock_.seconds();
    json progress = json::object();
    if (!options_.selfplay) {
      if (!wait_for_joined(generation, game)) return false;
    } else {
      LoopWorker worker(run_, config_, options_.programs, LoopWorker::Board{generation, game}, stop_);
      watch(worker, generation, game);
      worker.check();
      if (!worker.complete()) return false;
      progress = live_progress(run_.status("selfplay"));
      if (member(progress, "generation", -1) != generation) return true;
    }
    const json speeds = joined_.speeds(progress, generation, clock_.seconds() - began);
    // A worker that found all games there has played none.
    const bool measured = speeds.contains("played_seconds") || member(speeds, "positions", 0.0) > 0;
    if (whole_here && measured) speeds_[static_cast<std::size_t>(game)] = speeds;
    return true;
  }

  // Waits until workers that have joined the run have played a board; false when stopped.
  bool wait_for_joined(int generation, int game) {
    while (!fs::exists(run_.complete(generation, game))) {
      trainer_->check();
      if (stop_) return false;
      show_warnings(*trainer_);
      screen_.live({"self-play by joined workers"});
      pause([&] { return fs::exists(run_.complete(generation, game)); });
    }
    return true;
  }

  // Shows what the worker of a board does until it has ended, and ends it where nothing is left for it to do.
  void watch(LoopWorker& worker, int generation, int game) {
    std::optional<Clock::time_point> complete;
    while (worker.runs()) {
      // A worker that slept while others finished its generation is not waited for.
      if (!complete && worker.complete()) complete = Clock::now();
      if (complete && Clock::now() - *complete > kStopPatience) return end(worker);
      try {
        trainer_->check();
      } catch (...) {
        end(worker);
        throw;
      }
      if (stop_) {
        trainer_->tell_to_end();
        return end(worker);
      }
      show_warnings(worker);
      show_warnings(*trainer_);
      const std::string silent = worker.silence();
      if (!silent.empty()) {
        screen_.live({"self-play: " + silent});
      } else {
        screen_.live_selfplay(generation, game);
      }
      pause([&] { return !worker.runs(); });
    }
    show_warnings(worker);
  }

  // What matches(end) returns, which plays matches. They may take long, so a thread of its own looks after the run
  // meanwhile, and whether they still make sense, and sets `end` where they do not. What it cannot look at ends them
  // with its error.
  template <class Matches>
  auto while_watched(const Matches& matches) {
    std::atomic<bool> end{false};
    std::mutex mutex;
    std::condition_variable_any over;
    Failure failure;
    std::jthread watch([&](const std::stop_token& played_all) {
      std::unique_lock lock(mutex);
      try {
        while (!over.wait_for(lock, played_all, kPollInterval, [&] { return played_all.stop_requested(); })) {
          if (stop_ || trainer_->has_left_work() || (worker_ && worker_->has_left_games())) end = true;
          if (seen_) look_for_models();
          look_after_run();
        }
      } catch (...) {
        failure.keep();
        end = true;
      }
    });
    auto played = matches(end);
    watch.request_stop();
    watch.join();
    failure.rethrow();
    return played;
  }

  // Decides whether the generation plays self-play, where rating.gate asks for it; false when stopped.
  bool pass_gate(int generation) {
    if (!gate_due(run_, config_, generation)) return true;
    announce("gate", generation);
    screen_.begin_phase(RunPhase::gate, generation + 1);
    const auto progress = [&](int games, int most) {
      screen_.progress(static_cast<double>(games) / std::max(1, most));
      screen_.live({fmt::format("gate {}/{} games", games, most)});
    };
    progress(0, config_.rating.gate_games);
    const auto decision = while_watched(
        [&](const std::atomic<bool>& end) { return decide_gate(run_, config_, generation, progress, end); });
    if (!decision) trainer_->check();
    if (!decision) return false;
    if (whole()) screen_.say(gate_text(*decision));
    return true;
  }

  // Plays the matches of a generation where they are due; false when stopped.
  bool play_rating(int generation, bool last) {
    if (!whole() || !ratings_.due(generation, last)) return true;
    if (!continuous()) announce("rate", generation);
    screen_.begin_phase(RunPhase::rate, generation);
    const auto since = Clock::now();
    Clock::time_point shown{};
    // Called while other games wait to be counted, and games may be many a second.
    const auto progress = [&](int games, int total) {
      screen_.progress(static_cast<double>(games) / std::max(1, total));
      if (games < total && Clock::now() - shown < kPollInterval) return;
      shown = Clock::now();
      std::vector<std::string> parts = continuous() ? what_both_do(since) : std::vector<std::string>{};
      parts.insert(parts.begin(), fmt::format("rating {}/{} games", games, total));
      screen_.live(std::move(parts));
    };
    const bool rated =
        while_watched([&](const std::atomic<bool>& end) { return ratings_.rate(generation, progress, end); });
    if (!rated) trainer_->check();
    if (!rated && worker_) worker_->check();
    return rated;
  }

  // Plays the matches of a generation that is not rated yet, writes its figures, prints its line; false when stopped.
  bool rate(int generation) {
    if (!play_rating(generation, false)) return false;
    screen_.end_phase();
    if (generation < first_shown_) return true;
    // Where a later file is damaged its own generation is not there yet: lines get their ratings after that.
    const std::vector<RatedPlayer> table = ratings_.table_if_whole().value_or(std::vector<RatedPlayer>{});
    if (seen_) speeds_ = {seen_->speeds_of(generation)};
    const json line =
        figures_.finish(generation, seen_ ? seen_->seconds_of(generation) : clock_.seconds(), speeds_, table);
    if (whole()) screen_.show_generation(line);
    if (line.contains("note")) screen_.say(member(line, "note", std::string()));
    return true;
  }

  // The terminal may be gone, so the log has the line too.
  void say_goodbye() {
    if (!whole()) return;
    const std::string command = command_beyond(options_.command, options_.settings, {});
    std::ofstream(run_.log("train"), std::ios::app)
        << fmt::format("{:%F %T} stopped; go on with: {}\n", fmt::localtime(std::time(nullptr)), command);
    screen_.print(fmt::format("\nStopped. Nothing that was finished is lost; go on with:\n  {}", command));
  }

  // A rating that is damaged now is of a generation beyond those that this start has looked at.
  void show_table() {
    std::vector<RatedPlayer> table;
    screen_.print("");
    if (const auto damage = damage_of([&] { table = ratings_.table(); })) {
      return screen_.say(
          fmt::format("{}; `koridor rate {}` plays its matches again", *damage, shell_word(run_.root().string())));
    }
    ratings_.save_table();
    figures_.write_last_ratings(table);
    screen_.print(ratings_.table_text());
  }

  void finish() {
    if (!whole()) return;
    show_table();
    const int made = std::max(run_.models() - 1, 0);
    const std::vector<RunLimit> limits = reached_limits(config_.run, {made, clock_.seconds() / 60, cost_of_all(made)});
    const std::string of_all = made > config_.run.generations ? "" : fmt::format(" of {}", config_.run.generations);
    screen_.print(fmt::format("Trained for {}, until {} was reached ({}{} generations).\nTo train on:\n  {}\n{}",
                              clock_text(clock_.seconds()), limits.front().key, made, of_all,
                              command_beyond(options_.command, options_.settings, limits),
                              next_steps(run_, config_, options_.programs)));
  }

  std::optional<double> cost_of_all(int made) {
    if (config_.run.max_cost <= 0) return std::nullopt;  // nobody asks, and it may have to read games
    try {
      return cost_.until(made);
    } catch (const UserError&) {
      return std::nullopt;
    }
  }

  Config config_;
  LoopOptions options_;
  const std::atomic<bool>& stop_;
  RunDirectory run_;
  RunClock clock_;
  LoopScreen screen_;
  JoinedWorkers joined_;
  Ratings ratings_;
  RunFigures figures_;
  RunCost cost_;
  std::vector<json> speeds_;  // of the generation being made, by board
  Clock::time_point looked_for_missing_{};
  Clock::time_point looked_for_leaders_{};
  std::optional<Heartbeat> leader_;
  json announced_;
  std::optional<LoopTrainer> trainer_;
  std::optional<LoopWorker> worker_;     // of all generations, where the loop runs at once
  std::optional<ContinuousWatch> seen_;  // where the loop runs at once
  int first_shown_ = 0;                  // earlier generations were finished before this start
};

}  // namespace

LoopEnd run_loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop) {
  return Loop(config, options, stop).run();
}

}  // namespace koridor
