// Decided games of Go: what the rules know of them is true, and a search sees it.
#include <array>

#include "tests/core/go_test_tools.h"
#include "tests/core/search_support.h"

namespace koridor::go {
namespace {

class GoKnownValues : public testing::TestWithParam<const char*> {};

Action pass_of(const GoGame& game) {
  return game.geometry().pass();
}

std::optional<KnownValue> known(const GoGame& game, const Position<GoGame>& position) {
  NoKnowledge nothing(game);
  return game.known_value(position.state, position.history, nothing);
}

// The winner passes to the end, the other one plays whatever is legal: the value stays, and the winner wins.
void play_on(const GoGame& game, Position<GoGame> position, int winner, Random& random) {
  for (;;) {
    const Outcome outcome = game.outcome(position.state, position.history);
    if (outcome.over()) {
      ASSERT_EQ(outcome.winner, winner) << game.print_board(position.state, Notation::standard, false);
      return;
    }
    const std::optional<KnownValue> value = known(game, position);
    ASSERT_TRUE(value || game.rules().ko == Ko::simple) << game.print_board(position.state, Notation::standard, false);
    ASSERT_TRUE(!value || value->values == Outcome::won_by(winner).values);
    Action action = pass_of(game);
    if (position.state.player != winner) {
      ActionMask legal;
      game.legal_actions(position.state, position.history, legal);
      if (legal.count() > 1) action = legal.nth(random.below(legal.count() - 1));
    }
    position.apply(game, action);
  }
}

// One evaluation, of the root, and all is said: pass, to the end.
void search_it(const GoGame& game, const Position<GoGame>& position, const KnownValue& value, Random& random) {
  UniformEvaluator<GoGame> evaluate(game);
  Search<GoGame> search(game, with("gumbel"), 1);
  search.reset(position);
  EXPECT_TRUE(search.known());
  run_search(search, {.visits = 50, .explore = true}, random, evaluate);
  ASSERT_TRUE(search.proven());
  EXPECT_EQ(evaluate.calls, 1);
  EXPECT_EQ(search.root_value(), value.values);
  std::vector<PolicyEntry> policy;
  search.policy_target(policy);
  ASSERT_EQ(policy.size(), 1u);
  EXPECT_EQ(policy[0].action, pass_of(game));
  std::vector<Action> line;
  search.principal_variation(line);
  Position<GoGame> end = position;
  for (const Action action : line) {
    EXPECT_EQ(action, pass_of(game));
    end.apply(game, action);
  }
  EXPECT_EQ(game.outcome(end.state, end.history).values, value.values);
}

TEST_P(GoKnownValues, AreTrueAndSeenByTheSearch) {
  const GoGame game = go_game(GetParam());
  Random random(7);
  std::array<int, 2> found{};
  for (int round = 0; round < 120; ++round) {
    Position<GoGame> position(game);
    bool decided = false;
    while (!game.outcome(position.state, position.history).over()) {
      if (const std::optional<KnownValue> value = known(game, position)) {
        const int winner = value->values[0] > 0 ? 0 : 1;
        ASSERT_EQ(value->values, Outcome::won_by(winner).values);
        ASSERT_LE(position.state.ply + value->plies, game.max_plies());
        ASSERT_EQ(value->best, pass_of(game));
        for (int i = 0; i < 3 && !HasFailure(); ++i) play_on(game, position, winner, random);
        if (!decided) {
          search_it(game, position, *value, random);
          ++found[static_cast<std::size_t>(winner)];
        }
        decided = true;
        ASSERT_FALSE(HasFailure()) << game.print_board(position.state, Notation::standard, false);
      }
      position.apply(game, game.random_playout_action(position.state, position.history, random));
    }
  }
  EXPECT_GT(std::min(found[0], found[1]), 5);
}

INSTANTIATE_TEST_SUITE_P(Games, GoKnownValues,
                         testing::Values("go:5x5,komi=0.5", "go:5x5,chinese,komi=2", "go:5x5,ko=situational,komi=-1.5",
                                         "go:6x4,komi=0,max_plies=40", "go:5x5,japanese,komi=0.5",
                                         "go:5x5,leaflet,stone_supply=half,komi=-0.5", "go:10x3,komi=1"));

// Black is pass-alive, with eyes of one point and one of four, of which white may take three.
const std::vector<std::string> kDecided = {"XXXX.", ".XXXO", "XXXXO", ".XXX."};

TEST(GoKnown, CountsKomiAndStones) {
  const auto known_with = [](const std::string& rules) {
    const GoGame game = go_game("go:5x4," + rules);
    return known(game, set_up(game, kDecided, 1)).has_value();
  };
  // 14 stones and 2 eyes against 3 points.
  EXPECT_TRUE(known_with("komi=12.5"));
  EXPECT_FALSE(known_with("komi=13"));
  // By territory black has paid for 14 stones and white for 2.
  EXPECT_TRUE(known_with("japanese,komi=0.5"));
  EXPECT_FALSE(known_with("japanese,komi=1"));
}

TEST(GoKnown, NeedsAPassThatIsLegalAndNoDraw) {
  const GoGame duty = go_game("go:5x4,chinese,must_save_atari=true,komi=0");
  EXPECT_FALSE(known(duty, set_up(duty, kDecided, 1)));
  const GoGame suicides = go_game("go:5x4,japanese,suicide=allowed,komi=-5");
  EXPECT_FALSE(known(suicides, set_up(suicides, kDecided, 1)));
  // A position that came twice might come again.
  const GoGame game = go_game("go:5x4,japanese,komi=-5");
  auto position = set_up(game, kDecided, 1);
  for (const bool expected : {true, true, false}) {
    EXPECT_EQ(known(game, position).has_value(), expected);
    position.history.push(17);
  }
}

// A game that both players have passed and go on with: the present position has been there before.
TEST(GoKnown, IsKnownAfterThePassAsWell) {
  const GoGame game = go_game("go:5x4,japanese,komi=-5");
  for (const int times : {1, 2}) {
    auto position = set_up(game, kDecided, 1);
    for (int i = 0; i < times; ++i) position.history.push(game.repetition_key(position.state));
    const std::optional<KnownValue> value = known(game, position);
    ASSERT_TRUE(value);
    Random random(1);
    search_it(game, position, *value, random);
  }
}

}  // namespace
}  // namespace koridor::go
