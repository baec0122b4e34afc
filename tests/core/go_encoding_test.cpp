// The encoding of Go against the position as text.
#include "core/base/random.h"
#include "core/go/both.h"
#include "tests/core/go_test_tools.h"

namespace koridor::go {
namespace {

struct Encoded {
  std::vector<float> planes;
  std::vector<float> scalars;
};

Encoded encode(const GoGame& game, const State& state, int symmetry) {
  const EncodingShape shape = game.encoding({});
  Encoded encoded{std::vector<float>(static_cast<std::size_t>(shape.plane_floats())),
                  std::vector<float>(static_cast<std::size_t>(shape.scalars))};
  game.encode(state, {}, symmetry, encoded.planes.data(), encoded.scalars.data());
  return encoded;
}

// Liberties of the chain at a stone, by walking.
int liberties(const std::vector<std::string>& board, int row, int column) {
  const int rows = static_cast<int>(board.size());
  const int columns = static_cast<int>(board.front().size());
  const auto at = [&](int r, int c) { return board[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]; };
  std::set<std::pair<int, int>> chain{{row, column}}, free;
  std::vector<std::pair<int, int>> open{{row, column}};
  while (!open.empty()) {
    const auto [r, c] = open.back();
    open.pop_back();
    for (const auto& [down, right] : {std::pair(-1, 0), std::pair(1, 0), std::pair(0, -1), std::pair(0, 1)}) {
      const int next_r = r + down;
      const int next_c = c + right;
      if (next_r < 0 || next_c < 0 || next_r >= rows || next_c >= columns) continue;
      if (at(next_r, next_c) == '.') free.emplace(next_r, next_c);
      if (at(next_r, next_c) == at(row, column) && chain.emplace(next_r, next_c).second)
        open.emplace_back(next_r, next_c);
    }
  }
  return static_cast<int>(free.size());
}

template <class Check>
void on_random_positions(const GoGame& game, int games, Check&& check) {
  Random random(51);
  for (int i = 0; i < games; ++i) {
    Position<GoGame> position(game);
    while (!game.outcome(position.state, position.history).over() && !testing::Test::HasFailure()) {
      check(position);
      position.apply(game, game.random_playout_action(position.state, position.history, random));
    }
  }
}

TEST(GoEncoding, PlanesShowStonesLibertiesAndKo) {
  int kos = 0;
  for (const char* variant :
       {"go:5x5,japanese", "go:9x9", "go:9x9,japanese", "go:4x7,chinese", "go:8x8,japanese", "go:9x11,chinese",
        "go:9x12,japanese", "go:1x9,chinese", "go:1x1", "go:19x1,japanese", "go:19x19,chinese", "go:13x10,japanese"}) {
    const GoGame game = go_game(variant);
    on_random_positions(game, 1, [&](const Position<GoGame>& position) {
      const State& state = position.state;
      const auto board = board_of(game, state);
      const char own = state.player == 0 ? 'X' : 'O';
      const Encoded encoded = encode(game, state, 0);
      const auto area = static_cast<std::size_t>(game.num_actions() - 1);
      for (int row = 0; row < game.rules().rows; ++row) {
        for (int column = 0; column < game.rules().columns; ++column) {
          const char stone = board[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
          const int count = stone == '.' ? 0 : liberties(board, row, column);
          const bool ko = state.ko == game.geometry().point_at(row, column);
          kos += ko ? 1 : 0;
          const std::array<bool, 7> expected = {
              true, stone == own, stone != '.' && stone != own, count == 1, count == 2, count >= 3, ko};
          const auto place = static_cast<std::size_t>(row * game.rules().columns + column);
          for (std::size_t plane = 0; plane < expected.size(); ++plane) {
            ASSERT_EQ(encoded.planes[plane * area + place], expected[plane] ? 1.0f : 0.0f)
                << "plane " << plane << " at " << point_name(game.geometry(), row, column) << "\n"
                << game.print_board(state, Notation::standard, false);
          }
        }
      }
    });
  }
  EXPECT_GT(kos, 0);
}

// A symmetry moves planes and policy alike, is one to one, and no two are the same; scalars stay.
TEST(GoEncoding, SymmetriesMovePlanesAndPolicyAlike) {
  for (const auto& [variant, symmetries] :
       {std::pair("go:7x7", 8), std::pair("go:6x4", 4), std::pair("go:9x11", 4), std::pair("go:11x11", 8)}) {
    const GoGame game = go_game(variant);
    ASSERT_EQ(game.num_symmetries(), symmetries);
    const int area = game.num_actions() - 1;
    on_random_positions(game, 1, [&](const Position<GoGame>& position) {
      const Encoded plain = encode(game, position.state, 0);
      for (int symmetry = 0; symmetry < game.num_symmetries(); ++symmetry) {
        const Encoded moved = encode(game, position.state, symmetry);
        ASSERT_EQ(moved.scalars, plain.scalars);
        for (int action = 0; action < area; ++action) {
          const int place = game.policy_index(position.state, symmetry, Action{static_cast<std::uint16_t>(action)});
          for (int plane = 0; plane < game.encoding({}).planes; ++plane) {
            ASSERT_EQ(moved.planes[static_cast<std::size_t>(plane * area + place)],
                      plain.planes[static_cast<std::size_t>(plane * area + action)]);
          }
        }
        ASSERT_EQ(game.policy_index(position.state, symmetry, Action{static_cast<std::uint16_t>(area)}), area);
      }
    });
    std::set<std::vector<int>> views;
    for (int symmetry = 0; symmetry < game.num_symmetries(); ++symmetry) {
      std::vector<int> view;
      for (int action = 0; action < area; ++action) {
        view.push_back(game.policy_index(State{}, symmetry, Action{static_cast<std::uint16_t>(action)}));
      }
      EXPECT_EQ(std::set<int>(view.begin(), view.end()).size(), view.size());
      views.insert(view);
    }
    EXPECT_EQ(static_cast<int>(views.size()), symmetries);
  }
}

// A symmetry is one of the rules: what is legal and who wins stay when a whole game is moved.
TEST(GoEncoding, SymmetriesKeepTheRules) {
  const GoGame game = go_game("go:5x5,leaflet-strict,stone_supply=unlimited");
  Random random(52);
  for (int symmetry = 1; symmetry < 8; ++symmetry) {
    const auto move = [&](Action action) {
      return Action{static_cast<std::uint16_t>(game.policy_index(State{}, symmetry, action))};
    };
    Position<GoGame> here(game);
    Position<GoGame> there(game);
    for (;;) {
      const Outcome outcome = game.outcome(here.state, here.history);
      ASSERT_EQ(outcome.winner, game.outcome(there.state, there.history).winner);
      ASSERT_EQ(outcome.kind, game.outcome(there.state, there.history).kind);
      if (outcome.over()) break;
      ActionMask legal, moved, expected;
      game.legal_actions(here.state, here.history, legal);
      game.legal_actions(there.state, there.history, moved);
      legal.for_each([&](Action action) { expected.set(move(action)); });
      ASSERT_EQ(moved, expected);
      const Action action = legal.nth(random.below(legal.count()));
      here.apply(game, action);
      there.apply(game, move(action));
    }
  }
}

// Both sets at once, in one register where there is one, against each on its own, where points may be.
TEST(GoEncoding, TwoSetsAtOnceAreTwoSets) {
  using Pair = Both<SmallPoints>;
  const SmallPoints rows = SmallPoints::load({~std::uint64_t{0}, ~std::uint64_t{0} >> 18});  // where points may be
  Random random(5);
  const auto draw = [&] {
    const auto word = [&] { return mix64(random.next()) & mix64(random.next()) & mix64(random.next()); };
    const PointWords words{random.chance(0.3) ? 0 : word(), random.chance(0.3) ? 0 : word()};
    return SmallPoints::load(words) & rows;
  };
  for (int trial = 0; trial < 1000; ++trial) {
    const SmallPoints a = draw(), b = draw(), c = draw(), d = draw();
    const Pair ab(a, b), cd(c, d), cut(rows, rows);
    EXPECT_EQ(ab & cd, Pair(a & c, b & d));
    EXPECT_EQ(ab | cd, Pair(a | c, b | d));
    EXPECT_EQ(ab - cd, Pair(a - c, b - d));
    EXPECT_EQ(ab == cd, a == c && b == d);
    EXPECT_EQ(ab.any(), a.any() || b.any());
    EXPECT_EQ(ab.joined(), a | b);
    EXPECT_EQ(ab.first(), Pair(a.first(), b.first()));
    EXPECT_EQ(ab.neighbours() & cut, Pair(a.neighbours() & rows, b.neighbours() & rows));
    EXPECT_EQ(ab.up<1>() & cut, Pair(a.up<1>() & rows, b.up<1>() & rows));
    EXPECT_EQ(ab.down<10>() & cut, Pair(a.down<10>() & rows, b.down<10>() & rows));
    const SmallPoints few = c & draw(), others = d & draw();
    for (int points = 0; points < 3; ++points) {
      EXPECT_EQ(ab.where_more(points, Pair(few, others)),
                Pair(few.count() > points ? a : SmallPoints(), others.count() > points ? b : SmallPoints()));
    }
  }
}

TEST(GoEncoding, ScalarsTellWhatTheBoardDoesNot) {
  const GoGame game = go_game("go:5x5,japanese,komi=6.5");
  Position<GoGame> position(game);
  EXPECT_FLOAT_EQ(encode(game, position.state, 0).scalars[0], 0.0f);
  EXPECT_FLOAT_EQ(encode(game, position.state, 0).scalars[1], 6.5f / 20);  // black lacks the komi
  play(game, position, "C3");
  EXPECT_FLOAT_EQ(encode(game, position.state, 0).scalars[0], 7.5f / 20);  // white has it, and black's stone too
  EXPECT_FLOAT_EQ(encode(game, position.state, 0).scalars[2], 0.0f);
  play(game, position, "pass");
  EXPECT_FLOAT_EQ(encode(game, position.state, 0).scalars[3], 1.0f);
  play(game, position, "pass");
  EXPECT_FLOAT_EQ(encode(game, position.state, 0).scalars[2], 1.0f);
  EXPECT_FLOAT_EQ(encode(game, position.state, 0).scalars[3], 0.0f);
}

}  // namespace
}  // namespace koridor::go
