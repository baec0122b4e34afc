// The server with a device that computes when it is told to, and its threads with one that computes by itself.
#include "models/server/evaluation_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "core/base/error.h"
#include "tests/error_of.h"
#include "tests/evaluator_device.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

using test::board;
using test::model_for;
using test::Positions;
using testing::ElementsAre;

const EncodingShape kShape = board(5, 5);

// A row's results are sums of its inputs.
void compute(const EncodingShape& shape, const PlaceMemory& at, int size) {
  for (int row = 0; row < size; ++row) {
    float sum = 0;
    for (const float value : at.planes.subspan(static_cast<std::size_t>(row * shape.plane_floats()),
                                               static_cast<std::size_t>(shape.plane_floats()))) {
      sum += value;
    }
    const auto fill = [&](std::span<float> to, int each, float value) {
      std::ranges::fill(to.subspan(static_cast<std::size_t>(row * each), static_cast<std::size_t>(each)), value);
    };
    fill(at.policy, shape.policy_size(), sum);
    fill(at.value, shape.value_size(), sum + at.scalars[static_cast<std::size_t>(row * shape.scalars)]);
    fill(at.auxiliary, shape.players, 2 * sum);
  }
}

Positions expected_for(Positions positions) {
  compute(kShape, {positions.planes, positions.scalars, positions.policy, positions.value, positions.auxiliary},
          positions.size);
  return positions;
}

// Computes on a thread of its own, one batch after another, each after a delay: as a GPU does.
class AsynchronousDevice : public BatchDevice {
 public:
  AsynchronousDevice(int capacity, int places, std::chrono::microseconds delay = {})
      : capacity_(capacity), delay_(delay), places_(static_cast<std::size_t>(places), Positions(kShape, capacity)) {
    done_.resize(places_.size());
    thread_ = std::thread([this] { work(); });
  }
  ~AsynchronousDevice() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const EncodingShape& shape() const override { return kShape; }
  int capacity() const override { return capacity_; }
  int places() const override { return static_cast<int>(places_.size()); }
  PlaceMemory memory(int place) override {
    Positions& at = places_[static_cast<std::size_t>(place)];
    return {at.planes, at.scalars, at.policy, at.value, at.auxiliary};
  }
  void launch(int place, int size) override {
    const std::lock_guard lock(mutex_);
    if (static_cast<int>(launched.size()) == fail_at) throw UserError("the device broke");
    launched.push_back(size);
    done_[static_cast<std::size_t>(place)] = false;
    queue_.push_back({place, size});
    most_in_flight = std::max(most_in_flight, static_cast<int>(queue_.size()));
    changed_.notify_all();
  }
  void finish(int place) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_[static_cast<std::size_t>(place)]; });
  }
  void launch_bare(int place) override { launch(place, capacity_); }
  std::string describe() const override { return "asynchronous"; }

  std::vector<int> launched;  // sizes of the batches
  int most_in_flight = 0;
  int fail_at = -1;  // number of the launch that throws

 private:
  struct Work {
    int place, size;
  };

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const Work next = queue_.front();
      lock.unlock();
      std::this_thread::sleep_for(delay_);
      compute(kShape, memory(next.place), next.size);
      lock.lock();
      queue_.pop_front();
      done_[static_cast<std::size_t>(next.place)] = true;
      changed_.notify_all();
    }
  }

  int capacity_;
  std::chrono::microseconds delay_;
  std::vector<Positions> places_;
  std::vector<bool> done_;
  std::deque<Work> queue_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

struct Served {
  explicit Served(int capacity, int places, std::chrono::microseconds delay = {}) {
    auto made = std::make_unique<AsynchronousDevice>(capacity, places, delay);
    device = made.get();
    server = std::make_shared<EvaluationServer>(std::move(made));
  }
  AsynchronousDevice* device;
  std::shared_ptr<EvaluationServer> server;
};

TEST(EvaluationServer, OneThreadGetsItsRows) {
  const Served given(8, 2);
  const auto client = connect(given.server, 8);
  Positions positions(kShape, 30);
  const Positions expected = expected_for(positions);
  for (int first = 0; first < 30; first += 5) positions.evaluate(*client, first, 5);
  EXPECT_EQ(positions.policy, expected.policy);
  EXPECT_EQ(positions.value, expected.value);
  EXPECT_EQ(positions.auxiliary, expected.auxiliary);
  EXPECT_THAT(given.device->launched, ElementsAre(5, 5, 5, 5, 5, 5));
}

TEST(EvaluationServer, AFullBatchStartsThoughNobodyWaits) {
  const Served given(8, 3);
  const auto a = connect(given.server, 4);
  const auto b = connect(given.server, 4);
  Positions positions(kShape, 16);
  a->submit(0, positions.batch(0, 4), positions.predictions(0, 4));
  EXPECT_THAT(given.device->launched, ElementsAre()) << "half full, and nobody waits";
  b->submit(0, positions.batch(4, 4), positions.predictions(4, 4));
  EXPECT_THAT(given.device->launched, ElementsAre(8));
  a->submit(1, positions.batch(8, 3), positions.predictions(8, 3));
  b->submit(1, positions.batch(11, 3), positions.predictions(11, 3));
  a->wait(0);
  b->wait(0);
  EXPECT_THAT(given.device->launched, ElementsAre(8));
  a->wait(1);
  EXPECT_THAT(given.device->launched, ElementsAre(8, 6)) << "the device was idle and a waited";
  b->wait(1);
  const Positions expected = expected_for(positions);
  EXPECT_EQ(std::vector(positions.policy.begin(), positions.policy.begin() + 14 * kShape.policy_size()),
            std::vector(expected.policy.begin(), expected.policy.begin() + 14 * kShape.policy_size()));
}

TEST(EvaluationServer, RowsThatDoNotFitStartWhatIsThere) {
  const Served given(8, 3);
  const auto a = connect(given.server, 8);
  Positions positions(kShape, 12);
  a->submit(0, positions.batch(0, 6), positions.predictions(0, 6));
  a->submit(1, positions.batch(6, 6), positions.predictions(6, 6));
  EXPECT_THAT(given.device->launched, ElementsAre(6));
  a->wait(1);
  a->wait(0);
  EXPECT_EQ(positions.value, expected_for(positions).value);
}

TEST(EvaluationServer, AThreadThatLeavesHoldsNobodyUp) {
  const Served given(8, 2);
  const auto stays = connect(given.server, 4);
  Positions positions(kShape, 8);
  {
    const auto leaves = connect(given.server, 4);
    leaves->submit(0, positions.batch(0, 2), positions.predictions(0, 2));
    leaves->submit(1, positions.batch(2, 2), positions.predictions(2, 2));
  }
  const Positions expected = expected_for(positions);
  positions.evaluate(*stays, 4, 4);
  EXPECT_EQ(std::vector(positions.value.begin() + 12, positions.value.end()),
            std::vector(expected.value.begin() + 12, expected.value.end()));
}

TEST(EvaluationServer, NeverTakesMoreThanTheDeviceHolds) {
  const Served given(8, 2);
  const auto client = connect(given.server, 100);
  EXPECT_EQ(client->max_batch(), 8);
  EXPECT_EQ(client->tickets(), 2);
  EXPECT_EQ(connect(std::make_shared<EvaluationServer>(std::make_unique<AsynchronousDevice>(8, 1)), 4)->tickets(), 1);
}

// Threads play with two tickets in turn, batches of random sizes, few places: every row must come back, whoever fills,
// starts or waits for the batch it is in.
TEST(EvaluationServer, ManyThreadsShareOneDevice) {
  for (const int places : {1, 2, 4}) {
    const Served given(32, places, std::chrono::microseconds(20));
    constexpr int kThreads = 5;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        Random random(static_cast<std::uint64_t>(thread));
        const auto client = connect(given.server, 16);
        const Positions expected = expected_for(Positions(kShape, 64, static_cast<std::uint64_t>(thread)));
        const int tickets = client->tickets();
        std::vector<Positions> mine(static_cast<std::size_t>(tickets), Positions(kShape, 64));
        std::vector<std::pair<int, int>> under_way(static_cast<std::size_t>(tickets));
        for (int turn = 0; turn < 150; ++turn) {
          const auto ticket = static_cast<std::size_t>(turn % tickets);
          auto& [first, count] = under_way[ticket];
          client->wait(static_cast<int>(ticket));
          for (int row = 0; row < count; ++row) {
            const auto at = static_cast<std::size_t>(first + row);
            if (mine[ticket].policy[at * static_cast<std::size_t>(kShape.policy_size())] !=
                expected.policy[at * static_cast<std::size_t>(kShape.policy_size())]) {
              ++wrong;
            }
          }
          std::ranges::fill(mine[ticket].policy, -1.0f);
          count = 1 + random.below(16);
          first = random.below(64 - count);
          client->submit(static_cast<int>(ticket), expected.batch(first, count),
                         mine[ticket].predictions(first, count));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << places << " places";
    EXPECT_GE(given.device->most_in_flight, std::min(places, 2)) << "batches wait for one another";
  }
}

TEST(EvaluationServer, EveryThreadHearsOfAFailure) {
  const Served given(8, 3, std::chrono::microseconds(50));
  given.device->fail_at = 20;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      const auto client = connect(given.server, 4);
      Positions positions(kShape, 8);
      const auto work = [&] {
        for (int turn = 0; turn < 1000; ++turn) {
          client->wait(turn % 2);
          client->submit(turn % 2, positions.batch(0, 4), positions.predictions(0, 4));
        }
      };
      EXPECT_EQ(error_of(work), "the device broke");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EvaluationServer, AnEvaluatorCanBeShared) {
  const Model model = model_for(kShape, {2, 16, 2, 8, 8, 16});
  const Evaluation evaluation{"eigen", "f32"};
  Positions expected(kShape, 64);
  expected.evaluate(*make_evaluator(model, kShape, evaluation, 16, "test"));
  const auto server = std::make_shared<EvaluationServer>(
      std::make_unique<test::EvaluatorDevice>(make_evaluator(model, kShape, evaluation, 16, "test"), 2));
  EXPECT_EQ(server->device().describe(), "eigen f32, shared");
  std::vector<std::thread> threads;
  std::vector<Positions> results(3, Positions(kShape, 64));
  for (Positions& mine : results) {
    threads.emplace_back([&mine, &server] {
      const auto client = connect(server, 7);
      mine.evaluate(*client);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Positions& mine : results) {
    EXPECT_EQ(mine.policy, expected.policy);
    EXPECT_EQ(mine.value, expected.value);
    EXPECT_EQ(mine.auxiliary, expected.auxiliary);
  }
}

}  // namespace
}  // namespace koridor
