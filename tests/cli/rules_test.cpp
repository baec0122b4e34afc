// Every rule parameter there is: set in a variant string, on the command line and in a configuration, and found again
// in shards and models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "core/registry.h"
#include "models/network/model_file.h"
#include "selfplay/shards/describe_game.h"
#include "tests/cli/command.h"
#include "train/run/config.h"

namespace koridor {
namespace {

using ::testing::StartsWith;

// A value other than the one `game` has.
struct Setting {
  std::string game;
  std::string rule;
  std::string value;

  std::string text() const { return rule + "=" + value; }
  std::string variant() const { return game + (game.find(':') == std::string::npos ? ":" : ",") + text(); }
  friend std::ostream& operator<<(std::ostream& out, const Setting& setting) { return out << setting.variant(); }
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
      // The wall games.
      {"quoridor", "columns", "8"},
      {"quoridor", "rows", "7"},
      {"quoridor", "players", "3"},
      {"quoridor", "pawns", "2"},
      {"quoridor", "walls", "31"},
      {"blockade", "win_pawns", "2"},
      {"quoridor", "max_plies", "77"},
      {"quoridor", "repetition", "3"},
      {"quoridor4", "third_pawn_diagonal", "false"},
      {"pinko-pallino", "jumps", "true"},
      {"quoridor", "walls_by_kind", "true"},
      {"blockade", "wall_after_move", "false"},
      {"quoridor", "step", "diagonal"},
      {"pinko-pallino", "diagonal_step", "both"},
      {"quoridor", "goal", "starts"},
      {"quoridor:jumps=false", "step", "double"},
      // Go.
      {"go", "columns", "5"},
      {"go", "rows", "1"},
      {"go", "ko", "simple"},
      {"go", "ko", "situational"},
      {"go:japanese", "ko", "positional"},
      {"go", "suicide", "forbidden"},
      {"go", "scoring", "territory"},
      {"go", "komi", "-0.5"},
      {"go", "must_save_atari", "true"},
      {"go", "stone_supply", "half"},
      {"go", "handicap", "9"},
      {"go", "max_plies", "77"},
  };
  return all;
}

std::string value_of(const AnyGame& game, const std::string& rule) {
  for (const auto& [name, value] : rule_parameters(game)) {
    if (name == rule) return value;
  }
  return "";
}

class RuleParameter : public testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(All, RuleParameter, testing::ValuesIn(settings()), [](const auto& parameter) {
  std::string name = parameter.param.variant();
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST(RuleParameters, AreAllInTheTable) {
  for (const char* const game : {"quoridor", "go"}) {
    for (const auto& [name, value] : rule_parameters(parse_game(game))) {
      EXPECT_TRUE(std::ranges::any_of(settings(),
                                      [&, rule = name](const Setting& setting) {
                                        return setting.rule == rule &&
                                               (setting.game.starts_with("go") == (std::string(game) == "go"));
                                      }))
          << game << " " << name;
    }
  }
}

TEST_P(RuleParameter, IsSetInTheNameAndAfterIt) {
  const Setting& setting = GetParam();
  ASSERT_NE(value_of(parse_game(setting.game), setting.rule), setting.value);
  const AnyGame game = parse_game(setting.variant());
  EXPECT_EQ(value_of(game, setting.rule), setting.value);
  const std::vector<std::string> after{setting.text()};
  EXPECT_EQ(name_of(parse_game(setting.game, after)), name_of(game));
  EXPECT_EQ(rule_parameters(parse_game(name_of(game))), rule_parameters(game));
}

TEST_P(RuleParameter, IsSetOnTheCommandLine) {
  const Setting& setting = GetParam();
  const test::CommandResult perft = test::koridor("perft " + setting.game + " --set " + setting.text() + " --depth 0");
  EXPECT_THAT(perft.output, StartsWith(name_of(parse_game(setting.variant())) + " depth 0: 1 leaves"));
}

TEST_P(RuleParameter, IsSetInAConfigurationAndKeptInTheRun) {
  const Setting& setting = GetParam();
  const Config config = parse_config("[run]\ngame = \"" + setting.variant() + "\"\n", "test");
  const Config frozen = parse_config(to_toml(config), "frozen");
  EXPECT_EQ(value_of(games_of(frozen).front(), setting.rule), setting.value);
}

TEST_P(RuleParameter, IsStoredInShards) {
  const Setting& setting = GetParam();
  const test::TemporaryFolder folder;
  const std::string path = (folder / "games.h5").string();
  ShardData data;
  data.info = describe_game(parse_game(setting.variant()));
  write_shard(path, data);
  const ShardInfo info = read_shard_info(path);
  EXPECT_EQ(info.rules.at(setting.rule), setting.value);
  EXPECT_EQ(value_of(parse_game(info.game), setting.rule), setting.value);
}

TEST_P(RuleParameter, IsStoredInModels) {
  const Setting& setting = GetParam();
  const test::TemporaryFolder folder;
  const AnyGame game = parse_game(setting.variant());
  ModelInfo info;
  info.game = name_of(game);
  std::visit(
      [&](const auto& known) {
        info.family = known.family();
        info.signature = signature(known.encoding(info.features));
      },
      game);
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  const std::string path = (folder / "model.koridor").string();
  save_model(path, random_model(info, 1));
  EXPECT_EQ(value_of(parse_game(load_model(path).info.game), setting.rule), setting.value);
}

}  // namespace
}  // namespace koridor
