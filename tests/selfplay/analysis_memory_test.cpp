// The pool of analyses where memory is short: that which it may take, and that of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "selfplay/analysis/pool.h"
#include "tests/error_of.h"
#include "tests/little_memory.h"
#include "tests/selfplay/pool_tools.h"

namespace koridor {
namespace {

// A position on 9x9 takes about 1.5 kB of a tree, and next to nothing where two passes have ended the game: 1 MiB holds
// some 950 visits.
class AnalysisPoolMemory : public testing::Test {
 protected:
  AnalysisPoolMemory() {
    settings_.memory_mebibytes = 1;
    pool_ = make_analysis_pool(settings_);
  }
  void submit(const std::string& name, int visits) {
    pool_->submit({.line = line_, .plies = 1, .visits = visits, .report = reports_.of(name)});
  }
  const PositionReport& last(const std::string& name) { return reports_.reports(name).back(); }

  AnyGame game_ = parse_game("go:9x9");
  std::shared_ptr<const GameLine> line_ = random_line(game_, 1);
  Reports reports_;
  PoolSettings settings_ = pool_settings(game_);
  std::unique_ptr<AnalysisPool> pool_;
};

TEST_F(AnalysisPoolMemory, ASearchAloneHasAllOfIt) {
  submit("enough", 500);
  pool_->wait();
  EXPECT_EQ(last("enough").analysis.visits, 500);
  EXPECT_FALSE(last("enough").full);
  submit("too little", 5000);
  pool_->wait();
  EXPECT_GT(last("too little").analysis.visits, 600);
  EXPECT_LT(last("too little").analysis.visits, 2000);
  EXPECT_TRUE(last("too little").full);
}

TEST_F(AnalysisPoolMemory, EachOfManyHasTurnAndRoom) {
  for (int i = 0; i < 12; ++i) submit(std::to_string(i), 100);
  pool_->wait();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(last(std::to_string(i)).analysis.visits, 100) << i;
}

TEST_F(AnalysisPoolMemory, ALargeTreeGivesWayToSmallOnes) {
  submit("large", 1'000'000'000);
  for (int i = 0; i < 12; ++i) submit(std::to_string(i), 100);
  pool_->wait();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(last(std::to_string(i)).analysis.visits, 100) << i;
  EXPECT_TRUE(last("large").full);
}

// Which of two trees is full first hangs on the turns of several threads, so that one pair of searches says little.
// Where both ended, the longer one would have too few visits in a third of the pairs and more.
TEST_F(AnalysisPoolMemory, NoMoreSearchesEndThanMust) {
  constexpr int kPairs = 24;
  std::vector<int> fewer;
  std::vector<int> more;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::array names{"a" + std::to_string(pair), "b" + std::to_string(pair)};
    for (const std::string& name : names) submit(name, 5000);
    pool_->wait();
    const auto [less, most] = std::minmax(last(names[0]).analysis.visits, last(names[1]).analysis.visits);
    fewer.push_back(less);
    more.push_back(most);
    EXPECT_LT(most, 2000);
  }
  std::ranges::sort(fewer);
  std::ranges::sort(more);
  EXPECT_GT(fewer[kPairs / 2], 300) << "half of the memory";
  EXPECT_GT(more[kPairs / 4], 600) << "all of it, once the other has ended";
}

PoolSettings uniform_settings(const AnyGame& any) {
  PoolSettings settings = pool_settings(any);
  settings.evaluation.backend = "uniform";
  settings.memory_mebibytes = 100'000;
  return settings;
}

// Whether an analysis whose tree finds no memory fails, and another one of the same pool does not.
bool outlives_want_of_memory() {
  const AnyGame any = parse_game("quoridor");
  const auto line = std::make_shared<const GameLine>(GameLine{.game = any});
  Reports reports;
  const auto pool = make_analysis_pool(uniform_settings(any));
  pool->submit({.line = line, .visits = 10, .report = reports.of("first")});
  pool->wait();
  {
    const LittleMemory little(std::size_t{64} << 20);
    pool->submit({.line = line, .visits = 0, .seconds = 1e6, .report = reports.of("large")});
    pool->wait();
  }
  pool->submit({.line = line, .visits = 20, .report = reports.of("small")});
  pool->wait();
  const PositionReport& large = reports.reports("large").back();
  return large.kind == PositionReport::Kind::failed && large.error.find("memory") != std::string::npos &&
         reports.reports("small").back().kind == PositionReport::Kind::last;
}

// Whether threads that cannot be started are a user's error.
bool refuses_threads() {
  const AnyGame any = parse_game("quoridor");
  PoolSettings settings = uniform_settings(any);
  settings.threads = 500;
  const LittleMemory little(std::size_t{256} << 20);
  return error_of([&] { make_analysis_pool(settings); }).starts_with("cannot start 500 threads that analyse: ");
}

// In processes of their own, which would crash; sanitizers have no room under such a limit.
TEST(AnalysisPoolDeathTest, LivesOnWhereMemoryIsShort) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP();
#endif
  EXPECT_EXIT(std::_Exit(outlives_want_of_memory() ? 0 : 1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::_Exit(refuses_threads() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace koridor
