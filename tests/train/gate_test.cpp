#include "train/run/gate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_file.h"
#include "selfplay/shards/shard.h"
#include "tests/temporary_folder.h"
#include "tests/tiny_model.h"
#include "train/run/config.h"
#include "train/run/rating.h"
#include "train/run/run_config.h"

namespace koridor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class GateTest : public testing::Test {
 protected:
  GateTest() {
    save_run_config(run_, config("\"\""));
    for (int generation = 0; generation < 4; ++generation) {
      fs::create_directories(run_.model(generation).parent_path());
      test::write_tiny_model(run_.model(generation).string(), static_cast<std::uint64_t>(generation) + 1);
    }
  }

  static Config config(const std::string& gate, const std::string& more = "rating.gate_games=64") {
    return parse_config("", "test",
                        std::vector<std::string>{"run.game=\"quoridor:3x3,walls=1\"", "run.generations=10",
                                                 "rating.visits=2", "rating.gate=" + gate, more});
  }

  std::optional<GateDecision> decide(const Config& config, int generation) const {
    std::atomic<bool> stop{false};
    return decide_gate(run_, config, generation, {}, stop);
  }

  TemporaryFolder folder_;
  RunDirectory run_{folder_.path() / "run"};
};

TEST_F(GateTest, TheChampionStaysUntilAGenerationIsAccepted) {
  const Config strict = config("elo0=0,elo1=1000");     // nobody is so much better
  const Config open = config("elo0=-1500,elo1=-1000");  // nobody is so much worse
  EXPECT_EQ(champion_of(run_, strict, 0), 0);
  ASSERT_TRUE(gate_due(run_, strict, 3));
  EXPECT_FALSE(decide(strict, 1)->accepted);
  EXPECT_FALSE(gate_due(run_, strict, 1));
  EXPECT_EQ(champion_of(run_, strict, 1), 0);
  const auto second = decide(strict, 2);
  EXPECT_EQ(second->before, 0) << "it meets the champion and not the generation before it";
  EXPECT_EQ(champion_of(run_, strict, 2), 0);
  const auto third = decide(open, 3);
  EXPECT_TRUE(third->accepted);
  EXPECT_EQ(champion_of(run_, open, 3), 3);
  EXPECT_EQ(read_gate(run_, 3)->games, third->games);
  EXPECT_THAT(gate_text(*third), HasSubstr("gen-0003 plays self-play from now on"));
  EXPECT_THAT(gate_text(*second), HasSubstr("gen-0002 is kept from self-play, which gen-0000 goes on playing"));
}

TEST_F(GateTest, WithoutATestEveryGenerationPlays) {
  const Config off = config("\"\"");
  EXPECT_FALSE(gate_due(run_, off, 1));
  EXPECT_EQ(champion_of(run_, off, 3), 3);
  // Where the gate was set later, what was played without it stays.
  const Config on = config("elo0=0,elo1=10");
  fs::create_directories(run_.complete(1).parent_path());
  write_file_atomically(run_.complete(1), "");
  EXPECT_FALSE(gate_due(run_, on, 1));
  EXPECT_EQ(champion_of(run_, on, 1), 1);
  EXPECT_FALSE(gate_due(run_, on, 10)) << "the last one";
  EXPECT_FALSE(gate_due(run_, on, 2)) << "the next model is there, whether its games still are or not";
  EXPECT_TRUE(gate_due(run_, on, 3));
  fs::create_directories(run_.shards(3));
  write_file_atomically(run_.shards(3) / fmt::format("games-000000-000{}", kShardEnding), "");
  EXPECT_FALSE(gate_due(run_, on, 3)) << "some of its games are played";
}

TEST_F(GateTest, AnUndecidedTestKeepsTheChampion) {
  const auto decision = decide(config("elo0=0,elo1=1,alpha=0.01,beta=0.01", "rating.gate_games=2"), 1);
  EXPECT_FALSE(decision->accepted);
  EXPECT_EQ(decision->games, 2);
}

// More games than asked for would need more openings than the check of rating.openings wants.
TEST_F(GateTest, PlaysNoMoreGamesThanItMay) {
  EXPECT_EQ(decide(config("elo0=0,elo1=1,alpha=0.01,beta=0.01", "rating.gate_games=40"), 1)->games, 40);
}

TEST_F(GateTest, SeveralBoardsShareATest) {
  Config two = config("elo0=-1500,elo1=-1000");
  two.run.games = {"quoridor:3x3,walls=1", "quoridor:3x3,walls=2"};
  EXPECT_EQ(decide(two, 1)->games, 64);
}

TEST_F(GateTest, BeginsWithTheOpeningsOfRatings) {
  const Config without = config("elo0=0,elo1=10", "rating.openings=/nowhere/openings.txt");
  EXPECT_THAT([&] { decide(without, 1); },
              testing::ThrowsMessage<UserError>(HasSubstr("rating.openings: cannot read /nowhere/openings.txt")));
  EXPECT_THAT(
      [&] {
        Ratings(run_, without)
            .rate(
                1, [](int, int) {}, false);
      },
      testing::ThrowsMessage<UserError>(HasSubstr("rating.openings: cannot read /nowhere/openings.txt")));
}

TEST_F(GateTest, ADamagedDecisionIsNamedAndMadeAgain) {
  const Config strict = config("elo0=0,elo1=1000");
  decide(strict, 1);
  std::string text = read_file(run_.gate(1));
  text[text.find("accepted") + 3] ^= 1;
  write_file_atomically(run_.gate(1), text);
  EXPECT_THROW(read_gate(run_, 1), UserError);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(gate_due(run_, strict, 1));
  write_file_atomically(run_.complete(1), "");
  EXPECT_TRUE(gate_due(run_, strict, 1)) << "the next generation's match goes by it";
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("its matches are played again"));
  decide(strict, 1);
  EXPECT_FALSE(gate_due(run_, strict, 1));
  EXPECT_EQ(champion_of(run_, strict, 1), 0);
}

// Its games say who has played them.
TEST_F(GateTest, ADecisionThatIsGoneLetsNobodyIn) {
  const Config strict = config("elo0=0,elo1=1000");
  decide(strict, 1);
  write_file_atomically(run_.complete(1), "");
  write_json(run_.metrics(2), {{"generation", 2}, {"selfplay", {{"games", 10}, {"models_behind", 1.0}}}});
  fs::remove(run_.gate(1));
  EXPECT_FALSE(gate_due(run_, strict, 1));
  EXPECT_EQ(champion_of(run_, strict, 1), 0);
  EXPECT_EQ(decide(strict, 2)->before, 0);
  // As where games were played without a gate or by several models.
  for (const double behind : {0.0, 0.5, 7.0}) {
    write_json(run_.metrics(2), {{"selfplay", {{"models_behind", behind}}}});
    EXPECT_EQ(champion_of(run_, strict, 1), 1) << behind;
  }
}

TEST_F(GateTest, AWrongTestIsRefusedByTheConfiguration) {
  EXPECT_THROW(config("elo0=5,elo1=1"), UserError);
  EXPECT_THROW(config("elo=5"), UserError);
}

}  // namespace
}  // namespace koridor
