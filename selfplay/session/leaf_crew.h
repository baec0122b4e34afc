// The evaluation of one tree's leaves in several small batches. The thread that owns the tree fills a batch, hands it
// over and goes on with the tree; other threads evaluate, each with an evaluator of its own, and so does the owner
// instead of waiting. On a device (evaluators with several tickets) the batches are under way there.
//
//   crew.add(leaf, ticket);                       // as often as a batch has rows
//   crew.send();
//   const LeafBatch<G>& batch = crew.collect();   // the oldest of those sent
//   for (int row = 0; row < batch.size(); ++row) use(batch.ticket(row), batch.prediction(row));
//
// Batches come back in the order in which they were sent, whoever is ready first: what a search does with them does not
// depend on the threads' timing, nor on their number.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/failure.h"
#include "core/base/one_thread.h"
#include "core/game.h"
#include "core/search/prediction.h"
#include "models/network/evaluator.h"

namespace koridor {

// How the leaves under way are divided.
struct LeafSplit {
  int batches = 1;
  int rows = 1;  // of one batch

  int leaves() const { return batches * rows; }

  // Fewer for a search of few visits (0: nobody knows how many): what is under way at once costs strength, and more so
  // the fewer simulations follow.
  LeafSplit for_visits(int visits) const {
    constexpr int kVisitsPerLeaf = 50;
    if (visits <= 0) return *this;
    const int most = std::clamp(visits / kVisitsPerLeaf, 1, leaves());
    const int fewer_rows = std::clamp(most / batches, 1, rows);
    return {.batches = std::clamp(most / fewer_rows, 1, batches), .rows = fewer_rows};
  }
};

// Some leaves, each with the search's ticket, and the memory for their way through an evaluator.
template <Game G>
class LeafBatch {
 public:
  // At most `rows` leaves of `shape`.
  LeafBatch(const EncodingShape& shape, int rows)
      : planes_(floats(rows, shape.plane_floats())),
        scalars_(floats(rows, shape.scalars)),
        policy_(floats(rows, shape.policy_size())),
        value_(floats(rows, shape.value_size())),
        shape_(shape) {
    states_.reserve(static_cast<std::size_t>(rows));
    tickets_.reserve(static_cast<std::size_t>(rows));
  }

  int size() const { return static_cast<int>(states_.size()); }
  const typename G::State& state(int row) const { return states_[static_cast<std::size_t>(row)]; }
  int ticket(int row) const { return tickets_[static_cast<std::size_t>(row)]; }
  Prediction prediction(int row) const {
    return {of_row<const float>(policy_, row, shape_.policy_size()),
            of_row<const float>(value_, row, shape_.value_size())};
  }

  void clear() {
    states_.clear();
    tickets_.clear();
    done_ = false;
  }
  void add(const typename G::State& state, int ticket) {
    states_.push_back(state);
    tickets_.push_back(ticket);
  }
  // Encodes the leaves and hands them to the evaluator, which may take its time until its wait(ticket).
  void submit(const G& game, const Features& features, Evaluator& evaluator, int ticket) {
    for (int row = 0; row < size(); ++row) {
      game.encode(state(row), features, 0, of_row<float>(planes_, row, shape_.plane_floats()).data(),
                  of_row<float>(scalars_, row, shape_.scalars).data());
    }
    const Batch batch{size(), std::span(planes_).first(floats(size(), shape_.plane_floats())),
                      std::span(scalars_).first(floats(size(), shape_.scalars))};
    evaluator.submit(ticket, batch, {policy_, value_, {}});
  }

  // Whether a thread has evaluated it; the crew's lock guards this.
  bool done() const { return done_; }
  void set_done() { done_ = true; }

 private:
  static std::size_t floats(int rows, int each) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(each);
  }
  template <class T, class Floats>
  static std::span<T> of_row(Floats& all, int row, int each) {
    return std::span<T>(all).subspan(floats(row, each), static_cast<std::size_t>(each));
  }

  std::vector<typename G::State> states_;
  std::vector<int> tickets_;
  std::vector<float> planes_;   // [rows, planes, board rows, board columns]
  std::vector<float> scalars_;  // [rows, scalars]
  std::vector<float> policy_;   // [rows, policy_size]
  std::vector<float> value_;    // [rows, players + 1]
  EncodingShape shape_;
  bool done_ = false;
};

template <Game G>
class LeafCrew {
 public:
  // `threads` of them evaluate, the owner among them; `split` says how many leaves are under way at once. The factory
  // is called on each thread. When the crew is made, every evaluator is there and has been used once: that may take
  // longer than a move at a clock. The game must outlive the crew. Throws what the factory throws.
  LeafCrew(const G& game, const Features& features, EvaluatorFactory factory, int threads, const LeafSplit& split)
      : game_(&game),
        features_(features),
        shape_(game.encoding(features)),
        factory_(std::move(factory)),
        rows_(split.rows) {
    const OneThread one_thread;
    evaluator_ = make_evaluator();
    const bool elsewhere = evaluator_->tickets() > 1;
    for (int i = 0; i < (elsewhere ? evaluator_->tickets() : split.batches); ++i) {
      free_.push_back(static_cast<int>(batches_.size()));
      batches_.emplace_back(shape_, rows_);
    }
    try {
      if (!elsewhere) start_threads(threads - 1);
    } catch (...) {
      end_threads();
      throw;
    }
  }
  ~LeafCrew() {
    abandon();
    end_threads();
  }
  LeafCrew(const LeafCrew&) = delete;
  LeafCrew& operator=(const LeafCrew&) = delete;

  const EncodingShape& shape() const { return shape_; }
  // Whether a batch is being filled or free to be; else collect() frees one.
  bool has_room() const { return open_ >= 0 || !free_.empty(); }
  // Adds a leaf to the batch that is being filled; there must be room.
  void add(const typename G::State& state, int ticket) {
    if (open_ < 0) {
      open_ = free_.back();
      free_.pop_back();
      batch(open_).clear();
    }
    batch(open_).add(state, ticket);
  }
  // The leaves in the batch that is being filled, at most `rows`.
  int filled() const { return open_ < 0 ? 0 : batches_[static_cast<std::size_t>(open_)].size(); }

  // Hands over the batch that is being filled; nothing where it is empty.
  void send() {
    if (open_ < 0) return;
    if (evaluator_->tickets() > 1) {
      batch(open_).submit(*game_, features_, *evaluator_, open_);
      sent_.push_back(open_);  // where that throws the batch was not sent
    } else {
      sent_.push_back(open_);
      bool asleep = false;
      {
        const std::lock_guard lock(mutex_);
        queue_.push_back(open_);
        in_queue_.store(queue_.size(), std::memory_order_relaxed);
        asleep = sleepers_ > 0;
      }
      if (asleep) queued_.notify_one();
    }
    open_ = -1;
  }

  bool any_sent() const { return !sent_.empty(); }

  // The oldest of the batches that were sent, evaluated. It is the caller's until the next add(). Throws what an
  // evaluator throws.
  const LeafBatch<G>& collect() {
    const int oldest = sent_.front();
    sent_.pop_front();
    free_.push_back(oldest);
    finish(oldest);
    const std::lock_guard lock(mutex_);
    failure_.rethrow_and_forget();
    return batch(oldest);
  }

  // Forgets all leaves; returns when no thread is at work on one.
  void abandon() {
    {
      const std::lock_guard lock(mutex_);
      for (const int waiting : queue_) batch(waiting).set_done();
      queue_.clear();
      in_queue_.store(0, std::memory_order_relaxed);
    }
    while (any_sent()) {
      try {
        collect();
      } catch (...) {
        // Nobody asks for these results.
      }
    }
    if (open_ >= 0) free_.push_back(std::exchange(open_, -1));
  }

 private:
  LeafBatch<G>& batch(int number) { return batches_[static_cast<std::size_t>(number)]; }

  // Returns when the batch has been evaluated. Meanwhile the owner evaluates what no thread has begun.
  void finish(int number) {
    if (evaluator_->tickets() > 1) {
      evaluator_->wait(number);
      return;
    }
    std::unique_lock lock(mutex_);
    while (!batch(number).done()) {
      if (!queue_.empty()) {
        take_one(lock, *evaluator_);
        continue;
      }
      const std::size_t seen = evaluated_.load(std::memory_order_relaxed);
      lock.unlock();
      watch([&] { return evaluated_.load(std::memory_order_relaxed) != seen; });
      lock.lock();
      owner_sleeps_ = true;
      done_.wait(lock, [&] { return evaluated_.load(std::memory_order_relaxed) != seen; });
      owner_sleeps_ = false;
    }
  }

  // Returns when `come` says so, or after a while. To wake a thread that sleeps takes as long as to evaluate a leaf, so
  // that a thread with nothing to do stays awake for as long as a few evaluations take.
  template <class Come>
  static void watch(const Come& come) {
    constexpr auto kAwake = std::chrono::microseconds(100);
    const auto end = std::chrono::steady_clock::now() + kAwake;
    while (!come() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }

  // Evaluates the first batch of the queue, without the lock.
  void take_one(std::unique_lock<std::mutex>& lock, Evaluator& evaluator) {
    const int number = queue_.front();
    queue_.pop_front();
    in_queue_.store(queue_.size(), std::memory_order_relaxed);
    lock.unlock();
    try {
      batch(number).submit(*game_, features_, evaluator, 0);
      evaluator.wait(0);  // where what it hands out is checked (guard.h)
    } catch (...) {
      failure_.keep();
    }
    lock.lock();
    batch(number).set_done();
    evaluated_.fetch_add(1, std::memory_order_relaxed);
  }

  std::unique_ptr<Evaluator> make_evaluator() const {
    std::unique_ptr<Evaluator> evaluator = factory_(shape_, rows_);
    LeafBatch<G> first(shape_, rows_);
    for (int row = 0; row < rows_; ++row) first.add(game_->initial_state(), row);
    first.submit(*game_, features_, *evaluator, 0);
    evaluator->wait(0);
    return evaluator;
  }

  // Returns when the other threads have their evaluators. Throws what kept them from it.
  void start_threads(int others) {
    try {
      for (int i = 0; i < others; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      throw UserError(fmt::format("cannot start {} threads that evaluate: {}", others, error.what()));
    }
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return ready_ == others; });
    failure_.rethrow_and_forget();
  }
  void end_threads() {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    queued_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // What each of the other threads does.
  void work() {
    const OneThread one_thread;
    std::unique_ptr<Evaluator> evaluator;
    try {
      evaluator = make_evaluator();
    } catch (...) {
      failure_.keep();
    }
    {
      const std::lock_guard lock(mutex_);
      ++ready_;
    }
    done_.notify_one();
    if (!evaluator) return;
    std::unique_lock lock(mutex_);
    for (;;) {
      if (queue_.empty() && !leaving_) {
        lock.unlock();
        watch([&] { return in_queue_.load(std::memory_order_relaxed) > 0; });
        lock.lock();
      }
      ++sleepers_;
      queued_.wait(lock, [&] { return leaving_ || !queue_.empty(); });
      --sleepers_;
      if (leaving_) return;
      take_one(lock, *evaluator);
      if (owner_sleeps_) done_.notify_one();
    }
  }

  const G* game_;
  Features features_;
  EncodingShape shape_;
  EvaluatorFactory factory_;
  int rows_;
  std::unique_ptr<Evaluator> evaluator_;  // the owner's
  std::deque<LeafBatch<G>> batches_;
  std::vector<int> free_;             // batches that nobody uses
  int open_ = -1;                     // the batch that is being filled
  std::deque<int> sent_;              // oldest first
  std::vector<std::thread> threads_;  // besides the owner's

  std::mutex mutex_;
  std::condition_variable queued_;  // a batch has come into the queue, or the threads are to leave
  std::condition_variable done_;    // a batch has been evaluated, or a thread has its evaluator
  // Under the lock.
  std::deque<int> queue_;      // sent and not begun, oldest first
  int ready_ = 0;              // threads that have made their evaluator or failed to
  bool leaving_ = false;       // the threads are to leave
  int sleepers_ = 0;           // threads that wait for queued_
  bool owner_sleeps_ = false;  // the owner waits for done_

  Failure failure_;

  // Written under the lock; who looks without it looks again with it.
  std::atomic<std::size_t> in_queue_{0};   // queue_.size()
  std::atomic<std::size_t> evaluated_{0};  // batches so far
};

}  // namespace koridor
