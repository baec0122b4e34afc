// Models and evaluators, against the evaluator itself.
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "core/base/files.h"
#include "models/backends.h"
#include "models/network/compact_model.h"
#include "tests/library/library_support.h"

namespace koridor::test {
namespace {

OwnedEvaluator evaluator_of(const OwnedModel& model, const OwnedGame& game, const koridor_evaluation& how) {
  koridor_evaluator* evaluator = nullptr;
  EXPECT_TRUE(done(koridor_evaluator_new(model.get(), game.get(), &how, &evaluator)));
  return OwnedEvaluator(evaluator);
}

// Some states of a game, and their encoding.
struct Positions {
  Positions(const OwnedGame& game, int count) {
    for (int i = 0; i < count; ++i) {
      states.push_back(state_of(game));
      handles.push_back(states.back().get());
      EXPECT_TRUE(done(koridor_states_play_randomly(&handles.back(), 1, 2 * i, static_cast<std::uint64_t>(i))));
    }
    shape.struct_size = sizeof shape;
    EXPECT_TRUE(done(koridor_game_encoding(game.get(), 1, &shape)));
    planes.resize(handles.size() * static_cast<std::size_t>(shape.planes * shape.rows * shape.columns));
    scalars.resize(handles.size() * static_cast<std::size_t>(shape.scalars));
    EXPECT_TRUE(done(koridor_states_encode(handles.data(), handles.size(), 1, 0, planes.data(), scalars.data())));
  }
  std::vector<OwnedState> states;
  std::vector<koridor_state*> handles;
  koridor_encoding shape{};
  std::vector<float> planes, scalars;
};

TEST(LibraryModels, AreReadFromFilesAndMemory) {
  const ModelFile file(kGame);
  const std::string bytes = read_file(file.path());
  koridor_model* made = nullptr;
  EXPECT_TRUE(done(koridor_model_load_memory(bytes.data(), bytes.size(), "bytes of mine", &made)));
  const OwnedModel from_memory(made);
  const OwnedModel from_file = file.load();
  for (const koridor_model* model : {from_memory.get(), from_file.get()}) {
    koridor_model_info info = {.struct_size = sizeof info};
    EXPECT_TRUE(done(koridor_model_describe(model, &info)));
    EXPECT_EQ(info.features, KORIDOR_DISTANCES);
    EXPECT_EQ(info.players, 2);
    EXPECT_EQ(info.generation, 0);
    EXPECT_EQ(info.blocks, 1);
    EXPECT_EQ(info.channels, 8);
    EXPECT_EQ(info.calibrated, 0);
    EXPECT_EQ(koridor_model_game(model), kGame);
    EXPECT_STREQ(koridor_model_family(model), "wall");
  }
  EXPECT_EQ(koridor_model_game(nullptr), nullptr);
  EXPECT_EQ(koridor_model_family(nullptr), nullptr);
}

TEST(LibraryModels, RefuseWhatIsNoModel) {
  koridor_model* model = nullptr;
  expect_failure(koridor_model_load("/nowhere/at.all", &model), KORIDOR_BAD_MODEL, "/nowhere/at.all");
  const ModelFile file(kGame);
  std::string bytes = read_file(file.path());
  expect_failure(koridor_model_load_memory(bytes.data(), 0, "nothing", &model), KORIDOR_BAD_MODEL,
                 "nothing: the file is empty");
  expect_failure(koridor_model_load_memory(bytes.data(), bytes.size() / 2, "half", &model), KORIDOR_BAD_MODEL,
                 "half: truncated");
  bytes[bytes.size() - 5] ^= 1;
  expect_failure(koridor_model_load_memory(bytes.data(), bytes.size(), "changed", &model), KORIDOR_BAD_MODEL,
                 "checksum");
  expect_failure(koridor_model_load_memory(nullptr, 5, "null", &model), KORIDOR_INVALID_ARGUMENT, "bytes is NULL");
  expect_failure(koridor_model_load(nullptr, &model), KORIDOR_INVALID_ARGUMENT, "path is NULL");
  EXPECT_EQ(model, nullptr);
}

TEST(LibraryModels, AreSavedWholeAndCompact) {
  const ModelFile file(kGame);
  const OwnedModel model = file.load();
  const koridor::TemporaryFolder folder;
  EXPECT_TRUE(done(koridor_model_save(model.get(), folder.file("whole").c_str(), 0)));
  EXPECT_TRUE(done(koridor_model_save(model.get(), folder.file("compact").c_str(), 1)));
  EXPECT_EQ(read_file(folder.file("whole")), read_file(file.path()));
  const Model exact = load_model(file.path());
  EXPECT_EQ(koridor_model_save(model.get(), folder.file("other").c_str(), 2), KORIDOR_INVALID_ARGUMENT);
  const Model compact = load_model(folder.file("compact"));
  for (const auto& [name, values] : exact.tensors) {
    const std::vector<float>& found = compact.tensors.at(name);
    ASSERT_EQ(found.size(), values.size()) << name;
    const float largest = std::abs(*std::ranges::max_element(values, {}, [](float value) { return std::abs(value); }));
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(found[i], values[i], largest / 253) << name;
  }
  EXPECT_NE(compact.tensors.at("stem.weight"), exact.tensors.at("stem.weight"));
  // What was rounded once is the same when it is rounded again.
  save_compact_model(folder.file("again"), compact);
  EXPECT_EQ(load_model(folder.file("again")).tensors, compact.tensors);
  expect_failure(koridor_model_save(model.get(), folder.file("whole/below").c_str(), 0), KORIDOR_INVALID_ARGUMENT,
                 "cannot make the folder");
}

TEST(LibraryModels, PrintNothingOfTheirOwnAccord) {
  const ModelFile file(kGame);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const OwnedEvaluator evaluator =
      evaluator_of(file.load(), game_of(kGame), {.struct_size = sizeof(koridor_evaluation), .precision = "int8"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(std::string(koridor_evaluator_describe(evaluator.get())).find("int8"), std::string::npos)
      << "a model without a calibration is not computed in int8, which its description says";
}

TEST(LibraryModels, EvaluateAsTheEvaluatorDoes) {
  const ModelFile file(kGame);
  const OwnedGame game = game_of(kGame);
  const OwnedModel model = file.load();
  const Positions positions(game, 7);
  const auto policy_size = static_cast<std::size_t>(positions.shape.policy_size);
  const auto value_size = static_cast<std::size_t>(positions.shape.value_size);
  std::vector<float> policy(7 * policy_size), value(7 * value_size);
  // More positions than one batch has.
  const OwnedEvaluator evaluator =
      evaluator_of(model, game, {.struct_size = sizeof(koridor_evaluation), .max_batch = 3, .backend = "eigen"});
  EXPECT_STREQ(koridor_evaluator_describe(evaluator.get()), "eigen f32");
  EXPECT_TRUE(done(koridor_evaluate(evaluator.get(), 7, positions.planes.data(), positions.scalars.data(),
                                    policy.data(), value.data())));

  const EncodingShape shape = std::visit([](const auto& known) { return known.encoding({}); }, parse_game(kGame));
  const auto reference = make_evaluator(load_model(file.path()), shape, {.backend = "eigen"}, 7, "reference");
  std::vector<float> expected_policy(policy.size()), expected_value(value.size());
  reference->evaluate({7, positions.planes, positions.scalars}, {expected_policy, expected_value, {}});
  EXPECT_EQ(policy, expected_policy);
  EXPECT_EQ(value, expected_value);
  EXPECT_TRUE(done(koridor_evaluate(evaluator.get(), 0, nullptr, nullptr, nullptr, nullptr)));
  expect_failure(koridor_evaluate(evaluator.get(), 1, nullptr, nullptr, nullptr, nullptr), KORIDOR_INVALID_ARGUMENT,
                 "planes");
}

// The first call with such numbers must not make the evaluator take its model for damaged ever after. The board is none
// that the model carries positions of.
TEST(LibraryModels, NumbersThatAreNotFiniteAreTheCallersFault) {
  const ModelFile file(kGame);
  const OwnedModel model = file.load();
  const OwnedGame other = game_of("quoridor:4x4,walls=2");
  for (const float odd : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Positions positions(other, 3);
    std::vector<float> policy(3 * static_cast<std::size_t>(positions.shape.policy_size));
    std::vector<float> value(3 * static_cast<std::size_t>(positions.shape.value_size));
    const OwnedEvaluator evaluator = evaluator_of(model, other, {.struct_size = sizeof(koridor_evaluation)});
    const auto evaluate = [&] {
      return koridor_evaluate(evaluator.get(), 3, positions.planes.data(), positions.scalars.data(), policy.data(),
                              value.data());
    };
    float& plane = positions.planes[positions.planes.size() / 3];
    const float before = std::exchange(plane, odd);
    expect_failure(evaluate(), KORIDOR_INVALID_ARGUMENT, "planes: position 1 has a number that is not finite");
    plane = before;
    float& scalar = positions.scalars.back();
    const float scalar_before = std::exchange(scalar, odd);
    expect_failure(evaluate(), KORIDOR_INVALID_ARGUMENT, "scalars: position 2");
    scalar = scalar_before;
    EXPECT_TRUE(done(evaluate()));
  }
}

TEST(LibraryModels, EvaluateStatesInTheGamesTerms) {
  for (const std::string& name : {kGame, std::string("quoridor4:5x5,walls=2"), std::string("go:5x5")}) {
    const ModelFile file(name);
    const OwnedGame game = game_of(name);
    const OwnedEvaluator evaluator = evaluator_of(
        file.load(), game, {.struct_size = sizeof(koridor_evaluation), .max_batch = 2, .backend = "eigen"});
    const Positions positions(game, 5);
    const OwnedState finished = state_of(game);
    koridor_state* const last = finished.get();
    EXPECT_TRUE(done(koridor_states_play_randomly(&last, 1, 100000, 1)));
    std::vector<koridor_state*> states = positions.handles;
    states.push_back(last);
    koridor_game_info info = {.struct_size = sizeof info};
    EXPECT_TRUE(done(koridor_game_describe(game.get(), &info)));
    const auto actions = static_cast<std::size_t>(info.num_actions);
    const auto players = static_cast<std::size_t>(info.players);
    std::vector<float> policy(6 * actions, -1.0f), values(6 * players, -1.0f);
    EXPECT_TRUE(done(koridor_evaluate_states(evaluator.get(), states.data(), 6, policy.data(), values.data())));

    // By hand, from the network's own numbers.
    std::vector<float> logits(5 * static_cast<std::size_t>(positions.shape.policy_size));
    std::vector<float> value(5 * static_cast<std::size_t>(positions.shape.value_size));
    EXPECT_TRUE(done(koridor_evaluate(evaluator.get(), 5, positions.planes.data(), positions.scalars.data(),
                                      logits.data(), value.data())));
    std::vector<std::int32_t> indices(5 * actions);
    EXPECT_TRUE(done(koridor_states_policy_indices(states.data(), 5, 0, indices.data())));
    for (std::size_t i = 0; i < 5; ++i) {
      const std::vector<std::int32_t> legal = legal_of(states[i]);
      const float* row = logits.data() + i * static_cast<std::size_t>(positions.shape.policy_size);
      const auto logit = [&](std::int32_t action) {
        return row[indices[i * actions + static_cast<std::size_t>(action)]];
      };
      double total = 0;
      for (const std::int32_t action : legal) total += std::exp(logit(action));
      for (const std::int32_t action : legal) {
        EXPECT_NEAR(policy[i * actions + static_cast<std::size_t>(action)], std::exp(logit(action)) / total, 1e-5);
      }
      const float* sum = policy.data() + i * actions;
      EXPECT_NEAR(std::accumulate(sum, sum + actions, 0.0), 1.0, 1e-5);
      const float* of_value = value.data() + i * static_cast<std::size_t>(positions.shape.value_size);
      std::int32_t mover = 0;
      EXPECT_TRUE(done(koridor_state_player(states[i], &mover)));
      EXPECT_NEAR(values[i * players + static_cast<std::size_t>(mover)],
                  of_value[0] + of_value[players] / static_cast<float>(players), 1e-6);
      const float* points = values.data() + i * players;
      EXPECT_NEAR(std::accumulate(points, points + players, 0.0), 1.0, 1e-5);
    }
    koridor_outcome outcome = {.struct_size = sizeof outcome};
    EXPECT_TRUE(done(koridor_state_outcome(last, &outcome)));
    for (std::size_t seat = 0; seat < players; ++seat) EXPECT_EQ(values[5 * players + seat], outcome.values[seat]);
    const float* none = policy.data() + 5 * actions;
    EXPECT_EQ(std::accumulate(none, none + actions, 0.0f), 0.0f);
    // Either may be left out.
    std::vector<float> alone(values.size());
    EXPECT_TRUE(done(koridor_evaluate_states(evaluator.get(), states.data(), 6, nullptr, alone.data())));
    EXPECT_EQ(alone, values);
    EXPECT_TRUE(done(koridor_evaluate_states(evaluator.get(), &last, 1, nullptr, nullptr)));
  }
}

TEST(LibraryModels, RefuseWhatDoesNotFit) {
  const OwnedModel model = ModelFile(kGame).load();
  koridor_evaluator* evaluator = nullptr;
  koridor_evaluation how = {.struct_size = sizeof how};
  const OwnedGame game = game_of(kGame);
  expect_failure(koridor_evaluator_new(model.get(), game_of("go:5x5").get(), nullptr, &evaluator), KORIDOR_BAD_MODEL,
                 "family");
  expect_failure(koridor_evaluator_new(model.get(), game_of("quoridor4").get(), nullptr, &evaluator), KORIDOR_BAD_MODEL,
                 "players");
  how.backend = "none";
  expect_failure(koridor_evaluator_new(model.get(), game.get(), &how, &evaluator), KORIDOR_INVALID_ARGUMENT, "backend");
  how.backend = "eigen";
  how.precision = "int8";
  expect_failure(koridor_evaluator_new(model.get(), game.get(), &how, &evaluator), KORIDOR_INVALID_ARGUMENT, "int8");
  how = {.struct_size = sizeof how, .max_batch = -1};
  expect_failure(koridor_evaluator_new(model.get(), game.get(), &how, &evaluator), KORIDOR_INVALID_ARGUMENT,
                 "max_batch");
  EXPECT_EQ(evaluator, nullptr);
  EXPECT_EQ(koridor_evaluator_describe(nullptr), nullptr);
  // A board of another size is one more game that the model serves.
  EXPECT_NE(evaluator_of(model, game_of("quoridor:7x7,walls=3"), {.struct_size = sizeof(koridor_evaluation)}), nullptr);
}

}  // namespace
}  // namespace koridor::test
