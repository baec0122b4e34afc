#include "train/learner/learner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "core/base/error.h"
#include "core/base/files.h"
#include "models/backends.h"
#include "models/network/learned_rules.h"
#include "tests/error_of.h"
#include "train/learner/checkpoint.h"
#include "train/learner/parameters.h"
#include "train/learner/random_shard.h"

namespace koridor {
namespace {

const AnyGame& game() {
  static const AnyGame value = parse_game("quoridor:5x5,walls=2");
  return value;
}

NetworkConfig small_network() {
  NetworkConfig network;
  network.blocks = 2;
  network.channels = 8;
  network.policy_channels = 8;
  network.value_channels = 8;
  network.value_hidden = 16;
  return network;
}

TrainingConfig quick_training() {
  TrainingConfig training;
  training.learning_rate = 0.01;
  training.warmup_steps = 1;
  training.bf16 = false;
  training.device = "cpu";  // device_trainer_test.cpp tests GPUs
  training.ema = 0.9;
  return training;
}

TrainingBatch batch_of(const AnyGame& of, int size, std::uint64_t seed) {
  ReplayWindow window({of}, Features{}, TrainingConfig{}, "");
  window.add("made up", random_shard(of, 10, seed));
  Random random(seed);
  TrainingBatch batch;
  window.sample(size, random, batch);
  return batch;
}

std::unique_ptr<Learner> new_learner(const TrainingBatch& batch, std::uint64_t seed = 1, int threads = 1) {
  return std::make_unique<Learner>(
      NetworkTraining{small_network(), training_signature({}, batch.shape), quick_training()}, seed, threads);
}

ModelInfo info() {
  ModelInfo value;
  value.family = "wall";
  value.game = "quoridor:5x5,walls=2";
  return value;
}

struct Results {
  std::vector<float> policy, value, auxiliary;
};

Results libtorch_results(Learner& learner, const TrainingBatch& batch, bool average) {
  const std::vector<std::vector<float>> heads = learner.predict(batch, average);
  return {heads[0], heads[1], heads[2]};
}

Results evaluator_results(const Model& model, const TrainingBatch& batch) {
  const auto evaluator = make_evaluator(model, batch.shape, {.backend = "eigen"}, batch.size, "test");
  Results results{std::vector<float>(std::size_t(batch.size) * batch.shape.policy_size()),
                  std::vector<float>(std::size_t(batch.size) * batch.shape.value_size()),
                  std::vector<float>(std::size_t(batch.size) * batch.shape.players)};
  evaluator->evaluate({batch.size, batch.planes, batch.scalars}, {results.policy, results.value, results.auxiliary});
  return results;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

void expect_close(const Results& a, const Results& b, float tolerance) {
  EXPECT_LT(largest_difference(a.policy, b.policy), tolerance);
  EXPECT_LT(largest_difference(a.value, b.value), tolerance);
  EXPECT_LT(largest_difference(a.auxiliary, b.auxiliary), tolerance);
}

// A learner whose normalisation has non-trivial scales, shifts and statistics.
std::unique_ptr<Learner> trained(const TrainingBatch& batch, int steps = 30) {
  auto learner = new_learner(batch);
  for (int i = 0; i < steps; ++i) learner->step(batch, 0.01);
  return learner;
}

TEST(HiddenMatrices, AreTheWeightsOfTheBlocksAndNoOthers) {
  const ParameterLayout layout = parameter_layout(
      small_network(),
      training_signature(
          {}, EncodingShape{.planes = 5, .rows = 4, .columns = 3, .scalars = 2, .policy_planes = 1, .players = 2}));
  std::vector<std::string> names;
  for (const HiddenMatrix& matrix : hidden_matrices(layout)) {
    const auto entry = std::ranges::find(layout.parameters, matrix.offset, &ParameterEntry::offset);
    ASSERT_NE(entry, layout.parameters.end());
    EXPECT_EQ(entry->size(), matrix.size());
    EXPECT_EQ(entry->shape[0], matrix.rows);
    EXPECT_EQ(matrix.share, entry->name == "blocks.1.pool.weight" ? 0.25f : 1.0f);
    names.push_back(entry->name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"blocks.0.first.weight", "blocks.0.second.weight", "blocks.1.first.weight",
                                             "blocks.1.pool.weight", "blocks.1.second.weight"}));
}

TEST(Export, EvaluatorAndLibTorchAgree) {
  const TrainingBatch batch = batch_of(game(), 32, 1);
  const auto learner = trained(batch);
  expect_close(libtorch_results(*learner, batch, true), evaluator_results(learner->exported(info()), batch), 1e-4f);
  // On another board, with the same weights: its evaluator is shown the size of the board that it learned.
  TrainingBatch wide = batch_of(parse_game("quoridor:7x6,walls=4"), 8, 2);
  show_learned_rules(learned_rules(learner->exported(info())), wide.scalars, wide.shape.scalars);
  expect_close(libtorch_results(*learner, wide, true), evaluator_results(learner->exported(info()), wide), 1e-4f);
}

// Go has an ownership head, which self-play does without.
TEST(Export, EvaluatorAndLibTorchAgreeOnGo) {
  const TrainingBatch batch = batch_of(parse_game("go:5x5"), 16, 1);
  EXPECT_EQ(batch.of("ownership").size(), 16u * 25u);
  const auto learner = trained(batch);
  const Model model = learner->exported(info());
  EXPECT_EQ(model.tensors.count("ownership.out.weight"), 1u);
  expect_close(libtorch_results(*learner, batch, true), evaluator_results(model, batch), 1e-4f);
}

// With every head there is: they learn, and an evaluator reads what it knows.
TEST(Export, MoreHeadsLearnAndDoNotDisturbEvaluators) {
  TrainingConfig training = quick_training();
  for (auto& [name, weight] : training.weights) weight = 0.5;
  ReplayWindow window({game()}, Features{}, training, "");
  ShardData shard = random_shard(game(), 10, 1);
  for (std::size_t number = 0; number < shard.games(); ++number) {  // searches that know the outcome
    for (std::size_t ply = shard.game_first_ply[number]; ply < shard.game_first_ply[number] + shard.game_plies[number];
         ++ply) {
      std::copy_n(shard.game_outcome.begin() + 2 * number, 2, shard.ply_value.begin() + 2 * ply);
    }
  }
  window.add("made up", shard);
  Random random(1);
  TrainingBatch batch;
  window.sample(32, random, batch);
  Learner learner({small_network(), training_signature(training.weights, batch.shape), training}, 1, 1);
  ASSERT_EQ(learner.objectives().size(), all_targets().size() - 1) << "all but ownership, which is Go's";
  const StepResult first = learner.step(batch, 0.01).value();
  StepResult last;
  for (int i = 0; i < 60; ++i) last = learner.step(batch, 0.01).value();
  for (std::size_t i = 0; i < first.each.size(); ++i) {
    EXPECT_LT(last.each[i], 0.9f * first.each[i]) << learner.objectives()[i].head.name;
  }
  const Model model = learner.exported(info());
  EXPECT_EQ(model.tensors.count("reply.pass.weight"), 1u);
  expect_close(libtorch_results(learner, batch, true), evaluator_results(model, batch), 1e-4f);
}

// A head that the model lacks starts at random; all else is the model's.
TEST(Export, AModelWithoutAHeadStartsALearnerThatHasIt) {
  const TrainingBatch batch = batch_of(game(), 32, 1);
  const Model model = trained(batch)->exported(info());
  TrainingConfig training = quick_training();
  training.weights["reply"] = 0.5;
  Learner learner({small_network(), training_signature(training.weights, batch.shape), training}, 3, 1);
  learner.start_from(model, "model");
  expect_close(libtorch_results(learner, batch, false), evaluator_results(model, batch), 1e-4f);
  float largest = 0;
  const Model exported = learner.exported(info());
  for (const float weight : exported.tensors.at("reply.out.weight")) largest = std::max(largest, weight);
  EXPECT_GT(largest, 0.0f);
  EXPECT_THROW(learner.step(batch, 0.01), std::invalid_argument) << "a batch without the head's target";
}

// Such as a file from elsewhere: its tensors of that name have other sizes.
TEST(Export, AModelWithAnotherHeadOfTheSameNameIsRefused) {
  const TrainingBatch batch = batch_of(game(), 4, 1);
  TrainingConfig training = quick_training();
  training.weights["reply"] = 0.5;
  Learner learner({small_network(), training_signature(training.weights, batch.shape), training}, 3, 1);
  ModelInfo other = info();
  other.network = small_network();
  other.signature = training_signature({}, batch.shape);
  other.signature.heads.push_back({"reply", Extent::outcome, Activation::softmax, 16});
  const Model model = random_model(other, 1);
  EXPECT_EQ(error_of([&] { learner.start_from(model, "a.koridor"); }),
            "a.koridor: its network's head is reply:outcome:softmax:16, and the one to be trained is "
            "reply:actions:softmax:1; heads of one name must be alike");
  const ParameterLayout layout = parameter_layout(small_network(), training_signature(training.weights, batch.shape));
  EXPECT_THROW(import_model(layout, model, random_weights(layout, 1)), std::invalid_argument);
}

TEST(Export, HoldsEveryTensorAndSurvivesTheFile) {
  const TrainingBatch batch = batch_of(game(), 16, 1);
  const auto learner = trained(batch, 3);
  const Model model = learner->exported(info());
  EXPECT_EQ(model.info.network, small_network());
  EXPECT_EQ(model.info.signature, training_signature({}, batch.shape));
  const auto tensors = network_tensors(model.info.network, model.info.signature);
  EXPECT_EQ(model.tensors.size(), tensors.size());
  for (const auto& [name, shape] : tensors) {
    std::size_t size = 1;
    for (int extent : shape) size *= static_cast<std::size_t>(extent);
    ASSERT_TRUE(model.tensors.contains(name)) << name;
    EXPECT_EQ(model.tensors.at(name).size(), size) << name;
  }
  const auto path = std::filesystem::temp_directory_path() / ("koridor-export-" + std::to_string(::getpid()));
  save_model(path.string(), model);
  EXPECT_EQ(load_model(path.string()).tensors, model.tensors);
  std::filesystem::remove(path);
}

TEST(Export, AModelComesBackIntoTheNet) {
  const TrainingBatch batch = batch_of(game(), 32, 1);
  const Model model = trained(batch)->exported(info());
  const Results before = evaluator_results(model, batch);
  auto learner = new_learner(batch, 99);
  learner->start_from(model, "model");
  expect_close(libtorch_results(*learner, batch, false), before, 1e-4f);
  // A step with rate 0 fits the statistics: that changes nothing either, although training now normalises by
  // the batch ...
  const StepResult first = learner->step(batch, 0.0).value();
  expect_close(libtorch_results(*learner, batch, false), before, 2e-3f);
  expect_close(evaluator_results(learner->exported(info()), batch), before, 2e-3f);
  // ... so the loss starts where the model's was, far below a random network's.
  const StepResult random = new_learner(batch, 99)->step(batch, 0.0).value();
  EXPECT_LT(first.loss, 0.7f * random.loss);
}

// A random start is soon forgotten by the average, a trained one counts as long as any weights.
TEST(Export, TheAverageGoesOnFromAModel) {
  const TrainingBatch batch = batch_of(game(), 32, 1);
  const Model model = trained(batch)->exported(info());
  auto learner = new_learner(batch, 99);
  learner->start_from(model, "model");
  learner->step(batch, 0.0);
  const LearnerState before = learner->state();
  learner->step(batch, 0.05);
  const LearnerState after = learner->state();
  const auto ema = static_cast<float>(quick_training().ema);
  const auto expect_moved = [&](const std::vector<float>& old, const std::vector<float>& values,
                                const std::vector<float>& average) {
    for (std::size_t i = 0; i < old.size(); ++i) {
      ASSERT_NEAR(average[i], ema * old[i] + (1 - ema) * values[i], 1e-5f * (1 + std::abs(old[i]))) << i;
    }
  };
  expect_moved(before.optimizer.average, after.weights.parameters, after.optimizer.average);
  expect_moved(before.average_statistics, after.weights.statistics, after.average_statistics);
}

// The norm of a filter says by how much a step of the optimiser turns it.
TEST(Export, FiltersThatFoldingMadeShortLearnAsAnyOthers) {
  const TrainingBatch batch = batch_of(game(), 8, 1);
  Model model = trained(batch)->exported(info());
  for (float& weight : model.tensors.at("blocks.0.second.weight")) weight *= 1e-3f;
  model.tensors.at("blocks.0.first.weight")[4] = 100.0f;
  const ParameterLayout layout = parameter_layout(model.info.network, model.info.signature);
  const Weights weights = import_model(layout, model, random_weights(layout, 1));
  for (const char* name : {"blocks.0.first.weight", "blocks.0.second.weight"}) {
    const ParameterEntry& entry = layout.parameter(name);
    const std::size_t length = entry.size() / static_cast<std::size_t>(entry.shape[0]);
    for (int out = 0; out < entry.shape[0]; ++out) {
      const float* filter = weights.parameters.data() + entry.offset + static_cast<std::size_t>(out) * length;
      EXPECT_NEAR(std::inner_product(filter, filter + length, filter, 0.0), 2.0, 1e-4) << name << " " << out;
    }
  }
  const Model back = export_model(layout, weights, model.info);
  for (const auto& [name, values] : model.tensors) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(back.tensors.at(name)[i], values[i], 1e-5f * (1.0f + std::abs(values[i]))) << name;
    }
  }
}

// Normalisation cannot take back a factor whose square is below kNormEpsilon.
TEST(Export, FiltersOfAnyLengthComeBack) {
  const TrainingBatch batch = batch_of(game(), 8, 1);
  Model model = trained(batch)->exported(info());
  model.tensors.at("blocks.0.first.weight")[4] = 450.0f;
  model.tensors.at("blocks.0.second.weight")[4] = 1e6f;
  const ParameterLayout layout = parameter_layout(model.info.network, model.info.signature);
  const Model back = export_model(layout, import_model(layout, model, random_weights(layout, 1)), model.info);
  for (const auto& [name, values] : model.tensors) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(back.tensors.at(name)[i], values[i], 1e-5f * (1.0f + std::abs(values[i]))) << name;
    }
  }
}

TEST(Export, AModelOfAnotherShapeIsRefused) {
  const TrainingBatch batch = batch_of(game(), 4, 1);
  NetworkConfig other = small_network();
  other.channels = 16;
  const ModelInfo base = info();
  ModelInfo wrong = base;
  wrong.network = other;
  wrong.signature = training_signature({}, batch.shape);
  EXPECT_THROW(new_learner(batch)->start_from(random_model(wrong, 1), "other"), UserError);
  const TrainingBatch four = batch_of(parse_game("quoridor4:5x5,walls=1"), 4, 1);
  wrong.network = small_network();
  wrong.signature = training_signature({}, four.shape);
  EXPECT_THROW(new_learner(batch)->start_from(random_model(wrong, 1), "four players"), UserError);
}

TEST(Learner, LearnsASmallBatchByHeart) {
  const TrainingBatch batch = batch_of(game(), 64, 3);
  const auto learner = new_learner(batch);
  const StepResult first = learner->step(batch, 0.01).value();
  StepResult last;
  for (int i = 0; i < 250; ++i) last = learner->step(batch, 0.01).value();
  EXPECT_GT(first.each[0], 1.0f);
  EXPECT_LT(last.each[0], 0.5f * first.each[0]);
  EXPECT_LT(last.each[1], 0.4f * first.each[1]);
  EXPECT_LT(last.each[2], first.each[2]);
  EXPECT_NEAR(last.loss, last.each[0] + last.each[1] + 0.15f * last.each[2], 1e-4f);
  // The targets are single actions, so that the policy's loss is its KL.
  EXPECT_EQ(last.quality.samples, batch.size);
  EXPECT_EQ(last.quality.policy_entropy(), 0.0);
  EXPECT_GT(last.quality.top1(), first.quality.top1() + 0.3);
  EXPECT_LT(last.quality.value_brier(), 0.3 * first.quality.value_brier());
  // Measuring learns nothing, and sees what predict() sees.
  const LearnerState before = learner->state();
  const StepResult measured = learner->measure(batch, true);
  EXPECT_EQ(learner->state().weights.parameters, before.weights.parameters);
  EXPECT_EQ(learner->state().weights.statistics, before.weights.statistics);
  EXPECT_LT(measured.each[0], 0.7f * first.each[0]);
  EXPECT_EQ(measured.quality.samples, batch.size);

  // The exported average has learnt as well, with its own statistics: who wins, in most positions.
  const Results results = evaluator_results(learner->exported(info()), batch);
  int right = 0;
  for (int row = 0; row < batch.size; ++row) {
    const auto begin = results.value.begin() + row * 3;
    const auto best = std::max_element(begin, begin + 3) - begin;
    right += batch.of("value")[std::size_t(row) * 3 + best] == 1.0f ? 1 : 0;
  }
  EXPECT_GE(right, batch.size * 9 / 10);
}

TEST(Learner, LearnsWhoOwnsEachPoint) {
  TrainingBatch batch = batch_of(parse_game("go:5x5"), 8, 1);
  const auto learner = new_learner(batch);
  const float before = learner->step(batch, 0.01).value().each[3];
  for (int i = 0; i < 150; ++i) learner->step(batch, 0.01);
  const float after = learner->step(batch, 0.01).value().each[3];
  EXPECT_LT(after, 0.75f * before);
  // The points' part of it: other owners, another loss.
  for (float& owner : batch.of("ownership")) owner = 1.0f - owner;
  EXPECT_GT(learner->step(batch, 0.01).value().each[3], after + 0.1f);
}

TEST(Learner, IllegalActionsTakeNoPartInTheLoss) {
  TrainingBatch batch = batch_of(game(), 16, 1);
  const StepResult all = new_learner(batch)->step(batch, 0.0).value();
  // With only the target's action legal, nothing can be wrong.
  for (std::size_t i = 0; i < batch.of("policy").size(); ++i)
    batch.legal[i] = batch.of("policy")[i] > 0 ? 0.0f : kIllegal;
  const StepResult one = new_learner(batch)->step(batch, 0.0).value();
  EXPECT_GT(all.each[0], 1.0f);
  EXPECT_NEAR(one.each[0], 0.0f, 1e-5f);
}

TEST(Learner, Bf16AgreesWithF32) {
  const TrainingBatch batch = batch_of(game(), 64, 1);
  const auto learner = trained(batch, 5);
  LearnerState state = learner->state();
  const StepResult f32 = learner->step(batch, 0.0).value();
  state.arithmetic = Arithmetic::bf16;
  learner->restore(state, "");
  const StepResult bf16 = learner->step(batch, 0.0).value();
  EXPECT_NE(f32.loss, bf16.loss) << "bf16 was not used";
  EXPECT_NEAR(f32.loss, bf16.loss, 0.02f * f32.loss);
}

TEST(Learner, EqualSeedsGiveEqualNetworks) {
  const TrainingBatch batch = batch_of(game(), 4, 1);
  const Model a = new_learner(batch, 5)->exported(info());
  EXPECT_EQ(a.tensors, new_learner(batch, 5)->exported(info()).tensors);
  EXPECT_NE(a.tensors, new_learner(batch, 6)->exported(info()).tensors);
}

TEST(Learner, ThreadsShareABatch) {
  // 128 equal rows: each half is as the whole, so two threads must find the same losses, gradients and statistics.
  TrainingBatch batch = batch_of(game(), 64, 1);
  const auto one = new_learner(batch, 1, 1);
  TrainingBatch twice = batch;
  twice.resize(128, batch.shape, one->objectives());
  const auto repeat = [](std::vector<float>& values) {
    std::copy_n(values.begin(), values.size() / 2, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  };
  repeat(twice.planes);
  repeat(twice.scalars);
  repeat(twice.of("policy"));
  repeat(twice.legal);
  repeat(twice.of("value"));
  repeat(twice.of("auxiliary"));
  const auto two = new_learner(batch, 1, 2);
  for (int i = 0; i < 3; ++i) {
    const StepResult a = one->step(batch, 0.001).value();
    const StepResult b = two->step(twice, 0.001).value();
    EXPECT_NEAR(a.loss, b.loss, 1e-4f);
    EXPECT_NEAR(a.each[0], b.each[0], 1e-4f);
    EXPECT_NEAR(a.gradient_norm, b.gradient_norm, 1e-3f * a.gradient_norm);
  }
  EXPECT_LT(largest_difference(one->state().average_statistics, two->state().average_statistics), 1e-3f);
  // The halves of a mixed batch are both seen.
  std::fill_n(twice.of("value").begin(), 64 * 3, 1.0f / 3);
  EXPECT_NE(two->step(twice, 0.0).value().each[1], one->step(batch, 0.0).value().each[1]);
}

TEST(Learner, AFixedNumberOfPartsGivesTheSameNetworkOnAnyNumberOfThreads) {
  const TrainingBatch batch = batch_of(game(), 100, 1);
  const auto train = [&](int parts, int threads) {
    TrainingConfig training = quick_training();
    training.parts = parts;
    training.batch = batch.size;
    Learner learner({small_network(), training_signature({}, batch.shape), training}, 1, threads);
    for (int i = 0; i < 3; ++i) learner.step(batch, 0.01);
    return learner.exported(info()).tensors;
  };
  const auto one = train(3, 1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(train(3, threads), one) << threads;
  EXPECT_NE(train(2, 2), one) << "the parts were not used";
}

TEST(Learner, ThreadsShareABatchThatIsOnlyPredicted) {
  const TrainingBatch batch = batch_of(game(), 150, 1);
  const auto two = new_learner(batch, 1, 2);
  for (int i = 0; i < 5; ++i) two->step(batch, 0.01);
  const LearnerState state = two->state();
  const auto one = new_learner(batch, 1, 1);
  one->restore(state, "");
  for (const bool average : {false, true}) {
    expect_close(libtorch_results(*two, batch, average), libtorch_results(*one, batch, average), 1e-4f);
  }
  EXPECT_EQ(two->state().weights.parameters, state.weights.parameters);
  EXPECT_EQ(two->state().weights.statistics, state.weights.statistics);
}

TEST(Learner, MorePartsThanPositionsAreRefused) {
  const TrainingBatch batch = batch_of(game(), 4, 1);
  TrainingConfig training = quick_training();
  training.batch = 4;
  training.parts = 5;
  EXPECT_EQ(error_of([&] {
              Learner({small_network(), training_signature({}, batch.shape), training}, 1, 1);
            }),
            "training.parts (5) is above training.batch (4), the positions of a step; give at most as many parts as "
            "positions");
}

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("koridor-checkpoint-" + std::to_string(::getpid()) + ".pt");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
};

TEST_F(CheckpointTest, AContinuedTrainingIsTheSame) {
  const TrainingBatch batch = batch_of(game(), 32, 1);
  const auto learner = trained(batch, 5);
  Checkpoint checkpoint;
  checkpoint.config_hash = "0123456789abcdef";
  checkpoint.seed = 0xFFFFFFFFFFFFFFFFu;
  checkpoint.generation = 3;
  checkpoint.step = 5;
  checkpoint.steps = 9;
  checkpoint.new_positions = 77;
  checkpoint.positions_so_far = 1234567890123;
  checkpoint.so_far = {.steps = 5, .skipped = 1, .seconds = 0.125};
  for (const float gradient_norm : {0.1f, 0.7f}) {
    StepResult step{.gradient_norm = gradient_norm, .each = {3.0f, 0.3f, 0.2f}};
    step.quality.samples = 32;
    step.quality.policies = 9;
    checkpoint.so_far.all.add(step);
    checkpoint.so_far.boards.resize(2);
    checkpoint.so_far.boards[1].add(step);
  }
  checkpoint.window = {"shards/gen-0000/a.h5", "shards/gen-0001/b.h5"};
  checkpoint.learner = learner->state();
  save_checkpoint(path_, checkpoint);

  const Checkpoint loaded = load_checkpoint(path_);
  EXPECT_EQ(loaded.config_hash, checkpoint.config_hash);
  EXPECT_EQ(loaded.seed, checkpoint.seed);
  EXPECT_EQ(loaded.generation, 3);
  EXPECT_EQ(loaded.step, 5);
  EXPECT_EQ(loaded.steps, 9);
  EXPECT_EQ(loaded.new_positions, 77u);
  EXPECT_EQ(loaded.positions_so_far, 1234567890123u);
  EXPECT_EQ(loaded.window, checkpoint.window);
  EXPECT_EQ(loaded.so_far.steps, 5);
  EXPECT_EQ(loaded.so_far.skipped, 1);
  EXPECT_EQ(loaded.so_far.seconds, 0.125);
  ASSERT_EQ(loaded.so_far.boards.size(), 2u);
  EXPECT_EQ(loaded.so_far.boards[0].weight(), 0);
  for (const StepFigures& figures : {loaded.so_far.all, loaded.so_far.boards[1]}) {
    EXPECT_EQ(figures.weight(), 2);
    EXPECT_EQ(figures.each(), checkpoint.so_far.all.each());
    EXPECT_EQ(figures.gradient_norm(), checkpoint.so_far.all.gradient_norm());
    EXPECT_EQ(figures.quality().samples, 64);
  }
  const auto second = new_learner(batch, 99);
  second->restore(loaded.learner, "");
  for (int i = 0; i < 5; ++i) {
    const StepResult a = learner->step(batch, 0.01).value();
    const StepResult b = second->step(batch, 0.01).value();
    EXPECT_FLOAT_EQ(a.loss, b.loss);
  }
  EXPECT_LT(largest_difference(learner->state().optimizer.average, second->state().optimizer.average), 1e-6f);
}

TEST_F(CheckpointTest, KeepsThatTheAverageBeganWithATrainedNetwork) {
  for (const bool settled : {false, true}) {
    Checkpoint checkpoint;
    checkpoint.learner.optimizer.settled = settled;
    save_checkpoint(path_, checkpoint);
    EXPECT_EQ(load_checkpoint(path_).learner.optimizer.settled, settled);
  }
}

TEST_F(CheckpointTest, DamageIsNoticedAndNamed) {
  const TrainingBatch batch = batch_of(game(), 8, 1);
  Checkpoint checkpoint;
  checkpoint.learner = new_learner(batch)->state();
  save_checkpoint(path_, checkpoint);
  const std::string bytes = read_file(path_);
  const auto error_with = [&](const std::string& content) {
    write_file_atomically(path_, content);
    try {
      load_checkpoint(path_);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 0x40);
  for (const std::string& content : {std::string(), std::string("hello"), bytes.substr(0, bytes.size() / 2),
                                     bytes.substr(0, bytes.size() - 1), flipped, bytes + bytes}) {
    const std::string error = error_with(content);
    EXPECT_NE(error.find("damaged checkpoint " + path_.string()), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_THROW(load_checkpoint("/nowhere/x.pt"), UserError);
}

TEST_F(CheckpointTest, AStateOfAnotherNetworkIsRefused) {
  const TrainingBatch batch = batch_of(game(), 8, 1);
  LearnerState state = new_learner(batch)->state();
  state.weights.parameters.pop_back();
  EXPECT_THROW(new_learner(batch)->restore(state, "x"), UserError);
}

}  // namespace
}  // namespace koridor
