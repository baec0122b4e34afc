// Random games of Go under random rules: the properties of every game, and a second plain implementation of the rules.
// KORIDOR_POSITIONS=1000000 compares so many positions instead of the few thousand of a quick run.
#include <cstdlib>

#include "tests/core/game_properties.h"
#include "tests/core/go_test_tools.h"
#include "tests/core/naive_go_game.h"

namespace koridor::go {
namespace {

std::string pick(Random& random, const std::vector<std::string>& choices) {
  return choices[static_cast<std::size_t>(random.below(static_cast<int>(choices.size())))];
}

// A game with rules drawn at random, mostly on small boards, where stones are captured soon.
std::string random_variant(Random& random) {
  int columns = 1 + random.below(5);
  int rows = 1 + random.below(5);
  if (random.chance(0.2)) columns = 1 + random.below(9);
  if (random.chance(0.2)) rows = 1 + random.below(12);
  if (random.chance(0.05)) columns = 10 + random.below(10);
  if (random.chance(0.05)) rows = 10 + random.below(10);
  std::string variant = "go:" + std::to_string(columns) + "x" + std::to_string(rows) + ",";
  variant += pick(random, {"tromp-taylor", "chinese", "japanese", "leaflet", "leaflet-strict"});
  if (random.chance(0.5)) variant += ",ko=" + pick(random, {"simple", "positional", "situational"});
  if (random.chance(0.5)) variant += ",suicide=" + pick(random, {"allowed", "forbidden"});
  if (random.chance(0.3)) variant += ",scoring=" + pick(random, {"area", "territory"});
  if (random.chance(0.3)) variant += ",must_save_atari=" + pick(random, {"true", "false"});
  if (random.chance(0.3)) variant += ",stone_supply=" + pick(random, {"half", "unlimited"});
  if (random.chance(0.5)) variant += ",komi=" + pick(random, {"0", "1", "-2.5", "6"});
  if (random.chance(0.3)) variant += ",max_plies=" + std::to_string(1 + random.below(100));
  const int most = most_handicap(columns, rows);
  if (most > 0 && random.chance(0.5)) variant += ",handicap=" + std::to_string(random.below(most + 1));
  return variant;
}

TEST(GoProperties, RandomVariants) {
  Random random(11);
  for (int i = 0; i < 150 && !testing::Test::HasFailure(); ++i) {
    const GoGame game = go_game(random_variant(random));
    SCOPED_TRACE(game.name());
    GameProperties(game, 1).check(1);
  }
}

TEST(GoProperties, EverySize) {
  for (int columns = 1; columns <= kMaxSide; ++columns) {
    for (int rows = 1; rows <= kMaxSide; ++rows) {
      const GoGame game = go_game("go:" + std::to_string(columns) + "x" + std::to_string(rows) + ",max_plies=12");
      GameProperties(game, 1).check(1);
      ASSERT_FALSE(testing::Test::HasFailure()) << game.name();
    }
  }
}

struct Compared {
  int positions = 0;
  int captures = 0;
  int duties = 0;
  int draws = 0;
  int cleanups = 0;
};

// Plays one random game on both and compares what they say of every position.
void compare_with_naive(const GoGame& game, Random& random, Compared& compared) {
  NaiveGo::Parameters parameters;
  for (const auto& [name, value] : koridor::rule_parameters(AnyGame(game))) parameters[name] = value;
  Position position(game);
  NaiveGo naive(parameters, board_of(game, position.state), position.state.player == 0 ? 'X' : 'O');
  for (;;) {
    const State& state = position.state;
    const auto say = [&] { return game.name() + "\n" + game.print_board(state, Notation::standard, false); };
    ASSERT_EQ(board_of(game, state), naive.board()) << say();
    ASSERT_EQ(state.player == 0, naive.mover() == 'X') << say();
    ASSERT_EQ(state.phase == Phase::cleanup, naive.cleanup()) << say();
    ASSERT_EQ(state.prisoners[0], naive.prisoners('X')) << say();
    ASSERT_EQ(state.prisoners[1], naive.prisoners('O')) << say();
    const Score score = game.score(state);
    ASSERT_EQ(score.area(0), naive.area('X')) << say();
    ASSERT_EQ(score.area(1), naive.area('O')) << say();
    ASSERT_EQ(score.by_territory(), by_territory_and_prisoners(score)) << say();
    ++compared.positions;
    const Outcome outcome = game.outcome(state, position.history);
    ASSERT_EQ(outcome.kind == Outcome::Kind::draw ? "draw"
              : !outcome.over()                   ? ""
              : outcome.winner == 0               ? "X"
                                                  : "O",
              naive.result())
        << say();
    if (outcome.over()) {
      compared.captures += state.prisoners[0] + state.prisoners[1] > 0 ? 1 : 0;
      compared.draws += outcome.kind == Outcome::Kind::draw ? 1 : 0;
      compared.cleanups += naive.cleanup() ? 1 : 0;
      return;
    }

    std::set<std::string> names;
    for (const auto& place : naive.legal_places()) names.insert(point_name(game.geometry(), place.row, place.column));
    if (naive.may_pass()) names.insert("pass");
    if (!naive.may_pass()) ++compared.duties;
    ASSERT_EQ(legal_names(game, position), names) << say();

    ActionMask legal;
    game.legal_actions(state, position.history, legal);
    const Action drawn = game.random_playout_action(state, position.history, random);
    ASSERT_TRUE(legal.test(drawn)) << game.print_action(state, drawn) << "\n" << say();
    // Mostly stones, so that the game does not end at once; now and then as playouts go.
    Action action = random.chance(0.3) ? drawn : legal.nth(random.below(legal.count()));
    if (index(action) == game.num_actions() - 1 && legal.count() > 1 && random.chance(0.7)) action = legal.nth(0);
    if (index(action) == game.num_actions() - 1) {
      naive.pass();
    } else {
      naive.play({index(action) / game.rules().columns, index(action) % game.rules().columns});
    }
    position.apply(game, action);
  }
}

TEST(GoProperties, AgreesWithAPlainImplementation) {
  const char* wanted = std::getenv("KORIDOR_POSITIONS");
  const int positions = wanted != nullptr ? std::atoi(wanted) : 5000;
  Random random(12);
  Compared compared;
  while (compared.positions < positions && !HasFailure()) {
    compare_with_naive(go_game(random_variant(random)), random, compared);
  }
  EXPECT_GT(compared.captures, 20);
  EXPECT_GT(compared.duties, 20);
  EXPECT_GT(compared.draws, 0);
  EXPECT_GT(compared.cleanups, 20);
  RecordProperty("positions", compared.positions);
}

// Territory scoring played out is what is counted on a board: an own point counts 1, with a dead stone on it 2, and
// each prisoner 1, for the position in which MAIN ended, dead being what is gone at the end of CLEANUP.
TEST(GoProperties, TerritoryByTwoPhasesIsTerritoryAndPrisoners) {
  Random random(13);
  int games = 0;
  int with_dead_stones = 0;
  while (games < 200) {
    const GoGame game = go_game("go:6x6,japanese,komi=0");
    NaiveGo::Parameters parameters;
    for (const auto& [name, value] : koridor::rule_parameters(AnyGame(game))) parameters[name] = value;
    Position position(game);
    NaiveGo naive(parameters, board_of(game, position.state), 'X');
    // Both stop some moves early, so that dead stones are left to be captured in CLEANUP.
    const int stop = 20 + random.below(30);
    while (!game.outcome(position.state, position.history).over()) {
      const State& state = position.state;
      Action action = game.random_playout_action(state, position.history, random);
      if (state.phase == Phase::main && state.ply >= stop) {
        action = Action{static_cast<std::uint16_t>(game.num_actions() - 1)};
      }
      if (index(action) == game.num_actions() - 1) {
        naive.pass();
      } else {
        naive.play({index(action) / 6, index(action) % 6});
      }
      position.apply(game, action);
    }
    if (position.state.passes < 2 || position.state.phase != Phase::cleanup) continue;  // a repetition
    int counted = naive.prisoners_at_main_end('X') - naive.prisoners_at_main_end('O');
    bool settled = true;
    bool dead = false;
    for (const auto& place : naive.all_places()) {
      const char owner = naive.owner(place);
      const char stone = naive.main_end()[static_cast<std::size_t>(place.row)][static_cast<std::size_t>(place.column)];
      settled = settled && (owner != '.' || stone == '.');
      dead = dead || (stone != '.' && stone != owner);
      if (owner == '.' || stone == owner) continue;
      const int points = stone == '.' ? 1 : 2;
      counted += owner == 'X' ? points : -points;
    }
    if (!settled) continue;
    ++games;
    with_dead_stones += dead ? 1 : 0;
    ASSERT_EQ(game.score(position.state).by_territory(), counted)
        << game.print_board(position.state, Notation::standard, false);
    ASSERT_EQ(game.half_points(position.state), 2 * counted);
  }
  EXPECT_GT(with_dead_stones, 50);
}

// Whether a legal point has own stones on all sides, and on its diagonals fewer than two of the other side, on the edge
// none.
bool is_own_eye(const std::vector<std::string>& board, int point, char own) {
  const int rows = static_cast<int>(board.size());
  const int columns = static_cast<int>(board.front().size());
  const int row = point / columns;
  const int column = point % columns;
  int others = 0;
  for (int down = -1; down <= 1; ++down) {
    for (int right = -1; right <= 1; ++right) {
      const int r = row + down;
      const int c = column + right;
      if (r < 0 || c < 0 || r >= rows || c >= columns || (down == 0 && right == 0)) continue;
      const char stone = board[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      const bool beside = down == 0 || right == 0;
      if (beside && stone != own) return false;
      others += !beside && stone != own && stone != '.' ? 1 : 0;
    }
  }
  const bool edge = row == 0 || column == 0 || row == rows - 1 || column == columns - 1;
  return others < (edge ? 1 : 2);
}

// random_playout_action() fills no own eye and draws all other legal points about equally often.
TEST(GoProperties, PlayoutActionsAreUniform) {
  Random random(14);
  int eyes = 0;
  for (const char* variant : {"go:5x5,chinese", "go:9x9,japanese", "go:4x4"}) {
    const GoGame game = go_game(variant);
    Position position(game);
    for (int ply = 0; ply < 60 && !game.outcome(position.state, position.history).over(); ++ply) {
      if (ply % 6 == 5) {
        std::map<Action, int> drawn;
        constexpr int kDraws = 20000;
        for (int i = 0; i < kDraws; ++i) ++drawn[game.random_playout_action(position.state, position.history, random)];
        const double expected = static_cast<double>(kDraws) / static_cast<double>(drawn.size());
        for (const auto& [action, count] : drawn) EXPECT_NEAR(count, expected, 7 * std::sqrt(expected));
        // Of the legal points just the own eyes are never drawn.
        ActionMask legal;
        game.legal_actions(position.state, position.history, legal);
        const auto board = board_of(game, position.state);
        const char own = position.state.player == 0 ? 'X' : 'O';
        legal.for_each([&](Action action) {
          if (index(action) == game.num_actions() - 1) return;
          const bool eye = is_own_eye(board, index(action), own);
          eyes += eye ? 1 : 0;
          EXPECT_NE(drawn.contains(action), eye) << game.print_action(position.state, action) << "\n"
                                                 << game.print_board(position.state, Notation::standard, false);
        });
      }
      position.apply(game, game.random_playout_action(position.state, position.history, random));
    }
  }
  EXPECT_GT(eyes, 0);
}

}  // namespace
}  // namespace koridor::go
