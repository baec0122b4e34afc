// What tests of the pool of analyses share: its settings, a game of some plies, and a keeper of reports.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "selfplay/analysis/pool.h"
#include "selfplay/session/session.h"
#include "tests/tiny_model.h"

namespace koridor {

inline PoolSettings pool_settings(const AnyGame& any) {
  PoolSettings settings{.model = test::tiny_model(any), .name = "test"};
  settings.evaluation.precision = "f32";
  settings.threads = 3;
  settings.leaves = 1;
  return settings;
}

// A game of random legal actions that is not over.
inline std::shared_ptr<const GameLine> random_line(const AnyGame& any, int plies) {
  Session session(any);
  Random random(5);
  GameLine line{.game = any};
  while (static_cast<int>(line.moves.size()) < plies) {
    const std::vector<Action> legal = session.legal();
    const Action action = legal[static_cast<std::size_t>(random.below(static_cast<int>(legal.size())))];
    const int seat = session.seat_to_move();
    session.play(action);
    if (session.outcome().over()) break;
    line.moves.push_back({action, seat});
  }
  return std::make_shared<const GameLine>(std::move(line));
}

// Keeps what is reported, by the task's name.
class Reports {
 public:
  std::function<void(const PositionReport&)> of(const std::string& name) {
    return [this, name](const PositionReport& report) {
      const std::lock_guard lock(mutex_);
      reports_[name].push_back(report);
      if (report.kind != PositionReport::Kind::during) ended_.push_back(name);
      changed_.notify_all();
    };
  }
  void wait_for(const std::string& name) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !reports_[name].empty(); });
  }
  const std::vector<PositionReport>& reports(const std::string& name) { return reports_[name]; }
  const std::vector<std::string>& ended() const { return ended_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::vector<PositionReport>> reports_;
  std::vector<std::string> ended_;
};

}  // namespace koridor
