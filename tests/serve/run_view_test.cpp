// What is shown of a run: its figures and games, however much of it is there, and nothing of it changed.
#include "cli/serve/run_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "selfplay/shards/game_record.h"
#include "tests/temporary_folder.h"
#include "train/run/run_config.h"

namespace koridor::serve {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kTinyGame = "quoridor:3x3,walls=1";

// A made-up game of two plies.
ShardData short_game(std::uint16_t last) {
  const AnyGame any = parse_game(kTinyGame);
  const auto& game = std::get<wall::WallGame>(any);
  ShardData data;
  data.info = {.game = kTinyGame,
               .rules = {},
               .generation = 0,
               .config_hash = "",
               .action_order = "",
               .players = 2,
               .state_bytes = game.packed_size()};
  Position<wall::WallGame> position(game);
  GameRecord record;
  record.clear(7, 0);
  const Action first = *game.parse_action(position.state, position.history, "b2");
  for (const Action action : {first, Action{last}}) {
    record.states.resize(record.states.size() + static_cast<std::size_t>(game.packed_size()));
    game.pack(position.state, std::span(record.states).last(static_cast<std::size_t>(game.packed_size())));
    record.actions.push_back(static_cast<std::uint16_t>(index(action)));
    record.players.push_back(static_cast<std::uint8_t>(game.player_to_move(position.state)));
    record.kinds.push_back(PlyKind::full);
    record.values.push_back({0.75f, 0.25f});
    record.add_search(1, 2, 0.5);
    const PolicyEntry entry{.action = action, .probability = 1};
    record.add_policy({&entry, 1});
    if (action == first) position.apply(game, action);
  }
  record.outcome = {1, 0};
  append_game(record, data);
  return data;
}

class Views : public testing::Test {
 protected:
  Views() {
    Config config;
    config.run.game = kTinyGame;
    save_run_config(directory_, config);
    fs::create_directories(root_ / "models");
    std::ofstream(directory_.model(0)) << "no model, but a file";
    fs::create_directories(directory_.shards(0));
  }

  RunView view() { return RunView(load_runs({root_.string()})[0]); }
  void finish_generation() const {
    std::ofstream(directory_.model(1)) << "another";
    fs::create_directories(directory_.metrics(1).parent_path());
    write_json(directory_.metrics(1), {{"generation", 1}, {"heads", {"policy"}}, {"policy_loss", 1.5}, {"loss", 1.5}});
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      all[entry.path().string()] = entry.is_regular_file() ? read_file(entry.path()) : "";
    }
    return all;
  }

  TemporaryFolder folder_;
  fs::path root_ = folder_.path();
  RunDirectory directory_{root_};
};

TEST_F(Views, FollowARunAsItGrows) {
  RunView seen = view();
  const json first = seen.figures("");
  EXPECT_EQ(first["generations"], 1);
  EXPECT_EQ(first["games"], json({kTinyGame}));
  EXPECT_TRUE(seen.figures(first["stamp"])["unchanged"]);
  finish_generation();
  const json second = seen.figures(first["stamp"]);
  EXPECT_EQ(second["generations"], 2);
  EXPECT_NE(second["stamp"], first["stamp"]);
  bool found = false;
  for (const json& series : second["series"]) {
    if (series["key"] == "training.losses.policy") found = series["points"] == json({{1, 1.5, 0.0}});
  }
  EXPECT_TRUE(found) << second["series"];
}

TEST_F(Views, SayWhetherTheRunIsFinished) {
  RunView seen = view();
  EXPECT_FALSE(seen.figures("")["finished"]);
  write_json(directory_.leader(), {{"state", "finished"}});
  const json done = seen.figures("");
  EXPECT_TRUE(done["finished"]);
  write_json(directory_.leader(), {{"state", "running"}});  // somebody goes on with it
  const json again = seen.figures(done["stamp"]);
  EXPECT_TRUE(again["unchanged"]);
  EXPECT_FALSE(again["finished"]);
}

TEST_F(Views, ShowProgressThatIsHalfWritten) {
  fs::create_directories(root_ / "status");
  write_json(directory_.status("selfplay"), {{"games", 3}});
  std::ofstream(directory_.status("trainer")) << "{\"step\":";
  const json progress = view().figures("")["progress"];
  EXPECT_EQ(progress["selfplay"]["games"], 3);
  EXPECT_LT(progress["selfplay"]["age"], 60);
  EXPECT_FALSE(progress.contains("trainer"));
}

TEST_F(Views, ReplayGamesWithWhatTheSearchesSaid) {
  write_shard((directory_.shards(0) / "games-000000-000.h5").string(), short_game(0));
  RunView seen = view();
  EXPECT_EQ(seen.games(0, 0), json({{{"number", 7}, {"plies", 2}, {"values", {1.0, 0.0}}}}));
  const json game = seen.game(0, 0, 7);
  EXPECT_EQ(game["plies"][0]["text"], "b2");
  EXPECT_EQ(game["plies"][0]["values"], json({0.75, 0.25}));
  EXPECT_EQ(game["plies"][0]["policy"][0][1], 1.0);
  EXPECT_EQ(game["plies"][0]["kind"], "full");
  EXPECT_THROW(seen.game(0, 0, 8), UserError);
  ShardData data = short_game(0);
  data.info.generation = 1;
  data.ply_kind[1] = static_cast<std::uint8_t>(PlyKind::opponent);
  write_shard((directory_.shards(1) / "games-000000-000.h5").string(), data);
  EXPECT_EQ(seen.game(1, 0, 7)["plies"][1]["kind"], "opponent");
  EXPECT_EQ(seen.games(5, 0), json::array());
}

// A generation may have many files, and the name of each says the number of its first game.
TEST_F(Views, FindGamesInAnyFile) {
  for (std::uint32_t number = 0; number < 60; ++number) {
    ShardData data = short_game(0);
    data.game_number[0] = number;
    write_shard((directory_.shards(0) / fmt::format("games-{:06}-000.h5", number)).string(), data);
  }
  RunView seen = view();
  EXPECT_EQ(seen.games(0, 0).size(), 60u);
  for (const int number : {0, 31, 59}) EXPECT_EQ(seen.game(0, 0, number)["number"], number);
  EXPECT_THROW(seen.game(0, 0, 60), UserError);
}

// A shard whose checksum is right may still hold what was never played.
TEST_F(Views, RefuseGamesThatBreakTheRules) {
  write_shard((directory_.shards(0) / "games-000000-000.h5").string(), short_game(8));
  RunView seen = view();
  EXPECT_THROW(seen.game(0, 0, 7), UserError);
}

TEST_F(Views, ChangeNothing) {
  finish_generation();
  write_shard((directory_.shards(0) / "games-000000-000.h5").string(), short_game(0));
  const auto before = files();
  RunView seen = view();
  seen.figures("");
  seen.games(0, 0);
  seen.game(0, 0, 7);
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace koridor::serve
