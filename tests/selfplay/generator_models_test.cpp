// Models that come while games are played, and devices that threads share.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "models/server/evaluation_server.h"
#include "selfplay/generator/generator.h"
#include "tests/evaluator_device.h"
#include "tests/selfplay/generator_tools.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

// Threads that share a device, with two groups of slots each.
TEST(Generator, ASharedDeviceDoesNotChangeTheGames) {
  GeneratorOptions options = small_options();
  const ShardData reference = generate(kGame, options, network_factory("eigen"), 24).sink.in_order();
  const EncodingShape shape = std::get<wall::WallGame>(parse_game(kGame)).encoding({});
  for (const int threads : {1, 3}) {
    options.threads = threads;
    options.selfplay.slots = 5;
    const auto server = std::make_shared<EvaluationServer>(
        std::make_unique<test::EvaluatorDevice>(network_factory("eigen")(shape, 8), 3));
    const auto shared = [&](const EncodingShape&, int max_batch) { return connect(server, max_batch); };
    const Generated generated = generate(kGame, options, shared, 24);
    EXPECT_EQ(generated.sink.in_order(), reference);
    EXPECT_GT(generated.statistics.batches, 0u);
    options.selfplay.evaluation.cache_mebibytes = 1;
    EXPECT_EQ(generate(kGame, options, shared, 24).sink.in_order(), reference);
    options.selfplay.evaluation.cache_mebibytes = 0;
  }
}

// An evaluator whose batches are written down under the number of its model.
class NamedEvaluator : public Evaluator {
 public:
  NamedEvaluator(std::unique_ptr<Evaluator> inner, std::uint32_t model, std::vector<std::uint32_t>& batches)
      : inner_(std::move(inner)), model_(model), batches_(batches) {}
  const EncodingShape& shape() const override { return inner_->shape(); }
  int max_batch() const override { return inner_->max_batch(); }
  void evaluate(const Batch& batch, const Predictions& out) override {
    batches_.push_back(model_);
    inner_->evaluate(batch, out);
  }
  std::string describe() const override { return "named"; }

 private:
  std::unique_ptr<Evaluator> inner_;
  std::uint32_t model_;
  std::vector<std::uint32_t>& batches_;
};

// Networks with other weights for each number.
EvaluatorFactory named_factory(std::uint32_t number, std::vector<std::uint32_t>& batches) {
  return [number, &batches](const EncodingShape& shape, int max_batch) {
    ModelInfo info = small_random_model(shape).info;
    return std::make_unique<NamedEvaluator>(
        make_evaluator(random_model(info, 50 + number), shape, {.backend = "eigen"}, max_batch, "test"), number,
        batches);
  };
}

// Hands out the models 1 and 2, once some games are over.
class TwoModels : public ModelSource {
 public:
  TwoModels(std::atomic<int>& games, std::vector<std::uint32_t>& batches) : games_(games), batches_(batches) {}
  std::optional<NumberedModel> newer(std::uint32_t than) override {
    if (than >= 2 || games_ < 10) return std::nullopt;
    return NumberedModel{than + 1, named_factory(than + 1, batches_)};
  }
  void given(std::uint32_t number) override { given_number = number; }

  std::atomic<std::uint32_t> given_number{0};

 private:
  std::atomic<int>& games_;
  std::vector<std::uint32_t>& batches_;
};

// Model 0, which plays on slowly once model 1 plays: until model 2 is there.
class LingeringEvaluator : public NamedEvaluator {
 public:
  LingeringEvaluator(std::unique_ptr<Evaluator> inner, std::vector<std::uint32_t>& batches, const TwoModels& models)
      : NamedEvaluator(std::move(inner), 0, batches), batches_(batches), models_(models) {}
  void evaluate(const Batch& batch, const Predictions& out) override {
    if (std::ranges::find(batches_, 1u) != batches_.end()) {
      for (int tries = 0; tries < 500 && models_.given_number < 2; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    NamedEvaluator::evaluate(batch, out);
  }

 private:
  const std::vector<std::uint32_t>& batches_;
  const TwoModels& models_;
};

class CountingSink : public MemorySink {
 public:
  using MemorySink::MemorySink;
  void take(const GameRecord& record) override {
    MemorySink::take(record);
    ++taken;
  }
  std::atomic<int> taken{0};
};

// Two newer models come while games are played: every game is, to the bit, the one that its model plays alone, also
// where predictions are cached, and the third model waits until the games of the first are over.
TEST(Generator, EachGameIsPlayedToItsEndByTheModelThatItBeganWith) {
  GeneratorOptions options = small_options();
  options.selfplay.slots = 8;
  options.selfplay.evaluation.cache_mebibytes = 1;
  options.model = 0;
  constexpr int kGames = 200;
  std::vector<std::uint32_t> batches;
  const AnyGame game = parse_game(kGame);
  CountingSink sink({game});
  TwoModels models(sink.taken, batches);
  const std::vector<std::uint32_t> numbers = numbers_up_to(kGames);
  ListedGames source(numbers, 3);
  const auto lingering = [&](const EncodingShape& shape, int max_batch) {
    return std::make_unique<LingeringEvaluator>(make_evaluator(random_model(small_random_model(shape).info, 50), shape,
                                                               {.backend = "eigen"}, max_batch, "test"),
                                                batches, models);
  };
  generate_games({game, options, lingering}, source, sink, kNeverStop, &models);
  EXPECT_EQ(sink.games.size(), static_cast<std::size_t>(kGames));
  std::array<std::vector<std::uint32_t>, 3> by_model;
  for (const auto& [number, record] : sink.games) {
    if (by_model.at(record.model).size() < 12) by_model[record.model].push_back(number);
    EXPECT_EQ(record.generation, 3u);
  }
  std::vector<std::uint32_t> unused;
  for (std::uint32_t model = 0; model < 3; ++model) {
    ASSERT_FALSE(by_model[model].empty()) << model;
    MemorySink alone({game});
    generate_games({game, options, named_factory(model, unused)}, by_model[model], alone, kNeverStop);
    for (const auto& [number, expected] : alone.games) {
      EXPECT_EQ(sink.games.at(number).actions, expected.actions) << number << " by " << model;
      EXPECT_EQ(sink.games.at(number).policy_probabilities, expected.policy_probabilities);
    }
  }
  const auto first_of = [&](std::uint32_t model) { return std::ranges::find(batches, model); };
  const auto last = std::find(batches.rbegin(), batches.rend(), 0u).base();
  EXPECT_LT(first_of(1), last) << "both are in flight for a while";
  EXPECT_GE(first_of(2), last) << "never three, though the third was there";
}

// Takes its time, as a GPU does.
class PausingEvaluator : public OneActionEvaluator {
 public:
  PausingEvaluator(const EncodingShape& shape, int max_batch) : OneActionEvaluator(shape, max_batch, {}) {}
  void evaluate(const Batch& batch, const Predictions& out) override {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    OneActionEvaluator::evaluate(batch, out);
  }
};

// A device of a model's own, as a GPU has for each model, with few places.
EvaluatorFactory shared_device() {
  struct Device {
    std::mutex mutex;
    std::shared_ptr<EvaluationServer> server;
  };
  return [device = std::make_shared<Device>()](const EncodingShape& shape, int max_batch) {
    const std::lock_guard lock(device->mutex);
    if (!device->server) {
      device->server = std::make_shared<EvaluationServer>(
          std::make_unique<test::EvaluatorDevice>(std::make_unique<PausingEvaluator>(shape, 2 * max_batch), 2));
    }
    return connect(device->server, max_batch);
  };
}

// A newer model as often as one is asked for.
class ManyModels : public ModelSource {
 public:
  std::optional<NumberedModel> newer(std::uint32_t than) override {
    made_ = 0;
    return NumberedModel{than + 1, [this, make = shared_device()](const EncodingShape& shape, int max_batch) {
                           ++made_;
                           return make(shape, max_batch);
                         }};
  }
  void given(std::uint32_t) override { made_when_given.insert(made_); }

  std::set<int> made_when_given;

 private:
  int made_ = 0;
};

// Threads that have games of two models in flight hold places of two devices, and must not wait for each other for
// ever.
TEST(Generator, ThreadsWithTwoModelsOnSharedDevicesDoNotWaitForEachOther) {
  GeneratorOptions options = small_options();
  options.threads = 6;
  options.selfplay.slots = 6;
  options.selfplay.visits = options.selfplay.cheap_visits = 40;
  options.model = 0;
  const AnyGame game = parse_game(kGame);
  MemorySink sink({game});
  ManyModels models;
  const std::vector<std::uint32_t> numbers = numbers_up_to(250);
  ListedGames source(numbers, 3);
  generate_games({game, options, shared_device()}, source, sink, kNeverStop, &models);
  EXPECT_EQ(sink.games.size(), numbers.size());
  std::set<std::uint32_t> played;
  for (const auto& [number, record] : sink.games) played.insert(record.model);
  EXPECT_GT(played.size(), 3u);
  EXPECT_EQ(models.made_when_given, std::set<int>{6}) << "a model counts as there once every thread has it";
}

}  // namespace
}  // namespace koridor
