// How the generator ends before its games are over: it is stopped, or something fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "core/base/error.h"
#include "models/server/evaluation_server.h"
#include "selfplay/generator/generator.h"
#include "selfplay/shards/verify.h"
#include "tests/evaluator_device.h"
#include "tests/selfplay/generator_tools.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using ::testing::IsEmpty;

// Sets the flag after some games, as a signal handler would.
class StoppingSink : public MemorySink {
 public:
  using MemorySink::MemorySink;
  void take(const GameRecord& record) override {
    MemorySink::take(record);
    if (games.size() == 10) stop = true;
  }
  std::atomic<bool> stop{false};
};

TEST(Generator, StopsCleanlyWithTheGamesThatAreFinished) {
  const AnyGame game = parse_game(kGame);
  StoppingSink sink({game});
  GeneratorOptions options = small_options();
  options.threads = 2;
  const auto statistics = generate_games({game, options, uniform_factory()}, numbers_up_to(100000), sink, sink.stop);
  EXPECT_GE(sink.games.size(), 10u);
  EXPECT_LT(sink.games.size(), 90000u);
  EXPECT_EQ(statistics.games, sink.games.size());
  EXPECT_THAT(verify_shard(sink.shards[0]), IsEmpty());
}

class FailingEvaluator : public OneActionEvaluator {
 public:
  FailingEvaluator(const EncodingShape& shape, int max_batch) : OneActionEvaluator(shape, max_batch, {}) {}
  void evaluate(const Batch& batch, const Predictions& out) override {
    if (++calls_ > 20) throw UserError("the evaluator broke");
    OneActionEvaluator::evaluate(batch, out);
  }

 private:
  int calls_ = 0;
};

TEST(Generator, AnEvaluatorsErrorEndsIt) {
  GeneratorOptions options = small_options();
  options.threads = 2;
  const auto failing = [](const EncodingShape& shape, int max_batch) {
    return std::make_unique<FailingEvaluator>(shape, max_batch);
  };
  EXPECT_THROW(generate(kGame, options, failing, 1000), UserError);
  const auto impossible = [](const EncodingShape&, int) -> std::unique_ptr<Evaluator> {
    throw UserError("no such evaluator");
  };
  EXPECT_THROW(generate(kGame, options, impossible, 1000), UserError);
}

// A device that several threads share, such as a GPU, may fail at any batch.
TEST(Generator, ASharedDevicesErrorEndsItOnEveryThread) {
  for (const int places : {1, 3}) {
    GeneratorOptions options = small_options();
    options.threads = 3;
    std::shared_ptr<EvaluationServer> server;
    std::mutex mutex;
    const auto shared = [&](const EncodingShape& shape, int max_batch) {
      const std::lock_guard lock(mutex);
      if (!server) {
        server = std::make_shared<EvaluationServer>(
            std::make_unique<test::EvaluatorDevice>(std::make_unique<FailingEvaluator>(shape, 3 * max_batch), places));
      }
      return connect(server, max_batch);
    };
    EXPECT_THROW(generate(kGame, options, shared, 1000), UserError);
  }
}

class FailingSink : public MemorySink {
 public:
  using MemorySink::MemorySink;
  void take(const GameRecord& record) override {
    if (games.size() == 5) throw UserError("the disk is full");
    MemorySink::take(record);
  }
};

TEST(Generator, ASinksErrorEndsIt) {
  const AnyGame game = parse_game(kGame);
  FailingSink sink({game});
  EXPECT_THROW(generate_games({game, small_options(), uniform_factory()}, numbers_up_to(100000), sink, kNeverStop),
               UserError);
  EXPECT_EQ(sink.games.size(), 5u);
}

}  // namespace
}  // namespace koridor
