#include "selfplay/generator/worker_sign.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/elapsed.h"
#include "selfplay/generator/leases.h"

namespace koridor {

WorkerSign::WorkerSign(const std::filesystem::path& workers, const std::string& role, std::chrono::milliseconds beat)
    : name_(new_worker_name()),
      folder_(workers),
      heartbeat_(workers / (name_ + ".json"), {{"role", role}, {"doing", "starts"}}, beat) {}

void WorkerSign::does(const std::string& what) {
  heartbeat_.say({{"doing", what}});
}

void WorkerSign::plays(const SelfplayStatistics& now, int threads, std::size_t ranges, std::uint64_t operations) {
  games_ = games_before_ + now.games;
  playing_ = playing_before_ + (now.network_seconds + now.other_seconds) / std::max(1, threads);
  const double seconds = std::max(1e-3, now.seconds);
  // A device may hang while the heart beats on: who holds games and plays nothing is shown by `koridor status`.
  const auto moment = std::chrono::steady_clock::now();
  if (const std::uint64_t moves = now.plies + now.evaluations; moves != moves_ || ranges == 0) {
    moves_ = moves;
    moved_ = moment;
  }
  heartbeat_.say({{"games", games_},
                  {"positions_per_second", static_cast<double>(now.plies) / seconds},
                  {"evaluations_per_second", static_cast<double>(now.evaluations) / seconds},
                  {"seconds_playing", playing_},
                  {"ranges", ranges},
                  {"seconds_without_a_move", seconds_of(moment - moved_)},
                  {"threads", threads}});
  operates(operations);
  spends(pastime_);
}

void WorkerSign::operates(std::uint64_t operations) {
  operations_ = operations_before_ + operations;
  heartbeat_.say({{"file_operations", operations_}});
}

void WorkerSign::played() {
  games_before_ = games_;
  playing_before_ = playing_;
}

void WorkerSign::begins_work() {
  operations_before_ = operations_;
  moved_ = std::chrono::steady_clock::now();
  spends(Pastime::start);
}

void WorkerSign::ends_work() {
  spends(Pastime::between);
  heartbeat_.say({{"ranges", 0}, {"seconds_without_a_move", 0.0}});
  heartbeat_.write();
}

void WorkerSign::spends(Pastime pastime) {
  const auto now = std::chrono::steady_clock::now();
  time_[static_cast<std::size_t>(pastime_)] += seconds_of(now - since_);
  since_ = now;
  pastime_ = pastime;
  nlohmann::json time = nlohmann::json::object();
  for (std::size_t i = 0; i < time_.size(); ++i) time[kPastimes[i]] = time_[i];
  heartbeat_.say({{"time", time}});
}

}  // namespace koridor
