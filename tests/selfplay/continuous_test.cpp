// Self-play of one generation after the other without a pause.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/json_file.h"
#include "selfplay/generator/continuous_games.h"
#include "selfplay/generator/worker_parts.h"
#include "selfplay/shards/verify.h"
#include "tests/eventually.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;

class Continuous : public testing::Test {
 protected:
  ContinuousJob job(int generations, int games, int ahead) {
    SelfplayJob like{.game = parse_game("quoridor:3x3,walls=1")};
    like.selfplay = small_options().selfplay;
    like.selfplay.games = games;
    like.selfplay.evaluation.backend = "uniform";
    like.selfplay.shard_seconds = 0.05;
    like.threads = 1;
    like.status = folder_.path() / "status.json";
    return {.generation =
                [this, like](int generation) {
                  SelfplayJob one = like;
                  one.generation = generation;
                  one.model = model(generation);
                  one.shards = folder_.path() / "shards" / std::to_string(generation);
                  one.complete = one.shards / "complete";
                  return one;
                },
            .generations = generations,
            .ahead = ahead};
  }

  // Whose worker waits for the end of a fault.
  static ContinuousJob patient(ContinuousJob all) {
    all.generation = [of = all.generation](int generation) {
      SelfplayJob one = of(generation);
      one.patient = true;
      one.again_after = std::chrono::milliseconds(20);
      return one;
    };
    return all;
  }

  fs::path model(int generation) const { return folder_.path() / "models" / std::to_string(generation); }

  // The models of the generation's games, each of which must be there once and by the rules.
  std::multiset<std::uint32_t> models_of(const SelfplayJob& job) {
    std::multiset<std::uint32_t> models;
    std::set<std::uint32_t> numbers;
    for (const auto& entry : fs::directory_iterator(job.shards)) {
      if (entry.path().extension() != ".h5") continue;
      const ShardData data = read_shard(entry.path().string());
      EXPECT_EQ(verify_shard(data), std::vector<std::string>{});
      EXPECT_EQ(data.info.generation, job.generation);
      numbers.insert(data.game_number.begin(), data.game_number.end());
      models.insert(data.game_model.begin(), data.game_model.end());
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(job.games()));
    EXPECT_EQ(models.size(), numbers.size()) << "a game is there twice";
    return models;
  }

  TemporaryFolder folder_;
};

// Takes its time, so that the games of a batch end one after the other, and notes how many are in flight.
class UnhurriedEvaluator : public Evaluator {
 public:
  UnhurriedEvaluator(std::unique_ptr<Evaluator> inner, std::vector<int>& in_flight)
      : inner_(std::move(inner)), in_flight_(in_flight) {}
  const EncodingShape& shape() const override { return inner_->shape(); }
  int max_batch() const override { return inner_->max_batch(); }
  void evaluate(const Batch& batch, const Predictions& out) override {
    in_flight_.push_back(batch.size);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    inner_->evaluate(batch, out);
  }
  std::string describe() const override { return "slow"; }

 private:
  std::unique_ptr<Evaluator> inner_;
  std::vector<int>& in_flight_;
};

TEST_F(Continuous, NoSlotStandsEmptyBetweenGenerations) {
  constexpr int kGenerations = 8;
  const ContinuousJob all = job(kGenerations, 10, 100);
  WorkerSign sign(folder_.path() / "workers", "alone");
  Fault fault(sign.heartbeat(), std::chrono::milliseconds(10), false);
  write_file_atomically(this->model(0), "");
  const std::atomic<int> newest{0};
  ContinuousGames games(all, sign, fault, newest, 8);
  GeneratorOptions options = small_options();
  options.selfplay.slots = 8;
  options.tick_seconds = 0.02;
  std::vector<int> in_flight;
  const auto slow = [&](const EncodingShape& shape, int max_batch) {
    return std::make_unique<UnhurriedEvaluator>(make_uniform(shape, max_batch), in_flight);
  };
  games.begin();
  generate_games({all.generation(0).game, options, slow}, games, games, kNeverStop);
  games.finish();
  EXPECT_TRUE(games.all_complete());
  for (int generation = 0; generation < kGenerations; ++generation) {
    EXPECT_TRUE(fs::exists(all.generation(generation).complete));
    models_of(all.generation(generation));
  }
  const double mean = std::accumulate(in_flight.begin(), in_flight.end(), 0.0) / static_cast<double>(in_flight.size());
  EXPECT_GT(mean, 6.0) << "of 8 slots; where each generation ended first, it would be about 5";
}

TEST_F(Continuous, AWorkerWaitsOnceItIsAsFarAheadAsItMayBe) {
  constexpr int kGenerations = 5;
  const ContinuousJob all = job(kGenerations, 20, 1);
  WorkerSign sign(folder_.path() / "workers", "alone");
  write_file_atomically(model(0), "");
  WorkerEnd end = WorkerEnd::stopped;
  std::jthread worker([&] { end = run_continuous_worker(all, sign, kNeverStop); });
  const auto status = [&](const char* name) {
    try {
      return read_json(all.generation(0).status)[name];
    } catch (const UserError&) {
      return nlohmann::json();
    }
  };
  EXPECT_TRUE(eventually([&] { return fs::exists(all.generation(1).complete) && status("waits") == true; }));
  EXPECT_TRUE(fs::exists(all.generation(0).complete));
  EXPECT_FALSE(fs::exists(all.generation(2).shards)) << "model 1 is not there";
  EXPECT_TRUE(eventually([&] { return status("waited_seconds") > 0.1; }));
  // Another process begins to lead the run, has the games looked through again, and some are damaged.
  for (const auto& entry : fs::directory_iterator(all.generation(1).shards)) {
    if (entry.path().extension() == ".h5") fs::resize_file(entry.path(), 100);
  }
  fs::remove(all.generation(1).complete);
  EXPECT_TRUE(eventually([&] { return fs::exists(all.generation(1).complete); }));
  write_file_atomically(model(1), "");
  EXPECT_TRUE(eventually([&] { return fs::exists(all.generation(2).complete); }));
  EXPECT_FALSE(fs::exists(all.generation(3).shards));
  for (int generation = 2; generation < kGenerations - 1; ++generation) {
    write_file_atomically(model(generation), "");
    EXPECT_TRUE(eventually([&] { return fs::exists(all.generation(generation + 1).complete); }));
  }
  worker.join();
  EXPECT_EQ(end, WorkerEnd::complete);
  EXPECT_EQ(status("state"), "complete");
  EXPECT_EQ(models_of(all.generation(0)).count(0), 20u);
  EXPECT_EQ(models_of(all.generation(1)).count(0), 20u);
  for (const std::uint32_t by : models_of(all.generation(2))) EXPECT_LE(by, 1u);
  EXPECT_GE(*models_of(all.generation(4)).rbegin(), 1u) << "newer models are taken up";
}

// Games whose model is there were learned from, and may have been removed since.
TEST_F(Continuous, GamesThatWereLearnedFromAreNotPlayedAgain) {
  const ContinuousJob all = job(4, 8, 1);
  WorkerSign sign(folder_.path() / "workers", "alone");
  for (int generation = 0; generation <= 2; ++generation) write_file_atomically(model(generation), "");
  EXPECT_EQ(run_continuous_worker(all, sign, kNeverStop), WorkerEnd::complete);
  EXPECT_FALSE(fs::exists(all.generation(0).shards));
  EXPECT_FALSE(fs::exists(all.generation(1).shards));
  EXPECT_EQ(models_of(all.generation(2)).count(2), 8u);
  EXPECT_EQ(models_of(all.generation(3)).count(2), 8u);
}

// What failed here may have been done by others.
TEST_F(Continuous, AFaultIsGoneWhereOthersPlayedTheGeneration) {
  const ContinuousJob all = patient(job(3, 8, 100));
  WorkerSign sign(folder_.path() / "workers", "joined", std::chrono::milliseconds(10));
  write_file_atomically(model(0), "");
  write_file_atomically(all.generation(1).shards / "leases", "no folder");
  testing::internal::CaptureStderr();
  std::jthread worker([&] { EXPECT_EQ(run_continuous_worker(all, sign, kNeverStop), WorkerEnd::complete); });
  const auto fault = [&] { return member(read_json(sign.heartbeat().file()), "fault", std::string()); };
  EXPECT_TRUE(eventually([&] { return !fault().empty(); }));
  write_file_atomically(all.generation(1).complete, "");
  worker.join();
  EXPECT_EQ(fault(), "");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the fault is gone"), std::string::npos);
  EXPECT_EQ(models_of(all.generation(2)).size(), 8u);
}

// A worker that waits while a mount drops makes no directory in its place.
TEST_F(Continuous, ARunThatVanishesIsNotMadeAnew) {
  const ContinuousJob all = patient(job(3, 8, 0));
  write_file_atomically(model(0), "");
  WorkerSign sign(folder_.path() / "workers", "joined");
  std::atomic<bool> stop{false};
  ::testing::internal::CaptureStderr();
  std::jthread worker([&] { run_continuous_worker(all, sign, stop); });
  struct Stop {
    std::atomic<bool>& stop;
    ~Stop() { stop = true; }
  } const stop_at_end{stop};  // also where renaming throws
  EXPECT_TRUE(eventually([&] { return fs::exists(all.generation(0).complete); }));
  const fs::path away = folder_.path().string() + "-away";
  fs::rename(folder_.path(), away);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_FALSE(fs::exists(folder_.path()));
  fs::rename(away, folder_.path());
  stop = true;
  worker.join();
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("cannot find"), std::string::npos);
}

// Where others hold the games that the next model is made of, these are what is waited for.
TEST_F(Continuous, AWorkerKnowsWhatItWaitsFor) {
  const ContinuousJob all = job(2, 20, 0);
  WorkerSign other_sign(folder_.path() / "workers", "alone");
  WorkerSign sign(folder_.path() / "workers", "alone");
  const SelfplayJob first = all.generation(0);
  Leases other({.shards = first.shards,
                .workers = other_sign.folder(),
                .worker = other_sign.name(),
                .games = first.games(),
                .expected = shard_infos(first)});
  while (other.take()) {
  }
  write_file_atomically(this->model(0), "");
  Fault fault(sign.heartbeat(), std::chrono::milliseconds(10), false);
  std::atomic<int> model{0};
  ContinuousGames games(all, sign, fault, model, 8);
  games.begin();
  EXPECT_EQ(games.waits_for(), ContinuousGames::Wait::games);
  write_file_atomically(first.complete, "");
  ContinuousGames later(all, sign, fault, model, 8);
  later.begin();
  EXPECT_EQ(later.waits_for(), ContinuousGames::Wait::model);
  write_file_atomically(this->model(1), "");
  model = 1;
  EXPECT_EQ(later.waits_for(), ContinuousGames::Wait::none);
}

// However slow the games were on average, the wait counted.
TEST_F(Continuous, AfterAWaitEverySlotHasAGameAtOnce) {
  constexpr int kSlots = 100;
  ContinuousJob all = job(2, kSlots, 0);
  all.generation = [of = all.generation](int generation) {
    SelfplayJob one = of(generation);
    one.selfplay.first_games = 10;
    return one;
  };
  WorkerSign sign(folder_.path() / "workers", "alone");
  write_file_atomically(this->model(0), "");
  Fault fault(sign.heartbeat(), std::chrono::milliseconds(10), false);
  std::atomic<int> model{0};
  ContinuousGames games(all, sign, fault, model, kSlots);
  games.begin();
  const Generated played = generate("quoridor:3x3,walls=1", small_options(), uniform_factory(), 10);
  while (const std::optional<NextGame> next = games.next()) {
    GameRecord record = played.sink.games.at(next->number);
    record.generation = next->generation;
    games.take(record);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // 40 games in two seconds
  EXPECT_TRUE(eventually([&] {
    games.tick({});
    return fs::exists(all.generation(0).complete);
  }));
  write_file_atomically(this->model(1), "");
  model = 1;
  games.tick({});
  int ready = 0;
  while (games.next()) ++ready;
  EXPECT_EQ(ready, kSlots);
}

// A model that a worker cannot read, half copied for example, keeps it from none of the later ones.
TEST_F(Continuous, AWorkerGoesOnWithTheModelAfterOneThatIsDamaged) {
  ContinuousJob all = job(3, 8, 1);
  all.generation = [of = all.generation](int generation) {
    SelfplayJob one = of(generation);
    one.selfplay.evaluation.backend = "eigen";
    one.patient = true;
    one.again_after = std::chrono::milliseconds(20);
    return one;
  };
  WorkerSign sign(folder_.path() / "workers", "joined");
  test::write_tiny_model(model(0), 1);
  ::testing::internal::CaptureStderr();
  std::jthread worker([&] { EXPECT_EQ(run_continuous_worker(all, sign, kNeverStop), WorkerEnd::complete); });
  EXPECT_TRUE(eventually([&] { return fs::exists(all.generation(0).shards); }));
  write_file_atomically(model(1), "half a model");
  EXPECT_TRUE(eventually([&] { return fs::exists(all.generation(1).complete); }));
  EXPECT_FALSE(fs::exists(all.generation(2).shards));
  // Beside this file its temporary one comes and goes.
  const auto told = [&] { return read_file(sign.heartbeat().file()).find(model(1).string()) != std::string::npos; };
  EXPECT_TRUE(eventually(told)) << "its sign of life names the model";
  test::write_tiny_model(model(2), 2);
  worker.join();
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(model(1).string()), std::string::npos);
  EXPECT_EQ(models_of(all.generation(2)).count(2), 8u);
}

TEST(PauseBetweenLooks, FollowsTheTimeBetweenModels) {
  EXPECT_EQ(pause_between_looks(0, false), 0.1);
  EXPECT_EQ(pause_between_looks(40, false), 5);
  EXPECT_EQ(pause_between_looks(3600, false), 30);
  for (const double between : {0.0, 5.0, 40.0, 3600.0}) {
    EXPECT_LE(pause_between_looks(between, true), pause_between_looks(between, false));
    EXPECT_LE(pause_between_looks(between, true), 1) << "a worker that waits goes on soon";
  }
}

}  // namespace
}  // namespace koridor
