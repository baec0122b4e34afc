// `koridor play` as a person at a pipe meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/saved_game.h"
#include "models/network/model_file.h"
#include "tests/cli/command.h"
#include "tests/eventually.h"
#include "tests/three_kos.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using test::expect_refused;
using test::koridor;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Runs `koridor` in a folder, where a game that is broken off is saved.
test::CommandResult play_in(const std::string& folder, const std::string& arguments, const std::string& input) {
  return test::run("cd " + folder + " && printf '" + input + "' | " + test::program_word("koridor") + " play " +
                   arguments);
}

std::string one_file_of(const std::filesystem::path& folder) {
  std::string found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) found = entry.path().string();
  return found;
}

TEST(Play, AnyPlayerSitsInAnySeat) {
  const test::CommandResult watched = koridor(
      "play quoridor4:5x5,walls=1 --seat1 random --seat2 greedy --seat3 mcts:5 "
      "--seat4 mcts,visits=6");
  EXPECT_EQ(watched.status, 0) << watched.output;
  EXPECT_THAT(watched.output, AllOf(HasSubstr("Player 3: mcts:5\n"), HasSubstr("Player 4 plays "),
                                    ContainsRegex("Player [1-4] wins\\.\n")));
  const test::CommandResult people =
      koridor("play quoridor:3x3,walls=0 --seat1 human --seat2 human", "b2\na1\nb1\nno\n");
  EXPECT_THAT(people.output, AllOf(HasSubstr("player 1> "), HasSubstr("Player 1 wins.")));
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "quoridor:5x5,walls=3");
  const test::CommandResult two =
      koridor("play --seat1 " + model + "@f32,visits=2 --seat2 " + model + ",level=beginner");
  EXPECT_EQ(two.status, 0) << two.output;
  EXPECT_THAT(two.output, AllOf(HasSubstr("Player 1: model@f32,visits=2\n"), ContainsRegex("has won|A draw")));
  EXPECT_THAT(
      koridor("play --model " + model + " --level easy --seat 2", "quit\n").output,
      AllOf(HasSubstr("Player 1: model,level=easy\nPlayer 2: human\nYou are player 2."), HasSubstr("Player 1 plays ")));
}

TEST(Play, TheTrainedModelOfTheGamePlaysWhereNobodyIsNamed) {
  const std::string output = koridor("play quoridor:5x5,walls=3,repetition=3", "quit\n").output;
  EXPECT_THAT(output, HasSubstr("Player 1: human\nPlayer 2: quoridor-5x5\n"));
}

TEST(Play, MistakesOfSeatsAreNamed) {
  expect_refused("play quoridor:5x6", "no trained model of quoridor:5x6 comes with Koridor; ");
  expect_refused("play --seat1 human --seat2 greedy", "say which game");
  expect_refused("play quoridor:5x5 --seat3 greedy", "--seat3: quoridor:5x5 has the seats 1 to 2");
  expect_refused("play quoridor:5x5 --seat1 gredy", "did you mean \"greedy\"?");
  expect_refused("play quoridor:5x5 --model greedy", "no model's file");
  expect_refused("play quoridor:5x5 --seat1 mcts,level=easy", "unknown key 'level'");
  expect_refused("play quoridor:5x5 --seat1 human --seat2 human --level easy", "--level easy: it is --model's");
  for (const std::string option : {"--visits 8", "--search gumbel_considered=4", "--resign 0"}) {
    expect_refused("play quoridor:5x5 --seat1 human --seat2 human " + option, "only people play here; name a player");
  }
  expect_refused("play quoridor:5x5 --load-game 2", "--load");
  expect_refused("play quoridor:5x5 --seat1 mcts,visits", "visits needs a value: mcts,visits=500");
  expect_refused("play quoridor:5x5 --seat1 greedy --seat 2", "--seat 2: --seat1 PLAYER and so on say who sits where");
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "quoridor:5x5,walls=3");
  expect_refused("play --seat1 " + model + "@f16", "unknown precision");
  expect_refused("play quoridor:5x5 --seat1 greedy --view 3", "--view 3: quoridor:5x5 has the seats 1 to 2");
  expect_refused("play --seat1 human --load /nowhere.txt", "cannot read /nowhere.txt");
  expect_refused("play quoridor:5x5 --seat1 greedy --moves 'c4 c9'", "--moves: after 1 ply: c9 is off the board");
}

TEST(Play, ABrokenOffGameIsSavedAndThePlaceIsSaid) {
  const test::TemporaryFolder folder;
  const std::string place = (folder / "").string();
  const test::CommandResult ended = play_in(place, "quoridor:5x5 --seat1 human --seat2 greedy", "c4\\n");
  EXPECT_EQ(ended.status, 0);
  const std::string file = one_file_of(folder / "");
  ASSERT_FALSE(file.empty()) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("The game is saved in " + std::filesystem::path(file).filename().string()));
  EXPECT_EQ(read_saved_games(read_file(file), file)[0].actions.size(), 2u);
  // A folder that takes no file: the game goes to the folder of temporary files.
  const std::string elsewhere = play_in("/proc", "quoridor:5x5 --seat1 human --seat2 greedy", "c4\\n").output;
  const std::size_t begin = elsewhere.find("saved in /");
  ASSERT_NE(begin, std::string::npos) << elsewhere;
  const std::string kept = elsewhere.substr(begin + 9, elsewhere.find('\n', begin) - begin - 9);
  EXPECT_TRUE(std::filesystem::remove(kept)) << kept;
  // Nothing was played: there is nothing to keep.
  const test::TemporaryFolder empty;
  play_in((empty / "").string(), "quoridor:5x5 --seat1 human --seat2 greedy", "");
  EXPECT_EQ(one_file_of(empty / ""), "");
}

// The input stays open, so that only the signal ends the game.
TEST(Play, CtrlCSavesTheGame) {
  const test::TemporaryFolder folder;
  const std::string log = (folder / "out.log").string();
  std::array<int, 2> input{};
  ASSERT_EQ(::pipe(input.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::close(input[1]);
    if (::chdir((folder / "").c_str()) != 0 || std::freopen("out.log", "w", stdout) == nullptr) ::_exit(99);
    ::execl(test::program("koridor").c_str(), "koridor", "play", "quoridor:5x5", "--seat1", "human", "--seat2",
            "greedy", nullptr);
    ::_exit(98);
  }
  ::close(input[0]);
  ASSERT_EQ(::write(input[1], "c4\n", 3), 3);
  const auto replied = [&] {
    return std::filesystem::exists(log) && read_file(log).find("ply 2") != std::string::npos;
  };
  EXPECT_TRUE(eventually(replied));
  ::kill(child, SIGINT);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ::close(input[1]);
  EXPECT_TRUE(WIFEXITED(status));
  const std::string output = read_file(log);
  EXPECT_THAT(output, AllOf(HasSubstr("The game is saved in koridor-"), HasSubstr("--seat1 human --seat2 greedy\n")));
}

// A game that nobody at the keyboard has played in is a game as well.
TEST(Play, AStoppedGameOfPlayersIsSaved) {
  const test::TemporaryFolder folder;
  const test::CommandResult stopped =
      test::run("cd " + (folder / "").string() + " && timeout -s INT 2 " + test::program_word("koridor") +
                " play quoridor --seat1 random --seat2 mcts:400000 </dev/null");
  const std::string file = one_file_of(folder / "");
  ASSERT_FALSE(file.empty()) << stopped.output;
  EXPECT_THAT(stopped.output, HasSubstr("--seat1 random --seat2 mcts:400000\n"));
  EXPECT_GE(read_saved_games(read_file(file), file)[0].actions.size(), 1u);
}

// A tree search without a network looks for the signal between its playouts.
TEST(Play, CtrlCEndsALongThought) {
  const test::TemporaryFolder folder;
  const test::CommandResult stopped =
      test::run("cd " + (folder / "").string() + " && timeout -s INT -k 4 1 " + test::program_word("koridor") +
                " play go:19x19 --seat1 mcts:400000 --seat2 random </dev/null");
  EXPECT_EQ(stopped.status, 124) << stopped.output;  // 137: it had to be killed
}

// The file of --save cannot be written: the game goes to a file of its own before the program ends.
TEST(Play, AGameThatAnErrorEndsIsSaved) {
  const test::TemporaryFolder folder;
  const std::filesystem::path here = folder / "here";
  std::filesystem::create_directory(here);
  // The folder becomes a file once the first move is asked for.
  const test::CommandResult failed = test::run(
      "cd " + here.string() + " && { for i in $(seq 200); do grep -q '^> ' ../log && break; sleep 0.05; done; " +
      "rm -r ../q; touch ../q; printf 'c4\\nquit\\n'; } | " + test::program_word("koridor") +
      " play quoridor:5x5 --seat1 human --seat2 greedy --save ../q/x >../log 2>&1; status=$?; cat ../log; exit "
      "$status");
  EXPECT_EQ(failed.status, 2);
  EXPECT_THAT(failed.output,
              AllOf(HasSubstr("The game is saved in koridor-"), HasSubstr("koridor: cannot make the folder ../q")));
  const std::string file = one_file_of(here);
  ASSERT_FALSE(file.empty());
  EXPECT_EQ(read_saved_games(read_file(file), file)[0].actions.size(), 1u);
}

TEST(Play, NobodyIsToMoveOnTheLastBoard) {
  std::string moves;
  for (int round = 0; round < 9; ++round) moves += "a3 a1 b3 b1 ";
  const std::string output =
      koridor("play quoridor:3x3,walls=0 --seat1 human --seat2 human --moves \"" + moves + "\"", "no\n").output;
  EXPECT_THAT(output, AllOf(HasSubstr("ply 36 of 36"), HasSubstr("A draw.\n"), Not(HasSubstr("to move"))));
}

// The line that goes on works from the folder, and names every option that is not as usual.
TEST(Play, TheLineThatGoesOnGivesTheSameGame) {
  const test::TemporaryFolder folder;
  const std::string place = (folder / "").string();
  const std::string output =
      play_in(place,
              "quoridor:5x5 --seat1 human --seat2 mcts --visits 7 --search gumbel_considered=4 --resign 0.1 --view 2 "
              "--hints --notation modern --colour never --seed 5 --backend eigen",
              "c2\\n")
          .output;
  const std::size_t begin = output.find("Go on with:\n  ");
  ASSERT_NE(begin, std::string::npos) << output;
  const std::string line = output.substr(begin + 14, output.find('\n', begin + 14) - begin - 14);
  EXPECT_THAT(line, AllOf(HasSubstr("koridor play --load koridor-"), HasSubstr(" --visits 7 --resign 0.1 --seed 5"),
                          HasSubstr(" --search gumbel_considered=4 --backend eigen --hints --view 2"),
                          HasSubstr(" --notation modern"), HasSubstr(" --colour never --seat1 human --seat2 mcts")));
  const test::CommandResult again = test::run("cd " + place + " && printf 'quit\\n' | " + line);
  EXPECT_EQ(again.status, 0) << line << "\n" << again.output;
  EXPECT_THAT(again.output, HasSubstr("ply 2"));
}

TEST(Play, WhatIsSaidAfterTheEndIsAnswered) {
  const test::CommandResult result = koridor("play quoridor:3x3,walls=0 --seat1 human --seat2 human",
                                             "b2\na1\nb1\nsave /proc/q/x\nwhat\nUNDO\nb3\nQUIT\n");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("cannot make the folder /proc/q: "), HasSubstr("Answer yes, swap or no; undo, ")));
  EXPECT_THAT(result.output, Not(HasSubstr("\"UNDO\" is not an action")));
}

// Black has columns A to C, where the white stone on B5 is dead, and white has D and E.
TEST(Play, TheWinnerIsAnnouncedAfterTheCount) {
  const std::string people =
      "play go:5x5,komi=4.5 --seat1 human --seat2 human --moves "
      "\"C1 D1 C2 D2 C3 D3 C4 D4 C5 D5 B3 E3 A3 B5 pass\"";
  const test::CommandResult agreed = koridor(people, "pass\ndone\nno\n");
  EXPECT_THAT(agreed.output, AllOf(HasSubstr("Agreed: black wins by 0.5."), Not(HasSubstr("White wins"))));
  EXPECT_THAT(agreed.output.substr(agreed.output.find("By the rules")), Not(HasSubstr("to move")));
  EXPECT_THAT(koridor(people, "pass\nRULES\nno\n").output, ContainsRegex("dead> White wins by [0-9.]+\\.\n"));
  const test::CommandResult left = koridor(people, "pass\nhelp\nquit\nundo\n");
  EXPECT_EQ(left.status, 0);
  EXPECT_THAT(left.output, AllOf(HasSubstr("dead>   b3        marks the group"), ContainsRegex("dead> White wins by"),
                                 Not(HasSubstr("There is no stone")), Not(HasSubstr("Another game?"))));
}

TEST(Play, HelpFitsEightyColumns) {
  for (const GameInfo& game : registered_games()) {
    for (const std::string notation : {"standard", "modern"}) {
      const std::string output =
          koridor("play " + game.id + " --seat1 human --notation " + notation, "HELP\nquit\n").output;
      EXPECT_THAT(output, Not(HasSubstr("\"HELP\""))) << game.id;
      std::istringstream lines(output);
      for (std::string line; std::getline(lines, line);) {
        const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; });
        EXPECT_LE(columns, 80) << game.id << ": " << line;
      }
    }
  }
}

TEST(Play, GoIsPlayedByBlackAndWhite) {
  const test::CommandResult given_up = koridor("play go:5x5 --seat1 human --seat2 random --seed 1", "C3\nresign\nno\n");
  EXPECT_THAT(given_up.output,
              AllOf(HasSubstr("You are black."), HasSubstr("(O)"), HasSubstr("White wins by resignation.")));
  const test::TemporaryFolder folder;
  const std::string file = (folder / "g.sgf").string();
  koridor("play go:5x5 --seat1 human --seat2 random --save " + file, "C3\nresign\nno\n");
  EXPECT_THAT(read_file(file), HasSubstr("PB[human]PW[random]RE[W+R]"));
}

// A model that never sees a chance gives up after three turns, in Go without being told to.
TEST(Play, AModelWithoutHopeResigns) {
  const test::TemporaryFolder folder;
  for (const std::string variant : {"go:5x5", "quoridor:5x5,walls=3"}) {
    const std::string path = test::write_tiny_model(folder / "model.koridor", 1, variant);
    Model model = load_model(path);
    model.tensors.at("value.out.bias") = {-9.0f, 9.0f, -9.0f};
    save_model(path, model);
    const bool go = variant.starts_with("go");
    const std::string people = "play " + variant + " --seat1 human --seat2 " + path + ",visits=0 --save ";
    const std::string file = (folder / ("game-" + variant)).string();
    const std::string moves = go ? "A1\nC3\nE5\nB5\nA4\nno\n" : "c4\nb4\nc4\nd4\nc4\nc3\nc5\nb5\nd5\na1h\ne4h\nquit\n";
    EXPECT_EQ(koridor(people + file, moves).output.find("White resigns.\n") != std::string::npos, go);
    EXPECT_EQ(read_file(file).find("RE[B+R]") != std::string::npos, go);
    for (const char* rule : {"0.1", "value=0.1,turns=2"}) {
      const std::string told = koridor(people + file + " --resign " + rule, moves).output;
      EXPECT_THAT(told, HasSubstr(go ? "White resigns.\n" : "Player 2 resigns.\n")) << rule;
      EXPECT_THAT(told, HasSubstr("You win by resignation!")) << rule;
    }
    for (const char* rule : {"0", "value=0", "turns=900", "value=0.1,play_on=1"}) {
      EXPECT_THAT(koridor(people + file + " --resign " + rule, moves).output, Not(HasSubstr(" resigns.\n"))) << rule;
    }
  }
  expect_refused("play quoridor --seat1 random --resign 0.9",
                 "--resign: value=0.9: value must be a number from 0 to 0.5");
  expect_refused("play quoridor4 --seat1 random --resign 0.1", "--resign: quoridor4 has more than two players");
}

TEST(Play, AtAClockTheTimeIsShownAndWhoOverstepsItLoses) {
  const std::string play = test::program_word("koridor") + " play quoridor:5x5,walls=3 ";
  const std::string late =
      test::run("{ printf 'help\n'; sleep 2; printf 'c4\nundo\n'; } | " + play + "--seat2 greedy --clock 0.2").output;
  EXPECT_THAT(late,
              AllOf(HasSubstr("Time left: player 1: 0.2 s; player 2: 0.2 s\n"), HasSubstr("Player 1 loses on time.\n"),
                    HasSubstr("Player 2 wins on time."), HasSubstr("nothing is taken back")));
  // At a terminal it need not be asked for: the game is over before anything is typed.
  const std::string unasked = test::run("{ sleep 1; printf 'no\n'; } | TERM=xterm script -qec " +
                                        shell_word(play + "--seat2 greedy --clock 0.2") + " /dev/null")
                                  .output;
  EXPECT_THAT(unasked, testing::ContainsRegex("Player 1 loses on time\\.(.|\n)*Another game\\?(.|\n)*no\r\n"));
  const std::string shown =
      test::run("printf 'c4\nquit\n' | (cd $(mktemp -d) && " + play + "--seat2 greedy --clock 100+5)").output;
  EXPECT_THAT(shown, AllOf(HasSubstr("Time left: player 1: 1:40; player 2: 1:40\n"),
                           HasSubstr("Time left: player 1: 1:4"), Not(HasSubstr("on time"))));
  // The program keeps to its own clock, which nothing else limits.
  const std::string program = test::run("printf 'c4\nresign\n' | " + play + "--seat2 mcts --clock 0+1x1").output;
  EXPECT_THAT(program, AllOf(HasSubstr("1.0 s a move (1 period)"), HasSubstr("Player 2 plays "),
                             HasSubstr("Player 2 wins by resignation.")));
  expect_refused("play quoridor:5x5,walls=3 --seat2 greedy --clock soon", "soon");
}

TEST(Play, DeadStonesAreCountedAsPeopleAgree) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "g.sgf").string();
  // Black has the lower part of the board but for a white stone on B1, white the upper edge.
  const std::string people =
      "play go:5x5,chinese,komi=0.5 --seat1 human --seat2 human --moves "
      "\"A3 A5 B3 B5 C3 C5 D3 D5 E3 E5 A2 B1 B2 pass C2 pass D2 pass E2 pass\" --save " +
      file;
  const test::CommandResult by_rules = koridor(people, "score\nowners\npass\nrules\nno\n");
  EXPECT_THAT(by_rules.output, AllOf(HasSubstr("With all stones alive: black wins by 3.5."), HasSubstr("X black"),
                                     HasSubstr("By the rules, all stones alive: black wins by 3.5.")));
  EXPECT_THAT(read_file(file), HasSubstr("RE[B+3.5]"));
  // White has no eye anywhere, so all of it is proposed. A stone's name marks its group, or takes the mark back.
  const test::CommandResult agreed = koridor(people, "pass\nB4\npass\na5\ndone\nno\n");
  EXPECT_THAT(agreed.output,
              AllOf(HasSubstr("(small letters): A5 B5 C5 D5 E5 B1\n"),
                    HasSubstr("There is no stone on \"B4\"; name one, or say `done` or `rules`.\ndead> "),
                    HasSubstr("There is no stone on \"pass\""), HasSubstr("Dead stones: B1\n"),
                    HasSubstr("Agreed: black wins by 9.5.")));
  EXPECT_THAT(read_file(file), HasSubstr("RE[B+9.5]"));
}

// Three kos at once; the count of that board is no result.
TEST(Play, AGoGameThatARepetitionDrawsIsNotCounted) {
  const test::CommandResult drawn = koridor(
      "play go:12x3,japanese --seat1 human --seat2 human --moves \"" + std::string(test::kThreeKos) + "\"", "no\n");
  EXPECT_EQ(drawn.status, 0) << drawn.output;
  EXPECT_THAT(drawn.output, AllOf(HasSubstr("A draw."), Not(HasSubstr("dead>")), Not(HasSubstr("By the rules"))));
}

// Who has beaten a player once must not beat it for ever by the same moves.
TEST(Play, EachGameHasItsOwnDraws) {
  const auto replies = [](const std::string& options) {
    const std::string output = koridor("play quoridor:5x5,walls=3 --seat2 random" + options,
                                       "c4\nresign\nyes\nc4\nresign\nyes\nc4\nresign\nno\n")
                                   .output;
    std::vector<std::string> found;
    const std::string before = "Player 2 plays ";
    for (std::size_t at = output.find(before); at != std::string::npos; at = output.find(before, at + 1)) {
      const std::size_t begin = at + before.size();
      found.push_back(output.substr(begin, output.find('\n', begin) - begin));
    }
    return found;
  };
  const std::vector<std::string> first = replies(" --seed 5");
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(replies(" --seed 5"), first);
  EXPECT_GT(std::set<std::string>(first.begin(), first.end()).size(), 1u);
  // Of some forty actions each: that three runs without a seed agree happens once in a million tries.
  std::set<std::vector<std::string>> runs;
  for (int run = 0; run < 3; ++run) runs.insert(replies(""));
  EXPECT_GT(runs.size(), 1u);
}

// Examples of actions are those of who types them, and what does not apply is not offered.
TEST(Play, HelpIsForWhoIsToMove) {
  const std::string second = koridor("play quoridor:5x5,walls=3 --seat1 greedy --seat2 human", "quit\n").output;
  EXPECT_THAT(second, AllOf(HasSubstr("You are player 2.\n"), HasSubstr("move the pawn to c2")));
  EXPECT_LT(second.find("Player 1 plays "), second.find("Type an action, or one of:"));
  EXPECT_THAT(second, HasSubstr("resign"));
  const std::string four =
      koridor("play quoridor4:5x5,walls=1 --seat2 greedy --seat3 greedy --seat4 greedy", "quit\n").output;
  EXPECT_THAT(four, AllOf(HasSubstr("save [F]"), Not(HasSubstr("resign"))));
}

TEST(Play, AnotherGameFollowsWhereItIsWanted) {
  const test::CommandResult again =
      koridor("play quoridor:3x3,walls=0 --seat1 human --seat2 human", "b2\na1\nb1\nyes\nb2\na1\nb1\nswap\nquit\n");
  EXPECT_EQ(again.status, 0);
  const std::string won = "Player 1 wins.";
  const std::size_t first = again.output.find(won);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(again.output.find(won, first + 1), std::string::npos);
}

TEST(Play, ColoursAreShownOnlyWhereTheyAreWanted) {
  const std::string people = "quoridor:3x3 --seat1 human --seat2 human";
  EXPECT_THAT(koridor("play " + people, "quit\n").output, Not(HasSubstr("\033[")));
  EXPECT_THAT(koridor("play --colour always " + people, "quit\n").output, HasSubstr("\033["));
  const auto at_terminal = [&](const std::string& environment) {
    return test::at_terminal(test::program_word("koridor") + " play " + people, "quit\n", environment);
  };
  EXPECT_THAT(at_terminal("NO_COLOR= "), HasSubstr("\033[1;97;44m 1 "));
  EXPECT_THAT(at_terminal("NO_COLOR=1 "), Not(HasSubstr("\033[1;97;44m")));
}

#ifdef KORIDOR_HAS_LINE_EDITOR
// Beside the game somebody does what a shell does when a program goes on after Ctrl-Z.
TEST(Play, AfterCtrlZTheLineIsShownAgainAndCanBeEdited) {
  const test::TemporaryFolder folder;
  const std::string done = shell_word((folder / "done").string());
  const auto wait_until = [](const std::string& condition) {
    return "i=0; while [ $i -lt 400 ] && ! " + condition + "; do sleep 0.05; i=$((i+1)); done; ";
  };
  const std::string keys_one_by_one = wait_until("stty -a </dev/tty | grep -q -e -icanon");
  const std::string shell = "(" + keys_one_by_one + "sleep 0.5; stty sane </dev/tty; kill -CONT $$; " +
                            keys_one_by_one + "stty -a </dev/tty; : > " + done + ") & exec " +
                            test::program_word("koridor") +
                            " play quoridor:3x3 --seat1 human --seat2 human --colour never";
  const std::string output =
      test::run("(printf a3; " + wait_until("[ -e " + done + " ]") + "printf '\\nquit\\n') | TERM=xterm script -qec " +
                shell_word(shell) + " /dev/null")
          .output;
  EXPECT_THAT(output, HasSubstr("-icanon")) << "keys are read one by one, so that arrows edit the line";
  const std::size_t first = output.find("> a3");
  ASSERT_NE(first, std::string::npos) << output;
  EXPECT_NE(output.find("> a3", first + 1), std::string::npos) << output;
}

TEST(Play, LettersBeyondAsciiAreReadWithoutALocaleToo) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "Größe.txt").string();
  test::at_terminal(test::program_word("koridor") + " play quoridor:3x3 --seat1 human --seat2 human",
                    "a3\nsave " + file + "\nquit\n", "LC_ALL=C");
  EXPECT_TRUE(std::filesystem::exists(file));
}
#endif

TEST(Play, ARunInPlaceOfAGameNamesItsNewestModel) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "run/models/gen-0000.koridor", "x");
  const std::string run = (folder / "run").string();
  test::expect_refused("play " + run,
                       run +
                           " is the directory of a run, and a game was expected; a model is named by --model, as in "
                           "koridor play --model " +
                           run + "/models/gen-0000.koridor");
}

TEST(Play, TheBoardCanBeTurned) {
  const test::CommandResult turned = koridor("play quoridor:3x3 --seat1 human --seat2 human", "turn\nquit\n");
  EXPECT_THAT(turned.output, AllOf(HasSubstr("      a   b   c\n"), HasSubstr("      c   b   a\n")));
  EXPECT_THAT(koridor("play go:3x3 --seat1 human --view 2", "quit\n").output, HasSubstr("    C B A\n 1  · · ·"));
}

}  // namespace
}  // namespace koridor
