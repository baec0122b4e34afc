#include "selfplay/generator/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/base/signs_of_life.h"
#include "core/base/terminal.h"
#include "selfplay/generator/generator.h"
#include "selfplay/generator/leased_games.h"
#include "selfplay/generator/worker_parts.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

// Those that killed workers of this machine have left.
void remove_signs_of_the_dead(const fs::path& workers) {
  for_each_sign(workers, [](const fs::path& file, const nlohmann::json& sign) {
    std::error_code ignored;
    if (has_ended(writer_of(sign))) fs::remove(file, ignored);
    return true;
  });
}

// The work on one generation.
class Work {
 public:
  Work(const SelfplayJob& job, WorkerSign& sign, const std::atomic<bool>& stop)
      : job_(job),
        sign_(sign),
        stop_(stop),
        infos_(shard_infos(job)),
        fault_(sign.heartbeat(), job.again_after, job.patient) {}

  WorkerEnd run() {
    // Where the generation is said to be complete, this worker was asked to look itself.
    const bool look = is_complete();
    sign_.heartbeat().say(
        {{"generation", job_.generation}, {"positions_per_second", 0.0}, {"evaluations_per_second", 0.0}});
    sign_.does(fmt::format("starts on generation {}", job_.generation));
    sign_.heartbeat().write();
    if (!open()) return stopped();
    for (int looks = 0; !stop_;) {
      Leases::Standing standing = Leases::Standing::held;
      if (!fault_.persist(stop_, [&] { standing = leases_->stand(); })) return stopped();
      if (standing == Leases::Standing::takeable) {
        const std::uint64_t before = past_.games;
        if (!play()) return stopped();
        if (past_.games > before) continue;
        standing = Leases::Standing::held;  // others were faster
      }
      if (standing == Leases::Standing::held) {
        sign_.does(fmt::format("waits for others' games of generation {}", job_.generation));
        sign_.spends(Pastime::others);
        if (wait_for_others(look)) return complete();
        continue;
      }
      Leases::Look seen = Leases::Look::looking;
      std::vector<std::string> warnings;
      sign_.does(fmt::format("looks through generation {}", job_.generation));
      sign_.spends(Pastime::look);
      if (!fault_.persist(stop_, [&] { seen = leases_->look(job_.complete, warnings, look); })) return stopped();
      for (const std::string& warning : warnings) print_message("koridor", "warning: " + warning);
      if (seen == Leases::Look::whole) return complete();
      if (seen == Leases::Look::missing && ++looks > kMostLooks) {
        throw UserError(fmt::format("{}: games just written are not there; is the disk sound?", job_.shards.string()));
      }
      if (seen == Leases::Look::looking) {
        sign_.does(fmt::format("waits for the end of generation {}", job_.generation));
        sign_.spends(Pastime::looker);
        if (wait_for_others(look)) return complete();
      }
    }
    return stopped();
  }

 private:
  // Waits until the folder is to be looked at again, or until the generation is complete; true where it is. Whether it
  // is complete is one call, and asked for often: a fifth of the time waited so far is what that may be late.
  bool wait_for_others(bool look) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
    do {
      if (!look && is_complete()) return true;
      std::this_thread::sleep_for(std::min<Clock::duration>(nap_, until - Clock::now()));
      nap_ = std::min(nap_ * 5 / 4, kLongestNap);
    } while (!stop_ && Clock::now() < until);
    return !look && is_complete();
  }

  bool open() {
    return fault_.persist(stop_, [&] {
      leases_ = std::make_unique<Leases>(LeaseSettings{.shards = job_.shards,
                                                       .workers = sign_.folder(),
                                                       .worker = sign_.name(),
                                                       .games = job_.games(),
                                                       .expected = infos_,
                                                       .dead_after = job_.dead_after});
    });
  }

  bool is_complete() const {
    std::error_code ignored;
    return fs::exists(job_.complete, ignored);
  }

  // Plays until every range counts or is another worker's; false where it was stopped.
  bool play() {
    sign_.spends(Pastime::start);
    pause_ = std::chrono::milliseconds(50);
    nap_ = kShortestNap;
    if (!factory_) {
      factory_ = evaluator_factory(job_, fault_, stop_);
      if (!factory_) return false;
      options_ = {.selfplay = job_.selfplay,
                  .search = job_.search,
                  .features = job_.features,
                  .seed = job_.game_seed(),
                  .generation = job_.generation,
                  .model = job_.model_generation,
                  .threads = job_.threads};
      // What is due is written at a tick.
      options_.tick_seconds = std::clamp(job_.selfplay.shard_seconds, kShortestTick, options_.tick_seconds);
      if (!needs_model(job_)) options_.selfplay.evaluation.cache_mebibytes = 0;
      const SlotChoice choice = slots_of(job_, options_, *factory_, stop_);
      options_.threads = choice.threads;
      options_.selfplay.slots = choice.slots;
      status_ = std::make_unique<StatusFile>(job_, choice, describe_evaluator(job_, *factory_));
    }
    const auto in_flight =
        static_cast<std::size_t>(options_.threads) * static_cast<std::size_t>(options_.selfplay.slots);
    std::unique_ptr<LeasedGames> games;
    const auto progress = [&](const SelfplayStatistics& now) {
      sign_.plays(now, options_.threads, games->ranges_held(), leases_->operations());
      SelfplayStatistics all = past_;
      all += now;
      if (job_.progress) job_.progress(all, games->games_known());
      if (fault_.text().empty()) write_status("running", all, games->games_known());
    };
    sign_.does(fmt::format("plays generation {}", job_.generation));
    if (!fault_.persist(stop_, [&] {
          if (!games) {
            games = std::make_unique<LeasedGames>(
                *leases_, infos_,
                LeasedGamesOptions{.shard_seconds = job_.selfplay.shard_seconds,
                                   .in_flight = in_flight,
                                   .most_ranges = most_ranges(sign_, leases_->ranges().size()),
                                   .stays = false},
                fault_, progress);
          }
          games->begin();
        })) {
      return false;
    }
    sign_.spends(Pastime::games);
    SelfplayStatistics now;
    try {
      now = generate_games({job_.game, options_, *factory_}, *games, *games, stop_);
    } catch (...) {
      store_what_is_played(*games);
      throw;
    }
    past_ += now;
    sign_.spends(Pastime::store);
    sign_.plays(now, options_.threads, games->ranges_held(), leases_->operations());
    sign_.played();
    fault_.hurry();
    if (!fault_.persist(stop_, [&] { games->finish(); })) {
      throw UserError(fault_.text() + "; games that were not in shards yet are lost");
    }
    games_known_ = games->games_known();
    return !stop_;
  }

  void write_status(const char* state, const SelfplayStatistics& now, std::uint64_t games) {
    try {
      status_->write(state, now, games);
    } catch (const UserError&) {
      if (!job_.patient) throw;  // else nobody needs it
    }
  }

  WorkerEnd stopped() {
    if (leases_) sign_.operates(leases_->operations());
    if (status_) write_status("stopped", past_, games_known_);
    return WorkerEnd::stopped;
  }

  WorkerEnd complete() {
    sign_.operates(leases_->operations());
    if (!status_) status_ = std::make_unique<StatusFile>(job_, SlotChoice{}, "");
    write_status("complete", past_, static_cast<std::uint64_t>(job_.games()));
    return WorkerEnd::complete;
  }

  static constexpr double kShortestTick = 0.1;
  static constexpr std::chrono::milliseconds kLongestPause{2000};
  static constexpr std::chrono::microseconds kShortestNap{5000};
  static constexpr std::chrono::microseconds kLongestNap{250000};

  const SelfplayJob& job_;
  WorkerSign& sign_;
  const std::atomic<bool>& stop_;
  std::vector<ShardInfo> infos_;
  Fault fault_;
  std::unique_ptr<Leases> leases_;
  std::optional<EvaluatorFactory> factory_;
  GeneratorOptions options_;
  std::unique_ptr<StatusFile> status_;
  SelfplayStatistics past_;  // of the rounds of play so far: there is another where ranges of a dead worker become free
  std::uint64_t games_known_ = 0;
  std::chrono::milliseconds pause_{50};
  std::chrono::microseconds nap_ = kShortestNap;
};

}  // namespace

WorkerEnd run_selfplay_worker(const SelfplayJob& job, WorkerSign& sign, const std::atomic<bool>& stop) {
  sign.begins_work();
  const WorkerEnd end = Work(job, sign, stop).run();
  sign.ends_work();
  return end;
}

WorkerEnd run_selfplay_worker(const SelfplayJob& job, const std::atomic<bool>& stop) {
  remove_signs_of_the_dead(job.shards / "workers");
  WorkerSign sign(job.shards / "workers", "alone");
  sign.heartbeat().remove_at_end();
  return run_selfplay_worker(job, sign, stop);
}

}  // namespace koridor
