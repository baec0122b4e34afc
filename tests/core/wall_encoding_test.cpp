// The encoding of the wall games: planes written by hand, and turned or mirrored boards, which must look alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/core/wall_test_tools.h"

namespace koridor::wall {
namespace {

using Plane = std::vector<float>;

struct Encoded {
  EncodingShape shape;
  std::vector<float> planes;
  std::vector<float> scalars;

  Plane plane(int number) const {
    const auto begin = planes.begin() + number * shape.area();
    return {begin, begin + shape.area()};
  }
  friend bool operator==(const Encoded&, const Encoded&) = default;
};

constexpr Features kAllFeatures = {.distances = true, .ways = true, .wall_effects = true};

Encoded encode(const WallGame& game, const State& state, int symmetry = 0, Features features = {}) {
  Encoded encoded;
  encoded.shape = game.encoding(features);
  encoded.planes.resize(static_cast<std::size_t>(encoded.shape.plane_floats()));
  encoded.scalars.resize(static_cast<std::size_t>(encoded.shape.scalars));
  game.encode(state, features, symmetry, encoded.planes.data(), encoded.scalars.data());
  return encoded;
}

Plane divided(Plane plane, float by) {
  for (float& value : plane) value *= 1.0f / by;
  return plane;
}

TEST(WallEncoding, PlanesByHand) {
  const WallGame game = make_game("quoridor:3x3,walls=2,repetition=3");
  const Encoded seen = encode(game, play(game, "a2h").state);  // player two to move: the board turned half round
  ASSERT_EQ(seen.shape, (EncodingShape{13, 3, 3, 10, 3, 2}));
  EXPECT_EQ(seen.plane(0), Plane(9, 1.0f));
  EXPECT_EQ(seen.plane(1), (Plane{0, 0, 0, 0, 0, 0, 0, 1, 0}));  // own pawn, at the bottom
  EXPECT_EQ(seen.plane(2), (Plane{0, 1, 0, 0, 0, 0, 0, 0, 0}));  // the other
  EXPECT_EQ(seen.plane(3), (Plane{1, 1, 1, 0, 0, 0, 0, 0, 0}));  // own goal
  EXPECT_EQ(seen.plane(4), (Plane{0, 0, 0, 0, 0, 0, 1, 1, 1}));  // the other's
  EXPECT_EQ(seen.plane(5), (Plane{1, 1, 1, 0, 1, 1, 0, 0, 0}));  // closed to the north
  EXPECT_EQ(seen.plane(6), (Plane{0, 0, 1, 0, 0, 1, 0, 0, 1}));  // east
  EXPECT_EQ(seen.plane(7), (Plane{0, 1, 1, 0, 0, 0, 1, 1, 1}));  // south
  EXPECT_EQ(seen.plane(8), (Plane{1, 0, 0, 1, 0, 0, 1, 0, 0}));  // west
  EXPECT_EQ(seen.plane(9), (Plane{0, 1, 0, 0, 0, 0, 0, 0, 0}));  // a2h turned has its anchor at b1
  EXPECT_EQ(seen.plane(10), Plane(9, 0.0f));
  EXPECT_EQ(seen.plane(11), divided({0, 0, 0, 1, 2, 3, 2, 3, 4}, 6));
  EXPECT_EQ(seen.plane(12), divided({2, 3, 4, 1, 1, 1, 0, 0, 0}, 6));

  const std::vector<float> scalars = {0.2f,        0.1f,         1.0f,         1.0f,         3.0f / 6.0f,
                                      3.0f / 6.0f, 1.0f / 36.0f, 3.0f / 11.0f, 3.0f / 11.0f, 1.0f};
  ASSERT_EQ(seen.scalars.size(), scalars.size());
  for (std::size_t i = 0; i < scalars.size(); ++i) EXPECT_FLOAT_EQ(seen.scalars[i], scalars[i]) << i;
}

TEST(WallEncoding, WithoutDistancesTheRestStaysTheSame) {
  const WallGame game = make_game("quoridor4:5x5,walls=2");
  const State state = play(game, "b4h c2v").state;
  const Encoded with = encode(game, state);
  const Encoded without = encode(game, state, 0, {.distances = false});
  EXPECT_EQ(without.shape.planes, with.shape.planes - 4);
  EXPECT_EQ(without.shape.scalars, with.shape.scalars - 4);
  EXPECT_TRUE(std::equal(without.planes.begin(), without.planes.end(), with.planes.begin()));
  EXPECT_TRUE(std::equal(without.scalars.begin(), without.scalars.begin() + 8, with.scalars.begin()));
  EXPECT_TRUE(std::equal(without.scalars.begin() + 8, without.scalars.end(), with.scalars.begin() + 12));
}

TEST(WallEncoding, NoWayIsOne) {
  // A square walled in on all sides has no distance.
  const WallGame game = make_game("quoridor:5x5,walls=8");
  State state = game.initial_state();
  for (const char* anchor : {"b1", "b3"}) state.horizontal.set(square_named(anchor));
  for (const char* anchor : {"a2", "c2"}) state.vertical.set(square_named(anchor));
  const Encoded seen = encode(game, state);
  EXPECT_EQ(seen.plane(11)[1 * 5 + 1], 1.0f);
  EXPECT_EQ(seen.plane(12)[2 * 5 + 2], 1.0f);
  EXPECT_LT(seen.plane(11)[1 * 5 + 0], 1.0f);
}

// The same position on a board turned a quarter counter-clockwise `turns` times, or mirrored left to right. The players
// are renamed so that everyone still crosses the board from the own seat.
struct Turned {
  const WallGame& game;
  int turns = 0;
  bool mirrored = false;

  Square place(Square square, int rows, int columns) const {
    int row = row_of(square);
    int column = column_of(square);
    for (int i = 0; i < turns; ++i) {
      const int old_row = row;
      row = columns - 1 - column;
      column = old_row;
      std::swap(rows, columns);
    }
    if (mirrored) column = columns - 1 - column;
    return make_square(row, column);
  }

  int player(int old) const {
    if (game.players() == 2) return turns == 2 ? 1 - old : old;
    return (old - turns + 4) % 4;
  }

  State operator()(const State& state) const {
    const int rows = game.rules().rows;
    const int columns = game.rules().columns;
    State result = state;
    result.horizontal = {};
    result.vertical = {};
    const bool swapped = turns % 2 == 1;
    state.horizontal.for_each([&](Square anchor) {
      (swapped ? result.vertical : result.horizontal).set(place(anchor, rows - 1, columns - 1));
    });
    state.vertical.for_each([&](Square anchor) {
      (swapped ? result.horizontal : result.vertical).set(place(anchor, rows - 1, columns - 1));
    });
    for (int old = 0; old < game.players(); ++old) {
      const int now = player(old);
      result.pawns[now * kMaxPawns] = place(state.pawns[old * kMaxPawns], rows, columns);
      result.walls_left[now * 2] = state.walls_left[old * 2];
    }
    result.player = static_cast<std::uint8_t>(player(state.player));
    return result;
  }
};

std::set<int> policy_places(const WallGame& game, const State& state, int symmetry) {
  ActionMask mask;
  game.legal_actions(state, History(), mask);
  std::set<int> places;
  mask.for_each([&](Action action) { places.insert(game.policy_index(state, symmetry, action)); });
  return places;
}

template <class Check>
void on_random_positions(const WallGame& game, Check&& check) {
  Random random(5);
  for (int round = 0; round < 10; ++round) {
    Position position(game);
    for (int ply = 0; ply < 30 && !game.outcome(position.state, position.history).over(); ++ply) {
      check(position.state);
      if (testing::Test::HasFailure()) return;
      position.apply(game, game.random_legal_action(position.state, random));
    }
  }
}

TEST(WallEncoding, EveryMoverSeesTheBoardFromTheSouth) {
  for (const char* variant :
       {"quoridor:5x5,walls=4", "quoridor:4x7,walls=4", "quoridor4:5x5,walls=3", "quoridor4:6x6"}) {
    SCOPED_TRACE(variant);
    const WallGame game = make_game(variant);
    on_random_positions(game, [&](const State& state) {
      const State turned = Turned{game, game.players() == 2 ? 2 * state.player : state.player}(state);
      ASSERT_EQ(turned.player, 0);
      ASSERT_EQ(encode(game, state, 0, kAllFeatures), encode(game, turned, 0, kAllFeatures));
      ASSERT_EQ(policy_places(game, state, 0), policy_places(game, turned, 0));
    });
  }
}

// A prediction belongs to its key: who shares the key is shown the same board, in whatever order it came about.
TEST(WallEncoding, PositionsOfOnePredictionKeyLookAlike) {
  for (const char* variant : {"quoridor:3x3,walls=2", "quoridor:3x3,walls=2,repetition=3", "pinko-pallino:3x4,walls=1",
                              "quoridor4:3x3,walls=1"}) {
    SCOPED_TRACE(variant);
    const WallGame game = make_game(variant);
    std::map<std::uint64_t, State> known;
    int other_orders = 0;
    Random random(8);
    for (int round = 0; round < 400; ++round) {
      Position position(game);
      for (int ply = 0; ply < 6 && !game.outcome(position.state, position.history).over(); ++ply) {
        const State& state = position.state;
        const State& first = known.emplace(game.prediction_key(state), state).first->second;
        other_orders += game.key(first) != game.key(state) ? 1 : 0;
        ASSERT_EQ(game.player_to_move(first), game.player_to_move(state));
        ASSERT_EQ(encode(game, first, 0, kAllFeatures), encode(game, state, 0, kAllFeatures));
        position.apply(game, game.random_legal_action(state, random));
      }
    }
    EXPECT_GT(other_orders, 0);
  }
}

// Steps from a square to the player's goal, found by a flood of its own.
float steps_to_goal(const WallGame& game, const State& state, int player, Square from) {
  const OpenSteps<Board> open(game.geometry(), Board(state.horizontal), Board(state.vertical));
  const Board goal(game.geometry().goal[player]);
  return static_cast<float>(game.rules().step == Step::diagonal
                                ? distance_to(EightSteps(open, game.rules().diagonal_step), from, goal)
                                : distance_to(open, from, goal));
}

// Steps from a square to every other.
Plane steps_from_square(const WallGame& game, const State& state, Square from) {
  const OpenSteps<Board> open(game.geometry(), Board(state.horizontal), Board(state.vertical));
  const Rules& rules = game.rules();
  Plane steps;
  for (int square = 0; square < rules.rows * rules.columns; ++square) {
    const Board to = Board::of(make_square(square / rules.columns, square % rules.columns));
    steps.push_back(static_cast<float>(rules.step == Step::diagonal
                                           ? distance_to(EightSteps(open, rules.diagonal_step), from, to)
                                           : distance_to(open, from, to)));
  }
  return steps;
}

// Whether a square lies on a shortest way: with the pawn there, as many steps are left as the way to it does not take.
// Every wall's effect: the pawn's distance with the wall on the board, less that without.
void check_ways(const WallGame& game, State state) {
  const Rules& rules = game.rules();
  const int area = rules.rows * rules.columns;
  state.player = 0;  // whose view is the board itself
  state.phase = 0;
  const Encoded seen = encode(game, state, 0, kAllFeatures);
  const int pawns = rules.pawns * rules.players;
  const int first_ways = seen.shape.planes - 3 * pawns;
  WallSets free;
  Board free_horizontal, free_vertical;
  free_walls(game.geometry(), Board(state.horizontal), Board(state.vertical), free_horizontal, free_vertical);
  free_horizontal.store(free.horizontal);
  free_vertical.store(free.vertical);
  const bool walls_left = std::ranges::any_of(state.walls_left, [](int left) { return left > 0; });
  for (int i = 0; i < pawns; ++i) {
    const int player = i / rules.pawns;
    const Square from = state.pawns[player * kMaxPawns + i % rules.pawns];
    const auto steps_from = [&](const State& at) { return steps_to_goal(game, at, player, from); };
    const float length = steps_from(state);
    const Plane ways = seen.plane(first_ways + i);
    EXPECT_EQ(ways[row_of(from) * rules.columns + column_of(from)], 1.0f);
    Plane steps;
    for (int square = 0; square < area; ++square) {
      steps.push_back(steps_to_goal(game, state, player, make_square(square / rules.columns, square % rules.columns)));
    }
    const Plane walked = steps_from_square(game, state, from);
    for (int square = 0; square < area; ++square) {
      EXPECT_EQ(ways[square], walked[square] + steps[square] == length ? 1.0f : 0.0f) << square;
    }
    for (const bool vertical : {false, true}) {
      const Plane effects = seen.plane(first_ways + pawns + 2 * i + (vertical ? 1 : 0));
      for (int row = 0; row < rules.rows; ++row) {
        for (int column = 0; column < rules.columns; ++column) {
          const Square anchor = make_square(row, column);
          float expected = 0.0f;
          if (walls_left && (vertical ? free.vertical : free.horizontal).test(anchor)) {
            State with = state;
            (vertical ? with.vertical : with.horizontal).set(anchor);
            const float then = steps_from(with);
            expected = std::min(then - length, 8.0f) / 8.0f;
          }
          EXPECT_EQ(effects[row * rules.columns + column], expected) << "anchor " << int{anchor} << " pawn " << i;
        }
      }
    }
  }
}

TEST(WallEncoding, WaysAndEffectsAreThoseOfEveryWallTried) {
  for (const char* variant : {"quoridor:5x5,walls=4", "quoridor:7x6,walls=6", "quoridor", "quoridor4:5x5,walls=3",
                              "pinko-pallino:5x6,walls=4", "blockade:6x7,walls=4", "quoridor:5x5,step=diagonal"}) {
    SCOPED_TRACE(variant);
    const WallGame game = make_game(variant);
    on_random_positions(game, [&](const State& state) { check_ways(game, state); });
  }
}

TEST(WallEncoding, SquaresOfShortestWaysByHand) {
  const WallGame game = make_game("quoridor:3x3,walls=2");
  const Encoded seen = encode(game, play(game, "a1h").state, 0, {.distances = false, .ways = true});
  // Player two sees the wall right before its own pawn, to the right of the only way through.
  EXPECT_EQ(seen.plane(seen.shape.planes - 2), (Plane{1, 0, 0, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(seen.plane(seen.shape.planes - 1), (Plane{1, 1, 0, 1, 1, 0, 1, 0, 0}));
}

TEST(WallEncoding, PlayerOnesPolicyIsInTheOrderOfTheActions) {
  const WallGame game = make_game("quoridor:4x7,walls=4");
  const State state = game.initial_state();
  for (int i = 0; i < game.num_actions(); ++i)
    EXPECT_EQ(game.policy_index(state, 0, Action{static_cast<std::uint16_t>(i)}), i);
}

TEST(WallEncoding, SymmetriesAreThoseOfTheGame) {
  for (const char* variant : {"quoridor:5x5,walls=4", "quoridor:4x7,walls=4"}) {
    SCOPED_TRACE(variant);
    const WallGame game = make_game(variant);
    ASSERT_EQ(game.num_symmetries(), 2);
    on_random_positions(game, [&](const State& state) {
      const State mirrored = Turned{game, 0, true}(state);
      ASSERT_EQ(encode(game, state, 1, kAllFeatures), encode(game, mirrored, 0, kAllFeatures));
      ASSERT_EQ(encode(game, state, 0, kAllFeatures), encode(game, mirrored, 1, kAllFeatures));
      ASSERT_EQ(policy_places(game, state, 1), policy_places(game, mirrored, 0));
    });
  }
  EXPECT_EQ(make_game("quoridor4").num_symmetries(), 1);
}

}  // namespace
}  // namespace koridor::wall
