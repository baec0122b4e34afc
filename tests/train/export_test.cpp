// The network in training and its model file: what is exported computes the same, and training goes on from it, also
// in a larger network.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/registry.h"
#include "models/network/learned_rules.h"
#include "models/network/model_file.h"
#include "selfplay/shards/shard.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"
#include "tests/train/small_learner.h"
#include "train/learner/learner.h"
#include "train/learner/muon.h"
#include "train/learner/parameters.h"
#include "train/learner/random_shard.h"
#include "train/learner/replay_window.h"
#include "train/run/config.h"
#include "train/targets/targets.h"

namespace koridor {
namespace {

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
  const TrainingBatch batch = batch_of(learned_game(), 32, 1);
  const auto learner = trained_learner(batch);
  expect_close(libtorch_results(*learner, batch, true), evaluator_results(learner->exported(small_model_info()), batch),
               1e-4f);
  // On another board, with the same weights: its evaluator is shown the size of the board that it learned.
  TrainingBatch wide = batch_of(parse_game("quoridor:7x6,walls=4"), 8, 2);
  show_learned_rules(learned_rules(learner->exported(small_model_info())), wide.scalars, wide.shape.scalars);
  expect_close(libtorch_results(*learner, wide, true), evaluator_results(learner->exported(small_model_info()), wide),
               1e-4f);
}

// Go has an ownership head, which self-play does without.
TEST(Export, EvaluatorAndLibTorchAgreeOnGo) {
  const TrainingBatch batch = batch_of(parse_game("go:5x5"), 16, 1);
  EXPECT_EQ(batch.of("ownership").size(), 16u * 25u);
  const auto learner = trained_learner(batch);
  const Model model = learner->exported(small_model_info());
  EXPECT_EQ(model.tensors.count("ownership.out.weight"), 1u);
  expect_close(libtorch_results(*learner, batch, true), evaluator_results(model, batch), 1e-4f);
}

// With every head there is: they learn, and an evaluator reads what it knows.
TEST(Export, MoreHeadsLearnAndDoNotDisturbEvaluators) {
  TrainingConfig training = quick_training();
  for (auto& [name, weight] : training.weights) weight = 0.5;
  ReplayWindow window({learned_game()}, Features{}, training, "");
  ShardData shard = random_shard(learned_game(), 10, 1);
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
  const Model model = learner.exported(small_model_info());
  EXPECT_EQ(model.tensors.count("reply.pass.weight"), 1u);
  expect_close(libtorch_results(learner, batch, true), evaluator_results(model, batch), 1e-4f);
}

// A head that the model lacks starts at random; all else is the model's.
TEST(Export, AModelWithoutAHeadStartsALearnerThatHasIt) {
  const TrainingBatch batch = batch_of(learned_game(), 32, 1);
  const Model model = trained_learner(batch)->exported(small_model_info());
  TrainingConfig training = quick_training();
  training.weights["reply"] = 0.5;
  Learner learner({small_network(), training_signature(training.weights, batch.shape), training}, 3, 1);
  learner.start_from(model, "model");
  expect_close(libtorch_results(learner, batch, false), evaluator_results(model, batch), 1e-4f);
  float largest = 0;
  const Model exported = learner.exported(small_model_info());
  for (const float weight : exported.tensors.at("reply.out.weight")) largest = std::max(largest, weight);
  EXPECT_GT(largest, 0.0f);
  EXPECT_THROW(learner.step(batch, 0.01), std::invalid_argument) << "a batch without the head's target";
}

// Such as a file from elsewhere: its tensors of that name have other sizes.
TEST(Export, AModelWithAnotherHeadOfTheSameNameIsRefused) {
  const TrainingBatch batch = batch_of(learned_game(), 4, 1);
  TrainingConfig training = quick_training();
  training.weights["reply"] = 0.5;
  Learner learner({small_network(), training_signature(training.weights, batch.shape), training}, 3, 1);
  ModelInfo other = small_model_info();
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
  const TrainingBatch batch = batch_of(learned_game(), 16, 1);
  const auto learner = trained_learner(batch, 3);
  const Model model = learner->exported(small_model_info());
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
  const TemporaryFolder folder;
  const std::string path = folder.file("exported.koridor");
  save_model(path, model);
  EXPECT_EQ(load_model(path).tensors, model.tensors);
}

TEST(Export, AModelComesBackIntoTheNet) {
  const TrainingBatch batch = batch_of(learned_game(), 32, 1);
  const Model model = trained_learner(batch)->exported(small_model_info());
  const HeadResults before = evaluator_results(model, batch);
  auto learner = small_learner(batch, 99);
  learner->start_from(model, "model");
  expect_close(libtorch_results(*learner, batch, false), before, 1e-4f);
  // A step with rate 0 fits the statistics: that changes nothing either, although training now normalises by
  // the batch ...
  const StepResult first = learner->step(batch, 0.0).value();
  expect_close(libtorch_results(*learner, batch, false), before, 2e-3f);
  expect_close(evaluator_results(learner->exported(small_model_info()), batch), before, 2e-3f);
  // ... so the loss starts where the model's was, far below a random network's.
  const StepResult random = small_learner(batch, 99)->step(batch, 0.0).value();
  EXPECT_LT(first.loss, 0.7f * random.loss);
}

// A random start is soon forgotten by the average, a trained one counts as long as any weights.
TEST(Export, TheAverageGoesOnFromAModel) {
  const TrainingBatch batch = batch_of(learned_game(), 32, 1);
  const Model model = trained_learner(batch)->exported(small_model_info());
  auto learner = small_learner(batch, 99);
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
  const TrainingBatch batch = batch_of(learned_game(), 8, 1);
  Model model = trained_learner(batch)->exported(small_model_info());
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
  const TrainingBatch batch = batch_of(learned_game(), 8, 1);
  Model model = trained_learner(batch)->exported(small_model_info());
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

NetworkConfig larger_network() {
  return {
      .blocks = 4, .channels = 14, .pool_every = 2, .policy_channels = 11, .value_channels = 10, .value_hidden = 19};
}

// Larger in every number, or in one.
std::vector<NetworkConfig> larger_networks() {
  NetworkConfig deeper = small_network();
  deeper.blocks += 3;
  NetworkConfig wider = small_network();
  wider.channels += 5;
  return {larger_network(), deeper, wider};
}

TEST(Export, ALargerNetworkBeginsWithWhatTheModelComputes) {
  for (const AnyGame& game : {learned_game(), parse_game("go:5x5")}) {
    const TrainingBatch batch = batch_of(game, 32, 1);
    const Model model = trained_learner(batch)->exported(small_model_info());
    const HeadResults before = evaluator_results(model, batch);
    for (const NetworkConfig& network : larger_networks()) {
      Learner learner({network, training_signature({}, batch.shape), quick_training()}, 3, 1);
      learner.start_from(model, "model");
      expect_close(libtorch_results(learner, batch, false), before, 1e-4f);
      expect_close(evaluator_results(learner.exported(small_model_info()), batch), before, 1e-4f);
      learner.step(batch, 0.0);  // it fits the statistics
      expect_close(libtorch_results(learner, batch, false), before, 2e-3f);
    }
  }
}

// How many of a parameter's numbers the smaller network lacks, and how many of them have moved.
struct Moved {
  std::size_t numbers = 0;
  std::size_t moved = 0;
};

// In the rows that the smaller network lacks, and in the others, where what is new begins with zeros.
std::array<Moved, 2> moved_of(const ParameterEntry& entry, std::size_t old_rows, const std::vector<float>& before,
                              const std::vector<float>& after) {
  std::array<Moved, 2> result;
  const std::size_t length = entry.size() / static_cast<std::size_t>(entry.shape[0]);
  for (std::size_t i = 0; i < entry.size(); ++i) {
    const std::size_t place = entry.offset + i;
    const bool in_new_row = i / length >= old_rows;
    if (!in_new_row && (entry.shape.size() == 1 || before[place] != 0)) continue;
    ++result[in_new_row].numbers;
    result[in_new_row].moved += after[place] != before[place];
  }
  return result;
}

// A channel that nobody reads would not, nor one that does not begin at random. Some are silent by chance.
TEST(Export, WhatALargerNetworkHasMoreLearns) {
  const TrainingBatch batch = batch_of(parse_game("go:5x5"), 32, 1);  // where a pass is legal
  const Model model = trained_learner(batch)->exported(small_model_info());
  const NetworkSignature signature = training_signature({}, batch.shape);
  TrainingConfig training = quick_training();
  training.weight_decay = 0;  // moves every number that is not 0
  Learner learner({larger_network(), signature, training}, 3, 1);
  learner.start_from(model, "model");
  const StepResult first = learner.step(batch, 0.0).value();
  const std::vector<float> before = learner.state().weights.parameters;
  StepResult last;
  for (int i = 0; i < 10; ++i) last = learner.step(batch, 0.002).value();
  EXPECT_LT(last.loss, first.loss);
  const std::vector<float> after = learner.state().weights.parameters;
  const ParameterLayout smaller = parameter_layout(small_network(), signature);
  for (const ParameterEntry& entry : parameter_layout(larger_network(), signature).parameters) {
    const auto found = std::ranges::find(smaller.parameters, entry.name, &ParameterEntry::name);
    const int old_rows = found == smaller.parameters.end() ? 0 : found->shape[0];
    for (const Moved& part : moved_of(entry, static_cast<std::size_t>(old_rows), before, after)) {
      EXPECT_GE(4 * part.moved, part.numbers) << entry.name;
    }
  }
}

TEST(Export, AModelOfAnotherShapeIsRefused) {
  const TrainingBatch batch = batch_of(learned_game(), 4, 1);
  NetworkConfig other = small_network();
  other.channels = 16;
  const ModelInfo base = small_model_info();
  ModelInfo wrong = base;
  wrong.network = other;
  wrong.signature = training_signature({}, batch.shape);
  EXPECT_THROW(small_learner(batch)->start_from(random_model(wrong, 1), "other"), UserError);
  other = small_network();
  other.pool_every = 1;
  wrong.network = other;
  EXPECT_THROW(small_learner(batch)->start_from(random_model(wrong, 1), "pools"), UserError);
  const TrainingBatch four = batch_of(parse_game("quoridor4:5x5,walls=1"), 4, 1);
  wrong.network = small_network();
  wrong.signature = training_signature({}, four.shape);
  EXPECT_THROW(small_learner(batch)->start_from(random_model(wrong, 1), "four players"), UserError);
}

}  // namespace
}  // namespace koridor
