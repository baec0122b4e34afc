// The pool of the games of one family, such as Go on every board.
//
// Locks are taken in this order: a job's, then the pool's. A job is in `ready_` or in the hands of one thread while it
// is `queued`; otherwise some of its leaves are under way, and whoever supplies one queues it again.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/one_thread.h"
#include "models/backends.h"
#include "models/network/fits.h"
#include "selfplay/analysis/desk.h"
#include "selfplay/analysis/pool.h"
#include "selfplay/analysis/position_search.h"

namespace koridor {

template <Game G>
class GamePool final : public AnalysisPool {
 public:
  explicit GamePool(const PoolSettings& settings)
      : settings_(settings),
        thread_count_(thread_count(settings.threads)),
        places_(static_cast<std::size_t>(settings.positions > 0 ? settings.positions : kShare * thread_count_)),
        memory_(settings.memory_mebibytes << 20),
        evaluators_(make_evaluator_factory(settings.model, settings.evaluation, settings.name,
                                           {.threads = thread_count_, .rows = kRows})) {
    try {
      for (int i = 0; i < thread_count_; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::exception& error) {
      end_threads();
      throw UserError(fmt::format("cannot start {} threads that analyse: {}", thread_count_, error_text(error)));
    }
  }
  ~GamePool() override { end_threads(); }
  GamePool(const GamePool&) = delete;
  GamePool& operator=(const GamePool&) = delete;

  void check(const AnyGame& any) const override { require_fits(settings_.model->info, any, settings_.name); }

  void submit(AnalysisTask task) override {
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] { return waiting_.size() < kMostWaiting; });
      const Place place{-static_cast<std::int64_t>(task.priority), next_++};
      waiting_.emplace(place, std::move(task));
    }
    wake_.notify_one();
  }

  void terminate(const std::function<bool(const AnalysisTask&)>& chosen) override {
    std::vector<AnalysisTask> ended;
    {
      const std::lock_guard lock(mutex_);
      for (auto at = waiting_.begin(); at != waiting_.end();) {
        if (!chosen(at->second)) {
          ++at;
          continue;
        }
        ended.push_back(std::move(at->second));
        at = waiting_.erase(at);
      }
      for (const auto& [place, job] : running_) {
        if (chosen(job->task)) job->stop = true;
      }
      reporting_ += ended.size();
    }
    room_.notify_all();
    for (const AnalysisTask& task : ended) task.report({.kind = PositionReport::Kind::nothing});
    count_reported(ended.size());
  }

  void clear_cache() override { ++cache_epoch_; }

  bool wait(double seconds) override {
    constexpr double kLongest = 1e6;  // what a clock can count
    const auto idle = [&] { return waiting_.empty() && running_.empty() && reporting_ == 0; };
    std::unique_lock lock(mutex_);
    if (seconds < kLongest) return idle_.wait_for(lock, std::chrono::duration<double>(seconds), idle);
    idle_.wait(lock, idle);
    return true;
  }

  std::string evaluator() const override {
    const std::lock_guard lock(mutex_);
    return evaluator_;
  }

 private:
  static constexpr int kShare = 16;  // positions that a thread should have to fill its batches with, one leaf of each
  static constexpr std::size_t kMostDesks = 8;  // that a thread keeps
  static constexpr int kSurePlaces = 2;         // positions that a thread may have whatever their visits

  struct Job {
    explicit Job(AnalysisTask task_) : task(std::move(task_)) {}

    const AnalysisTask task;
    std::atomic<bool> stop{false};
    std::size_t plan = 0;  // bytes that its tree may need; set when it is started

    std::mutex mutex;  // of what follows
    std::string game{};
    std::unique_ptr<PositionSearch<G>> search{};
    std::size_t counted = 0;  // bytes of its tree among tree_bytes_
    bool full = false;        // its tree was, and is not counted any more
    int under_way = 0;        // leaves that were handed out and not supplied
    bool queued = true;       // see above
    std::string error{};
    std::chrono::steady_clock::time_point next_report{};
  };
  using JobDesk = Desk<G, Job>;

  // Priorities come first, highest first, and then the order of arrival.
  using Place = std::pair<std::int64_t, std::uint64_t>;

  enum class Next {
    go_on,  // it has more to do
    wait,   // until a leaf is supplied
    end,
  };

  // A thread, and the desks of the games it met, by name.
  struct Worker {
    std::map<std::string, JobDesk> desks{};
    std::map<std::string, std::weak_ptr<Evaluator>> evaluators{};  // by the board's shape
    std::vector<const Job*> seen{};                                // in this round
    std::uint64_t round = 0;
    unsigned cache_epoch = 0;
  };

  void end_threads() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      for (const auto& [place, job] : running_) job->stop = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void work() {
    const OneThread one_thread;  // an evaluator's own parallel regions must not start threads of their own
    Worker worker;
    while (gather(worker)) evaluate(worker);
  }

  // Fills the worker's batches; waits until there is something to do. False where the pool goes.
  bool gather(Worker& worker) {
    prepare(worker);
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return ending_ || can_start() || !ready_.empty(); });
    while (!ending_) {
      Job* const job = take(worker);
      if (job == nullptr) return true;
      worker.seen.push_back(job);
      const int leaves = std::clamp(kShare * thread_count_ / static_cast<int>(running_.size()), 1, settings_.leaves);
      lock.unlock();
      advance(worker, *job, leaves);
      lock.lock();
    }
    return false;
  }

  void prepare(Worker& worker) {
    ++worker.round;
    worker.seen.clear();
    if (const unsigned epoch = cache_epoch_; epoch != worker.cache_epoch) {
      worker.desks.clear();
      worker.cache_epoch = epoch;
    }
    for (auto& [name, desk] : worker.desks) desk.clear();
  }

  // Whether there is a place for the next position, and room for its tree once all trees are as large as planned.
  bool can_start() const {
    if (waiting_.empty() || running_.size() >= places_) return false;
    return running_.empty() || planned_ + plan_of(waiting_.begin()->second) <= memory_;
  }

  // The bytes of a tree with the visits of the task. Those of a task with very many count as fewer: kSurePlaces of them
  // have room at once for each thread, so that others need not wait for their end.
  std::size_t plan_of(const AnalysisTask& task) const {
    const std::size_t most = memory_ / static_cast<std::size_t>(kSurePlaces * thread_count_);
    if (task.visits == 0) return most;
    const std::size_t node = Tree::node_bytes(std::get<G>(task.line->game).num_actions());
    return std::min(most, node * (static_cast<std::size_t>(task.visits) + 1));  // the root is a node as well
  }

  // The next job for this thread, which it has not had in this round; null where there is none. Locked.
  Job* take(const Worker& worker) {
    if (can_start()) {
      auto first = waiting_.extract(waiting_.begin());
      auto job = std::make_unique<Job>(std::move(first.mapped()));
      Job* const started = job.get();
      planned_ += started->plan = plan_of(started->task);
      running_.emplace(started, std::move(job));
      room_.notify_one();
      return started;
    }
    if (ready_.empty() || std::ranges::find(worker.seen, ready_.front()) != worker.seen.end()) return nullptr;
    Job* const job = ready_.front();
    ready_.pop_front();
    return job;
  }

  // Lets the job hand out at most so many leaves, and its share of them to this thread.
  void advance(Worker& worker, Job& job, int leaves) {
    std::unique_lock hold(job.mutex);
    Next next = Next::go_on;
    if (job.error.empty()) {
      try {
        next = hand_out(worker, job, leaves);
      } catch (const std::exception& error) {
        job.error = error_text(error);
      }
    }
    if (!job.error.empty()) next = job.under_way == 0 ? Next::end : Next::wait;
    if (next == Next::end) {
      hold.unlock();
      end(job);
    } else if (next == Next::wait) {
      job.queued = false;
    } else {
      push(job);
    }
  }

  Next hand_out(Worker& worker, Job& job, int leaves) {
    if (!job.search) start(job);
    share_memory(job);
    JobDesk& desk = desk_of(worker, job);
    if (job.search->closed()) {
      tell(job, PositionReport::Kind::last, desk);
      return Next::end;
    }
    const int share = std::max(leaves / thread_count_, 1);
    for (int given = 0; given < share && job.under_way < leaves; ++given) {
      if (desk.full()) return Next::go_on;
      const SearchStep step = job.search->step();
      if (step == SearchStep::done) {
        tell(job, PositionReport::Kind::last, desk);
        return Next::end;
      }
      if (step == SearchStep::waiting) return Next::wait;
      if (step == SearchStep::paused) {
        report_now_and_then(job, desk);
        return Next::go_on;
      }
      desk.add(job.search->leaf(), job, job.search->ticket());
      ++job.under_way;
    }
    return job.under_way < leaves ? Next::go_on : Next::wait;
  }

  // Counts what the job's tree takes, and lets it have what all trees leave free of the memory. Where they leave
  // nothing, trees above their plan are full, and the others go on. A full tree counts for nothing from then on,
  // since it goes as soon as its leaves are supplied: no further tree ends for the room that it makes.
  void share_memory(Job& job) {
    if (job.full) return;
    const std::size_t bytes = job.search->tree_bytes();
    const std::size_t all = tree_bytes_ += bytes - job.counted;
    job.counted = bytes;
    job.search->limit_tree_bytes(std::max(job.plan, bytes + (all < memory_ ? memory_ - all : 0)));
    if (!job.search->full()) return;
    job.full = true;
    tree_bytes_ -= std::exchange(job.counted, 0);
  }

  void start(Job& job) {
    const AnalysisTask& task = job.task;
    job.game = std::get<G>(task.line->game).name();
    auto game = std::make_shared<const G>(std::get<G>(task.line->game));
    job.next_report = std::chrono::steady_clock::now();
    set_next_report(job);
    job.search = std::make_unique<PositionSearch<G>>(
        std::move(game), task,
        PositionSearchSettings{.search = settings_.search, .leaves = settings_.leaves, .seed = settings_.seed},
        job.stop);
  }

  JobDesk& desk_of(Worker& worker, const Job& job) {
    auto at = worker.desks.find(job.game);
    if (at == worker.desks.end()) at = add_desk(worker, job);
    at->second.used = worker.round;
    return at->second;
  }

  auto add_desk(Worker& worker, const Job& job) {
    if (worker.desks.size() >= kMostDesks) {
      const auto oldest =
          std::ranges::min_element(worker.desks, {}, [](const auto& entry) { return entry.second.used; });
      if (oldest->second.used < worker.round) worker.desks.erase(oldest);
    }
    auto game = std::make_shared<const G>(std::get<G>(job.task.line->game));
    const EncodingShape shape = game->encoding(settings_.model->info.features);
    std::weak_ptr<Evaluator>& kept = worker.evaluators[fmt::format("{}x{}", shape.columns, shape.rows)];
    std::shared_ptr<Evaluator> evaluator = kept.lock();
    if (!evaluator) {
      kept = evaluator = evaluators_(shape, kRows);
      const std::lock_guard lock(mutex_);
      evaluator_ = evaluator->describe();
    }
    return worker.desks
        .emplace(std::piecewise_construct, std::forward_as_tuple(job.game),
                 std::forward_as_tuple(std::move(game), settings_.model, std::move(evaluator),
                                       settings_.evaluation.cache_mebibytes, kRows))
        .first;
  }

  // Evaluates the worker's batches and supplies the predictions.
  void evaluate(Worker& worker) {
    for (auto& [name, desk] : worker.desks) {
      if (desk.rows().empty()) continue;
      std::string error;
      try {
        desk.evaluate();
      } catch (const std::exception& caught) {
        error = error_text(caught);
      }
      for (std::size_t row = 0; row < desk.rows().size(); ++row) supply(desk, row, error);
    }
  }

  void supply(JobDesk& desk, std::size_t row, const std::string& error) {
    const auto [job, ticket] = desk.rows()[row];
    const std::lock_guard hold(job->mutex);
    --job->under_way;
    if (!error.empty()) job->error = error;
    if (job->error.empty()) {
      try {
        job->search->supply(ticket, desk.prediction(row));
        report_now_and_then(*job, desk);
      } catch (const std::exception& caught) {  // such as want of memory for the tree
        job->error = error_text(caught);
      }
    }
    if (job->queued) return;
    job->queued = true;
    push(*job);
  }

  void report_now_and_then(Job& job, JobDesk& desk) {
    if (job.task.report_seconds <= 0 || std::chrono::steady_clock::now() < job.next_report || job.stop) return;
    if (!job.search->begun()) return;  // nothing is known yet of any action
    tell(job, PositionReport::Kind::during, desk);
    set_next_report(job);
  }

  void set_next_report(Job& job) {
    const double seconds = std::min(job.task.report_seconds, 1e9);
    job.next_report =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
  }

  void tell(Job& job, PositionReport::Kind kind, JobDesk& desk) { job.task.report(job.search->report(kind, desk)); }

  // The job is `queued`, and this thread's no longer.
  void push(Job& job) {
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(&job);
    }
    wake_.notify_one();
  }

  // The job has ended: with its last report, or with an error. Nobody else knows it any more.
  void end(Job& job) {
    if (!job.error.empty()) {
      job.search.reset();  // the report may need the memory that the tree has used up
      job.task.report({.kind = PositionReport::Kind::failed, .error = job.error});
    }
    tree_bytes_ -= job.counted;
    std::unique_ptr<Job> ended;
    {
      const std::lock_guard lock(mutex_);
      const auto at = running_.find(&job);
      ended = std::move(at->second);
      running_.erase(at);
      planned_ -= ended->plan;
      if (waiting_.empty() && running_.empty()) idle_.notify_all();
    }
    wake_.notify_one();
  }

  void count_reported(std::size_t count) {
    const std::lock_guard lock(mutex_);
    reporting_ -= count;
    idle_.notify_all();
  }

  const PoolSettings settings_;
  const int thread_count_;
  const std::size_t places_;  // for jobs under way
  const std::size_t memory_;  // bytes of all trees
  const EvaluatorFactory evaluators_;
  std::atomic<unsigned> cache_epoch_{0};
  std::atomic<std::size_t> tree_bytes_{0};  // of all jobs, as each counted them last

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable wake_, room_, idle_;
  std::map<Place, AnalysisTask> waiting_;
  std::uint64_t next_ = 0;
  std::unordered_map<const Job*, std::unique_ptr<Job>> running_;
  std::deque<Job*> ready_;
  std::size_t planned_ = 0;    // bytes of those that run
  std::size_t reporting_ = 0;  // tasks that a call of terminate() is reporting
  std::string evaluator_;
  bool ending_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace koridor
