// Models without a file: those with random weights, and which games a model fits.
#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "models/backends.h"
#include "models/network/model_file.h"
#include "tests/error_of.h"
#include "tests/models/network_fixture.h"

namespace koridor {
namespace {

TEST(RandomModel, IsItsSeeds) {
  const ModelInfo info = test::info_for(test::board(5, 5), {2, 16, 2, 8, 8, 16});
  EXPECT_EQ(random_model(info, 4).tensors, random_model(info, 4).tensors);
  EXPECT_NE(random_model(info, 4).tensors, random_model(info, 5).tensors);
}

TEST(RandomModel, KeepsItsSizeWithDepth) {
  const EncodingShape shape = test::board(5, 5);
  for (const int blocks : {1, 10, 40}) {
    const Model model = random_model(test::info_for(shape, {blocks, 16, 2, 8, 8, 16}), 3);
    test::Positions positions(shape, 4);
    positions.evaluate(*make_evaluator(model, shape, {"eigen", "f32"}, 4, "test"));
    const double largest = test::largest_difference(positions.policy, std::vector<float>(positions.policy.size()));
    EXPECT_GT(largest, 0.01) << blocks;
    EXPECT_LT(largest, 30.0) << blocks;
  }
}

TEST(RandomModel, RefusesImpossibleNetworks) {
  ModelInfo info = test::info_for(test::board(5, 5), {2, 16, 2, 8, 8, 16});
  info.network.channels = 4;
  EXPECT_THROW(random_model(info, 1), UserError);
}

TEST(GrowsInto, NoNumberMayBeSmallerAndTheSameBlocksMustPool) {
  const NetworkConfig from{.blocks = 3, .channels = 16, .pool_every = 2};
  EXPECT_TRUE(grows_into(from, from));
  for (int NetworkConfig::*number : {&NetworkConfig::blocks, &NetworkConfig::channels, &NetworkConfig::policy_channels,
                                     &NetworkConfig::value_channels, &NetworkConfig::value_hidden}) {
    NetworkConfig to = from;
    to.*number += 1;
    EXPECT_TRUE(grows_into(from, to));
    to.*number -= 2;
    EXPECT_FALSE(grows_into(from, to));
    EXPECT_EQ(obstacles_to_growth(from, to), from);
  }
  NetworkConfig to{.blocks = 5, .channels = 16, .pool_every = 3};
  EXPECT_FALSE(grows_into(from, to));
  to.pool_every = 4;
  EXPECT_FALSE(grows_into(from, to)) << "the second block does not pool";
  EXPECT_EQ(obstacles_to_growth(from, to), (NetworkConfig{.blocks = 5, .channels = 16, .pool_every = 2}));
  EXPECT_TRUE(grows_into({.blocks = 3, .channels = 16, .pool_every = 0}, to)) << "the three blocks of both do not pool";
}

TEST(RequireFits, NamesTheFamily) {
  const EncodingShape shape = test::board(5, 5);
  const ModelInfo info = test::info_for(shape, {2, 16, 2, 8, 8, 16});
  EXPECT_NO_THROW(require_fits(info, "wall", shape, "a"));
  EXPECT_NO_THROW(require_fits(info, "", shape, "a"));
  EXPECT_EQ(error_of([&] { require_fits(info, "go", shape, "net.koridor"); }),
            "model net.koridor: it plays games of the family \"wall\", this game is of the family \"go\"");
}

}  // namespace
}  // namespace koridor
