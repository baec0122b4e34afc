// Notation, read and written, and the board on a terminal.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tests/core/wall_test_tools.h"

namespace koridor::wall {
namespace {

TEST(WallText, StandardNotationIsGlendennings) {
  const WallGame game = make_game("quoridor");
  const Position position = play(game, "e8 e2 e7 e3 e3h e6h");
  EXPECT_EQ(position.state.ply, 6);
  // e3v stands between the columns e and f, beside the rows 3 and 4.
  const State state = play(game, "e3v").state;
  EXPECT_TRUE(state.vertical.test(make_square(2, 4)));
  EXPECT_EQ(pawn_names(game, play(game, "e8 e2 e7 e3 e3v").state).count("f3"), 0u);
}

TEST(WallText, ModernNotationCountsFromPlayerOne) {
  const WallGame game = make_game("quoridor");
  const State state = game.initial_state();
  const auto modern_of = [&](std::string_view standard) {
    const auto action = game.parse_action(state, History(), standard);
    EXPECT_TRUE(action) << standard;
    return game.print_action(state, action.value(), Notation::modern);
  };
  EXPECT_EQ(modern_of("e8"), "e2");
  EXPECT_EQ(modern_of("e3h"), "e6h");
  EXPECT_EQ(modern_of("a8v"), "a1v");
  EXPECT_EQ(modern_of("h1h"), "h8h");
  EXPECT_EQ(game.parse_action(state, History(), "e2", Notation::modern), game.parse_action(state, History(), "e8"));
}

TEST(WallText, ParseTakesOnlyLegalActions) {
  const WallGame game = make_game("quoridor:5x5,walls=1");
  const Position position = play(game, "c4");
  for (const char* text : {"", "c", "c3", "c9", "z1", "c2h h", "c1h1", "e1h", "a5v", "--", "pass"}) {
    EXPECT_EQ(game.parse_action(position.state, position.history, text), std::nullopt) << text;
  }
  EXPECT_TRUE(game.parse_action(position.state, position.history, "C2"));
  EXPECT_TRUE(game.parse_action(position.state, position.history, "d4H"));
  EXPECT_TRUE(game.parse_action(position.state, position.history, " c2 "));
  EXPECT_TRUE(game.parse_action(position.state, position.history, "c1-c2"));
  EXPECT_TRUE(game.parse_action(position.state, position.history, "d4 horizontal"));
  const WallGame over = make_game("quoridor:5x5,walls=1,max_plies=1");
  const Position end = play(over, "c4");
  EXPECT_EQ(over.parse_action(end.state, end.history, "c2"), std::nullopt);
}

TEST(WallText, BoardInPlainText) {
  const WallGame game = make_game("quoridor:5x5,walls=3");
  const Position position = play(game, "c4 a2v c3h");
  EXPECT_EQ(game.print_board(position.state, Notation::standard, false),
            "      a   b   c   d   e\n"
            "    ╭───────────────────╮\n"
            "  1 │ ·   ·   2   ·   · │   1 south   2 walls   4 to go\n"
            "    │                   │   2 north   2 walls   5 to go  to move\n"
            "  2 │ · ┃ ·   ·   ·   · │   ply 3 of 100\n"
            "    │   ┃               │\n"
            "  3 │ · ┃ ·   ·   ·   · │\n"
            "    │        ━━━━━━━    │\n"
            "  4 │ ·   ·   1   ·   · │\n"
            "    │                   │\n"
            "  5 │ ·   ·   ·   ·   · │\n"
            "    ╰───────────────────╯\n");
  EXPECT_THAT(game.print_board(position.state, Notation::modern, false), testing::HasSubstr("  5 │ ·   ·   2"));
}

TEST(WallText, ColourOnlyPaints) {
  for (const char* variant : {"quoridor", "quoridor4:3x3,walls=1"}) {
    const WallGame game = make_game(variant);
    const State state = game.initial_state();
    std::string coloured = game.print_board(state, Notation::standard, true);
    const std::string plain = game.print_board(state, Notation::standard, false);
    EXPECT_NE(coloured, plain);
    for (std::size_t at; (at = coloured.find('\033')) != std::string::npos;) {
      coloured.erase(at, coloured.find('m', at) - at + 1);
    }
    for (const char* text : {" 1 ", " 2 ", "ply 0 of"}) EXPECT_THAT(coloured, testing::HasSubstr(text));
  }
}

// The board of BoardInPlainText from the other side, with the last wall and a pawn marked.
TEST(WallText, BoardsAreTurnedAndShowWhatWasPlayed) {
  const WallGame game = make_game("quoridor:5x5,walls=3");
  const Position position = play(game, "c4 a2v c3h");
  const std::array<Action, 2> marked = {*game.parse_action(game.initial_state(), History(), "c4"),
                                        *game.parse_action(game.initial_state(), History(), "c3h")};
  EXPECT_EQ(game.draw_board(position.state, {.turns = 2, .marked = marked}),
            "      e   d   c   b   a\n"
            "    ╭───────────────────╮\n"
            "  5 │ ·   ·   ·   ·   · │   1 south   2 walls   4 to go\n"
            "    │                   │   2 north   2 walls   5 to go  to move\n"
            "  4 │ ·   ·  (1)  ·   · │   ply 3 of 100\n"
            "    │    ═══════        │\n"
            "  3 │ ·   ·   ·   · ┃ · │\n"
            "    │               ┃   │\n"
            "  2 │ ·   ·   ·   · ┃ · │\n"
            "    │                   │\n"
            "  1 │ ·   ·   2   ·   · │\n"
            "    ╰───────────────────╯\n");
  // On its side rows are columns, and a wall that lies stands. West is at the bottom.
  EXPECT_EQ(game.draw_board(position.state, {.turns = 1}),
            "      1   2   3   4   5\n"
            "    ╭───────────────────╮\n"
            "  e │ ·   ·   ·   ·   · │   1 south   2 walls   4 to go\n"
            "    │                   │   2 north   2 walls   5 to go  to move\n"
            "  d │ ·   ·   · ┃ ·   · │   ply 3 of 100\n"
            "    │           ┃       │\n"
            "  c │ 2   ·   · ┃ 1   · │\n"
            "    │                   │\n"
            "  b │ ·   ·   ·   ·   · │\n"
            "    │    ━━━━━━━        │\n"
            "  a │ ·   ·   ·   ·   · │\n"
            "    ╰───────────────────╯\n");
}

// Whatever the turn, four turns further the board is the same, and a turned board shows as many signs.
TEST(WallText, TurnsAreQuarters) {
  const WallGame game = make_game("quoridor4:5x5,walls=2");
  const State state = play(game, "c4 a2v c3h d1h").state;
  const auto signs = [](const std::string& board) {
    std::array<std::ptrdiff_t, 4> count{};
    for (int seat = 0; seat < 4; ++seat) count[static_cast<std::size_t>(seat)] = std::ranges::count(board, '1' + seat);
    return count;
  };
  for (int seat = 0; seat < 4; ++seat) {
    const int turns = game.turns_to_bottom(seat);
    const std::string board = game.draw_board(state, {.turns = turns});
    EXPECT_EQ(board, game.draw_board(state, {.turns = turns + 4}));
    EXPECT_EQ(signs(board), signs(game.draw_board(state, {})));
    const std::string start = game.draw_board(game.initial_state(), {.turns = turns});
    const std::string last = start.substr(start.find(fmt::format("{} ", turns % 2 == 0 ? (turns == 0 ? "5" : "1")
                                                                        : turns == 1   ? "a"
                                                                                       : "e") +
                                                     "│"));
    EXPECT_NE(last.substr(0, last.find('\n')).find(std::to_string(seat + 1)), std::string::npos) << start;
  }
}

}  // namespace
}  // namespace koridor::wall
