// The rules of Go by example.
#include <gmock/gmock.h>

#include "core/go/free_play.h"
#include "tests/core/go_test_tools.h"
#include "tests/error_of.h"
#include "tests/three_kos.h"

namespace koridor::go {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Board = std::vector<std::string>;

Position<GoGame> after(const GoGame& game, const std::string& moves) {
  Position<GoGame> position(game);
  play(game, position, moves);
  return position;
}

std::string refusal(std::string_view variant) {
  return error_of([&] { parse_game(variant); });
}

TEST(GoRules, CapturedStonesLeaveTheBoard) {
  const GoGame game = go_game("go:3x3,japanese");
  const auto position = after(game, "B1 A1 A2");
  EXPECT_THAT(board_of(game, position.state), ElementsAre("...", "X..", ".X."));
  EXPECT_EQ(position.state.prisoners, (std::array<std::uint16_t, 2>{1, 0}));
  // Several chains at once, and more than one stone each.
  auto many = set_up(game, {"XX.", "OOX", "X.O"}, 0);
  play(game, many, "B1");
  EXPECT_THAT(board_of(game, many.state), ElementsAre("XX.", "..X", "XX."));
  EXPECT_EQ(many.state.prisoners[0], 3);
}

TEST(GoRules, SuicideIsForbiddenOrAllowed) {
  const GoGame forbidden = go_game("go:4x3,chinese");
  const Board closed = {".O.O", "OO.O", "OOOO"};
  const auto position = set_up(forbidden, closed, 0);
  EXPECT_FALSE(is_legal(forbidden, position, "A3"));  // one stone, no liberty
  EXPECT_TRUE(is_legal(forbidden, position, "C3"));
  const GoGame allowed = go_game("go:4x3,chinese,suicide=allowed");
  EXPECT_FALSE(is_legal(allowed, set_up(allowed, closed, 0), "A3"));  // would repeat the position
  // Two stones: another position.
  auto two = set_up(allowed, {".XO.", "OOO.", "...."}, 0);
  EXPECT_TRUE(is_legal(allowed, two, "A3"));
  play(allowed, two, "A3");
  EXPECT_THAT(board_of(allowed, two.state), ElementsAre("..O.", "OOO.", "...."));
  EXPECT_EQ(two.state.prisoners[1], 2);
  EXPECT_FALSE(is_legal(forbidden, set_up(forbidden, {".XO.", "OOO.", "...."}, 0), "A3"));
  // A move that captures is no suicide.
  const GoGame square = go_game("go:3x3,chinese");
  const Board shared = {"XXO", "X.O", "OOO"};  // the last liberty of both
  EXPECT_TRUE(is_legal(square, set_up(square, shared, 0), "B2"));
  EXPECT_TRUE(is_legal(square, set_up(square, shared, 1), "B2"));
}

TEST(GoRules, SimpleKo) {
  const GoGame game = go_game("go:4x3,japanese");
  auto position = set_up(game, {".XO.", "X.XO", ".XO."}, 1);
  play(game, position, "B2");  // takes C2
  EXPECT_THAT(board_of(game, position.state), ElementsAre(".XO.", "XO.O", ".XO."));
  EXPECT_FALSE(is_legal(game, position, "C2"));
  play(game, position, "A1 D1");  // an exchange elsewhere lifts it
  EXPECT_TRUE(is_legal(game, position, "C2"));
  play(game, position, "C2");
  EXPECT_FALSE(is_legal(game, position, "B2"));
}

TEST(GoRules, TakingTwoStonesIsNoKo) {
  const GoGame game = go_game("go:3x1,japanese");
  auto position = set_up(game, {"XX."}, 1);
  play(game, position, "C1");
  EXPECT_EQ(position.state.ko, kNoPoint);
  EXPECT_TRUE(is_legal(game, position, "B1"));
}

TEST(GoRules, PositionalSuperkoSeesLongCycles) {
  // Three kos at once: under simple ko both sides can go round for ever.
  const Board rows = {".XO..XO..XO.", "XO.OX.XOXO.O", ".XO..XO..XO."};
  const GoGame simple = go_game("go:12x3,japanese,max_plies=1000");
  auto position = set_up(simple, rows, 0);
  play(simple, position, "C2 F2 L2 B2 G2 K2");
  play(simple, position, "C2 F2 L2 B2 G2");
  EXPECT_FALSE(simple.outcome(position.state, position.history).over());
  play(simple, position, "K2");  // the first position for the third time
  EXPECT_EQ(simple.outcome(position.state, position.history).kind, Outcome::Kind::draw);

  for (const char* ko : {"positional", "situational"}) {
    const GoGame super = go_game(std::string("go:12x3,chinese,ko=") + ko);
    auto cycle = set_up(super, rows, 0);
    play(super, cycle, "C2 F2 L2 B2 G2");
    EXPECT_FALSE(is_legal(super, cycle, "K2")) << ko;
    // Beyond the cap of plies, too.
    const GoGame capped = go_game(std::string("go:12x3,chinese,max_plies=5,ko=") + ko);
    auto on = set_up(capped, rows, 0);
    play(capped, on, "C2 F2 L2 B2 G2");
    ASSERT_TRUE(play_on(capped, on));
    EXPECT_FALSE(is_legal(capped, on, "K2")) << ko;
    const Action back{capped.geometry().action[static_cast<std::size_t>(capped.geometry().point_at(1, 9))]};
    EXPECT_THAT(capped.objection(on.state, on.history, back, Notation::standard).message,
                HasSubstr("K2 brings back an earlier position, which " + std::string(ko) + " superko forbids"));
  }
}

TEST(GoRules, SituationalSuperkoAsksWhoIsToMove) {
  const GoGame positional = go_game("go:1x3,chinese,suicide=allowed,komi=0");
  const GoGame situational = go_game("go:1x3,chinese,suicide=allowed,komi=0,ko=situational");
  // White's A2 takes A1; then black's A1 takes nothing but itself.
  auto a = after(positional, "A1 A2");
  auto b = after(situational, "A1 A2");
  EXPECT_FALSE(is_legal(positional, a, "A1"));  // the same position at once
  EXPECT_TRUE(is_legal(situational, b, "A1"));  // the same stones, but white to move: new
  play(situational, b, "A1");
  EXPECT_TRUE(is_legal(situational, b, "A1"));  // white fills his own point
  play(situational, b, "pass");
  EXPECT_FALSE(is_legal(situational, b, "A1"));  // again white to move
}

TEST(GoRules, SuperkoForgetsAtCleanup) {
  const GoGame game = go_game("go:4x3,japanese,ko=positional");
  auto position = set_up(game, {".XO.", "X.XO", ".XO."}, 1);
  play(game, position, "B2");
  EXPECT_FALSE(is_legal(game, position, "C2"));
  play(game, position, "pass");
  EXPECT_EQ(position.state.phase, Phase::main);
  play(game, position, "pass");
  EXPECT_EQ(position.state.phase, Phase::cleanup);
  EXPECT_TRUE(is_legal(game, position, "C2"));
}

TEST(GoRules, UnderSimpleKoAStoneMayNotTakeItselfAfterAPass) {
  const GoGame game = go_game("go:3x3,japanese,suicide=allowed");
  auto position = set_up(game, {".OO", "OO.", "O.."}, 0);
  EXPECT_TRUE(is_legal(game, position, "A3"));  // nobody has moved: nothing to restore
  play(game, position, "A3 pass");
  EXPECT_FALSE(is_legal(game, position, "A3"));  // white's pass left the board as it is now
  play(game, position, "C1");
  EXPECT_TRUE(is_legal(game, position, "C2"));
}

TEST(GoRules, TwoPassesEndTheGame) {
  const GoGame game = go_game("go:5x5,komi=0");
  const auto position = after(game, "C3 pass pass");
  const Outcome outcome = game.outcome(position.state, position.history);
  EXPECT_EQ(outcome.winner, 0);
  EXPECT_EQ(game.half_points(position.state), 50);  // all points are black's
  const auto empty = after(game, "pass pass");
  EXPECT_EQ(game.outcome(empty.state, empty.history).kind, Outcome::Kind::draw);
  EXPECT_EQ(game.outcome(empty.state, empty.history).values, (Values{0.5f, 0.5f, 0, 0}));
  const auto interrupted = after(game, "pass C3 pass");
  EXPECT_FALSE(game.outcome(interrupted.state, interrupted.history).over());
}

TEST(GoRules, TheCountEndsAGameUnlessARepetitionDoes) {
  const auto ends_by_count = [](const std::string& variant, const std::string& moves) {
    const GoGame game = go_game(variant);
    const auto position = after(game, moves);
    return game.ends_by_count(position.state, game.outcome(position.state, position.history));
  };
  EXPECT_TRUE(ends_by_count("go:5x5,komi=0", "C3 pass pass"));
  EXPECT_TRUE(ends_by_count("go:5x5,komi=0", "pass pass")) << "a draw by count";
  EXPECT_TRUE(ends_by_count("go:5x5,komi=0,max_plies=2", "C3 B2")) << "a draw by count at the cap";
  EXPECT_FALSE(ends_by_count("go:5x5,komi=0", "pass C3"));
  EXPECT_FALSE(ends_by_count("go:12x3,japanese", test::kThreeKos));
}

TEST(GoRules, AreaAndTerritoryScores) {
  const Board rows = {".X.O.", "XX.OO", ".X.O.", ".X.OO", ".X.O."};
  const GoGame area = go_game("go:5x5,chinese,komi=0.5");
  auto position = set_up(area, rows, 0);
  const Score score = area.score(position.state);
  EXPECT_EQ(score.stones, (std::array{6, 7}));
  EXPECT_EQ(score.territory, (std::array{4, 3}));
  EXPECT_EQ(score.neutral, 5);
  EXPECT_EQ(area.half_points(position.state), 2 * (10 - 10) - 1);
  const GoGame territory = go_game("go:5x5,japanese,komi=0.5");
  EXPECT_EQ(territory.half_points(set_up(territory, rows, 0).state), 2 * (4 - 3) - 1);
  // A stone placed in MAIN costs its owner a point of territory, one in CLEANUP nothing.
  auto main = set_up(territory, rows, 0);
  play(territory, main, "A5 pass");
  EXPECT_EQ(territory.half_points(main.state), 2 * (3 - 3) - 1);
  auto cleanup = set_up(territory, rows, 0);
  play(territory, cleanup, "pass pass A5 pass");
  EXPECT_EQ(territory.half_points(cleanup.state), 2 * (4 - 3) - 1);
  EXPECT_EQ(territory.score(cleanup.state).placed_in_cleanup[0], 1);
  EXPECT_FALSE(territory.outcome(cleanup.state, cleanup.history).over());
  play(territory, cleanup, "pass");
  EXPECT_EQ(territory.outcome(cleanup.state, cleanup.history).winner, 0);
}

TEST(GoRules, OwnershipAndAuxiliaryTellTheArea) {
  const GoGame game = go_game("go:3x2");
  const auto position = set_up(game, {".X.", "XXO"}, 0);
  std::vector<float> owner(6);
  game.ownership(position.state, 0, owner);
  EXPECT_THAT(owner, ElementsAre(1, 1, 0.5f, 1, 1, 0));
  game.ownership(position.state, 1, owner);
  EXPECT_THAT(owner, ElementsAre(0, 0, 0.5f, 0, 0, 1));
  EXPECT_FLOAT_EQ(game.auxiliary(position.state, 0), 4.5f / 6);
  EXPECT_FLOAT_EQ(game.auxiliary(position.state, 1), 1.5f / 6);
}

TEST(GoRules, TheCapScoresTheGameAsItStands) {
  const GoGame game = go_game("go:5x5,max_plies=3");
  const auto position = after(game, "C3 D3 C4");
  EXPECT_EQ(game.outcome(position.state, position.history).winner, 1);  // 2 + 0 stones against 1 and komi 7.5
  EXPECT_EQ(game.max_plies(), 3);
  EXPECT_EQ(go_game("go:5x6").max_plies(), 120);
}

TEST(GoRules, AStoneInAtariMustBeSaved) {
  const GoGame game = go_game("go:5x5,leaflet,must_save_atari=true");
  auto position = set_up(game, {".....", "..X..", ".XO..", "..X..", "....."}, 1);
  EXPECT_EQ(legal_names(game, position), (std::set<std::string>{"D3"}));  // the only liberty, and it gains two
  position = set_up(game, {".....", "..XX.", ".XO.X", "..XX.", "....."}, 1);
  EXPECT_GT(legal_names(game, position).size(), 5u);  // D3 would leave no second liberty: no duty
  EXPECT_TRUE(is_legal(game, position, "pass"));
  const GoGame free = go_game("go:5x5,leaflet");
  position = set_up(free, {".....", "..X..", ".XO..", "..X..", "....."}, 1);
  EXPECT_TRUE(is_legal(free, position, "pass"));
}

TEST(GoRules, TheGameEndsWithoutStonesToPlay) {
  const GoGame game =
      go_game("go:3x2,leaflet-strict,must_save_atari=false,komi=0.5");  // four black stones, three white
  auto position = after(game, "A1 C1 A2 C2 B2");
  EXPECT_FALSE(game.outcome(position.state, position.history).over());
  play(game, position, "pass B1");                                      // takes nothing; black has placed four
  EXPECT_FALSE(game.outcome(position.state, position.history).over());  // white has a stone left
  play(game, position, "pass");
  EXPECT_TRUE(game.outcome(position.state, position.history).over());
  const auto before = position.state;
  EXPECT_FALSE(play_on(game, position)) << "nobody can place a stone";
  EXPECT_EQ(position.state, before);
}

TEST(GoRules, HandicapStonesStandWhereTheTextProtocolPutsThem) {
  const auto stones = [](const std::string& variant) {
    const GoGame game = go_game(variant);
    std::set<std::string> names;
    for (const auto& [row, column] : handicap_points(game.rules())) {
      names.insert(point_name(game.geometry(), row, column));
    }
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(stones("go:handicap=2"), (Names{"D4", "Q16"}));
  EXPECT_EQ(stones("go:handicap=3"), (Names{"D4", "Q16", "D16"}));
  EXPECT_EQ(stones("go:handicap=5"), (Names{"D4", "Q16", "D16", "Q4", "K10"}));
  EXPECT_EQ(stones("go:handicap=6"), (Names{"D4", "Q16", "D16", "Q4", "D10", "Q10"}));
  EXPECT_EQ(stones("go:handicap=8"), (Names{"D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16"}));
  EXPECT_EQ(stones("go:handicap=9"), (Names{"D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16", "K10"}));
  EXPECT_EQ(stones("go:9x9,handicap=4"), (Names{"C3", "G7", "C7", "G3"}));
  EXPECT_EQ(stones("go:13x13,handicap=5"), (Names{"D4", "K10", "D10", "K4", "G7"}));
  const GoGame game = go_game("go:handicap=4");
  EXPECT_EQ(game.player_to_move(game.initial_state()), 1);
  EXPECT_EQ(game.initial_state().placed[0], 4);
  EXPECT_EQ(game.rules().half_points_of_komi, 1);
  EXPECT_EQ(go_game("go:handicap=4,komi=3").rules().half_points_of_komi, 6);
  const auto evened = [](const char* variant) {
    return name_of(parse_game(variant, std::vector<std::string>{"handicap=0"}));
  };
  EXPECT_EQ(evened("go:handicap=4"), "go");
  EXPECT_EQ(evened("go:japanese,handicap=4"), "go:japanese");
  EXPECT_EQ(evened("go:handicap=4,komi=3"), "go:komi=3");
  EXPECT_THAT(refusal("go:5x5,handicap=2"), HasSubstr("a board of 5x5 has fixed places for 0"));
  EXPECT_THAT(refusal("go:8x8,handicap=5"), HasSubstr("has fixed places for 4"));
}

TEST(GoRules, Points) {
  const GoGame game = go_game("go");
  Position position(game);
  EXPECT_EQ(game.print_action(position.state, Action{0}), "A19");
  EXPECT_EQ(game.print_action(position.state, Action{8}), "J19");
  EXPECT_EQ(game.print_action(position.state, Action{360}), "T1");
  EXPECT_EQ(game.print_action(position.state, Action{361}), "pass");
  EXPECT_EQ(game.parse_action(position.state, position.history, "PASS"), Action{361});
  EXPECT_EQ(game.parse_action(position.state, position.history, "t1"), Action{360});
  for (const char* wrong : {"", "I5", "T0", "A20", "U1", "A", "5", "D4D4", "--"}) {
    EXPECT_EQ(game.parse_action(position.state, position.history, wrong), std::nullopt) << wrong;
  }
}

TEST(GoRules, BoardsForATerminal) {
  const GoGame game = go_game("go:5x3,komi=0.5");
  const auto position = after(game, "B2 C2 pass");
  EXPECT_EQ(game.print_board(position.state, Notation::standard, false),
            "    A B C D E\n"
            " 3  · · · · ·   X black  0 prisoners\n"
            " 2  · X O · ·   O white  0 prisoners  to move\n"
            " 1  · · · · ·   komi 0.5, ply 3 of 60, 1 passed\n");
  // The two colours differ by their signs too.
  EXPECT_THAT(game.print_board(position.state, Notation::standard, true), AllOf(HasSubstr("●"), HasSubstr("○")));
  const std::array<Action, 1> marked = {Action{7}};
  EXPECT_EQ(game.draw_board(position.state, {.turns = 2, .marked = marked, .dead = marked}),
            "    E D C B A\n"
            " 1  · · · · ·   X black  0 prisoners\n"
            " 2  · ·(o)X ·   O white  0 prisoners  to move\n"
            " 3  · · · · ·   komi 0.5, ply 3 of 60, 1 passed\n");
}

TEST(GoRules, Names) {
  const auto name = [](std::string_view variant) { return go_game(variant).name(); };
  EXPECT_EQ(name("go"), "go");
  EXPECT_EQ(name("go:19x19,tromp-taylor,komi=7.5"), "go");
  EXPECT_EQ(name("go:leaflet"), "go:japanese");  // the same parameters
  EXPECT_EQ(name("go:leaflet-strict"), "go:leaflet-strict");
  EXPECT_EQ(name("go:9x9,chinese,suicide=allowed"), "go:9x9");
  EXPECT_EQ(name("go:9x9,ko=simple,must_save_atari=true"), "go:9x9,ko=simple,must_save_atari=true");
  EXPECT_EQ(name("go:japanese,must_save_atari=true,stone_supply=half,9x7,komi=6"), "go:9x7,leaflet-strict,komi=6");
  EXPECT_EQ(name("go:9x9,handicap=3,max_plies=50,komi=-2.5"), "go:9x9,handicap=3,komi=-2.5,max_plies=50");
  EXPECT_EQ(name("go:9x9,handicap=3"), "go:9x9,handicap=3");
  EXPECT_EQ(name("go:9x9,max_plies=324"), "go:9x9");
  EXPECT_EQ(std::visit([](const auto& game) { return game.name(); },
                       parse_game("go", std::vector<std::string>{"rules=japanese", "columns=5"})),
            "go:5x19,japanese");
}

TEST(GoRules, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(refusal("go:20x19"), HasSubstr("rule 'columns' is 20; it must be 1 to 19"));
  EXPECT_THAT(refusal("go:0x5"), HasSubstr("rule 'columns' is 0; it must be 1 to 19"));
  EXPECT_THAT(refusal("go:ko=super"),
              HasSubstr("rule 'ko' is 'super'; it must be simple or positional or situational"));
  EXPECT_THAT(refusal("go:komi=0.25"), HasSubstr("it must be a whole or half number, -400 to 400"));
  for (const char* komi : {"", ".5", "-", "5.", "5.55", "1e3", "--5", "401", "99999999999"}) {
    EXPECT_THAT(refusal(std::string("go:komi=") + komi), HasSubstr("rule 'komi' is '")) << komi;
  }
  EXPECT_THAT(refusal("go:japanesee"), HasSubstr("write it like go:5x5,komi=5.5"));
  EXPECT_THAT(refusal("go:rules=japanes"), HasSubstr("did you mean 'japanese'?"));
  EXPECT_THAT(refusal("go:handycap=2"), HasSubstr("did you mean 'handicap'?"));
  EXPECT_THAT(refusal("go:handicap=10"), HasSubstr("rule 'handicap' is 10; it must be 0 to 9"));
  EXPECT_THAT(refusal("go:suicide=maybe"), HasSubstr("it must be forbidden or allowed"));
  EXPECT_THAT(refusal("go:must_save_atari=yes"), HasSubstr("it must be true or false"));
}

}  // namespace
}  // namespace koridor::go
