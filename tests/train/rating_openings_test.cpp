// The openings of a run's ratings.
#include "train/run/rating_openings.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/openings.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

constexpr const char* kGame = "quoridor:3x3,walls=1";

class RatingOpenings : public testing::Test {
 protected:
  RatingOpenings() {
    config_.openings = (folder_ / "openings.txt").string();
    const std::string head = std::string("[Game \"") + kGame + "\"]\n\n1. ";
    write(head + "a1h *\n" + head + "b2h *\n" + head + "b2 *\n[Game \"quoridor:5x5\"]\n\n1. c4 *\n");
  }
  std::string refusal(const AnyGame& game) const {
    MatchOptions options;
    return error_of([&] { set_openings(config_, game, options); });
  }
  void write(const std::string& text) { write_file_atomically(config_.openings, text); }

  TemporaryFolder folder_;
  RatingConfig config_;
  const AnyGame game_ = parse_game(kGame);
};

// Each group has the next of the file's openings of this game, and matches of different seeds begin at different ones.
TEST_F(RatingOpenings, AreThoseOfTheFileInTurn) {
  const auto openings = read_openings(config_.openings, game_);
  ASSERT_EQ(openings.size(), 3u);
  std::set<std::size_t> first;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MatchOptions options;
    options.games = 8;
    options.seed = seed;
    options.threads = 1;
    set_openings(config_, game_, options);
    first.insert(options.first_opening);
    int games = 0;
    options.on_game = [&](const MatchGame& game) {
      const std::vector<Action>& opening =
          openings[(options.first_opening + static_cast<std::size_t>(game.group)) % openings.size()];
      ASSERT_EQ(game.opening_plies, std::ssize(opening));
      EXPECT_TRUE(std::equal(opening.begin(), opening.end(), game.actions.begin()));
      ++games;
    };
    const MatchPlayer player = load_player("random", 1, match_search());
    play_match(game_, player, player, options, std::atomic<bool>(false));
    EXPECT_EQ(games, 8);
  }
  EXPECT_EQ(first.size(), 3u);
}

TEST_F(RatingOpenings, AreRandomWithoutAFile) {
  config_.openings.clear();
  config_.opening_plies = 3;
  MatchOptions options;
  set_openings(config_, game_, options);
  EXPECT_EQ(options.openings, nullptr);
  EXPECT_EQ(options.opening_plies, 3);
  EXPECT_NE(openings_text(config_), "");
  config_.opening_plies = RatingConfig{}.opening_plies;
  EXPECT_EQ(openings_text(config_), "") << "results of builds that did not tell them apart count on";
}

// Results from other openings are others.
TEST_F(RatingOpenings, AreKnownByWhatTheyAre) {
  const std::string before = openings_text(config_);
  write("[Game \"quoridor:3x3,walls=1\"]\n\n1. a1h *\n");
  EXPECT_NE(openings_text(config_), before);
}

TEST_F(RatingOpenings, AreRefusedByName) {
  EXPECT_EQ(
      refusal(parse_game("quoridor:4x4")),
      "rating.openings: " + config_.openings + ": game 1 is of quoridor:3x3,walls=1, and none is of quoridor:4x4");
  config_.openings = "/nowhere/openings.txt";
  EXPECT_NE(refusal(game_).find("/nowhere/openings.txt"), std::string::npos);
}

}  // namespace
}  // namespace koridor
