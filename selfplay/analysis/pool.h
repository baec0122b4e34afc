// A queue of positions to analyse, and the threads that search them, many at once. README.md says how.
//
//   const auto pool = make_analysis_pool({.model = model, .name = path});
//   pool->submit({.line = line, .plies = 12, .visits = 500, .report = [](const PositionReport& report) { ... }});
//   pool->wait();
//
// Every task that was submitted is reported as ended exactly once, unless the pool goes before. Any thread may call the
// pool's functions, but none may be in a call when the pool goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "core/search/config.h"
#include "models/evaluation.h"
#include "models/network/model_file.h"
#include "selfplay/analysis/task.h"

namespace koridor {

struct PoolSettings {
  std::shared_ptr<const Model> model{};  // must not be null
  std::string name{};                    // of the model, in error messages
  Evaluation evaluation{};
  SearchConfig search = match_search();
  int threads = 0;    // 0: one per core
  int positions = 0;  // searched at a time, at most; 0: 16 per thread
  // Leaves of one search that may wait for their evaluation at a time, where there are fewer positions than the batches
  // hold. 1: results do not depend on anything but the task.
  int leaves = 8;
  // Of all trees together, about (README.md says how they share it); a full tree ends its search.
  std::size_t memory_mebibytes = 1024;
  std::uint64_t seed = 0;
};

class AnalysisPool {
 public:
  static constexpr std::size_t kMostWaiting = 100'000;
  static constexpr int kRows = 32;  // of a batch

  virtual ~AnalysisPool() = default;

  // Throws UserError where the model cannot serve the game.
  virtual void check(const AnyGame& game) const = 0;
  // The task's game must have been checked. Waits while kMostWaiting tasks wait already.
  virtual void submit(AnalysisTask task) = 0;
  // Ends the tasks that are chosen: those that wait at once, with a report of nothing, and those under way soon.
  virtual void terminate(const std::function<bool(const AnalysisTask& task)>& chosen) = 0;
  // Forgets the predictions that were kept. What is under way may still use some of them.
  virtual void clear_cache() = 0;
  // Returns true when all tasks have ended, or false after so many seconds; infinite: no limit.
  virtual bool wait(double seconds = std::numeric_limits<double>::infinity()) = 0;
  // "onednn int8 winograd": what the model is computed with; empty until a position was searched.
  virtual std::string evaluator() const = 0;
};

// Throws UserError where the evaluation cannot be had here.
std::unique_ptr<AnalysisPool> make_analysis_pool(const PoolSettings& settings);

}  // namespace koridor
