#include "models/server/evaluation_server.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

#include "models/network/batch_check.h"

namespace koridor {

EvaluationServer::EvaluationServer(std::unique_ptr<BatchDevice> device)
    : device_(std::move(device)), places_(static_cast<std::size_t>(device_->places())) {}

void EvaluationServer::join() {
  const Lock lock(mutex_);
  ++threads_;
}

void EvaluationServer::leave() {
  Lock lock(mutex_);
  --threads_;
  start_open(lock);
}

EvaluationServer::Rows EvaluationServer::reserve(int count) {
  assert(count >= 1 && count <= device_->capacity());
  Lock lock(mutex_);
  check_failure();
  while (open_ >= 0 && places_[open_].rows + count > device_->capacity()) {
    const int full = open_;
    close_open();
    launch_if_written(lock, full);
  }
  if (open_ < 0) {
    open_ = place_in(State::free);
    if (open_ < 0) return {};
    places_[open_] = {.state = State::open};
  }
  Place& place = places_[open_];
  const Rows rows{open_, place.rows, count};
  place.rows += count;
  if (place.rows == device_->capacity()) close_open();
  return rows;
}

void EvaluationServer::commit(const Rows& rows) {
  Lock lock(mutex_);
  places_[rows.place].written += rows.count;
  launch_if_written(lock, rows.place);
  start_open(lock);
}

void EvaluationServer::finish(const Rows& rows) {
  Lock lock(mutex_);
  Place& place = places_[rows.place];
  place.wanted = true;
  ++waiting_;
  while (place.state != State::done && !failure_.failed()) help(lock, rows.place);
  --waiting_;
  check_failure();
}

void EvaluationServer::release(const Rows& rows) {
  const Lock lock(mutex_);
  Place& place = places_[rows.place];
  place.released += rows.count;
  if (place.released < place.rows || place.state != State::done) return;
  place.state = State::free;
  changed_.notify_all();
}

void EvaluationServer::wait_for_place() {
  Lock lock(mutex_);
  ++waiting_;
  while (open_ < 0 && place_in(State::free) < 0 && !failure_.failed()) help(lock, -1);
  --waiting_;
  check_failure();
}

int EvaluationServer::place_in(State state) const {
  int found = -1;
  for (int i = 0; i < static_cast<int>(places_.size()); ++i) {
    if (places_[i].state == state && (found < 0 || places_[i].launch < places_[found].launch)) found = i;
  }
  return found;
}

void EvaluationServer::close_open() {
  places_[std::exchange(open_, -1)].state = State::closed;
}

void EvaluationServer::launch_if_written(Lock& lock, int number) {
  Place& place = places_[number];
  if (place.state != State::closed || place.written < place.rows) return;
  place.state = State::launching;
  place.launch = ++launches_;
  ++in_flight_;
  lock.unlock();
  try {
    device_->launch(number, place.rows);
  } catch (...) {
    failure_.keep();
  }
  lock.lock();
  place.state = State::in_flight;
  changed_.notify_all();
}

bool EvaluationServer::start_open(Lock& lock) {
  if (open_ < 0 || places_[open_].rows == 0) return false;
  const bool idle_and_wanted = in_flight_ == 0 && places_[open_].wanted;
  if (!idle_and_wanted && waiting_ < threads_) return false;
  const int place = open_;
  close_open();
  launch_if_written(lock, place);
  return true;
}

void EvaluationServer::finish_in_flight(Lock& lock, int number) {
  const std::uint64_t launch = places_[number].launch;
  lock.unlock();
  try {
    device_->finish(number);
  } catch (...) {
    failure_.keep();
  }
  lock.lock();
  Place& place = places_[number];
  if (place.state != State::in_flight || place.launch != launch) return;  // another thread was here first
  place.state = State::done;
  --in_flight_;
  changed_.notify_all();
}

void EvaluationServer::help(Lock& lock, int preferred) {
  if (start_open(lock)) return;
  const bool there = preferred >= 0 && places_[preferred].state == State::in_flight;
  const int running = there ? preferred : place_in(State::in_flight);
  if (running >= 0) {
    finish_in_flight(lock, running);
  } else {
    changed_.wait(lock);
  }
}

void EvaluationServer::check_failure() const {
  failure_.rethrow();
}

namespace {

class Client final : public Evaluator {
 public:
  Client(std::shared_ptr<EvaluationServer> server, int max_batch)
      : server_(std::move(server)),
        shape_(server_->device().shape()),
        max_batch_(std::min(max_batch, server_->device().capacity())),
        submissions_(server_->device().places() > 1 ? 2 : 1) {
    server_->join();
  }
  ~Client() override {
    for (Submission& submission : submissions_) {
      if (submission.rows.place < 0) continue;
      try {
        server_->finish(submission.rows);
      } catch (...) {
        // The threads that wait for results get the exception.
      }
      server_->release(submission.rows);
    }
    server_->leave();
  }

  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return max_batch_; }
  std::string describe() const override { return server_->device().describe(); }
  int tickets() const override { return static_cast<int>(submissions_.size()); }

  void evaluate(const Batch& batch, const Predictions& out) override {
    submit(0, batch, out);
    wait(0);
  }

  void submit(int ticket, const Batch& batch, const Predictions& out) override {
    while (!try_submit(ticket, batch, out)) {
      // This thread's other results may occupy the places.
      for (Submission& other : submissions_) take(other);
      server_->wait_for_place();
    }
  }

  bool try_submit(int ticket, const Batch& batch, const Predictions& out) override {
    assert_batch(shape_, max_batch_, batch, out);
    Submission& submission = submissions_[ticket];
    assert(submission.rows.place < 0);
    const EvaluationServer::Rows rows = server_->reserve(batch.size);
    if (rows.place < 0) return false;
    const PlaceMemory memory = server_->memory(rows.place);
    const int planes = shape_.plane_floats(), scalars = shape_.scalars;
    copy(batch.planes, from_row(memory.planes, rows.first, planes), rows.count, planes);
    copy(batch.scalars, from_row(memory.scalars, rows.first, scalars), rows.count, scalars);
    submission = {rows, out};
    server_->commit(rows);
    return true;
  }

  void wait(int ticket) override { take(submissions_[ticket]); }

 private:
  struct Submission {
    EvaluationServer::Rows rows;
    Predictions out;
  };

  // The first `rows` rows, of `length` floats each.
  static void copy(std::span<const float> from, std::span<float> to, int rows, int length) {
    if (to.empty()) return;
    std::copy_n(from.begin(), static_cast<std::ptrdiff_t>(rows) * length, to.begin());
  }
  // What is there from a row on, of `length` floats each.
  static std::span<float> from_row(std::span<float> memory, int row, int length) {
    return memory.subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(length));
  }

  void take(Submission& submission) {
    const EvaluationServer::Rows rows = submission.rows;
    if (rows.place < 0) return;
    server_->finish(rows);
    const PlaceMemory memory = server_->memory(rows.place);
    const auto give = [&](std::span<float> from, std::span<float> to, int length) {
      copy(from_row(from, rows.first, length), to, rows.count, length);
    };
    give(memory.policy, submission.out.policy, shape_.policy_size());
    give(memory.value, submission.out.value, shape_.value_size());
    give(memory.auxiliary, submission.out.auxiliary, shape_.players);
    server_->release(rows);
    submission.rows = {};
  }

  std::shared_ptr<EvaluationServer> server_;
  EncodingShape shape_;
  int max_batch_;
  std::vector<Submission> submissions_;  // one per ticket
};

}  // namespace

std::unique_ptr<Evaluator> connect(std::shared_ptr<EvaluationServer> server, int max_batch) {
  return std::make_unique<Client>(std::move(server), max_batch);
}

}  // namespace koridor
