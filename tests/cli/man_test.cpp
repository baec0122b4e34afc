// The man page and the completions of shells hold every subcommand and every option, and the programs that read them
// take them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/command.h"
#include "tests/cli/words_of.h"

namespace koridor {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

bool have(const std::string& program) {
  return test::run("command -v " + program).status == 0;
}

// The subcommands, as `koridor --help` lists them.
std::set<std::string> subcommands() {
  const std::string help = test::koridor("--help").output;
  const std::size_t at = help.find("Subcommands:");
  EXPECT_NE(at, std::string::npos);
  return test::words_of(help.substr(at), "\n  ([a-z][a-z-]*) ");
}

// The long options that a subcommand's help lists.
std::set<std::string> options_of(const std::string& subcommand) {
  return test::words_of(test::koridor(subcommand + " --help").output, "\n  (?:-[a-z],)?(--[a-z0-9-]+)");
}

std::string completions(const std::string& shell) {
  const test::CommandResult result = test::koridor("completions " + shell);
  EXPECT_EQ(result.status, 0);
  return result.output;
}

TEST(Man, HoldsEverySubcommandAndOption) {
  const std::string page = std::regex_replace(test::koridor("man").output, std::regex("\\\\-"), "-");
  EXPECT_THAT(subcommands(), AllOf(Contains("match"), Contains("yardstick-set"), Contains("simulate-scale")));
  EXPECT_THAT(page, HasSubstr("\n130\n"));
  for (const std::string& subcommand : subcommands()) {
    const std::size_t at = page.find(".SS koridor " + subcommand + "\n");
    ASSERT_NE(at, std::string::npos) << subcommand;
    const std::string section = page.substr(at, page.find(".SS ", at + 4) - at);
    for (const std::string& option : options_of(subcommand)) {
      EXPECT_THAT(section, HasSubstr("\\fB" + option + "\\fR")) << subcommand;
    }
  }
}

TEST(Man, RendersWithoutWarnings) {
  if (!have("man") || !have("groff")) GTEST_SKIP() << "there is no man";
  const test::TemporaryFolder folder;
  const std::string page = (folder / "koridor.1").string();
  write_file_atomically(page, test::koridor("man").output);
  EXPECT_EQ(test::run("LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings=all -l " + page + " 2>&1 >/dev/null").output, "");
  const std::string text = test::run("LC_ALL=C.UTF-8 MANWIDTH=80 man -P cat -l " + page).output;
  EXPECT_THAT(text, HasSubstr("koridor match"));
  EXPECT_THAT(text, HasSubstr("--visits"));
}

// What a script offers behind a subcommand.
std::string offers(const std::string& script, const std::string& shell, const std::string& subcommand) {
  if (shell != "fish") {
    const std::size_t at = script.find("\n    " + subcommand + ")");
    return at == std::string::npos ? "" : script.substr(at, script.find(";;", at) - at);
  }
  std::string own;
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("__fish_seen_subcommand_from " + subcommand + "'") != std::string::npos) own += line + "\n";
  }
  return own;
}

TEST(Completions, HoldEverySubcommandAndOption) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = completions(shell);
    for (const std::string& subcommand : subcommands()) {
      const std::string own = offers(script, shell, subcommand);
      EXPECT_NE(own, "") << shell << " " << subcommand;
      for (const std::string& option : options_of(subcommand)) {
        const std::string word = shell == "fish" ? "-l " + option.substr(2) : option;
        EXPECT_TRUE(std::regex_search(own, std::regex(word + "[^a-z0-9-]")))
            << shell << " " << subcommand << " " << word;
      }
    }
  }
  EXPECT_THAT(test::koridor("completions tcsh").output, HasSubstr("koridor: "));
}

// What bash offers behind the words, with the cursor at the end of the last one.
std::string offered_by_bash(const test::TemporaryFolder& folder, const std::string& words) {
  write_file_atomically(folder / "koridor.bash", completions("bash"));
  const std::string script = "source " + (folder / "koridor.bash").string() +
                             "; complete -p koridor >/dev/null || exit 1; " + "COMP_WORDS=(koridor " + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); cd " + (folder / "here").string() +
                             "; _koridor; echo \"${COMPREPLY[@]}\"";
  const test::CommandResult result = test::run("bash --norc -c '" + script + "'");
  EXPECT_EQ(result.status, 0) << result.output;
  return result.output;
}

TEST(Completions, WorkInBash) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "here/quoridor-notes.toml", "");
  EXPECT_EQ(offered_by_bash(folder, "ma"), "match man\n");
  EXPECT_EQ(offered_by_bash(folder, "--vers"), "--version\n");
  EXPECT_EQ(offered_by_bash(folder, "match --vis"), "--visits\n");
  EXPECT_EQ(offered_by_bash(folder, "play --notation m"), "modern\n");
  EXPECT_EQ(offered_by_bash(folder, "completions z"), "zsh\n");
  EXPECT_EQ(offered_by_bash(folder, "match --backend one"), "onednn\n");
  EXPECT_EQ(offered_by_bash(folder, "evaluate --game pinko"), "pinko-pallino\n");
  // Words where they are known, and files where they are not.
  EXPECT_EQ(offered_by_bash(folder, "perft quoridor"), "quoridor quoridor4 quoridor-kid quoridor-kid4\n");
  EXPECT_EQ(offered_by_bash(folder, "train quoridor"), "quoridor-notes.toml\n");
  EXPECT_EQ(offered_by_bash(folder, "play --model quoridor"), "quoridor-notes.toml\n");
}

TEST(Completions, WorkInFish) {
  if (!have("fish")) GTEST_SKIP() << "there is no fish";
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "koridor.fish", completions("fish"));
  const auto offered = [&](const std::string& line) {
    return test::run("HOME=" + (folder / "").string() + " fish --no-config -c 'source " +
                     (folder / "koridor.fish").string() + "; complete -C \"koridor " + line + "\"'")
        .output;
  };
  EXPECT_THAT(offered("ma"), HasSubstr("match\t"));
  EXPECT_THAT(offered("match --vis"), HasSubstr("--visits\t"));
  EXPECT_THAT(offered("play --notation "), HasSubstr("modern\t"));
}

TEST(Completions, AreReadByZsh) {
  if (!have("zsh")) GTEST_SKIP() << "there is no zsh";
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "_koridor", completions("zsh"));
  const test::CommandResult read = test::run("zsh -f -c 'autoload -Uz compinit && compinit -D -u && source " +
                                             (folder / "_koridor").string() + " && print ${_comps[koridor]}'");
  EXPECT_EQ(read.status, 0) << read.output;
  EXPECT_EQ(read.output, "_koridor\n");
}

}  // namespace
}  // namespace koridor
