// int8: the ranges of activations, the check on loading and what happens when it fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "models/cpu/amx_cpu.h"
#include "models/cpu/calibrate.h"
#include "models/cpu/int8_network.h"
#include "models/cpu/onednn_cpu.h"
#include "models/cpu/onednn_network.h"
#include "models/network/check.h"
#include "models/network/units.h"
#include "tests/models/network_fixture.h"
#include "tests/models/notices.h"

namespace koridor {
namespace {

using test::board;
using test::calibrated;
using test::model_for;
using test::Positions;

constexpr NetworkConfig kInt8Network{4, 32, 2, 16, 16, 32};

// The best range of values that come in parts of this size.
float best_range(std::span<const float> values, std::size_t part = 1000) {
  SampledValues sampled(values.size());
  for (; !values.empty(); values = values.subspan(std::min(part, values.size()))) {
    sampled.add(values.first(std::min(part, values.size())));
  }
  return sampled.best_range();
}

TEST(BestRange, IsTheLargestValueWhereAllAreAlike) {
  std::vector<float> values;
  for (int i = 0; i <= 255; ++i) values.push_back(static_cast<float>(i) * 0.1f);
  EXPECT_FLOAT_EQ(best_range(values), 25.5f);
}

TEST(BestRange, LeavesAnOutlierOut) {
  Random random(1);
  std::vector<float> values(20'000);
  for (float& value : values) value = static_cast<float>(random.uniform());
  values[0] = 10.0f;
  EXPECT_LT(best_range(values), 9.9f);
  EXPECT_GE(best_range(values), 1.0f);
}

// However they come, the same ones are looked at, and these are spread over all of them.
TEST(BestRange, DoesNotDependOnTheParts) {
  Random random(2);
  std::vector<float> values(1'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(random.uniform() * (i < values.size() / 2 ? 1.0 : 3.0));
  }
  const float whole = best_range(values, values.size());
  EXPECT_GT(whole, 2.5f);
  for (const std::size_t part : {1, 17, 999, 250'000}) EXPECT_EQ(best_range(values, part), whole) << part;
}

TEST(BestRange, IsPositiveAlsoOfNothing) {
  EXPECT_GT(best_range({}), 0.0f);
  EXPECT_GT(best_range(std::vector<float>(10, 0.0f)), 0.0f);
}

TEST(Calibration, SeesEveryActivation) {
  const EncodingShape shape = board(5, 5);
  const Model model = calibrated(model_for(shape, kInt8Network), shape);
  EXPECT_EQ(model.calibration.ranges.size(), static_cast<std::size_t>(network_activations(kInt8Network)));
  EXPECT_THAT(model.calibration.ranges, testing::Each(testing::Gt(0.0f)));
  EXPECT_EQ(model.calibration.planes.size(), static_cast<std::size_t>(kCalibrationPositions * shape.plane_floats()));
  EXPECT_EQ(model.calibration.scalars.size(), static_cast<std::size_t>(kCalibrationPositions * shape.scalars));
  // Pooling changes the second block's y and not the first one's.
  EXPECT_EQ(model.calibration.ranges[2], model.calibration.ranges[3]);
  EXPECT_NE(model.calibration.ranges[5], model.calibration.ranges[6]);
}

TEST(Calibration, AnotherBoardWidensTheRanges) {
  const EncodingShape small = board(5, 5);
  Model model = calibrated(model_for(small, kInt8Network), small);
  const Calibration before = model.calibration;
  Positions large(board(9, 9), 16);
  for (float& scalar : large.scalars) scalar = 4.0f;
  calibrate(model, large.shape, large.batch(0, 16));
  EXPECT_GT(model.calibration.ranges[0], before.ranges[0]);
  for (std::size_t i = 0; i < before.ranges.size(); ++i) EXPECT_GE(model.calibration.ranges[i], before.ranges[i]);
  EXPECT_EQ(model.calibration.planes, before.planes);
}

// Compares with float32 on positions that the model was not calibrated on.
void expect_near_eigen(const Model& model, const EncodingShape& shape, std::unique_ptr<Evaluator> candidate,
                       double most_divergence) {
  const auto check = make_check(make_evaluator(model, shape, {"eigen", "f32"}, 32, "test"), std::move(candidate));
  Positions positions(shape, 64);
  positions.evaluate(*check);
  const Differences& found = *check_differences(*check);
  EXPECT_GT(found.policy.largest, 1e-4) << check->describe() << ": int8 ran";
  EXPECT_LT(found.mean_divergence(), most_divergence) << check->describe();
  EXPECT_LT(found.value.mean(), 0.01) << check->describe();
}

TEST(Int8, IsNearTheReference) {
  const EncodingShape shape = board(9, 9, 17);
  const Model model = calibrated(model_for(shape, {6, 64, 2, 32, 32, 64}), shape);
  for (const bool fastest : {true, false}) {
    auto candidate = fastest ? make_evaluator(model, shape, {"onednn", "int8"}, 32, "test")
                             : make_onednn_network(model, shape, Precision::int8, 32);
    if (fastest && (has_amx() || int8_network_pays(shape, model.info.network))) {
      EXPECT_THAT(candidate->describe(), testing::HasSubstr(has_amx() ? "int8 amx" : "int8 winograd"));
    }
    expect_near_eigen(model, shape, std::move(candidate), 2e-3);
  }
}

TEST(Int8, IsNearTheReferenceWithoutALibrary) {
  const EncodingShape shape = board(9, 9, 17);
  const Model model = calibrated(model_for(shape, {6, 64, 2, 32, 32, 64}), shape);
  auto candidate = make_evaluator(model, shape, {"simd", "auto"}, 32, "test");
  EXPECT_EQ(candidate->describe(), "simd int8");
  expect_near_eigen(model, shape, std::move(candidate), 2e-3);
  EXPECT_EQ(make_evaluator(model, shape, {"simd", "f32"}, 1, "test")->describe(), "simd f32");
  EXPECT_EQ(make_evaluator(model_for(shape, kInt8Network), shape, {"simd", "auto"}, 1, "test")->describe(), "simd f32");
}

// A stock of walls is a number above 1 among thousands of planes' numbers in [0, 1], which alone decide the best range.
TEST(Int8, TellsLargeScalarsApart) {
  const EncodingShape shape = board(7, 7);
  Positions positions(shape, 64, 11);
  for (std::size_t i = 0; i < positions.scalars.size(); i += static_cast<std::size_t>(shape.scalars)) {
    positions.scalars[i] = 1.8f;
  }
  Model model = model_for(shape, kInt8Network);
  calibrate(model, shape, positions.batch(0, 64));
  model.calibration.ranges[0] = 1.2f;
  Positions pair(shape, 2);
  std::copy_n(pair.planes.begin(), shape.plane_floats(), pair.planes.begin() + shape.plane_floats());
  std::copy_n(pair.scalars.begin(), shape.scalars, pair.scalars.begin() + shape.scalars);
  pair.scalars[0] = 1.6f;
  pair.scalars[static_cast<std::size_t>(shape.scalars)] = 2.1f;
  pair.evaluate(*make_onednn_network(model, shape, Precision::int8, 2));
  const auto half = static_cast<std::ptrdiff_t>(pair.policy.size() / 2);
  EXPECT_FALSE(std::equal(pair.policy.begin(), pair.policy.begin() + half, pair.policy.begin() + half));
}

// Planes lie in [0, 1], whatever the range of the scalars beside them; where both share a unit, 1 is a multiple of it.
TEST(Units, OfPlanesAloneDoNotDependOnScalars) {
  Model model = calibrated(model_for(board(5, 5), kInt8Network), board(5, 5));
  model.calibration.ranges[0] = 2.5f;
  const Units bytes(model);
  EXPECT_EQ(bytes.planes(), 1.0f / 255.0f);
  EXPECT_FLOAT_EQ(bytes.planes_and_scalars(), 1.0f / 102.0f);
  const Units floats(model, false);
  EXPECT_EQ(floats.planes(), 1.0f);
  EXPECT_EQ(floats.planes_and_scalars(), 1.0f);
}

// A channel whose weights have died is its bias, however many units of these weights that is.
TEST(Int8, AnOutputOfNearlyDeadWeightsIsItsBias) {
  const EncodingShape shape = board(5, 5);
  Model model = model_for(shape, kInt8Network);
  for (const char* name : {"blocks.0.first", "blocks.1.second"}) {
    std::vector<float>& weight = model.tensors.at(std::string(name) + ".weight");
    for (float& value : weight) value = value < 0 ? -2e-36f : 2e-36f;
  }
  for (const char* name : {"policy.conv", "value.conv"}) {
    std::vector<float>& weight = model.tensors.at(std::string(name) + ".weight");
    const auto each = static_cast<std::ptrdiff_t>(kInt8Network.channels);
    std::fill_n(weight.begin(), each, 2e-36f);
  }
  model = calibrated(std::move(model), shape);
  expect_near_eigen(model, shape, make_onednn_network(model, shape, Precision::int8, 32), 2e-3);
}

// Positions of one board stand for all: here those of 5x5 for 9x9.
TEST(Int8, ServesBoardsItWasNotCalibratedOn) {
  const EncodingShape small = board(5, 5);
  const EncodingShape large = board(9, 9);
  const Model model = calibrated(model_for(small, kInt8Network), small);
  for (const char* backend : {"onednn", "simd"}) {
    auto candidate = make_evaluator(model, large, {backend, "int8"}, 32, "test");
    expect_near_eigen(model, large, std::move(candidate), 4e-3);
  }
}

// What is prepared of a model is shared; results are those of an evaluator alone.
TEST(Int8, ThreadsShareWhatIsPreparedOfEachBoard) {
  const std::array<EncodingShape, 2> shapes = {board(5, 5), board(9, 9)};
  const auto model = std::make_shared<const Model>(calibrated(model_for(shapes[0], kInt8Network), shapes[0]));
  const Evaluation evaluation{"onednn", "int8"};
  const EvaluatorFactory factory = make_evaluator_factory(model, evaluation, "test", {.threads = 4, .rows = 16});
  std::vector<Positions> found;
  for (int thread = 0; thread < 4; ++thread) found.emplace_back(shapes[static_cast<std::size_t>(thread % 2)], 16);
  {
    std::vector<std::jthread> threads;
    for (Positions& positions : found) {
      threads.emplace_back([&] { positions.evaluate(*factory(positions.shape, 16)); });
    }
  }
  for (const Positions& positions : found) {
    Positions alone(positions.shape, 16);
    alone.evaluate(*make_evaluator(*model, positions.shape, evaluation, 16, "test"));
    EXPECT_EQ(alone.policy, positions.policy);
    EXPECT_EQ(alone.value, positions.value);
  }
}

TEST(Int8, IsWhatAutoTakesWhereItIsFast) {
  const EncodingShape shape = board(5, 5);
  const Model plain = model_for(shape, kInt8Network);
  const auto name = [&](const Model& model, const std::string& precision) {
    return make_evaluator(model, shape, {"onednn", precision}, 1, "test")->describe();
  };
  const std::string otherwise = cpu_has_bf16() ? "onednn bf16" : "onednn f32";
  EXPECT_THAT(name(calibrated(plain, shape), "auto"), testing::StartsWith(cpu_has_int8() ? "onednn int8" : otherwise));
  EXPECT_THAT(name(calibrated(plain, shape), "int8"), testing::StartsWith("onednn int8"));
  EXPECT_THAT(name(plain, "auto"), testing::StartsWith(otherwise));
}

// Nothing goes to standard error by itself: that is the program's, not the library's.
TEST(Int8, WithoutCalibrationALineSaysWhatIsUsed) {
  const EncodingShape shape = board(5, 5);
  const test::Notices notices;
  const auto evaluator = make_evaluator(model_for(shape, kInt8Network), shape, {"onednn", "int8"}, 1, "test");
  const std::string otherwise = cpu_has_bf16() ? "bf16" : "f32";
  EXPECT_THAT(evaluator->describe(), testing::StartsWith("onednn " + otherwise));
  for (const char* where : {"another", "another"}) {
    make_evaluator(model_for(shape, kInt8Network), shape, {"onednn", "int8"}, 1, where);
  }
  ASSERT_EQ(notices.lines().size(), 2u) << "of each model, once";
  EXPECT_THAT(notices.lines()[1], testing::StartsWith("another: int8 is not used"));
  EXPECT_THAT(std::vector<std::string>{notices.lines()[0]},
              testing::ElementsAre("test: int8 is not used: the model holds no calibration (one that has not learned "
                                   "yet has none); " +
                                   otherwise + " is used instead"));
}

// A model whose ranges are wrong (here a thousandth of what they should be) must not play.
TEST(Int8, AModelThatFailsItsCheckIsServedOtherwise) {
  const EncodingShape shape = board(5, 5);
  Model model = calibrated(model_for(shape, kInt8Network), shape);
  for (float& range : model.calibration.ranges) range *= 0.001f;
  const test::Notices notices;
  for (int thread = 0; thread < 2; ++thread) {
    const auto evaluator = make_evaluator(model, shape, {"onednn", "auto"}, 1, "test");
    EXPECT_THAT(evaluator->describe(), testing::Not(testing::HasSubstr("int8")));
  }
  if (!cpu_has_int8()) return;  // `auto` does not even try
  ASSERT_EQ(notices.lines().size(), 1u) << "said once";
  EXPECT_THAT(notices.lines()[0],
              testing::StartsWith("test: int8 is not used: it is too far from f32 on the model's own positions"));
}

// Each int8 network has kernels of its own, since its ranges are part of them. A run rates thousands of networks.
TEST(Int8, KernelsOfPastNetworksAreGivenBack) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "freed memory is kept aside";
#endif
  if (!cpu_has_int8()) GTEST_SKIP();
  const EncodingShape shape = board(3, 3);
  const auto play_with = [&](std::uint64_t seed) {
    const Model model = calibrated(model_for(shape, {2, 16, 2, 8, 8, 16}, seed), shape);
    Positions positions(shape, 32);
    positions.evaluate(*make_evaluator(model, shape, {"onednn", "int8"}, 32, "test"));
    forget_past_evaluators();
  };
  const auto resident_mebibytes = [] {
    std::ifstream statm("/proc/self/statm");
    long all = 0;
    long resident = 0;
    statm >> all >> resident;
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
  };
  std::uint64_t seed = 1;
  for (; seed <= 5; ++seed) play_with(seed);
  const double before = resident_mebibytes();
  for (; seed <= 45; ++seed) play_with(seed);
  EXPECT_LT(resident_mebibytes() - before, 10.0);
}

}  // namespace
}  // namespace koridor
