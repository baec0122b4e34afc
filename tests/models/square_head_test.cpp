// A head with a number for each square, computed for people, beside the network's formula written a second time.
#include "models/network/square_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "core/go/game.h"
#include "core/registry.h"
#include "models/network/go_owners.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

constexpr NetworkConfig kSquareNetwork{
    .blocks = 3, .channels = 16, .pool_every = 2, .policy_channels = 8, .value_channels = 8, .value_hidden = 16};

Model owning_model(const EncodingShape& shape) {
  ModelInfo info = test::info_for(shape, kSquareNetwork);
  info.signature.heads.push_back({"ownership", Extent::squares, Activation::sigmoid, 1});
  Model model = random_model(info, 3);
  Random random(3);
  for (auto& [name, values] : model.tensors) {
    if (!name.ends_with(".bias")) continue;
    for (float& value : values) value = static_cast<float>(0.3 * random.normal());
  }
  return model;
}

TEST(SquareHead, FollowsTheFormula) {
  for (const auto& [rows, columns] : {std::pair(5, 5), std::pair(4, 7), std::pair(1, 1)}) {
    const EncodingShape shape = test::board(rows, columns);
    const Model model = owning_model(shape);
    test::Positions positions(shape, 3);
    test::NaiveNetwork(model, shape).evaluate(positions);
    for (int i = 0; i < positions.size; ++i) {
      const Batch one = positions.batch(i, 1);
      const std::vector<float> owners = square_head(model, shape, one.planes, one.scalars, "ownership");
      ASSERT_EQ(owners.size(), static_cast<std::size_t>(shape.area()));
      const auto expected =
          std::span(positions.squares).subspan(static_cast<std::size_t>(i * shape.area()), owners.size());
      EXPECT_LT(test::largest_difference(owners, expected), 1e-4);
      EXPECT_TRUE(square_head(model, shape, one.planes, one.scalars, "reply").empty());
    }
  }
}

// A valid network, though no game of today has one.
TEST(SquareHead, MayHaveNoScalars) {
  EncodingShape shape = test::board(5, 5);
  shape.scalars = 0;
  const Model model = owning_model(shape);
  const test::Positions positions(shape, 1);
  EXPECT_EQ(square_head(model, shape, positions.planes, {}, "ownership").size(), 25u);
}

// The probabilities of the squares add up to 1 in each copy, as the trainer learns them and ONNX files have them.
TEST(SquareHead, EachCopyHasASoftmaxOfItsOwn) {
  const EncodingShape shape = test::board(4, 5);
  ModelInfo info = test::info_for(shape, kSquareNetwork);
  info.signature.heads.push_back({"places", Extent::squares, Activation::softmax, 2});
  Model model = random_model(info, 3);
  model.tensors.at("places.out.bias") = {0.0f, 3.0f};
  const test::Positions positions(shape, 1);
  const std::vector<float> places = square_head(model, shape, positions.planes, positions.scalars, "places");
  const auto area = static_cast<std::size_t>(shape.area());
  ASSERT_EQ(places.size(), 2 * area);
  for (const std::size_t copy : {0, 1}) {
    const std::span<const float> numbers = std::span(places).subspan(copy * area, area);
    EXPECT_NEAR(std::accumulate(numbers.begin(), numbers.end(), 0.0), 1.0, 1e-5) << copy;
    EXPECT_LT(std::ranges::min(numbers), std::ranges::max(numbers)) << copy;
  }
}

// The network sees the board as the mover does; the owners are black's whoever is to move.
TEST(SquareHead, OwnersAreThoseOfTheFirstPlayer) {
  const go::GoGame game = std::get<go::GoGame>(parse_game("go:5x5"));
  const EncodingShape shape = game.encoding({});
  Model model = owning_model(shape);
  model.info.family = "go";
  model.info.game = "go:5x5";
  for (float& weight : model.tensors.at("ownership.out.weight")) weight = 0;
  model.tensors.at("ownership.out.bias") = {2.0f};  // whatever the position, the mover owns all
  go::State state = game.initial_state();
  EXPECT_GT(predicted_owners(model, game, state).front(), 0.8f);
  game.apply(state, Action{12});
  EXPECT_LT(predicted_owners(model, game, state).front(), 0.2f);
  // A head of this name with two numbers for each point, which a file may have.
  Model strange = model;
  for (Head& head : strange.info.signature.heads) {
    if (head.name == "ownership") head.count = 2;
  }
  for (auto& [name, values] : strange.tensors) {
    if (!name.starts_with("ownership.out.")) continue;
    const std::vector<float> once = values;
    values.insert(values.end(), once.begin(), once.end());
  }
  EXPECT_TRUE(predicted_owners(strange, game, state).empty());
  model.info.signature.heads = basic_heads();
  EXPECT_TRUE(predicted_owners(model, game, state).empty());
}

// On a board of a size that the head never learned, playouts say who owns what.
TEST(SquareHead, OwnersAreTheHeadsOnBoardsThatItLearned) {
  const go::GoGame game = std::get<go::GoGame>(parse_game("go:5x5"));
  Model model = owning_model(game.encoding({}));
  model.info.family = "go";
  model.info.game = "go:9x9";
  const go::State state = game.initial_state();
  const std::vector<float> played_out = expected_owners(nullptr, game, state);
  EXPECT_EQ(expected_owners(&model, game, state), played_out);
  EXPECT_TRUE(predicted_owners(model, game, state).empty());
  for (const char* unknown : {"a-later-game", "quoridor:5x5"}) {
    model.info.games = {"go:9x9", unknown};
    EXPECT_EQ(expected_owners(&model, game, state), played_out) << unknown;
  }
  model.info.games = {"go:9x9", "a-later-game", "go:5x5,komi=0.5"};
  EXPECT_FALSE(predicted_owners(model, game, state).empty());
  EXPECT_EQ(expected_owners(&model, game, state), predicted_owners(model, game, state));
}

}  // namespace
}  // namespace koridor
