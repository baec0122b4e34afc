// Golden matches: the same seed plays the same games, whatever changes underneath.
// Tree searches compare floating-point numbers, so that their results may differ in a build that rounds otherwise. The
// other players count in integers and play the same games everywhere.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "core/search/config.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/yardstick/draw.h"
#include "selfplay/matches/yardstick/measure.h"
#include "tests/selfplay/selfplay_tools.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

// A model of the game in a file, for evaluators that give every position the same prediction.
std::string model_file(const TemporaryFolder& folder, const std::string& variant) {
  ModelInfo info;
  info.game = variant;
  info.network = {
      .blocks = 1, .channels = 8, .pool_every = 1, .policy_channels = 4, .value_channels = 4, .value_hidden = 8};
  std::visit(
      [&](const auto& game) {
        info.family = game.family();
        info.signature = signature(game.encoding(info.features));
      },
      parse_game(variant));
  const std::string path = folder.file("model.koridor");
  save_model(path, random_model(info, 1));
  return path;
}

// What was written down is of searches whose nodes share nothing.
SearchConfig search_by(const std::string& algorithm) {
  SearchConfig search = match_search();
  search.algorithm = algorithm;
  search.transposition_visits = 0;
  return search;
}

struct GoldenMatch {
  const char* game;
  const char* a;  // "model" is model_file's
  const char* b;
  std::string algorithm;
  std::uint64_t seed;
  SeatScore score;  // of all seats
  int plies;        // of all games
  friend std::ostream& operator<<(std::ostream& out, const GoldenMatch& match) {
    return out << match.game << ", " << match.a << ", " << match.b << ", " << match.algorithm;
  }
};

bool searches_a_tree(const std::string& player) {
  return player == "model" || player.starts_with("mcts");
}

class GoldenMatches : public testing::TestWithParam<GoldenMatch> {};

TEST_P(GoldenMatches, ResultsAreThoseWrittenDown) {
  const GoldenMatch& golden = GetParam();
  if (!kSameRounding && (searches_a_tree(golden.a) || searches_a_tree(golden.b))) {
    GTEST_SKIP() << "this build rounds otherwise";
  }
  const TemporaryFolder folder;
  const auto player = [&](const std::string& name) {
    return load_player(name == "model" ? model_file(folder, golden.game) : name, 24, search_by(golden.algorithm));
  };
  MatchOptions options;
  options.games = golden.score.games;
  options.seed = golden.seed;
  options.threads = 2;
  options.slots = 5;
  options.temperature = 0.7;
  options.temperature_plies = 3;
  options.evaluation.backend = "uniform";
  int plies = 0;
  options.on_game = [&](const MatchGame& game) { plies += static_cast<int>(game.actions.size()); };
  const MatchResult result =
      play_match(parse_game(golden.game), player(golden.a), player(golden.b), options, kNeverStop);
  const SeatScore total = result.total();
  EXPECT_EQ(total, golden.score) << total.wins << ", " << total.draws << ", " << total.losses;
  EXPECT_EQ(plies, golden.plies);
  EXPECT_DOUBLE_EQ(result.mean_plies, static_cast<double>(golden.plies) / golden.score.games);
}

constexpr const char* kTwo = "quoridor:5x5,walls=3";
constexpr const char* kFour = "quoridor4:5x5,walls=2";
constexpr const char* kGo = "go:4x4";

// Scores are {games, wins, draws, losses}.
INSTANTIATE_TEST_SUITE_P(
    , GoldenMatches,
    testing::Values(GoldenMatch{kTwo, "random", "greedy", "gumbel", 1, {40, 0, 0, 40}, 652},
                    GoldenMatch{kTwo, "greedy", "alphabeta:2", "gumbel", 2, {40, 19, 0, 21}, 781},
                    GoldenMatch{kTwo, "alphabeta:2", "mcts:50", "gumbel", 3, {40, 15, 0, 25}, 749},
                    GoldenMatch{kTwo, "mcts:50", "random", "puct", 4, {40, 40, 0, 0}, 564},
                    GoldenMatch{kTwo, "model", "mcts", "gumbel", 5, {20, 6, 0, 14}, 414},
                    GoldenMatch{kTwo, "alphabeta:2", "model", "puct", 6, {20, 5, 0, 15}, 385},
                    GoldenMatch{kFour, "random", "greedy", "gumbel", 7, {40, 1, 0, 39}, 1020},
                    GoldenMatch{kFour, "greedy", "alphabeta:2", "gumbel", 8, {40, 11, 0, 29}, 1103},
                    GoldenMatch{kFour, "alphabeta:2", "mcts:50", "gumbel", 9, {20, 12, 0, 8}, 584},
                    GoldenMatch{kFour, "mcts:50", "random", "puct", 10, {20, 16, 0, 4}, 791},
                    GoldenMatch{kFour, "model", "greedy", "gumbel", 11, {20, 1, 0, 19}, 517},
                    GoldenMatch{kGo, "random", "greedy", "gumbel", 12, {40, 0, 0, 40}, 717},
                    GoldenMatch{kGo, "greedy", "alphabeta:2", "gumbel", 13, {40, 19, 0, 21}, 961},
                    GoldenMatch{kGo, "alphabeta:2", "mcts:50", "gumbel", 14, {20, 7, 0, 13}, 591},
                    GoldenMatch{kGo, "mcts:50", "random", "puct", 15, {20, 20, 0, 0}, 408},
                    GoldenMatch{kGo, "model", "model", "gumbel", 16, {20, 9, 0, 11}, 499},
                    GoldenMatch{"quoridor:5x5,walls=1", "solver", "mcts:50", "gumbel", 17, {20, 10, 0, 10}, 212}),
    [](const auto& pairing) { return "Match" + std::to_string(pairing.index + 1); });

// The yardstick's counts, of kinds of player that draw lots and one that asks for evaluations.
class GoldenYardstick : public testing::Test {
 protected:
  int kept(const std::string& name) const {
    YardstickOptions options;
    options.threads = 2;
    options.batch.rows = 7;
    options.batch.evaluation.backend = "uniform";
    const MatchPlayer player = load_player(name, 24, search_by(match_search().algorithm));
    return count_kept(game_, player, set_.positions, options, kNeverStop);
  }

  static constexpr const char* kGame = "quoridor:5x5,walls=2";
  const AnyGame game_ = parse_game(kGame);
  const YardstickSet set_ = draw_proven_set(game_, solve_game(game_, {}), 200);
};

TEST_F(GoldenYardstick, CountsAreThoseWrittenDown) {
  EXPECT_EQ(kept("random"), 89);
  EXPECT_EQ(kept("greedy"), 184);
}

TEST_F(GoldenYardstick, CountsOfTreeSearchesAreThoseWrittenDown) {
  if (!kSameRounding) GTEST_SKIP() << "this build rounds otherwise";
  const TemporaryFolder folder;
  EXPECT_EQ(kept("mcts:50"), 196);
  EXPECT_EQ(kept(model_file(folder, kGame)), 197);
}

}  // namespace
}  // namespace koridor
