// Players named in files.
#include "selfplay/matches/named_players.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/shell.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/players.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"
#include "tests/text_of.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

class NamedPlayers : public ::testing::Test {
 protected:
  // Writes the file and returns its path.
  std::string write(const std::string& text, const std::string& name = "engines.toml") {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }

  std::string complaint(const std::string& text) {
    return error_of([&] { load_player(write(text) + ":x", 8, {}); });
  }

  TemporaryFolder folder_;
};

TEST_F(NamedPlayers, AnEngineHasItsOptions) {
  const std::string file = write(R"([fake]
protocol = "uci"
command = "engine quoridor:5x5,walls=3,visits=9"
directory = "x"
seconds = 1.5
patience = 7
notation = "modern"
commands = ["one", "two three"]
options = { Hash = 64, Book = "a b", Own = true }
)");
  const NamedPlayer player = *find_named_player(file + ":fake");
  EXPECT_EQ(player.text, "uci:engine quoridor:5x5,walls=3,visits=9");
  EXPECT_TRUE(player.engine);
  EXPECT_EQ(player.directory, (folder_.path() / "x").string());
  EXPECT_EQ(player.commands, (std::vector<std::string>{"one", "two three"}));
  std::string options;
  for (const auto& list : {player.options, player.engine_options}) {
    for (const PlayerOption& option : list) options += option.key + "=" + option.value + ";";
  }
  EXPECT_EQ(options, "notation=modern;patience=7;seconds=1.5;Book=a b;Hash=64;Own=true;");
}

// The engine hears the options and commands of the file, in its directory; what stands beside the name goes first.
TEST_F(NamedPlayers, TheyReachTheEngine) {
  std::filesystem::create_directory(folder_.path() / "place");
  const std::string game = "quoridor:5x5,walls=3";
  const std::string file = write(fmt::format(R"([fake]
protocol = "uci"
command = "{} uci {} log=heard"
directory = "place"
log = "lines.log"
visits = 5
commands = ["debug off"]
options = {{ Hash = 64 }}
)",
                                             shell_word(KORIDOR_FAKE_ENGINE), game));
  MatchOptions options;
  options.games = 2;
  options.threads = 1;
  play_match(parse_game(game), load_player(file + ":fake,visits=6", 8, {}), load_player("random", 8, {}), options,
             kNeverStop);
  const std::string heard = text_of(folder_.path() / "place" / "heard");
  EXPECT_THAT(heard, HasSubstr("uci\nsetoption name Hash value 64\ndebug off\nisready\n"));
  EXPECT_THAT(heard, HasSubstr("setoption name UCI_Variant value " + game + "\nucinewgame\n"));
  EXPECT_THAT(heard, HasSubstr("go nodes 6\n"));
  const std::string log = text_of(folder_.path() / "lines.log");
  EXPECT_THAT(log, HasSubstr(" > go nodes 6\n"));
  EXPECT_THAT(log, HasSubstr(" < bestmove "));
}

TEST_F(NamedPlayers, AnyPlayerMayHaveAName) {
  const std::string file = write("[deep]\nplayer = \"alphabeta:3\"\n[quick]\nplayer = \"mcts,visits=3\"\n");
  EXPECT_EQ(load_player(file + ":deep", 8, {}).name, file + ":deep");
  EXPECT_NO_THROW(load_player(file + ":quick,visits=4", 8, {}));
  EXPECT_THROW(load_player(file + ":quick,level=easy", 8, {}), UserError);
}

TEST_F(NamedPlayers, TheUsualFileNeedsNoPath) {
  write("[deep]\nplayer = \"alphabeta:3\"\n[random]\nplayer = \"none\"\n", "players.toml");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_EQ(player_names(), (std::vector<std::string>{"deep", "random"}));
  EXPECT_NO_THROW(load_player("deep", 8, {}));
  EXPECT_NO_THROW(load_player("random", 8, {}));  // what is a player without a file stays one
  EXPECT_THAT(error_of([] { load_player("deeep", 8, {}); }), HasSubstr("did you mean \"deep\"?"));
  std::filesystem::current_path(before);
}

TEST_F(NamedPlayers, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(complaint("[y]\nplayer = \"random\"\n"), HasSubstr("engines.toml: unknown player 'x'"));
  EXPECT_THAT(complaint("x = 3\n"), HasSubstr("engines.toml:1: \"x\" is no table"));
  EXPECT_THAT(complaint("[x\n"), HasSubstr("engines.toml:1:"));
  EXPECT_THAT(complaint("[x]\nprotocol = \"gtp\"\n"), HasSubstr("[x] needs protocol and command, or player"));
  EXPECT_THAT(complaint("[x]\ncommand = 3\n"), HasSubstr(":2: command must be a string"));
  EXPECT_THAT(complaint("[x]\nprotocol = \"gpt\"\n"), HasSubstr(":2: unknown protocol 'gpt'; did you mean 'gtp'?"));
  EXPECT_THAT(complaint("[x]\ncomand = \"a\"\n"), HasSubstr("did you mean 'command'?"));
  EXPECT_THAT(complaint("[x]\ncommands = \"a\"\n"), HasSubstr("commands must be a list of strings"));
  EXPECT_THAT(complaint("[x]\ncommands = [\"a\\nb\"]\n"), HasSubstr("a line ends in the middle"));
  EXPECT_THAT(complaint("[x]\nprotocol = \"uci\"\ncommand = \"a\"\noptions = { \"a\\nb\" = 1 }\n"),
              HasSubstr(":4: the name of an option: a line ends in the middle"));
  for (const std::string protocol : {"gtp", "qtp"}) {
    EXPECT_THAT(complaint("[x]\nprotocol = \"" + protocol + "\"\ncommand = \"a\"\noptions = { Level = 1 }\n"),
                HasSubstr(":4: " + protocol + " has no options; write commands = "));
  }
  EXPECT_THAT(complaint("[x]\nseconds = []\n"), HasSubstr("seconds must be a string or a number"));
  EXPECT_THAT(complaint("[x]\nplayer = \"random\"\nseconds = 3\n"), HasSubstr(":3: beside `player` nothing else"));
  EXPECT_THAT(complaint("[x]\n\nplayer = \"alphabeta:99\"\n"), HasSubstr("engines.toml:3: player"));
  EXPECT_THAT(complaint("\n[x]\nprotocol = \"gtp\"\ncommand = \"a\"\nvisits = \"many\"\n"),
              HasSubstr("engines.toml:2: "));
  EXPECT_THROW(load_player(folder_.file("none.toml") + ":x", 8, {}), UserError);
}

}  // namespace
}  // namespace koridor
