// Why actions are illegal: by example, and against a plain second look at the board.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/reading.h"
#include "tests/core/go_test_tools.h"
#include "tests/core/naive_go_game.h"
#include "tests/core/wall_test_tools.h"

namespace koridor {
namespace {

using Kind = Objection::Kind;
using ::testing::HasSubstr;

struct Case {
  std::string variant;
  std::string moves;
  std::string text;
  Kind kind;
  std::string message;  // a part of it
  std::string nearest;  // "": none
  Notation notation = Notation::standard;
};

void check(const Case& example) {
  SCOPED_TRACE(example.variant + " after " + example.moves + ": " + example.text);
  std::visit(
      [&](const auto& game) {
        Position position(game);
        std::istringstream moves(example.moves);
        for (std::string move; moves >> move;) {
          const auto action = game.parse_action(position.state, position.history, move, example.notation);
          ASSERT_TRUE(action.has_value()) << move;
          position.apply(game, *action);
        }
        const Reading reading = read_action(game, position.state, position.history, example.text, example.notation);
        ASSERT_TRUE(reading.objection.has_value());
        EXPECT_EQ(reading.objection->kind, example.kind) << reading.objection->message;
        EXPECT_THAT(reading.objection->message, HasSubstr(example.message));
        EXPECT_EQ(
            reading.nearest == kNoAction ? "" : game.print_action(position.state, reading.nearest, example.notation),
            example.nearest);
      },
      parse_game(example.variant));
}

TEST(Objections, OfQuoridor) {
  const std::string face = "e8 e2 e7 e3 e6 e4 e5";  // player one on e5, player two on e4 to move
  for (const Case& example : std::vector<Case>{
           {"quoridor", "", "z9", Kind::off_board, "z9 is off the board, which has the columns a to i", ""},
           {"quoridor", "", "e10", Kind::off_board, "rows 1 to 9", "e8"},
           {"quoridor:5x5", "", "e8", Kind::off_board, "e8 is off the board", ""},
           {"quoridor", "", "i3h", Kind::off_board, "i3h is off the board, whose walls are a1h to h8v", "h3h"},
           {"quoridor", "", "a9v", Kind::off_board, "walls are a1h to h8v", "a8v"},
           {"quoridor", "", "e9", Kind::occupied, "player 1's pawn stands on e9", "e8"},
           {"quoridor", "", "e7", Kind::too_far, "the pawn on e9 steps to the next square", "e8"},
           {"quoridor", "", "e3", Kind::too_far, "too far", "e3h"},
           {"quoridor", "", "e2", Kind::too_far, "too far", "e8"},  // the row in the other notation
           {"quoridor", "", "e8", Kind::too_far, "too far", "e2", Notation::modern},
           {"quoridor", "", "d8", Kind::diagonal, "only beside a pawn that it cannot jump over", "e8"},
           {"quoridor", "e8h e2", "e8", Kind::wall_between, "the wall e8h is in the way from e9 to e8", "d9"},
           {"quoridor", "", "--", Kind::must_act, "does not pass", ""},
           {"quoridor", "e3h", "e3h", Kind::overlaps, "e3h stands there already", "e2h"},
           {"quoridor", "e3h", "f3h", Kind::overlaps, "f3h overlaps the wall e3h", "g3h"},
           {"quoridor", "e3h", "e3v", Kind::crosses, "e3v crosses the wall e3h", "e2v"},
           {"quoridor", "e3v", "E 3 - H", Kind::crosses, "e3h crosses the wall e3v", "d3h"},
           {"quoridor:5x5,walls=1", "a1h d4h", "a3h", Kind::no_walls_left, "player 1 has no walls left", ""},
           {"quoridor:5x5,walls=0", "", "a3h", Kind::no_walls_left, "no walls left", ""},
           {"quoridor", face, "e5", Kind::occupied, "player 1's pawn stands on e5", "e6"},
           {"quoridor", face, "d5", Kind::diagonal, "the straight jump over player 1's pawn on e5 is open", "d4"},
           {"quoridor", face + " e4h", "d4", Kind::wall_between, "the wall e4h is in the way from e5 to e4", "d5"},
           {"quoridor", face + " e5h", "e4", Kind::occupied, "player 2's pawn stands on e4", "e3"},
           {"quoridor", "", "nonsense", Kind::unreadable, "\"nonsense\" is not an action of quoridor; here one looks",
            ""},
           {"quoridor", "", "", Kind::unreadable, "", ""},
           {"quoridor", "", "8e", Kind::unreadable, "", "e8"},
           {"quoridor", "", "he3", Kind::unreadable, "", "e3h"},
           {"quoridor", "", "v e3", Kind::unreadable, "", "e3v"},
           {"quoridor", "", "e3j", Kind::unreadable, "", "e3h"},
           {"quoridor", "", "d9-d8", Kind::not_own_pawn, "player 1 has no pawn on d9, but on e9", ""},
       }) {
    check(example);
  }
}

TEST(Objections, OfTheOtherWallGames) {
  for (const Case& example : std::vector<Case>{
           {"pinko-pallino", "", "f8", Kind::too_far, "to one of the eight squares around it", "f8h"},
           {"pinko-pallino:5x5,walls=3", "c4 c2 c3", "c4", Kind::no_jump, "this game has no jumps", "c4h"},
           {"blockade", "", "d9", Kind::which_pawn, "d9 does not say which pawn", "d11-d9"},
           {"blockade", "", "e3h", Kind::not_now, "a pawn moves first", ""},
           {"blockade", "d11-d9", "d9-d8", Kind::not_now, "now a wall is to be placed", "d8h"},
           {"blockade", "d11-d9", "e3", Kind::not_now, "the pawn has moved already", "e3h"},
           {"blockade", "", "e11-e9", Kind::not_own_pawn, "no pawn on e11, but on d11 and h11", ""},
           {"blockade", "", "d11-d8", Kind::too_far, "one or two squares", "d11-d9"},
           {"blockade:11x14,walls=1", "d11-d9 a1h d4-d6 a3h d9-d8", "b5h", Kind::no_walls_left,
            "no horizontal walls left", "b5v"},
           {"quoridor4:5x5,walls=2", "c4", "c4", Kind::occupied, "player 1's pawn stands on c4", "c4h"},
       }) {
    check(example);
  }
}

TEST(Objections, SayWhoseWayIsCutOff) {
  check({"quoridor:3x3,walls=5", "a2h a1", "b2v", Kind::cuts_off, "b2v cuts off the last way of player 1", ""});
  check({"quoridor:4x4,walls=5", "a2h b1", "c2h", Kind::cuts_off, "player 1 and player 2", "c2v"});
}

TEST(Objections, OfGo) {
  // White has just taken one stone of a ko on D2; black may not take back at C2.
  const std::string ko = "C3 D3 B2 E2 C1 D1 D2 C2";
  const std::string simple = "go:5x5,japanese";
  for (const Case& example : std::vector<Case>{
           {"go:5x5", "", "F3", Kind::off_board, "F3 is off the board, whose points are A1 to E5", "E3"},
           {"go:5x5", "", "C6", Kind::off_board, "", "C5"},
           {"go:5x5", "", "A0", Kind::off_board, "", "A1"},
           {"go:9x9", "", "I5", Kind::off_board, "leave out I", "J5"},
           {"go:5x5", "", "T19", Kind::off_board, "", ""},
           {"go:5x5", "C3", " c 3", Kind::occupied, "a black stone is on C3", ""},
           {"go:5x5", "C2", "c2", Kind::occupied, "a black stone is on C2", "C4"},  // rows from the top
           {"go:5x5", "", "3c", Kind::unreadable, "\"3c\" is not an action of go:5x5; here one looks like C3, pass",
            "C3"},
           {"go:5x5", "", "passs", Kind::unreadable, "", "pass"},
           {simple, ko, "D2", Kind::ko, "D2 takes the ko back at once", "D4"},
           {"go:5x5", ko, "D2", Kind::ko, "D2 takes the ko back at once", "D4"},
           {"go:5x5,chinese", "A2 pass B1 pass pass", "A1", Kind::game_over, "the game is over", ""},
           {"go:5x5,chinese", "A2 C3 B1", "A1", Kind::suicide, "A1 is suicide", "A5"},
           {"go:2x2", "A1 B1 A2 B2 A1 A2", "A1", Kind::superko,
            "A1 brings back the position after ply 1, which positional superko forbids", ""},
           {"go:2x2,ko=situational", "A1 B1 A2 B2 A1 A2", "A1", Kind::superko, "situational", ""},
           {"go:2x2", "pass A2 pass B1", "A1", Kind::superko, "A1 leaves the board as it is", ""},
           {"go:3x3,ko=simple", "C3 A2 C2 B1 C1 pass", "A1", Kind::ko, "restores the position before the last action",
            "A3"},
           {"go:5x5,leaflet-strict", "C3 C4 A1 B3 A2 D3", "E5", Kind::must_save_atari,
            "stones in atari must be saved: black may play only C2", "C2"},
           {"go:5x5,leaflet-strict", "C3 C4 A1 B3 A2 D3", "pass", Kind::must_save_atari, "", "C2"},
       }) {
    check(example);
  }
}

// Squares and borders as plain arrays, with one wall more.
class PlainBoard {
 public:
  PlainBoard(const wall::WallGame& game, const wall::State& state, wall::ActionMeaning extra)
      : game_(game), state_(state) {
    for (int row = 0; row < 15; ++row) {
      for (int column = 0; column < 15; ++column) {
        const wall::Square square = wall::make_square(row, column);
        const auto has = [&](const wall::Bitboard& walls, wall::ActionKind kind) {
          return walls.test(square) || (extra.kind == kind && extra.square == square);
        };
        if (has(state.horizontal, wall::ActionKind::horizontal)) south_[row][column] = south_[row][column + 1] = true;
        if (has(state.vertical, wall::ActionKind::vertical)) east_[row][column] = east_[row + 1][column] = true;
      }
    }
  }

  // Whether each pawn of the player reaches what it must.
  bool free(int player) const {
    for (int pawn = 0; pawn < game_.rules().pawns; ++pawn) {
      const std::set<int> reached = reach(state_.pawns[static_cast<std::size_t>(player * wall::kMaxPawns + pawn)]);
      int goals = 0;
      int found = 0;
      game_.geometry().goal[static_cast<std::size_t>(player)].for_each([&](wall::Square goal) {
        ++goals;
        found += reached.contains(goal) ? 1 : 0;
      });
      if (game_.rules().goal == wall::Goal::line ? found == 0 : found < goals) return false;
    }
    return true;
  }

 private:
  std::set<int> reach(int start) const {
    std::set<int> reached{start};
    std::vector<int> open{start};
    while (!open.empty()) {
      const int row = open.back() / 16;
      const int column = open.back() % 16;
      open.pop_back();
      const auto go = [&](int to_row, int to_column, bool closed) {
        if (closed || to_row < 0 || to_column < 0 || to_row >= game_.rules().rows ||
            to_column >= game_.rules().columns) {
          return;
        }
        if (reached.insert(to_row * 16 + to_column).second) open.push_back(to_row * 16 + to_column);
      };
      go(row + 1, column, south_[row][column]);
      go(row - 1, column, row > 0 && south_[row - 1][column]);
      go(row, column + 1, east_[row][column]);
      go(row, column - 1, column > 0 && east_[row][column - 1]);
    }
    return reached;
  }

  const wall::WallGame& game_;
  const wall::State& state_;
  bool south_[16][16] = {};
  bool east_[16][16] = {};
};

// Looks at the board once more, by other means, whether the objection holds.
class WallJudge {
 public:
  WallJudge(const wall::WallGame& game, const wall::State& state) : game_(game), state_(state) {
    wall::State bare = state;
    bare.horizontal = bare.vertical = {};
    bare.walls_key = 0;
    game.legal_actions(bare, History(), legal_without_walls_);
    game.legal_actions(state, History(), legal_);
  }

  bool holds(const Objection& objection, Action action) const {
    const wall::ActionMeaning meaning = meaning_of(action);
    const int row = wall::row_of(meaning.square);
    const int column = wall::column_of(meaning.square);
    const wall::Rules& rules = game_.rules();
    const bool is_wall = meaning.kind == wall::ActionKind::horizontal || meaning.kind == wall::ActionKind::vertical;
    switch (objection.kind) {
      case Kind::off_board:
        return is_wall && (row == rules.rows - 1 || column == rules.columns - 1);
      case Kind::not_now:
        return rules.wall_after_move && is_wall == (state_.phase == 0);
      case Kind::must_act:
        return meaning.kind == wall::ActionKind::pass && !legal_.test(action);
      case Kind::no_walls_left: {
        const bool second = rules.walls_by_kind && meaning.kind == wall::ActionKind::vertical;
        return is_wall && state_.walls_left[static_cast<std::size_t>(state_.player * 2 + (second ? 1 : 0))] == 0;
      }
      case Kind::overlaps:
        return is_wall && stands(objection.wall) && meaning_of(objection.wall).kind == meaning.kind &&
               shares_a_half(meaning_of(objection.wall), meaning);
      case Kind::crosses:
        return is_wall && stands(objection.wall) && meaning_of(objection.wall).kind != meaning.kind &&
               meaning_of(objection.wall).square == meaning.square;
      case Kind::cuts_off: {
        const PlainBoard board(game_, state_, meaning);
        std::vector<int> players;
        for (int player = 0; player < rules.players; ++player) {
          if (!board.free(player)) players.push_back(player);
        }
        return is_wall && players == objection.players;
      }
      case Kind::occupied:
        return std::ranges::any_of(pawn_squares(), [&](int square) { return square == meaning.square; });
      case Kind::wall_between:
        return stands(objection.wall) &&
               closes_a_border(meaning_of(objection.wall), pawn_of(meaning), meaning.square) &&
               (legal_without_walls_.test(action) || is_jump_aside(meaning));
      case Kind::too_far:
      case Kind::no_jump:
      case Kind::diagonal:
        return meaning.kind == wall::ActionKind::pawn && !legal_without_walls_.test(action);
      default:
        return false;
    }
  }

 private:
  wall::ActionMeaning meaning_of(Action action) const {
    return game_.geometry().meaning.at(static_cast<std::size_t>(index(action)));
  }
  std::vector<int> pawn_squares() const {
    std::vector<int> squares;
    for (int player = 0; player < game_.rules().players; ++player) {
      for (int pawn = 0; pawn < game_.rules().pawns; ++pawn) {
        squares.push_back(state_.pawns[static_cast<std::size_t>(player * wall::kMaxPawns + pawn)]);
      }
    }
    return squares;
  }
  bool stands(Action wall) const {
    if (wall == kNoAction) return false;
    const wall::ActionMeaning meaning = meaning_of(wall);
    return (meaning.kind == wall::ActionKind::horizontal ? state_.horizontal : state_.vertical).test(meaning.square);
  }
  static bool shares_a_half(const wall::ActionMeaning& one, const wall::ActionMeaning& other) {
    const int step = one.kind == wall::ActionKind::horizontal ? 1 : 16;
    return std::set<int>{one.square, one.square + step, other.square, other.square + step}.size() < 4;
  }
  int pawn_of(const wall::ActionMeaning& meaning) const {
    return state_.pawns[static_cast<std::size_t>(state_.player * wall::kMaxPawns + meaning.pawn)];
  }
  // Whether the wall lies between two of the squares from the one to the other, or of the four about a diagonal step.
  static bool closes_a_border(const wall::ActionMeaning& wall, int from, int to) {
    const bool lies = wall.kind == wall::ActionKind::horizontal;
    const auto [first_row, last_row] = std::minmax({wall::row_of(from), wall::row_of(to)});
    const auto [first_column, last_column] = std::minmax({wall::column_of(from), wall::column_of(to)});
    const int row = wall::row_of(wall.square);
    const int column = wall::column_of(wall.square);
    const bool within_rows = lies ? row >= first_row && row < last_row : row + 1 >= first_row && row <= last_row;
    const bool within_columns =
        lies ? column + 1 >= first_column && column <= last_column : column >= first_column && column < last_column;
    return within_rows && within_columns;
  }
  // Without walls the straight jump may be open and forbid the one aside.
  bool is_jump_aside(const wall::ActionMeaning& meaning) const {
    const int from = pawn_of(meaning);
    return game_.rules().jumps && from / 16 != meaning.square / 16 && from % 16 != meaning.square % 16;
  }

  const wall::WallGame& game_;
  const wall::State& state_;
  ActionMask legal_, legal_without_walls_;
};

TEST(Objections, OfWallGamesHoldAtASecondLook) {
  Random random(8);
  std::map<Kind, int> seen;
  for (const char* variant :
       {"quoridor:3x3,walls=3", "quoridor:5x5,walls=4", "quoridor:4x5,walls=8", "quoridor4:5x5,walls=3",
        "quoridor4:4x4,walls=2,third_pawn_diagonal=false", "pinko-pallino:4x4,walls=5",
        "pinko-pallino:4x5,walls=4,diagonal_step=both,jumps=true", "blockade:5x7,walls=3", "blockade:4x4,walls=2",
        "quoridor:5x5,pawns=2,walls=4,jumps=false,win_pawns=2", "quoridor4:3x3,walls=1", "quoridor", "blockade"}) {
    const wall::WallGame game = wall::make_game(variant);
    for (int played = 0; played < 12; ++played) {
      Position position(game);
      for (int ply = 0; ply < 60 && !game.outcome(position.state, position.history).over(); ++ply) {
        ActionMask legal;
        game.legal_actions(position.state, position.history, legal);
        const WallJudge judge(game, position.state);
        for (int i = 0; i < game.num_actions(); ++i) {
          const Action action{static_cast<std::uint16_t>(i)};
          const auto objection = objection_to(game, position.state, position.history, action);
          if (!objection) continue;
          ++seen[objection->kind];
          ASSERT_TRUE(judge.holds(*objection, action))
              << game.name() << " " << game.print_action(position.state, action) << ": " << objection->message << "\n"
              << game.print_board(position.state, Notation::standard, false);
        }
        position.apply(game, legal.nth(random.below(legal.count())));
      }
    }
  }
  for (const Kind kind :
       {Kind::off_board, Kind::occupied, Kind::not_now, Kind::must_act, Kind::too_far, Kind::diagonal, Kind::no_jump,
        Kind::wall_between, Kind::no_walls_left, Kind::overlaps, Kind::crosses, Kind::cuts_off}) {
    EXPECT_GT(seen[kind], 20) << static_cast<int>(kind);
  }
}

TEST(Objections, OfGoAreThoseOfAPlainImplementation) {
  const std::map<std::string, Kind> kinds{{"occupied", Kind::occupied},
                                          {"suicide", Kind::suicide},
                                          {"ko", Kind::ko},
                                          {"superko", Kind::superko},
                                          {"must save", Kind::must_save_atari}};
  Random random(9);
  std::map<Kind, int> seen;
  for (const char* variant : {"go:3x3", "go:3x3,chinese", "go:4x3,ko=situational", "go:3x3,japanese",
                              "go:4x4,leaflet-strict,stone_supply=unlimited", "go:2x3,ko=simple", "go:5x5",
                              "go:4x4,suicide=forbidden,ko=situational,must_save_atari=true"}) {
    const go::GoGame game = go::go_game(variant);
    go::NaiveGo::Parameters parameters;
    for (const auto& [name, value] : rule_parameters(AnyGame(game))) parameters[name] = value;
    for (int played = 0; played < 15; ++played) {
      Position position(game);
      go::NaiveGo naive(parameters, go::board_of(game, position.state), 'X');
      while (!game.outcome(position.state, position.history).over()) {
        for (int i = 0; i + 1 < game.num_actions(); ++i) {
          const Action action{static_cast<std::uint16_t>(i)};
          const std::string expected = naive.objection({i / game.rules().columns, i % game.rules().columns});
          const auto objection = objection_to(game, position.state, position.history, action);
          ASSERT_EQ(objection.has_value(), !expected.empty());
          if (!objection) continue;
          ++seen[objection->kind];
          ASSERT_EQ(objection->kind, kinds.at(expected)) << variant << " " << objection->message;
        }
        ActionMask legal;
        game.legal_actions(position.state, position.history, legal);
        const Action action = legal.nth(random.below(legal.count()));
        if (index(action) + 1 == game.num_actions()) {
          naive.pass();
        } else {
          naive.play({index(action) / game.rules().columns, index(action) % game.rules().columns});
        }
        position.apply(game, action);
      }
    }
  }
  for (const auto& [name, kind] : kinds) EXPECT_GT(seen[kind], 5) << name;
}

}  // namespace
}  // namespace koridor
