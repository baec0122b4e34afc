#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cpu/amx_cpu.h"
#include "models/cpu/int8_network.h"
#include "models/cpu/onednn_cpu.h"
#include "models/network/check.h"
#include "models/network/uniform.h"
#include "tests/models/allocations.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

using test::board;
using test::model_for;
using test::Positions;

constexpr NetworkConfig kNetwork{2, 16, 2, 8, 8, 16};

// Counts what it is asked and answers with numbers made from the input alone.
class Counting final : public Evaluator {
 public:
  explicit Counting(const EncodingShape& shape, float offset = 0.0f) : shape_(shape), offset_(offset) {}
  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return 16; }
  std::string describe() const override { return "counting"; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    ++calls;
    positions += batch.size;
    for (int i = 0; i < batch.size; ++i) {
      const float base = batch.planes[i * shape_.plane_floats()] + batch.scalars[i * shape_.scalars] + offset_;
      for (int k = 0; k < shape_.policy_size(); ++k) out.policy[i * shape_.policy_size() + k] = base * k * 0.01f;
      for (int k = 0; k < shape_.value_size(); ++k) out.value[i * shape_.value_size() + k] = base + k;
      if (out.auxiliary.empty()) continue;
      for (int k = 0; k < shape_.players; ++k) out.auxiliary[i * shape_.players + k] = base - k;
    }
  }

  int calls = 0;
  int positions = 0;

 private:
  EncodingShape shape_;
  float offset_;
};

TEST(Check, MeasuresADifference) {
  const EncodingShape shape = board(5, 5);
  const auto check = make_check(std::make_unique<Counting>(shape), std::make_unique<Counting>(shape, 0.25f));
  Positions positions(shape, 16), expected(shape, 16);
  positions.evaluate(*check);
  expected.evaluate(*std::make_unique<Counting>(shape));
  EXPECT_EQ(positions.policy, expected.policy);
  EXPECT_EQ(positions.value, expected.value);
  const Differences* differences = check_differences(*check);
  ASSERT_NE(differences, nullptr);
  EXPECT_EQ(differences->positions, 16u);
  EXPECT_NEAR(differences->value.largest, 0.25, 1e-6);
  EXPECT_NEAR(differences->value.mean(), 0.25, 1e-6);
  EXPECT_NEAR(differences->auxiliary.mean(), 0.25, 1e-6);
  EXPECT_GT(differences->policy.largest, differences->policy.mean());
  EXPECT_GT(differences->mean_divergence(), 1e-4);
  EXPECT_THAT(differences->summary(), testing::StartsWith("16 positions: policy differs by"));
  EXPECT_EQ(check_differences(Counting(shape)), nullptr);
}

TEST(Check, FindsNoneBetweenEquals) {
  const EncodingShape shape = board(5, 5);
  const auto check = make_check(std::make_unique<Counting>(shape), std::make_unique<Counting>(shape));
  Positions positions(shape, 16);
  positions.evaluate(*check);
  EXPECT_EQ(check_differences(*check)->policy.largest, 0.0);
  EXPECT_EQ(check_differences(*check)->mean_divergence(), 0.0);
}

TEST(Check, RefusesTwoShapes) {
  EXPECT_THROW(make_check(make_uniform(board(5, 5), 4), make_uniform(board(7, 7), 4)), std::invalid_argument);
}

Differences differences_to_eigen(const EncodingShape& shape, const NetworkConfig& network,
                                 const std::string& precision) {
  const Model model = model_for(shape, network);
  const auto check = make_check(make_evaluator(model, shape, {"eigen", "f32"}, 32, "test"),
                                make_evaluator(model, shape, {"onednn", precision}, 32, "test"));
  Positions positions(shape, 64);
  positions.evaluate(*check);
  return *check_differences(*check);
}

TEST(Check, OnednnInF32IsTheReferencesEqual) {
  const Differences found = differences_to_eigen(board(9, 9, 17), {6, 64, 2, 32, 32, 64}, "f32");
  EXPECT_LT(found.policy.largest, 1e-5);
  EXPECT_LT(found.value.largest, 1e-5);
  EXPECT_LT(found.mean_divergence(), 1e-9);
}

TEST(Check, OnednnInBf16IsNear) {
  if (!cpu_has_bf16()) GTEST_SKIP() << "this CPU has no bf16";
  const Differences found = differences_to_eigen(board(9, 9, 17), {6, 64, 2, 32, 32, 64}, "bf16");
  EXPECT_GT(found.policy.largest, 0.0);  // else it was not bf16 that ran
  EXPECT_LT(found.mean_divergence(), 1e-4);
  EXPECT_LT(found.value.largest, 0.02);
}

// After the first call, evaluate() allocates nothing. oneDNN allocates a little inside each primitive's call and frees
// it again.
TEST(Evaluators, AllocateNothingPerCall) {
  const EncodingShape shape = board(5, 5);
  const Model model = model_for(shape, kNetwork);
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  evaluators.push_back(make_uniform(shape, 16));
  evaluators.push_back(make_evaluator(model, shape, {"eigen", "f32"}, 16, "test"));
  evaluators.push_back(make_check(std::make_unique<Counting>(shape), std::make_unique<Counting>(shape)));
  if (has_amx() || int8_kernels() != nullptr) {
    evaluators.push_back(test::own_int8(test::calibrated(model, shape), shape, 16));
  }
  evaluators.push_back(make_evaluator(model, shape, {"onednn", "auto"}, 16, "test"));
  Positions positions(shape, 16);
  for (const auto& evaluator : evaluators) {
    const auto evaluate_all_sizes = [&] {
      for (int size = 1; size <= 16; ++size) {
        positions.evaluate(*evaluator, 0, size);
      }
    };
    evaluate_all_sizes();
    const test::Allocations before = test::allocations();
    evaluate_all_sizes();
    const test::Allocations after = test::allocations();
    EXPECT_EQ(after.live, before.live) << evaluator->describe();
    if (evaluator != evaluators.back()) {
      EXPECT_EQ(after.made, before.made) << evaluator->describe();
    }
  }
}

}  // namespace
}  // namespace koridor
