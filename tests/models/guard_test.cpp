// Models whose finite weights overflow: no backend hands out what they compute.
#include "models/network/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/registry.h"
#include "models/cpu/onednn_cpu.h"
#include "tests/error_of.h"
#include "tests/models/network_fixture.h"
#include "tests/models/notices.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Guard, TellsNumbersFromWhatIsTooLarge) {
  EXPECT_TRUE(all_within({}, 1.0f));
  EXPECT_TRUE(all_within(std::vector{0.0f, -0.0f, 1.0f, -1.0f, 1e-40f}, 1.0f));
  EXPECT_FALSE(all_within(std::vector{0.0f, std::nextafter(1.0f, 2.0f)}, 1.0f));
  for (const float wrong : {kInfinity, kNan, std::numeric_limits<float>::max()}) {
    std::vector<float> values(37, 0.5f);
    for (const std::size_t place : {0u, 17u, 36u}) {
      values[place] = wrong;
      EXPECT_FALSE(all_within(values, kLargestLogit));
      values[place] = -wrong;
      EXPECT_FALSE(all_within(values, kLargestLogit));
      values[place] = 0.5f;
    }
    EXPECT_TRUE(all_within(values, kLargestLogit));
  }
}

// Hands out what it is told to, with two tickets.
class Told final : public Evaluator {
 public:
  explicit Told(const EncodingShape& shape) : shape_(shape) {}
  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return 8; }
  int tickets() const override { return 2; }
  std::string describe() const override { return "told"; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    for (int i = 0; i < batch.size * shape_.policy_size(); ++i) out.policy[i] = 0.0f;
    for (int i = 0; i < batch.size * shape_.value_size(); ++i) out.value[i] = 0.3f;
    for (int i = 0; i < batch.size * shape_.players && !out.auxiliary.empty(); ++i) out.auxiliary[i] = 0.5f;
    if (policy != 0.0f) out.policy[batch.size * shape_.policy_size() - 1] = policy;
    if (value != 0.0f) out.value[0] = value;
  }
  bool try_submit(int, const Batch& batch, const Predictions& out) override {
    if (!full) evaluate(batch, out);
    return !full;
  }
  float policy = 0.0f;
  float value = 0.0f;
  bool full = false;

 private:
  EncodingShape shape_;
};

TEST(Guard, RefusesTheBatchThatIsNoProbability) {
  const EncodingShape shape = test::board(5, 5);
  auto told = std::make_unique<Told>(shape);
  Told& inner = *told;
  const auto guard = make_guard(std::move(told), "gen-0007.koridor");
  EXPECT_EQ(guard->tickets(), 2);
  test::Positions positions(shape, 8);
  const auto submit = [&](int ticket) {
    guard->submit(ticket, positions.batch(4 * ticket, 4), positions.predictions(4 * ticket, 4));
  };
  guard->wait(0);  // nothing was submitted
  submit(0);
  inner.policy = kNan;
  submit(1);
  EXPECT_NO_THROW(guard->wait(0));
  EXPECT_THROW(guard->wait(1), UserError);
  EXPECT_NO_THROW(guard->wait(1));  // the ticket is free again
  inner.policy = 0.0f;
  inner.value = -kInfinity;
  EXPECT_THAT(error_of([&] { positions.evaluate(*guard, 0, 4); }),
              AllOf(HasSubstr("model gen-0007.koridor: its network overflows"), HasSubstr("(told)")));
  inner.value = 0.9f;
  EXPECT_NO_THROW(positions.evaluate(*guard, 0, 4));

  // What was not taken is not looked at, and what was taken without a wait is.
  inner.policy = kNan;
  inner.full = true;
  EXPECT_FALSE(guard->try_submit(0, positions.batch(0, 4), positions.predictions(0, 4)));
  EXPECT_NO_THROW(guard->wait(0));
  inner.full = false;
  EXPECT_TRUE(guard->try_submit(0, positions.batch(0, 4), positions.predictions(0, 4)));
  EXPECT_THROW(guard->wait(0), UserError);
}

// A sound model of the game, and one whose weights are finite and whose sums are not.
Model model_of(const AnyGame& game, bool overflows) {
  const EncodingShape shape = std::visit([](const auto& known) { return known.encoding({}); }, game);
  Model model = test::model_for(shape, {2, 32, 2, 8, 8, 16});
  model.info.family = std::visit([](const auto& known) { return std::string(known.family()); }, game);
  model.info.game = name_of(game);
  model.info.encoding_version = shape.version;
  if (!overflows) return model;
  for (auto& [name, values] : model.tensors) {
    for (float& value : values) value = value < 0 ? -1e30f : 1e30f;
  }
  return model;
}

TEST(Guard, EveryBackendRefusesAModelThatOverflowsWhereItIsLoaded) {
  std::vector<Evaluation> evaluations = {{"eigen", "f32"},   {"onednn", "f32"}, {"onednn", "int8"},
                                         {"onednn", "auto"}, {"simd", "f32"},   {"simd", "auto"}};
  if (cpu_has_bf16()) evaluations.push_back({"onednn", "bf16"});
#ifdef KORIDOR_TORCH_MODULE
  ::setenv("KORIDOR_TORCH_MODULE", KORIDOR_TORCH_MODULE, 0);
  evaluations.push_back({"torch", "f32", "cpu"});
#endif
  for (const char* name : {"quoridor:5x5,walls=3", "go:5x5"}) {
    const AnyGame game = parse_game(name);
    const EncodingShape shape = std::visit([](const auto& known) { return known.encoding({}); }, game);
    for (const Evaluation& evaluation : evaluations) {
      for (const bool carries_positions : {false, true}) {
        Model model = model_of(game, false);
        if (carries_positions) model = test::calibrated(model, shape);
        EXPECT_NO_THROW(make_evaluator(model, shape, evaluation, 4, "sound"));
        const Model bad = model_of(game, true);
        model.tensors = bad.tensors;
        const test::Notices notices;
        EXPECT_THAT(error_of([&] { make_evaluator(model, shape, evaluation, 4, "gen-0003.koridor"); }),
                    HasSubstr("gen-0003.koridor: its network overflows"))
            << name << " " << evaluation.backend << " " << evaluation.precision;
        for (const std::string& line : notices.lines()) EXPECT_THAT(line, Not(HasSubstr("nan")));
        EXPECT_THROW(require_probabilities(model, shape, "start"), UserError);
      }
    }
  }
}

// Infinities of both signs within a block: a ReLU that made 0 of NaN would hand out numbers.
TEST(Guard, AnOverflowInsideTheNetworkIsSeen) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  const EncodingShape shape = std::get<0>(game).encoding({});
  Model model = model_of(game, false);
  for (auto& [name, values] : model.tensors) {
    if (!name.starts_with("blocks.0.")) continue;
    for (float& value : values) value = value < 0 ? -3e38f : 3e38f;
  }
  std::vector<Evaluation> evaluations = {{"eigen", "f32"}, {"simd", "f32"}, {"onednn", "f32"}};
  if (cpu_has_bf16()) evaluations.push_back({"onednn", "bf16"});
  for (const Evaluation& evaluation : evaluations) {
    EXPECT_THROW(make_evaluator(model, shape, evaluation, 4, "hidden"), UserError)
        << evaluation.backend << " " << evaluation.precision;
  }
}

// On a board of which the model says nothing the first batch tells.
TEST(Guard, AModelOfAnotherBoardIsRefusedAtItsFirstBatch) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  const EncodingShape other = test::board(7, 7, std::get<0>(game).encoding({}).planes);
  EncodingShape shape = std::get<0>(game).encoding({});
  shape.rows = other.rows;
  shape.columns = other.columns;
  const auto evaluator = make_evaluator(model_of(game, true), shape, {"onednn", "f32"}, 4, "gen-0003.koridor");
  test::Positions positions(shape, 4);
  EXPECT_THROW(positions.evaluate(*evaluator), UserError);
}

}  // namespace
}  // namespace koridor
