// Every backend against the network's formula, against itself in other batches, and on several threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <filesystem>
#include <iterator>
#include <ostream>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "models/cpu/amx_cpu.h"
#include "models/cpu/int8_network.h"
#include "models/cpu/onednn_cpu.h"
#include "models/cpu/onednn_network.h"
#include "models/cpu/simd.h"
#include "models/network/uniform.h"
#include "tests/error_of.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

using test::board;
using test::largest_difference;
using test::model_for;
using test::Positions;

struct Case {
  std::string name;
  EncodingShape shape;
  NetworkConfig network;
  friend std::ostream& operator<<(std::ostream& out, const Case& given) { return out << given.name; }
};

NetworkConfig network(int blocks, int channels, int pool_every = 2, int policy = 16, int value = 16, int hidden = 32) {
  return {blocks, channels, pool_every, policy, value, hidden};
}

EncodingShape without_scalars(EncodingShape shape) {
  shape.scalars = 0;
  return shape;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"3x3", board(3, 3), network(2, 16)},
      {"5x5", board(5, 5), network(4, 32)},
      {"5x5_wide", board(5, 5), network(2, 64)},
      {"5x5_no_pool", board(5, 5), network(2, 32, 0)},
      {"5x5_every_block_pools", board(5, 5), network(3, 32, 1)},
      {"5x5_24_channels", board(5, 5), network(3, 24)},
      {"5x5_8_channels", board(5, 5), network(2, 8, 1, 3, 5, 7)},
      {"7x4_40_channels", board(7, 4, 17), network(2, 40, 2, 20, 12, 24)},
      {"9x9", board(9, 9, 17), network(2, 64)},
      {"9x9_48_channels", board(9, 9, 17), network(1, 48, 1)},
      {"5x5_80_channels", board(5, 5, 17), network(2, 80, 1)},
      {"11x11", board(11, 11), network(2, 32)},
      {"14x11", board(14, 11), network(2, 16)},
      {"4_players", board(5, 5, 20, 4), network(2, 32)},
      {"no_scalars", without_scalars(board(5, 5)), network(2, 16)},
      {"many_planes", board(5, 5, 37), network(1, 32)},
  };
  return all;
}

struct Kind {
  std::string backend;
  std::string precision;
  std::string name;
  bool own_convolutions = false;
  friend std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }
};

// int8 is tried on every CPU: where it is not fast it is still right.
std::vector<Kind> kinds() {
  std::vector<Kind> all = {{"eigen", "f32", "eigen"},
                           {"onednn", "f32", "onednn_f32"},
                           {"onednn", "int8", "onednn_int8"},
                           {"simd", "f32", "simd_f32"},
                           {"simd", "int8", "simd_int8"}};
  if (cpu_has_bf16()) all.push_back({"onednn", "bf16", "onednn_bf16"});
  if (int8_kernels() != nullptr || has_amx()) all.push_back({"onednn", "int8", "own_int8", true});
#ifdef KORIDOR_TORCH_MODULE
  ::setenv("KORIDOR_TORCH_MODULE", KORIDOR_TORCH_MODULE, 0);
  all.push_back({"torch", "f32", "torch_f32"});
  if (cpu_has_bf16()) all.push_back({"torch", "bf16", "torch_bf16"});
#endif
  return all;
}

// How far logits of the fixture's networks, which are of size 1, may be from the formula.
double tolerance(const std::string& precision) {
  return precision == "int8" ? 0.25 : precision == "bf16" ? 0.1 : 2e-5;
}

std::unique_ptr<Evaluator> make(const Kind& kind, const Model& model, const EncodingShape& shape, int max_batch) {
  // Straight from the network: make_evaluator would serve in bf16 what it finds too inexact in int8.
  if (kind.own_convolutions) return test::own_int8(test::calibrated(model, shape), shape, max_batch);
  if (kind.precision == "int8" && kind.backend == "simd") {
    return make_simd_network(test::calibrated(model, shape), shape, Precision::int8, max_batch);
  }
  if (kind.precision == "int8") {
    return make_onednn_network(test::calibrated(model, shape), shape, Precision::int8, max_batch);
  }
  return make_evaluator(model, shape, {kind.backend, kind.precision, "cpu"}, max_batch, "test");
}

class EveryBackend : public testing::TestWithParam<std::tuple<Kind, Case>> {
 protected:
  const Kind& kind() const { return std::get<0>(GetParam()); }
  const Case& given() const { return std::get<1>(GetParam()); }
};

TEST_P(EveryBackend, ComputesTheFormula) {
  const Model model = model_for(given().shape, given().network);
  Positions expected(given().shape, 5);
  test::NaiveNetwork(model, given().shape).evaluate(expected);
  Positions actual(given().shape, 5);
  actual.evaluate(*make(kind(), model, given().shape, 5));
  const double bound = tolerance(kind().precision);
  EXPECT_LT(largest_difference(expected.policy, actual.policy), bound);
  EXPECT_LT(largest_difference(expected.value, actual.value), bound);
  EXPECT_LT(largest_difference(expected.auxiliary, actual.auxiliary), bound);
  // The numbers above would mean little if every position gave the same.
  EXPECT_GT(largest_difference(std::span(expected.policy).first(given().shape.policy_size()),
                               std::span(expected.policy).last(given().shape.policy_size())),
            0.05);
}

// To the bit: whatever the batch's size and the place in it, and for another evaluator of the same model.
TEST_P(EveryBackend, ResultsDoNotDependOnTheBatch) {
  constexpr int kMost = 37;
  const Model model = model_for(given().shape, given().network, 2);
  const auto evaluator = make(kind(), model, given().shape, kMost);
  Positions single(given().shape, kMost);
  for (int i = 0; i < kMost; ++i) single.evaluate(*evaluator, i, 1);
  const auto expect_equal = [&](const Positions& other, const std::string& what) {
    ASSERT_EQ(single.policy, other.policy) << what;
    ASSERT_EQ(single.value, other.value) << what;
    ASSERT_EQ(single.auxiliary, other.auxiliary) << what;
  };
  for (const int size : {2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17, 24, 31, 32, 33, kMost}) {
    Positions batched(given().shape, kMost);
    for (int first = 0; first < kMost; first += size)
      batched.evaluate(*evaluator, first, std::min(size, kMost - first));
    expect_equal(batched, "batches of " + std::to_string(size));
  }
  // Every position at every place of a batch: the same position all through, with another neighbour before it.
  Positions rotated(given().shape, kMost);
  for (int shift = 1; shift < kMost; shift += 7) {
    Positions source(given().shape, kMost);
    std::rotate(source.planes.begin(), source.planes.begin() + shift * given().shape.plane_floats(),
                source.planes.end());
    std::rotate(source.scalars.begin(), source.scalars.begin() + shift * given().shape.scalars, source.scalars.end());
    source.evaluate(*evaluator, 0, kMost);
    std::rotate(source.policy.rbegin(), source.policy.rbegin() + shift * given().shape.policy_size(),
                source.policy.rend());
    std::rotate(source.value.rbegin(), source.value.rbegin() + shift * given().shape.value_size(), source.value.rend());
    std::rotate(source.auxiliary.rbegin(), source.auxiliary.rbegin() + shift * given().shape.players,
                source.auxiliary.rend());
    expect_equal(source, "rotated by " + std::to_string(shift));
  }
  for (const int max_batch : {1, 3, 64}) {
    Positions other(given().shape, kMost);
    other.evaluate(*make(kind(), model, given().shape, max_batch));
    expect_equal(other, "another evaluator, at most " + std::to_string(max_batch));
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryBackend, testing::Combine(testing::ValuesIn(kinds()), testing::ValuesIn(cases())),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + std::get<1>(test.param).name;
                         });

TEST(Evaluators, TwoThreadsEachWithItsOwn) {
  const EncodingShape shape = board(5, 5);
  const Model model = model_for(shape, network(3, 32));
  for (const Kind& kind : kinds()) {
    Positions alone(shape, 64);
    alone.evaluate(*make(kind, model, shape, 16));
    std::vector<Positions> both(2, Positions(shape, 64));
    std::vector<std::thread> threads;
    for (Positions& mine : both) {
      threads.emplace_back([&] {
        const auto evaluator = make(kind, model, shape, 16);
        for (int repeat = 0; repeat < 5; ++repeat) mine.evaluate(*evaluator);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Positions& mine : both) {
      EXPECT_EQ(alone.policy, mine.policy) << kind.name;
      EXPECT_EQ(alone.value, mine.value) << kind.name;
    }
  }
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// oneDNN and Eigen would start a thread a core; with one evaluator a thread that is far too many.
TEST(Evaluators, StartNoThreads) {
  const EncodingShape shape = board(9, 9);
  const Model model = model_for(shape, network(2, 64));
  const int before = omp_get_max_threads();
  omp_set_num_threads(7);
  const auto threads = threads_of_this_process();
  for (const Kind& kind : kinds()) {
    Positions positions(shape, 32);
    positions.evaluate(*make(kind, model, shape, 32));
    EXPECT_EQ(threads_of_this_process(), threads) << kind.name;
    EXPECT_EQ(omp_get_max_threads(), 7) << "the caller's setting comes back";
  }
  omp_set_num_threads(before);
}

TEST(Evaluators, ServeEveryBoardSizeWithOneModel) {
  const Model model = model_for(board(5, 5), network(2, 16));
  for (const Kind& kind : kinds()) {
    for (const int side : {3, 7, 9}) {
      const EncodingShape shape = board(side, side);
      Positions expected(shape, 2), actual(shape, 2);
      test::NaiveNetwork(model, shape).evaluate(expected);
      actual.evaluate(*make(kind, model, shape, 2));
      EXPECT_LT(largest_difference(expected.policy, actual.policy), tolerance(kind.precision))
          << kind.name << ", " << side << "x" << side;
    }
  }
}

TEST(Evaluators, AuxiliaryMayBeLeftOut) {
  const EncodingShape shape = board(5, 5);
  const Model model = model_for(shape, network(2, 16));
  for (const Kind& kind : kinds()) {
    const auto evaluator = make(kind, model, shape, 3);
    Positions with(shape, 3), without(shape, 3);
    with.evaluate(*evaluator);
    Predictions out = without.predictions(0, 3);
    out.auxiliary = {};
    evaluator->evaluate(without.batch(0, 3), out);
    EXPECT_EQ(with.value, without.value);
    EXPECT_THAT(without.auxiliary, testing::Each(-77.0f));
  }
}

TEST(Evaluators, WriteNothingPastTheBatch) {
  const EncodingShape shape = board(5, 5);
  const Model model = model_for(shape, network(2, 16));
  for (const Kind& kind : kinds()) {
    const auto evaluator = make(kind, model, shape, 16);
    for (const int size : {1, 3, 5, 11}) {
      Positions positions(shape, 16);
      evaluator->evaluate(positions.batch(0, size), positions.predictions(0, 16));
      const auto rest = [&](const std::vector<float>& values, int each) {
        return std::vector<float>(values.begin() + size * each, values.end());
      };
      EXPECT_THAT(rest(positions.policy, shape.policy_size()), testing::Each(-77.0f));
      EXPECT_THAT(rest(positions.value, shape.value_size()), testing::Each(-77.0f));
      EXPECT_THAT(rest(positions.auxiliary, shape.players), testing::Each(-77.0f));
    }
  }
}

TEST(Uniform, KnowsNothing) {
  const EncodingShape shape = board(5, 5, 11, 4);
  Positions positions(shape, 7);
  positions.evaluate(*make_uniform(shape, 7));
  EXPECT_THAT(positions.policy, testing::Each(0.0f));
  EXPECT_THAT(positions.value, testing::Each(0.2f));
  EXPECT_THAT(positions.auxiliary, testing::Each(0.5f));
}

std::string refusal(const Model& model, const EncodingShape& shape, const Evaluation& evaluation, int max_batch = 8) {
  return line_of_error([&] { make_evaluator(model, shape, evaluation, max_batch, "gen-0007.koridor"); });
}

TEST(MakeEvaluator, RefusesModelsThatDoNotFit) {
  const EncodingShape shape = board(5, 5);
  const Model model = model_for(shape, network(1, 8));
  for (const char* backend : {"uniform", "eigen", "simd", "onednn"}) {
    const Evaluation options{backend, "f32"};
    EncodingShape other = shape;
    other.players = 4;
    EXPECT_EQ(refusal(model, other, options), "model gen-0007.koridor: it was made for 2 players, this game has 4");
    other = shape;
    other.planes = 9;
    EXPECT_EQ(
        refusal(model, other, options),
        "model gen-0007.koridor: it learned quoridor:5x5,walls=3 with 11 planes, 4 scalars and 3 planes of actions; "
        "this game has 9, 4 and 3: its pawns, kinds of walls or parts of a turn are others");
  }
}

TEST(MakeEvaluator, RefusesBrokenModelsAndOptions) {
  const EncodingShape shape = board(5, 5);
  const Model model = model_for(shape, network(1, 8));
  Model broken = model;
  broken.tensors.erase("value.hidden.bias");
  EXPECT_THAT(refusal(broken, shape, {}), testing::HasSubstr("tensor value.hidden.bias is missing"));
  broken = model;
  broken.tensors["stem.weight"].pop_back();
  EXPECT_THAT(refusal(broken, shape, {}), testing::HasSubstr("stem.weight has 791 values"));
  EXPECT_THAT(refusal(model, shape, {"eigen", "f32"}, 0), testing::HasSubstr("max_batch is 0"));
  EXPECT_EQ(refusal(model, shape, {"eigen", "bf16"}), "the backend eigen does not compute in bf16; it has auto, f32");
  EXPECT_EQ(refusal(model, shape, {"eigen", "f32", "cuda:1"}),
            "device cuda:1: the backend eigen computes on the CPU; the backend torch is the one for GPUs");
  EXPECT_EQ(refusal(model, shape, {"eigen", "int8"}), "the backend eigen does not compute in int8; it has auto, f32");
}

TEST(MakeEvaluator, SaysWhichWordItDoesNotKnow) {
  const EncodingShape shape = board(5, 5);
  const Model model = model_for(shape, network(1, 8));
  EXPECT_THAT(
      refusal(model, shape, {.backend = "onedn"}),
      testing::StartsWith("unknown backend 'onedn'; did you mean 'onednn'? the backends are onednn, simd, eigen, "));
  EXPECT_EQ(refusal(model, shape, {.precision = "int4"}),
            "unknown precision 'int4'; did you mean 'int8'? the precisions are auto, f32, bf16, int8");
  EXPECT_EQ(refusal(model, shape, {.device = "gpu"}),
            "unknown device 'gpu'; did you mean 'cpu'? the devices are auto, cpu, cuda, cuda:NUMBER");
}

// A line in models/CMakeLists.txt must not make two of a name, nor one that cannot be made.
TEST(Backends, AreMadeByTheirNames) {
  std::set<std::string> names;
  for (const Backend& backend : backends()) {
    EXPECT_TRUE(names.insert(backend.name).second) << backend.name;
    EXPECT_EQ(&find_backend(backend.name), &backend);
    EXPECT_NE(backend.make, nullptr) << backend.name;
    EXPECT_FALSE(backend.precisions.empty()) << backend.name;
  }
  EXPECT_EQ(Evaluation{}.backend, backends().front().name);
}

TEST(Backends, OneThatKnowsNothingNeedsNoModel) {
  EXPECT_EQ(make_evaluator_factory(nullptr, {.backend = "uniform"}, "", {})(board(5, 5), 4)->describe(), "uniform");
  EXPECT_THROW(make_evaluator_factory(nullptr, {.backend = "eigen"}, "", {}), UserError);
}

TEST(Evaluation, DescribesItsKeys) {
  Evaluation evaluation;
  SettingList list;
  list.begin_section("selfplay");
  describe_settings(evaluation, list);
  std::vector<std::string> names;
  for (const Setting& setting : list.settings()) names.push_back(setting.name);
  EXPECT_THAT(names, testing::ElementsAre("selfplay.backend", "selfplay.precision", "selfplay.device",
                                          "selfplay.cache_mebibytes"));
  EXPECT_EQ(list.settings()[0].choices, backend_names());
  EXPECT_FALSE(list.settings()[2].frozen);
}

TEST(Devices, AreWords) {
  for (const char* name : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"}) {
    EXPECT_EQ(name_of(parse_device(name)), name);
  }
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1"}) {
    EXPECT_THROW(parse_device(name), UserError) << name;
  }
}

TEST(Devices, AreLookedForAmongTheGpusThereAre) {
  const auto gpus = [](const char* name, int there) { return gpus_of(parse_device(name), there, "the test"); };
  EXPECT_THAT(gpus("auto", 0), testing::IsEmpty());
  EXPECT_THAT(gpus("cpu", 2), testing::IsEmpty());
  EXPECT_THAT(gpus("auto", 2), testing::ElementsAre(0, 1));
  EXPECT_THAT(gpus("cuda", 2), testing::ElementsAre(0, 1));
  EXPECT_THAT(gpus("cuda:1", 2), testing::ElementsAre(1));
  EXPECT_THROW(gpus("cuda", 0), UserError);
  EXPECT_THROW(gpus("cuda:2", 2), UserError);
}

}  // namespace
}  // namespace koridor
