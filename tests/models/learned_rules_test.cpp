// Networks that are asked about a game by other rules than those they learned.
#include "models/network/learned_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/random_positions.h"
#include "core/registry.h"
#include "models/backends.h"
#include "models/network/square_head.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Model learned(const std::vector<std::string>& games) {
  Model model = *test::tiny_model(parse_game(games.front()));
  if (games.size() > 1) model.info.games = games;
  return model;
}

std::map<std::string, float> named(const Model& model) {
  const std::vector<std::string> names = encoding_names(parse_game(model.info.game), model.info.features).scalars;
  std::map<std::string, float> values;
  for (const LearnedRule& rule : learned_rules(model)) values[names.at(rule.scalar)] = rule.value;
  return values;
}

TEST(LearnedRules, AreTheScalarsThatAllItsGamesHaveInCommon) {
  const auto go = named(learned({"go:5x5"}));
  EXPECT_EQ(go.at("suicide"), 1.0f);
  EXPECT_EQ(go.at("superko"), 1.0f);
  EXPECT_EQ(go.at("territory"), 0.0f);
  EXPECT_TRUE(go.contains("rows"));
  EXPECT_EQ(go.at("cleanup"), 0.0f) << "which only territory scoring has";
  EXPECT_EQ(go.at("stones_left.own"), 1.0f);
  EXPECT_FALSE(go.contains("passed")) << "which a position says";
  EXPECT_FALSE(go.contains("deficit")) << "komi, which every position has";

  const auto both = named(learned({"go:5x5", "go:5x5,chinese"}));
  EXPECT_FALSE(both.contains("suicide"));
  EXPECT_TRUE(both.contains("superko"));
  const auto territory = named(learned({"go:5x5", "go:5x5,japanese"}));
  EXPECT_FALSE(territory.contains("territory"));
  EXPECT_FALSE(territory.contains("cleanup"));
  EXPECT_FALSE(named(learned({"go:5x5,leaflet-strict"})).contains("stones_left.own"));
  const auto sizes = named(learned({"go:5x5", "go:7x7"}));
  EXPECT_FALSE(sizes.contains("rows"));
  EXPECT_TRUE(sizes.contains("suicide"));

  EXPECT_THAT(named(learned({"quoridor:5x5,walls=3"})),
              ElementsAre(Pair("columns", testing::Gt(0)), Pair("rows", testing::Gt(0))));
}

TEST(LearnedRules, OfGamesThatAreNotKnownThereAreNone) {
  Model model = learned({"go:5x5"});
  model.info.game = "";
  EXPECT_THAT(learned_rules(model), IsEmpty());
  model.info.game = "go:5x5,of=tomorrow";
  EXPECT_THAT(learned_rules(model), IsEmpty());
  model.info.game = "quoridor";
  EXPECT_THAT(learned_rules(model), IsEmpty()) << "another family than the model's";
}

// What a network says of the positions of a random game, all in one batch.
struct Said {
  std::vector<float> policy, value;
  friend bool operator==(const Said&, const Said&) = default;
};

Said said_of(const Model& model, const EncodedPositions& positions) {
  const EncodingShape& shape = positions.shape;
  Said result{std::vector<float>(static_cast<std::size_t>(positions.size * shape.policy_size())),
              std::vector<float>(static_cast<std::size_t>(positions.size * shape.value_size()))};
  const auto evaluator = make_evaluator(model, shape, {.backend = "eigen"}, positions.size, "model");
  evaluator->submit(0, {positions.size, positions.planes, positions.scalars}, {result.policy, result.value, {}});
  evaluator->wait(0);
  return result;
}

Said said(const std::shared_ptr<const Model>& model, const std::string& played) {
  return std::visit(
      [&]<Game G>(const G& game) {
        EncodedPositions positions{game.encoding(model->info.features), 6, {}, {}};
        const EncodingShape& shape = positions.shape;
        std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats())),
            scalars(static_cast<std::size_t>(shape.scalars));
        Position<G> position(game);
        for (int i = 0; i < positions.size; ++i) {
          game.encode(position.state, model->info.features, 0, planes.data(), scalars.data());
          positions.planes.insert(positions.planes.end(), planes.begin(), planes.end());
          positions.scalars.insert(positions.scalars.end(), scalars.begin(), scalars.end());
          position.apply(game, Action{static_cast<std::uint16_t>(7 * i % 25)});
        }
        return said_of(*model, positions);
      },
      parse_game(played));
}

TEST(LearnedRules, AreWhatTheNetworkSeesWhateverIsPlayed) {
  const auto model = test::tiny_model(parse_game("go:5x5"));
  const Said own = said(model, "go:5x5");
  EXPECT_EQ(said(model, "go:5x5,chinese"), own);
  EXPECT_NE(said(model, "go:5x5,komi=0.5"), own) << "komi is seen";
  Model both = *model;
  both.info.games = {"go:5x5", "go:5x5,chinese"};
  const auto of_both = std::make_shared<const Model>(both);
  EXPECT_EQ(said(of_both, "go:5x5"), own) << "to the bit";
  EXPECT_NE(said(of_both, "go:5x5,chinese"), own) << "it has learned what suicide means";
}

TEST(LearnedRules, AreWhatTheOwnershipHeadSees) {
  const auto model = test::tiny_model(parse_game("go:5x5"), {.ownership = true});
  const auto owners = [&](const std::string& name) {
    const AnyGame any = parse_game(name);
    const auto& game = std::get<go::GoGame>(any);
    return predicted_owners(*model, game, game.initial_state());
  };
  ASSERT_EQ(owners("go:5x5").size(), 25u);
  EXPECT_EQ(owners("go:5x5,chinese"), owners("go:5x5"));
}

// Random positions of the games, `each` of each, as a model with no more than the basic inputs sees them.
EncodedPositions positions_of(const std::vector<std::string>& games, int each) {
  EncodedPositions all;
  for (const std::string& name : games) {
    const EncodedPositions some =
        std::visit([&](const auto& game) { return random_positions(game, Features{}, each, 1); }, parse_game(name));
    all.shape = some.shape;
    all.size += some.size;
    all.planes.insert(all.planes.end(), some.planes.begin(), some.planes.end());
    all.scalars.insert(all.scalars.end(), some.scalars.begin(), some.scalars.end());
  }
  return all;
}

// Self-play of a wall game may have the rule of repetition in some games, which only the positions say.
TEST(LearnedRules, ARuleOfRepetitionIsOneThatNoPositionOfTheCalibrationHad) {
  const std::string plain = "quoridor:5x5,walls=3", threefold = "quoridor:5x5,walls=3,repetition=3";
  const auto calibrated = [&](const std::vector<std::string>& games, int each) {
    Model model = learned({plain});
    const EncodedPositions positions = positions_of(games, each);
    calibrate_for_backends(model, positions.shape, {positions.size, positions.planes, positions.scalars});
    return model;
  };
  EXPECT_FALSE(named(learned({plain})).contains("repetition")) << "not calibrated";
  EXPECT_FALSE(named(calibrated({plain}, 10)).contains("repetition")) << "too few to tell";
  EXPECT_FALSE(named(calibrated({plain, threefold}, 16)).contains("repetition"));
  EXPECT_EQ(named(calibrated({threefold}, 64)).at("repetition"), 1.0f);
  Model two = calibrated({plain}, 64);  // whose positions are those of one board
  two.info.games = {plain, "quoridor:7x7,walls=3,repetition=3"};
  EXPECT_FALSE(named(two).contains("repetition"));
  const Model never = calibrated({plain}, 64);
  EXPECT_EQ(named(never).at("repetition"), 0.0f);

  // The same positions by both rules.
  EncodedPositions asked = positions_of({plain}, 8);
  const Said own = said_of(never, asked);
  const auto each = static_cast<std::size_t>(asked.shape.scalars);
  for (std::size_t row = 0; row < asked.scalars.size(); row += each) asked.scalars[row + each - 1] = 1.0f;
  EXPECT_EQ(said_of(never, asked), own) << "repetition is the last scalar";
}

// A network that learns on is not shown the old rules any more: they are in its bias.
TEST(LearnedRules, FoldedTakeNoNoticeOfOthers) {
  const auto model = test::tiny_model(parse_game("go:5x5"));
  Model folded = *model;
  fold_learned_rules(folded);
  EXPECT_NE(folded.tensors.at("stem.bias"), model->tensors.at("stem.bias"));
  folded.info.games = {"go:5x5", "go:5x5,chinese"};  // so that it is asked as it is
  const auto asked = std::make_shared<const Model>(folded);
  const Said own = said(model, "go:5x5"), same = said(asked, "go:5x5");
  for (std::size_t i = 0; i < own.policy.size(); ++i) ASSERT_NEAR(same.policy[i], own.policy[i], 1e-4f);
  for (std::size_t i = 0; i < own.value.size(); ++i) ASSERT_NEAR(same.value[i], own.value[i], 1e-4f);
  EXPECT_EQ(said(asked, "go:5x5,chinese"), same);
}

// Computes in wait(), as a device does, and has no room at first.
class Late final : public Evaluator {
 public:
  explicit Late(const EncodingShape& shape) : shape_(shape) {}
  const EncodingShape& shape() const override { return shape_; }
  int max_batch() const override { return 4; }
  int tickets() const override { return 2; }
  std::string describe() const override { return "late"; }
  void evaluate(const Batch& batch, const Predictions& out) override {
    std::ranges::copy(batch.scalars.first(static_cast<std::size_t>(batch.size * shape_.scalars)), out.policy.begin());
  }
  void submit(int ticket, const Batch& batch, const Predictions& out) override { asked_[ticket] = {batch, out}; }
  bool try_submit(int ticket, const Batch& batch, const Predictions& out) override {
    if (std::exchange(full_, false)) return false;
    submit(ticket, batch, out);
    return true;
  }
  void wait(int ticket) override { evaluate(asked_[ticket].first, asked_[ticket].second); }

 private:
  EncodingShape shape_;
  bool full_ = true;
  std::map<int, std::pair<Batch, Predictions>> asked_;
};

TEST(LearnedRules, AreShownInEveryBatchUnderWay) {
  const EncodingShape shape{.planes = 1, .rows = 3, .columns = 3, .scalars = 3, .policy_planes = 1, .players = 2};
  const auto evaluator = make_learned_rules(std::make_unique<Late>(shape), {{1, 0.5f}});
  const std::vector<float> planes(36);
  std::vector<float> first{1, 2, 3}, second{4, 5, 6, 7, 8, 9};
  std::vector<float> of_first(40), of_second(40), value(12);
  EXPECT_FALSE(evaluator->try_submit(0, {1, planes, first}, {of_first, value, {}}));
  EXPECT_TRUE(evaluator->try_submit(0, {1, planes, first}, {of_first, value, {}}));
  evaluator->submit(1, {2, planes, second}, {of_second, value, {}});
  evaluator->wait(0);
  evaluator->wait(1);
  EXPECT_THAT(std::span(of_first).first(4), ElementsAre(1, 0.5f, 3, 0));
  EXPECT_THAT(std::span(of_second).first(6), ElementsAre(4, 0.5f, 6, 7, 0.5f, 9));
  EXPECT_THAT(second, ElementsAre(4, 5, 6, 7, 8, 9)) << "the caller's memory stays as it is";
}

}  // namespace
}  // namespace koridor
