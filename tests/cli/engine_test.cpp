// The frame of `koridor engine`: lines, the search thread, the commands that all protocols shaped like GTP have.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "tests/cli/command.h"
#include "tests/cli/engine_support.h"
#include "tests/tiny_model.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<cli::InputLine> lines_of(const std::string& text) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  std::thread writer([&] {
    cli::OutputFile(ends[1]).write(text);
    ::close(ends[1]);
  });
  std::vector<cli::InputLine> lines;
  cli::LineInput input(ends[0]);
  while (auto line = input.next()) lines.push_back(*line);
  writer.join();
  ::close(ends[0]);
  return lines;
}

TEST(EngineLines, AnyBytesAreALine) {
  const std::vector<cli::InputLine> lines = lines_of(std::string("a\r\n\n\0\xff\nlast", 11));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].text, "a");
  EXPECT_EQ(lines[1].text, "");
  EXPECT_EQ(lines[2].text, std::string("\0\xff", 2));
  EXPECT_EQ(lines[3].text, "last");
}

// Editors and scripts of other systems begin UTF-8 with it.
TEST(EngineLines, AByteOrderMarkIsNoPartOfTheFirst) {
  const std::vector<cli::InputLine> lines = lines_of("\xef\xbb\xbfuci\r\n\xef\xbb\xbfquit\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "uci");
  EXPECT_EQ(lines[1].text, "\xef\xbb\xbfquit");
}

TEST(EngineLines, AnEndlessLineIsCutAndTheNextOneRead) {
  const std::vector<cli::InputLine> lines = lines_of(std::string(cli::LineInput::kLongest + 5, 'x') + "\nnext\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].cut);
  EXPECT_EQ(lines[0].text.size(), cli::LineInput::kLongest);
  EXPECT_EQ(lines[1].text, "next");
  EXPECT_FALSE(lines[1].cut);
}

TEST(EngineLines, TheEndIsSeenBeforeTheLinesAreRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  cli::LineInput input(ends[0]);
  EXPECT_FALSE(input.ended());
  cli::OutputFile(ends[1]).write("a\nb");
  EXPECT_FALSE(input.ended());
  ::close(ends[1]);
  EXPECT_TRUE(input.ended());
  EXPECT_EQ(input.next()->text, "a");
  EXPECT_EQ(input.next()->text, "b");
  EXPECT_FALSE(input.next());
  ::close(ends[0]);
}

TEST(EngineLines, AreWaitedForWhereAPipeDoesNot) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cli::OutputFile(ends[1]).write("late\n");
    ::close(ends[1]);
  });
  cli::LineInput input(ends[0]);
  const auto line = input.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text, "late");
  EXPECT_FALSE(input.next());
  input.require_read();
  writer.join();
  ::close(ends[0]);
}

TEST(EngineLines, WhatCannotBeReadIsNoEnd) {
  const int folder = ::open("/", O_RDONLY);
  cli::LineInput input(folder);
  EXPECT_FALSE(input.next());
  EXPECT_THROW(input.require_read(), UserError);
  ::close(folder);
}

// Whoever asks may go on, and nobody would hear the answers.
TEST(EngineLines, EndWhereNobodyReadsTheAnswers) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  ASSERT_EQ(::pipe(in.data()), 0);
  ASSERT_EQ(::pipe(out.data()), 0);
  cli::LineInput input(in[0], out[1]);
  EXPECT_FALSE(input.ended());
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::close(out[0]);
  });
  EXPECT_FALSE(input.next()) << "it would wait for ever";
  input.require_read();
  reader.join();
  for (const int end : {in[0], in[1], out[1]}) ::close(end);
}

TEST(EngineOutput, KnowsThatNobodyReads) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_FALSE(cli::OutputFile(ends[1]).gone());
  ::close(ends[0]);
  cli::OutputFile file(ends[1]);
  EXPECT_TRUE(file.gone());
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  file.write("a");
  ::signal(SIGPIPE, before);
  file.require_written();  // its reader has had enough
  ::close(ends[1]);
}

TEST(EngineOutput, RemembersWhatWasLost) {
  const int full = ::open("/dev/full", O_WRONLY);
  cli::OutputFile file(full);
  EXPECT_FALSE(file.gone());
  file.require_written();
  file.write("a");
  EXPECT_TRUE(file.gone());
  EXPECT_THROW(file.require_written(), UserError);
  ::close(full);
}

TEST(EngineOutput, WaitsWhereAPipeDoesNot) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::thread writer([&] {
    cli::OutputFile(ends[1]).write(text);
    ::close(ends[1]);
  });
  std::size_t heard = 0;
  std::array<char, 65536> buffer;
  for (ssize_t count = -1; count != 0; heard += count > 0 ? static_cast<std::size_t>(count) : 0) {
    count = ::read(ends[0], buffer.data(), buffer.size());
  }
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(heard, text.size());
}

// A search of a billion visits, and what happens to it at the end of the input.
TEST(EngineSearch, EndsSoonAfterTheEndOfTheInput) {
  const auto visits_of_search = [](std::optional<double> grace, bool gone) {
    const AnyGame game = parse_game("go:5x5");
    cli::EngineSettings settings{.game = game};
    settings.thinker.model = test::tiny_model(game);
    settings.grace = grace;
    cli::Output output([](std::string_view) {}, [&] { return gone; });
    cli::Engine engine(settings, output);
    engine.watch_input([] { return true; });
    int visits = 0;
    engine.search({.visits = 1'000'000'000}, {.done = [&](const Analysis* result, const std::string&) {
                    if (result != nullptr) visits = result->visits;
                  }});
    engine.wait();
    return visits;
  };
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_GT(visits_of_search(0.2, false), 0) << "the grace";
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  EXPECT_GT(visits_of_search(1000, true), 0) << "nobody reads";
}

TEST(EngineSearch, StopEndsASearchWithoutAnEnd) {
  test::EngineUnderTest game("go:5x5");
  int done = 0;
  std::atomic<int> reports = 0;
  const auto search = [&](double interval) {
    game.engine().search({.infinite = true, .report_seconds = interval},
                         {.progress = [&](const Analysis&) { ++reports; },
                          .done = [&](const Analysis* result, const std::string&) { done += result != nullptr; }});
  };
  search(1e-3);
  while (reports < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(game.engine().searching());
  const auto begin = std::chrono::steady_clock::now();
  game.engine().stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(done, 1);
  search(1e-3);
  search(1e-3);  // ends the one before
  EXPECT_EQ(done, 2);
  game.engine().stop();
  EXPECT_EQ(done, 3);
}

TEST(EngineCommands, AnswersHaveIdsAndErrors) {
  test::EngineUnderTest gtp("go:5x5", "gtp");
  EXPECT_EQ(gtp.say("protocol_version"), "= 2\n\n");
  EXPECT_EQ(gtp.say("  17\tname # a comment"), "=17 Koridor\n\n");
  EXPECT_EQ(gtp.say("3 known_command quit"), "=3 true\n\n");
  EXPECT_EQ(gtp.say("known_command qui\x01t"), "= true\n\n");
  EXPECT_EQ(gtp.say("4 known_command nonsense"), "=4 false\n\n");
  EXPECT_EQ(gtp.say("5 nonsense"), "?5 unknown command\n\n");
  EXPECT_EQ(gtp.say("6"), "?6 unknown command\n\n");
  EXPECT_EQ(gtp.say("known_command"), "? syntax error: known_command COMMAND\n\n");
  EXPECT_THAT(gtp.say("7 list_commands"), AllOf(StartsWith("=7 "), HasSubstr("\nquit\n")));
  EXPECT_EQ(gtp.say("# a comment"), "");
  EXPECT_EQ(gtp.say(""), "");
  EXPECT_FALSE(gtp.protocol().line({.text = "8 quit"}));
  EXPECT_EQ(gtp.take(), "=8\n\n");
}

TEST(EngineCommands, ALineThatWasCutIsRefused) {
  test::EngineUnderTest gtp("go:5x5", "gtp");
  EXPECT_TRUE(gtp.protocol().line({.text = "9 name", .cut = true}));
  EXPECT_THAT(gtp.take(), StartsWith("?9 syntax error: a line has at most"));
}

TEST(EngineProtocols, AreChosenByNameAndByTheGame) {
  EXPECT_EQ(cli::find_protocol("gtp", "go").name, "gtp");
  EXPECT_THROW(cli::find_protocol("gpt", "go"), UserError);
  EXPECT_THROW(cli::find_protocol("gtp", "wall"), UserError);
  EXPECT_EQ(cli::protocol_of("list_commands", "go").name, "gtp");
}

TEST(EngineProgram, AnswersUntilItsInputEnds) {
  const test::TemporaryFolder folder;
  const std::string model = (folder / "model.koridor").string();
  save_model(model, *test::tiny_model(parse_game("go:5x5")));
  const std::string engine = "engine --threads 1 --visits 20 --model " + model;
  // The move that is searched when the input ends is answered; a search without an end is ended.
  const test::CommandResult moves = test::koridor(engine, "1 genmove b\n2 genmove w\n");
  EXPECT_EQ(moves.status, 0);
  EXPECT_THAT(moves.output, ::testing::MatchesRegex("=1 [A-E][1-5]\n\n=2 [A-E][1-5]\n\n"));
  const test::CommandResult endless = test::koridor(engine, "3 kata-analyze b 100");
  EXPECT_EQ(endless.status, 0);
  EXPECT_THAT(endless.output, StartsWith("=3\n"));
  EXPECT_EQ(test::koridor(engine + " --ponder", "4 genmove b\n").status, 0);
  EXPECT_EQ(test::koridor(engine, "").output, "");
  EXPECT_EQ(test::koridor(engine, "quit\nname\n").output, "=\n\n");
  EXPECT_EQ(test::koridor(engine + " --set komi=3.5", "get_komi\n").output, "= 3.5\n\n");
  test::expect_refused(engine + " --protocol gpt", "did you mean 'gtp'?");
  test::expect_refused(engine + " --protocol uci", "it is no protocol for games of the family go");
  test::expect_refused(engine + " --clock soon", "soon");
  test::expect_refused("engine quoridor:5x5 --model " + model, "go");
}

TEST(EngineProgram, DrawsAnewEachTimeUnlessASeedIsGiven) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_tiny_model(folder / "model.koridor", 1, "quoridor");
  const auto moves = [&](const std::string& seed) {
    std::string lines;
    for (int i = 0; i < 12; ++i) lines += "position startpos\ngo\n";
    return test::koridor("engine --threads 1 --protocol uci --level beginner --model " + model + seed, lines).output;
  };
  const auto best = [&](const std::string& seed) {
    std::istringstream said(moves(seed));
    std::string found;
    for (std::string line; std::getline(said, line);) found += line.starts_with("bestmove") ? line + "\n" : "";
    return found;
  };
  EXPECT_EQ(best(" --seed 1"), best(" --seed 1"));
  EXPECT_NE(best(" --seed 1"), best(" --seed 2"));
  EXPECT_NE(best(""), best(""));
}

TEST(EngineProgram, EndsWithItsInputWhateverWasAskedFor) {
  const test::TemporaryFolder folder;
  for (const auto& [game, first_line] :
       {std::pair("go:5x5", "genmove b\nname\n"), std::pair("go:5x5", "kata-genmove_analyze b 100\nname\n"),
        std::pair("quoridor:5x5", "genmove black\nwinner\n"), std::pair("quoridor:5x5", "go nodes 1000000000\n"),
        std::pair("quoridor:5x5", R"({"id":"a","moves":[],"maxVisits":1000000000})")}) {
    const std::string model = (folder / "model.koridor").string();
    save_model(model, *test::tiny_model(parse_game(game)));
    const test::CommandResult result =
        test::koridor("engine --grace 0.3 --threads 1 --visits 1000000000 --model " + model, first_line);
    EXPECT_EQ(result.status, 0) << first_line;
    EXPECT_THAT(result.output,
                AnyOf(HasSubstr("= "), HasSubstr("play "), HasSubstr("bestmove "), HasSubstr("moveInfos")))
        << first_line;
  }
}

TEST(EngineProgram, RefusesOptionsThatItsProtocolHasNoUseFor) {
  const test::TemporaryFolder folder;
  const std::string go = (folder / "go.koridor").string();
  const std::string walls = (folder / "walls.koridor").string();
  save_model(go, *test::tiny_model(parse_game("go:5x5")));
  save_model(walls, *test::tiny_model(parse_game("quoridor:5x5")));
  for (const char* option : {"--clock 60", "--margin 0.1", "--level easy", "--temperature 1", "--resign value=0.1",
                             "--ponder", "--first white", "--notation qtp"}) {
    test::expect_refused("engine --protocol analysis --model " + walls + " " + option,
                         "means nothing in the protocol analysis");
  }
  test::expect_refused("engine --protocol gtp --first white --model " + go,
                       "--first means nothing in the protocol gtp");
  test::expect_refused("engine --protocol uci --ponder --model " + walls, "--ponder means nothing in the protocol uci");
  const test::CommandResult by_line = test::koridor("engine --clock 60 --model " + walls, R"({"id":"a","moves":[]})");
  EXPECT_EQ(by_line.status, 2);
  EXPECT_THAT(by_line.output, HasSubstr("--clock means nothing"));
  test::expect_refused("engine --resign soon --model " + go, "--resign");
  save_model(walls, *test::tiny_model(parse_game("quoridor4:5x5")));
  test::expect_refused("engine --resign value=0.1 --model " + walls, "more than two players");
}

}  // namespace
}  // namespace koridor
