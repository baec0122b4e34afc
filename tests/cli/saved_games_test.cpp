// The files of games that `koridor play` and `koridor match` save and load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/save_lock.h"
#include "core/saved_game.h"
#include "tests/cli/command.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Play, AGameGoesOnWhereItWasSaved) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "game.txt").string();
  const std::string people = "play quoridor:3x3,walls=0 --seat1 human --seat2 human";
  EXPECT_THAT(koridor(people + " --moves \"b2\" --save " + file, "a1\nquit\n").output,
              HasSubstr("The game is saved in " + file));
  EXPECT_THAT(read_file(file), HasSubstr("\n1. b2 a1 *\n"));
  EXPECT_THAT(koridor("play --seat1 human --seat2 human --load " + file + " --save " + file, "b1\nno\n").output,
              HasSubstr("Player 1 wins."));
  EXPECT_THAT(read_file(file), HasSubstr("\n1. b2 a1 2. b1 1-0\n"));
  expect_refused("play quoridor --seat1 human --load " + file, "is a game of quoridor:3x3,walls=0, not of quoridor");
  expect_refused("play --seat1 human --load-game 2 --load " + file, "has 1 game");
}

// Where that is so from the start, nobody plays a move first.
TEST(Play, AFileThatCannotBeSavedIsRefusedBeforeTheGame) {
  const test::TemporaryFolder folder;
  const std::string people = "play quoridor:5x5 --seat1 human --seat2 human --save ";
  expect_refused(people + (folder / "").string(), "cannot write " + (folder / "").string());
  expect_refused(people + "/proc/q/x", "cannot make the folder /proc/q");
}

TEST(Play, FurtherGamesFollowInTheFile) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "games.txt").string();
  const std::string people = "play quoridor:3x3,walls=0 --seat1 human --seat2 human --save " + file;
  const test::CommandResult two = koridor(people, "b2\na1\nb1\nyes\nb2\nc1\nquit\n");
  EXPECT_THAT(two.output, HasSubstr("--load " + file + " --load-game 2 --seat1"));
  const std::vector<SavedGame> games = read_saved_games(read_file(file), file);
  ASSERT_EQ(games.size(), 2u);
  EXPECT_EQ(games[0].result, "1-0");
  EXPECT_EQ(games[1].actions.size(), 2u);
}

TEST(Play, TheGamesOfEarlierEveningsStayInTheFile) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "games.txt").string();
  const std::string people = "play quoridor:3x3,walls=0 --seat1 human --seat2 human --save " + file;
  koridor(people, "b2\nquit\n");
  EXPECT_THAT(koridor(people, "b2\na1\nquit\n").output, HasSubstr("--load-game 2 "));
  koridor(people + " --load " + file + " --load-game 2", "b1\nno\n");  // goes on behind them
  const std::vector<SavedGame> games = read_saved_games(read_file(file), file);
  ASSERT_EQ(games.size(), 3u);
  EXPECT_EQ(games[0].actions.size(), 1u);
  EXPECT_EQ(games[1].actions.size(), 2u);
  EXPECT_EQ(games[2].actions.size(), 3u);
}

TEST(Play, ALoadedGameIsReplacedByItselfAlone) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "games.txt").string();
  const std::string people = "play quoridor:3x3,walls=0 --seat1 human --seat2 human ";
  const auto lengths = [&] {
    std::vector<std::size_t> each;
    for (const SavedGame& game : read_saved_games(read_file(file), file)) each.push_back(game.actions.size());
    return each;
  };
  koridor(people + "--save " + file, "b2\nquit\n");
  koridor(people + "--save " + file, "quit\n");  // nobody played
  koridor(people + "--save " + file + " --load " + file, "quit\n");
  EXPECT_THAT(lengths(), ElementsAre(1u));
  koridor(people + "--load " + file, "a1\nb1\nyes\nb2\na1\nsave " + file + "\nquit\n");  // another game follows
  EXPECT_THAT(lengths(), ElementsAre(1u, 2u));
}

TEST(Play, WhatIsNoGameIsNotSavedOver) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "recipe.toml").string();
  write_file_atomically(file, "[run]\nseed = 1\n");
  expect_refused("play quoridor:3x3,walls=0 --seat1 human --seat2 human --save " + file,
                 "saving would lose what is in it, so name another file");
  EXPECT_EQ(read_file(file), "[run]\nseed = 1\n");
  const std::string sgf = (folder / "games.sgf").string();
  koridor("play go:5x5 --seat1 human --seat2 human --save " + sgf, "C3\nquit\n");
  const std::string before = read_file(sgf);
  expect_refused("play quoridor:3x3,walls=0 --seat1 human --seat2 human --save " + sgf, "name another file");
  EXPECT_EQ(read_file(sgf), before);
}

TEST(Play, ALoadedResultStaysUntilItIsTakenBack) {
  const test::TemporaryFolder folder;
  for (const std::string variant : {"go:5x5", "quoridor:5x5"}) {
    const std::string file = (folder / ("game-" + variant)).string();
    const std::string other = (folder / ("other-" + variant)).string();
    const std::string first = variant == "go:5x5" ? "C3" : "c4";
    const std::string lost = variant == "go:5x5" ? "B+R" : "1-0";
    koridor("play " + variant + " --seat1 human --seat2 human --save " + file, first + "\nresign\nno\n");
    ASSERT_EQ(read_saved_games(read_file(file), file)[0].result, lost);
    const std::string load = "play --seat1 human --seat2 human --load " + file + " --save " + other;
    EXPECT_THAT(koridor(load, "no\n").output,
                AllOf(HasSubstr("The game is over, as the file says"), HasSubstr(" wins by resignation.")));
    EXPECT_EQ(read_saved_games(read_file(other), other)[0].result, lost);
    koridor(load, "board\nundo\nquit\n");
    EXPECT_EQ(read_saved_games(read_file(other), other)[1].result, "");
    EXPECT_EQ(read_saved_games(read_file(other), other)[1].actions.size(), 1u);
  }
}

TEST(Match, ItsGamesAreSaved) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "games.txt").string();
  ASSERT_EQ(koridor("match quoridor:3x3,walls=1 --a random --b greedy --games 6 --save " + file).status, 0);
  const std::vector<SavedGame> games = read_saved_games(read_file(file), file);
  EXPECT_EQ(games.size(), 6u);
  for (const SavedGame& game : games) EXPECT_FALSE(game.result.empty());
  EXPECT_EQ(std::ranges::count(games, std::vector<std::string>{"random", "greedy"}, &SavedGame::names), 3);
  const std::string sgf = (folder / "games.sgf").string();
  ASSERT_EQ(koridor("match go:3x3 --a random --b random --games 4 --save " + sgf).status, 0);
  EXPECT_EQ(read_saved_games(read_file(sgf), sgf).size(), 4u);
  expect_refused("match quoridor:3x3 --a random --b random --games 2 --save /dev/null/x",
                 "cannot write /dev/null/x: Not a directory");
}

// One process at a time saves in a file, whatever name it has for it.
TEST(SavedGames, ASecondProcessDoesNotSaveInTheFileOfAnother) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "games.txt").string();
  const std::string link = (folder / "link.txt").string();
  const std::string lock = file + ".koridor-lock";
  write_file_atomically(file, "");
  std::filesystem::create_symlink(file, link);
  const std::string commands[] = {"play quoridor:3x3,walls=0 --seat1 random --seat2 random --save ",
                                  "match quoridor:3x3,walls=1 --a random --b greedy --games 2 --save ",
                                  "tournament quoridor:3x3,walls=1 random greedy --games 2 --save "};
  {
    const SaveLock own(file);
    for (const std::string& command : commands) {
      const std::string expected = ": process " + std::to_string(::getpid()) + " saves there; name another file";
      expect_refused(command + file, file + expected);
      expect_refused(command + link, link + expected);
    }
    // In a game it is said, and the game goes on.
    EXPECT_THAT(
        koridor("play quoridor:3x3,walls=0 --seat1 human --seat2 human", "b2\nsave " + file + "\nquit\n").output,
        HasSubstr("saves there; name another file"));
    EXPECT_EQ(read_file(file), "");
  }
  EXPECT_FALSE(std::filesystem::exists(lock));
  for (const std::string& command : commands) {
    write_file_atomically(lock, "");  // as of a process that was killed
    const test::CommandResult saved = koridor(command + file);
    EXPECT_EQ(saved.status, 0) << saved.output;
    EXPECT_FALSE(std::filesystem::exists(lock));
  }
  const std::string theirs = file + ".lock";  // of some other program
  write_file_atomically(theirs, "precious");
  EXPECT_EQ(koridor(commands[1] + file).status, 0);
  EXPECT_EQ(read_file(theirs), "precious");
  EXPECT_EQ(koridor(commands[1] + "/dev/stdout").status, 0);
  EXPECT_FALSE(std::filesystem::exists("/dev/stdout.koridor-lock"));
}

}  // namespace
}  // namespace koridor
