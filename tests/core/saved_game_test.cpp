// Whole games as text: what is written is read as the same game, and faulty text is refused with its place.
#include "core/saved_game.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/saved_result.h"
#include "tests/error_of.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Random actions: a whole game, or its first `plies`.
std::vector<Action> random_actions(const AnyGame& any, int plies, Random& random) {
  return std::visit(
      [&]<Game G>(const G& game) {
        std::vector<Action> actions;
        Position<G> position(game);
        while (static_cast<int>(actions.size()) < plies && !game.outcome(position.state, position.history).over()) {
          ActionMask legal;
          game.legal_actions(position.state, position.history, legal);
          actions.push_back(legal.nth(random.below(legal.count())));
          position.apply(game, actions.back());
        }
        return actions;
      },
      any);
}

std::string complaint(const std::string& text, const SavedGameDefaults& defaults = {}) {
  return error_of([&] { read_saved_games(text, "x.txt", defaults); });
}

void expect_same(const SavedGame& read, const SavedGame& written) {
  EXPECT_EQ(name_of(read.game), name_of(written.game));
  EXPECT_EQ(read.actions, written.actions) << name_of(written.game);
  EXPECT_EQ(read.result, written.result);
  EXPECT_EQ(read.names, written.names);
  EXPECT_EQ(read.headers, written.headers);
}

// Every registered game and some variants of other sizes and rules: whole games and games broken off, in one file.
TEST(SavedGames, AreReadAsTheyWereWritten) {
  Random random(7);
  std::vector<std::string> variants = {"quoridor:5x5,walls=3",
                                       "quoridor4:5x5,walls=1",
                                       "quoridor4:5x5,players=3,walls=2",
                                       "blockade:5x7,walls=2",
                                       "go:5x7,japanese,komi=-3",
                                       "go:9x9,leaflet,handicap=4",
                                       "go:1x1",
                                       "pinko-pallino:5x5,walls=4"};
  for (const GameInfo& info : registered_games()) variants.push_back(info.variant);
  for (const std::string& variant : variants) {
    const AnyGame game = parse_game(variant);
    for (const Notation notation : {Notation::standard, Notation::modern}) {
      std::vector<SavedGame> written;
      std::string text;
      for (const int plies : {10'000, 7, 0}) {
        SavedGame& saved =
            written.emplace_back(SavedGame{.game = game, .actions = random_actions(game, plies, random)});
        saved.result = result_of(game, saved.actions);
        const int players = players_of(game);
        for (int seat = 0; seat < players; ++seat)
          saved.names.push_back("a \"name\" with \\ ] and }" + std::to_string(seat));
        if (!variant.starts_with("go")) saved.headers = {{"Date", "2026.11.21"}};
        text += write_saved_game(saved, notation);
      }
      EXPECT_FALSE(written[0].result.empty()) << variant;
      const std::vector<SavedGame> read = read_saved_games(text, "x.txt");
      ASSERT_EQ(read.size(), written.size()) << variant;
      for (std::size_t i = 0; i < read.size(); ++i) expect_same(read[i], written[i]);
    }
  }
}

TEST(SavedGames, OfWallsLookLikeGamesOfChess) {
  const AnyGame game = parse_game("quoridor:5x5,walls=3");
  const std::vector<SavedGame> read =
      read_saved_games("1. c4 b1 2. c3 a1 {a comment} 3.c2 b1 ; the last\n4... c1 1-0", "x", {.game = game});
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].result, "1-0");
  EXPECT_EQ(result_of(game, read[0].actions), "1-0");
  EXPECT_EQ(resignation_result(game, 0), "0-1");
  SavedGame named = read[0];
  named.names = {"Ada", ""};
  EXPECT_EQ(write_saved_game(named),
            "[Game \"quoridor:5x5,walls=3\"]\n[Player1 \"Ada\"]\n[Notation \"standard\"]\n[Result \"1-0\"]\n\n"
            "1. c4 b1 2. c3 a1 3. c2 b1 4. c1 1-0\n\n");
  EXPECT_THAT(write_saved_game(named, Notation::modern), HasSubstr("1. c2 b5 2. c3 a5"));
  // A round of four players holds four moves; a line has at most 80 characters.
  const AnyGame four = parse_game("quoridor4");
  Random random(3);
  const std::string text = write_saved_game({.game = four, .actions = random_actions(four, 60, random)});
  EXPECT_THAT(text, AllOf(HasSubstr(" 15."), ::testing::Not(HasSubstr(" 16.")), EndsWith(" *\n\n")));
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    EXPECT_LE(text.find('\n', begin) - begin, 80u);
  }
}

TEST(SavedGames, ControlBytesOfNamesDoNotReachTheFile) {
  const SavedGame saved{.game = parse_game("quoridor:3x3"), .actions = {}, .names = {"a\nb\033[31m", ""}};
  EXPECT_THAT(write_saved_game(saved), HasSubstr("[Player1 \"a b [31m\"]\n"));
  const SavedGame of_go{.game = parse_game("go:5x5"), .actions = {}, .names = {std::string("a\0b\033", 4), ""}};
  EXPECT_THAT(write_saved_game(of_go), HasSubstr("PB[a b ]"));
}

// The moves say how a game ended; only where they do not, the text does.
TEST(SavedGames, AResultMustBeOneAndNotThatOfAnotherGame) {
  const std::string moves = "[Game \"quoridor:5x5,walls=3\"]\n1. c4 b1 2. c3 a1 3. c2 b1";
  EXPECT_EQ(read_saved_games(moves + " 0-1", "x")[0].result, "0-1") << "such as one that was given up";
  EXPECT_EQ(read_saved_games(moves + " 1/2-1/2", "x")[0].result, "1/2-1/2");
  EXPECT_EQ(read_saved_games(moves + " *", "x")[0].result, "");
  for (const std::string result : {"5-7", "1-1", "0-0", "1/3-2/3", "1-0-0", "1/2-1/2-0", "2-0"}) {
    EXPECT_THAT(complaint(moves + " " + result),
                HasSubstr("x.txt:2:28: the result \"" + result + "\" does not share one point among 2 players"));
  }
  EXPECT_THAT(complaint("[Game \"quoridor:5x5,walls=3\"]\n[Result \"foo\"]\n1. c4"),
              HasSubstr("x.txt:2:1: the result \"foo\""));
  EXPECT_THAT(complaint("[Game \"quoridor4\"]\n1-0"), HasSubstr("among 4 players, as 0-0-1-0 does"));
  EXPECT_EQ(read_saved_games("[Game \"quoridor4\"]\n0-1/3-1/3-1/3", "x")[0].result, "0-1/3-1/3-1/3");
  for (const std::string end : {" 4. c1 0-1", " 4. c1 *", " 4. c1"}) {
    const SavedGame saved = read_saved_games(moves + end, "x")[0];
    EXPECT_EQ(saved.result, "1-0") << end;
    EXPECT_EQ(saved.notes.size(), end.ends_with("0-1") ? 1u : 0u) << end;
  }
}

TEST(SavedGames, OfGoMayEndByResignation) {
  const AnyGame game = parse_game("go:5x5");
  EXPECT_EQ(resignation_result(game, 0), "W+R");
  const std::string text = write_saved_game({.game = game, .actions = {}, .names = {"Ada", "Bo"}, .result = "W+R"});
  EXPECT_THAT(text, AllOf(StartsWith("(;FF[4]"), HasSubstr("PB[Ada]PW[Bo]RE[W+R]")));
  EXPECT_EQ(read_saved_games(text, "x")[0].result, "W+R");
}

// What a record says of the result is read in one way, whoever asks.
TEST(SavedGames, AResultSaysAnOutcome) {
  const AnyGame two = parse_game("quoridor:5x5");
  const AnyGame four = parse_game("quoridor4");
  const AnyGame go = parse_game("go:5x5");
  EXPECT_EQ(read_result(two, "0-1")->winner, 1);
  EXPECT_EQ(read_result(two, "1/2-1/2")->kind, Outcome::Kind::draw);
  EXPECT_EQ(read_result(four, "0-0-1-0")->winner, 2);
  const Outcome shared = *read_result(four, "0-1/3-1/3-1/3");
  EXPECT_EQ(shared.kind, Outcome::Kind::draw);
  EXPECT_EQ(shared.values, (Values{0, 1.0f / 3, 1.0f / 3, 1.0f / 3}));
  for (const std::string none : {"", "*", "1", "1-1", "0-0", "1-0-0", "B+3.5"}) {
    EXPECT_FALSE(read_result(two, none)) << none;
  }
  for (const std::string black : {"B+", "b+3.5", "B+R", "B+Time"}) EXPECT_EQ(read_result(go, black)->winner, 0);
  EXPECT_EQ(read_result(go, "w+F")->winner, 1);
  EXPECT_EQ(read_result(go, "Draw")->kind, Outcome::Kind::draw);
  for (const std::string nobody : {"Void", "?"}) EXPECT_FALSE(read_result(go, nobody)->over()) << nobody;
  for (const std::string none : {"", "B", "B+1.2.3", "B+.", "B+five", "1-0", "0-1"}) {
    EXPECT_FALSE(read_result(go, none)) << none;
  }
  for (const int players : {2, 3, 4}) {
    const AnyGame game = players == 2 ? two : parse_game(players == 3 ? "quoridor4:7x7,players=3" : "quoridor4");
    for (int seat = 0; seat < players; ++seat) {
      const Outcome won = Outcome::won_by(seat);
      EXPECT_EQ(read_result(game, decided_result(game, won, ""))->winner, seat);
    }
  }
}

TEST(SavedGames, AResultThatSgfDoesNotHaveIsPassedOver) {
  const SavedGame read = read_saved_games("(;SZ[5]RU[chinese]KM[0]RE[Black wins];B[aa])", "x")[0];
  EXPECT_EQ(read.result, "");
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_THAT(read.notes[0], HasSubstr("\"Black wins\" is none that SGF has"));
}

TEST(SavedGames, NoMoreAreReadThanAreWanted) {
  for (const std::string one : {"(;SZ[5])", "[Game \"quoridor:5x5\"]\n1. c4 *\n"}) {
    EXPECT_EQ(read_saved_games(one + one, "x", {.most = 2}).size(), 2u);
    const std::string broken = one + one + one + "(";  // which nobody comes to read
    EXPECT_EQ(error_of([&] { read_saved_games(broken, "x", {.most = 2}); }), "x has more than 2 games") << one;
  }
}

TEST(SavedGames, AByteOrderMarkIsNoWord) {
  for (const std::string text : {"[Game \"quoridor:5x5\"]\n1. c4 b1 *", "(;SZ[5];B[aa];W[bb])"}) {
    const std::vector<SavedGame> games = read_saved_games("\xef\xbb\xbf" + text, "x");
    ASSERT_EQ(games.size(), 1u) << text;
    EXPECT_EQ(games[0].actions, read_saved_games(text, "x")[0].actions) << text;
  }
}

TEST(SavedGames, MistakesAreNamedWithTheirPlace) {
  const SavedGameDefaults small{.game = parse_game("quoridor:5x5,walls=3")};
  EXPECT_THAT(complaint(""), HasSubstr("x.txt: there is no game in it"));
  EXPECT_THAT(complaint("1. e8"), HasSubstr("x.txt:1:4: no game is named"));
  EXPECT_THAT(complaint("\n1. c4 b1\n2. c9", small), HasSubstr("x.txt:3:4: \"c9\" as ply 3: c9 is off the board"));
  EXPECT_THAT(complaint("\n1. c4 b1\n2. d5", small), HasSubstr("\"d5\" as ply 3: d5 is diagonal to c4"));
  EXPECT_THAT(complaint("[Game \"quoridro\"]"), HasSubstr("x.txt:1:1: unknown game 'quoridro'"));
  EXPECT_THAT(complaint("[Game quoridor]"), HasSubstr("x.txt:1:1: a header is written as [Name \"value\"]"));
  EXPECT_THAT(complaint("[Game \"quoridor\"]\n[Notation \"old\"]"), HasSubstr("x.txt:2:1: Notation \"old\""));
  EXPECT_THAT(complaint("1. c4 {b1", small), HasSubstr("x.txt:1:7: this comment is not closed"));
  EXPECT_THAT(complaint("c4 b1 c3 a1 c2 b1 c1 b2", small), HasSubstr("\"b2\" after the end of the game"));
  EXPECT_THAT(complaint("(;SZ[5];B[aa])(;SZ[5];B[zz])"), HasSubstr("x.txt:1:23: B[zz] is no point"));
  // A collection is read in one go, and what is wrong behind its first game is named there.
  EXPECT_THAT(complaint("(;SZ[5];B[aa])\n(;SZ[5];B[aa];W[aa])"),
              HasSubstr("x.txt:2:15: W[aa]: white A5 is not legal after 1 moves under go:5x5: a black"));
  EXPECT_THAT(complaint("(;SZ[5]AB[aa];W[bb])"), HasSubstr("game 1 begins with stones set up by hand"));
  EXPECT_LT(complaint(std::string(100'000, '\033'), small).size(), 200u);
}

}  // namespace
}  // namespace koridor
