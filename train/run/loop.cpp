#include "train/run/loop.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/progress.h"
#include "train/run/loss_report.h"
#include "train/run/rating.h"
#include "train/run/run_directory.h"
#include "train/run/run_figures.h"
#include "train/run/time_left.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kPollInterval = std::chrono::milliseconds(100);

// A JSON file as its process last wrote it; empty where there is none yet.
json read_json(const fs::path& path) {
  if (!fs::exists(path)) return json::object();
  return json::parse(read_file(path), nullptr, false);
}

template <class T>
T field(const json& object, const char* key, T otherwise) {
  return object.is_object() ? object.value(key, otherwise) : otherwise;
}

// The run's lock, which allows one loop per directory. The kernel drops it when the process ends, however it ends.
class Lock {
 public:
  explicit Lock(const fs::path& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw UserError("the run " + path.parent_path().string() + " is in use by another process; stop that first");
    }
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

class Loop {
 public:
  Loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop)
      : config_(config),
        options_(options),
        stop_(stop),
        run_(options.run),
        ratings_(run_, config),
        figures_(run_, config),
        left_({config.run.generations, 60.0 * config.run.max_minutes, config.rating.every}) {}

  LoopEnd run() {
    open_directory();
    const Lock lock(run_.lock());
    seconds_before_ = field(read_json(run_.status("loop")), "seconds", 0.0);
    started_ = Clock::now();
    greet();
    start_trainer();
    bool done = wait_for_model(0) && rate(0);
    for (int generation = 0; done && generation < config_.run.generations && !out_of_time(generation); ++generation) {
      generation_ = generation + 1;
      done = play(generation) && wait_for_model(generation + 1) && rate(generation + 1);
    }
    end_trainer();
    save_clock();
    if (stop_ && !done) {
      progress_.print(fmt::format("\nStopped. Nothing that was finished is lost; go on with:\n  {}", options_.command));
      return LoopEnd::stopped;
    }
    finish();
    return LoopEnd::finished;
  }

 private:
  // Creates the directory, or checks that it belongs to this configuration.
  void open_directory() {
    if (!fs::exists(run_.config())) {
      write_file_atomically(run_.config(), to_toml(config_));
      return;
    }
    const std::string difference = first_frozen_difference(load_config(run_.config().string()), config_);
    if (!difference.empty()) {
      throw UserError(fmt::format("the run directory {} belongs to another configuration: {}; give another --run",
                                  run_.root().string(), difference));
    }
    // Keys that may change between stops take their new values.
    write_file_atomically(run_.config(), to_toml(config_));
  }

  int threads() const { return thread_count(config_.run.threads); }

  // A text that stays, in lines that no terminal wraps.
  void say(const std::string& text) { progress_.print(wrapped_text(text)); }

  void greet() {
    say(fmt::format(
        "Koridor learns {} in {} on {} threads: network of {} blocks x {} channels.",
        config_.run.games.empty() ? config_.run.game : fmt::format("{}", fmt::join(config_.run.games, " and ")),
        run_.root().string(), threads(), config_.network.blocks, config_.network.channels));
    progress_.print("Ctrl-C stops it cleanly; the same command goes on.");
    // The lines of generations that an earlier start finished are not shown again.
    while (fs::exists(run_.model(first_shown_ + 1))) ++first_shown_;
    if (first_shown_ > 0) {
      say(fmt::format("It goes on from {} after {} of work; `koridor rate` shows what was before.",
                      RunDirectory::label(first_shown_), clock_text(seconds())));
    }
    if (figures_.finished(first_shown_)) ++first_shown_;
    for (int game = 0; game < static_cast<int>(games_of(config_).size()); ++game) {
      if (fs::exists(run_.slots(game))) choices_shown_.insert(game);
    }
    progress_.print("\n" + generation_header(config_.rating.baselines));
  }

  double seconds() const { return seconds_before_ + std::chrono::duration<double>(Clock::now() - started_).count(); }

  void save_clock() { write_file_atomically(run_.status("loop"), json{{"seconds", seconds()}}.dump() + "\n"); }

  bool out_of_time(int generation) const {
    // A generation that was trained already still counts, whatever the time.
    return config_.run.max_minutes > 0 && seconds() >= 60.0 * config_.run.max_minutes &&
           !fs::exists(run_.model(generation + 1));
  }

  // Shows what is being done, the most telling parts first.
  void live(std::vector<std::string> work) {
    work.insert(work.begin(), fmt::format("generation {}/{}", generation_, config_.run.generations));
    if (const auto left = left_.seconds(seconds())) work.insert(work.begin(), clock_text(*left) + " left");
    progress_.live(work);
    if (Clock::now() - clock_saved_ > std::chrono::seconds(2)) {
      save_clock();
      clock_saved_ = Clock::now();
    }
  }

  fs::path log(const char* name) const { return run_.root() / "logs" / (std::string(name) + ".log"); }

  void start_trainer() {
    trainer_ = std::make_unique<Process>(
        std::vector<std::string>{(options_.programs / "koridor-trainer").string(), "--run", run_.root().string(),
                                 "--threads", std::to_string(threads())},
        log("trainer"));
  }

  void end_trainer() {
    trainer_->terminate();
    trainer_->wait();
  }

  // Waits while the trainer makes the model of `generation`; false when stopped.
  bool wait_for_model(int generation) {
    if (generation > 0 && !fs::exists(run_.model(generation))) left_.begin(RunPhase::train, generation, seconds());
    while (!fs::exists(run_.model(generation))) {
      if (const auto status = trainer_->poll()) {
        if (stop_) return false;
        throw UserError(fmt::format("the trainer ended with status {}: {} (log: {})", *status,
                                    last_line(log("trainer")), log("trainer").string()));
      }
      if (stop_) return false;
      show_training(generation);
      std::this_thread::sleep_for(kPollInterval);
    }
    return true;
  }

  void show_training(int generation) {
    const json status = read_json(run_.status("trainer"));
    if (generation == 0 || field(status, "generation", -1) != generation) {
      live({generation == 0 ? "starting the trainer" : "training: reading the new games"});
      return;
    }
    const int step = field(status, "step", 0);
    const int steps = field(status, "steps", 0);
    left_.progress(static_cast<double>(step) / std::max(1, steps));
    std::vector<std::string> parts = loss_parts(read_losses(status));
    parts.insert(parts.begin(), fmt::format("training {}/{} steps", step, steps));
    parts.push_back(short_count(field(status, "samples_per_second", 0.0)) + " samples/s");
    live(std::move(parts));
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

  // Self-play on one board of run.games, by a worker.
  bool play(int generation, int game) {
    Process worker({(options_.programs / "koridor").string(), "selfplay", "--run", run_.root().string(), "--generation",
                    std::to_string(generation), "--game", std::to_string(game)},
                   log("selfplay"));
    while (!worker.poll()) {
      if (stop_) worker.terminate();
      show_selfplay(generation, game);
      std::this_thread::sleep_for(kPollInterval);
    }
    if (*worker.poll() != 0 && !stop_) {
      throw UserError(fmt::format("self-play ended with status {}: {} (log: {})", *worker.poll(),
                                  last_line(log("selfplay")), log("selfplay").string()));
    }
    if (!fs::exists(run_.complete(generation, game))) {
      if (stop_) return false;
      throw UserError(fmt::format("self-play ended before its games were complete (log: {}); the same command goes on",
                                  log("selfplay").string()));
    }
    const json status = read_json(run_.status("selfplay"));
    if (field(status, "generation", -1) == generation) speeds_[static_cast<std::size_t>(game)] = status;
    return true;
  }

  void show_selfplay(int generation, int game) {
    const json status = read_json(run_.status("selfplay"));
    if (field(status, "generation", -1) != generation) {
      live({"self-play: starting"});
      return;
    }
    show_choice(game, field(status, "choice", std::string()));
    const int games = field(status, "games", 0);
    const int wanted = field(status, "games_wanted", 0);
    const auto boards = static_cast<double>(games_of(config_).size());
    left_.progress((game + static_cast<double>(games) / std::max(1, wanted)) / boards);
    std::vector<std::string> parts{
        fmt::format("self-play {}/{} games", games, wanted),
        short_count(field(status, "positions_per_second", 0.0)) + " positions/s",
        short_count(field(status, "evaluations_per_second", 0.0)) + " evaluations/s",
        fmt::format("{:.0f}% cached", 100.0 * field(status, "cache_hit_share", 0.0)),
    };
    if (!config_.run.games.empty()) parts.push_back(config_.run.games[static_cast<std::size_t>(game)]);
    live(std::move(parts));
  }

  // Prints the number of slots and threads and the reason, once per board.
  void show_choice(int game, const std::string& choice) {
    if (choice.empty() || !choices_shown_.insert(game).second) return;
    say(fmt::format("Self-play{}: {}", game == 0 ? "" : " of " + config_.run.games[static_cast<std::size_t>(game)],
                    choice));
  }

  // Plays the matches of a generation that is not rated yet, writes its figures, prints its line; false when stopped.
  bool rate(int generation) {
    if (ratings_.due(generation)) {
      left_.begin(RunPhase::rate, generation, seconds());
      const auto progress = [&](int games, int total) {
        left_.progress(static_cast<double>(games) / std::max(1, total));
        live({fmt::format("rating {}/{} games", games, total)});
      };
      if (!ratings_.rate(generation, progress, stop_)) return false;
    }
    left_.end(seconds());
    if (generation < first_shown_) return true;
    const std::vector<RatedPlayer> table = ratings_.table();
    const json line = figures_.finish(generation, seconds(), speeds_, table);
    progress_.print(generation_text(line, config_.rating.baselines));
    return true;
  }

  void finish() {
    figures_.write_last_ratings(ratings_.table());
    progress_.print("\n" + ratings_.table_text());
    int last = 0;
    while (fs::exists(run_.model(last + 1))) ++last;
    const std::string model = run_.model(last).string();
    const std::string& game = config_.run.game;
    progress_.print(fmt::format(
        "Trained for {}. The model: {}\n\nNext:\n"
        "  {} play '{}' --model {}\n"
        "  {} match '{}' --a {} --b alphabeta:3 --games 100 --visits 64\n"
        "  {} inspect {} --game 0",
        clock_text(seconds()), model, koridor(), game, model, koridor(), game, model, koridor(), newest_shard()));
  }

  std::string koridor() const { return fs::proximate(options_.programs / "koridor").string(); }

  std::string newest_shard() const {
    int generation = 0;
    while (fs::exists(run_.complete(generation + 1))) ++generation;
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(run_.shards(generation), error)) {
      if (entry.path().extension() == ".h5") names.push_back(entry.path().string());
    }
    return names.empty() ? run_.shards(generation).string() : *std::ranges::min_element(names);
  }

  Config config_;
  LoopOptions options_;
  const std::atomic<bool>& stop_;
  RunDirectory run_;
  Ratings ratings_;
  Progress progress_;
  RunFigures figures_;
  TimeLeft left_;
  std::vector<json> speeds_;  // of the generation being made, by board
  std::unique_ptr<Process> trainer_;
  Clock::time_point started_;
  Clock::time_point clock_saved_{};
  double seconds_before_ = 0.0;
  int generation_ = 0;           // of the model being made
  int first_shown_ = 0;          // earlier generations were finished before this start
  std::set<int> choices_shown_;  // indices of run.games
};

}  // namespace

LoopEnd run_loop(const Config& config, const LoopOptions& options, const std::atomic<bool>& stop) {
  return Loop(config, options, stop).run();
}

}  // namespace koridor
