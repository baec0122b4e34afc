// Players that wait for somebody else: the other games of their thread go on meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/elapsed.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/yardstick/draw.h"
#include "selfplay/matches/yardstick/measure.h"
#include "tests/selfplay/first_action_player.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using namespace std::chrono_literals;

// What the test and the players of one side share.
struct Office {
  std::atomic<bool> open{true};           // while it is closed, those who ask wait
  std::atomic<int> asking{0};             // calls of step() that found it closed
  std::atomic<int> closes_at_action{-1};  // the office closes as this action of the side begins
  std::atomic<int> actions{0};
  std::mutex mutex;
  std::vector<std::vector<TimeControl>> clocks;  // that players were given, by seat
};

// Plays once the office is open.
template <Game G>
class WaitingPlayer final : public FirstActionPlayer<G> {
 public:
  WaitingPlayer(const G& game, Office* office) : FirstActionPlayer<G>(game), office_(office) {}

  void new_game(const Position<G>& position, GameClocks clocks) override {
    FirstActionPlayer<G>::new_game(position, clocks);
    const std::lock_guard lock(office_->mutex);
    office_->clocks.emplace_back();
    for (const GameClock& clock : clocks) office_->clocks.back().push_back(clock.control());
  }
  void begin(Random&) override { waits_ = office_->actions.fetch_add(1) == office_->closes_at_action; }
  PlayerStep step() override {
    if (!waits_ || office_->open) return PlayerStep::done;
    ++office_->asking;
    return PlayerStep::waiting;
  }

 private:
  Office* office_;
  bool waits_ = false;
};

MatchPlayer waiting_player(Office& office) {
  return named_player<WaitingPlayer>("waiting", &office);
}

constexpr const char* kBoard = "quoridor:5x5,walls=3";

MatchOptions one_thread(int games) {
  MatchOptions options;
  options.games = games;
  options.threads = 1;
  options.slots = 4;
  options.evaluation.backend = "uniform";
  return options;
}

// A model whose predictions are asked for, evaluated by the backend uniform.
MatchPlayer asking_player() {
  const AnyGame game = parse_game(kBoard);
  const auto model = small_random_model(std::get<wall::WallGame>(game).encoding({}));
  return model_player("model", std::make_shared<const Model>(model), 8, SearchConfig{});
}

// One game waits until all others are over, on the same thread; who is met decides nothing.
void expect_others_finish(const MatchPlayer& opponent) {
  Office office;
  office.open = false;
  office.closes_at_action = 3;
  MatchOptions options = one_thread(40);
  std::vector<int> order;
  options.on_game = [&](const MatchGame& game) { order.push_back(game.number); };
  options.progress = [&](int done, int games) {
    if (done == games - 1) office.open = true;
  };
  const MatchResult result = play_match(parse_game(kBoard), waiting_player(office), opponent, options, kNeverStop);
  EXPECT_EQ(result.total().games, 40);
  EXPECT_FALSE(result.stopped);
  EXPECT_GT(office.asking, 1);
  // The game that waited is one of the first four, and is the last to end.
  ASSERT_EQ(order.size(), 40u);
  EXPECT_LT(order.back(), 4);
}

TEST(Waiting, AGameThatWaitsDoesNotStallFastOnes) {
  expect_others_finish(load_player("random", 8, {}));
}

TEST(Waiting, NorThoseThatAskForPredictions) {
  expect_others_finish(asking_player());
}

// With another thread that opens the office after a while: all games wait then, and the match's thread sleeps.
TEST(Waiting, AThreadWhoseGamesAllWaitSleeps) {
  Office office;
  office.open = false;
  office.closes_at_action = 0;
  MatchOptions options = one_thread(1);
  options.seat = 0;
  options.opening_plies = 0;
  std::thread opener([&] {
    std::this_thread::sleep_for(300ms);
    office.open = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  const MatchResult result =
      play_match(parse_game(kBoard), waiting_player(office), load_player("random", 8, {}), options, kNeverStop);
  const double seconds = seconds_since(begin);
  opener.join();
  EXPECT_EQ(result.total().games, 1);
  EXPECT_GE(seconds, 0.25);
  EXPECT_LT(static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC, 0.15);
  EXPECT_LT(office.asking, 1000);  // a spinning thread asks millions of times
}

TEST(Waiting, CanBeStopped) {
  Office office;
  office.open = false;
  office.closes_at_action = 0;
  std::atomic<bool> stop{false};
  std::thread stopper([&] {
    std::this_thread::sleep_for(50ms);
    stop = true;
  });
  MatchOptions options = one_thread(1);
  options.seat = 0;
  const MatchResult result =
      play_match(parse_game(kBoard), waiting_player(office), load_player("random", 8, {}), options, stop);
  stopper.join();
  EXPECT_TRUE(result.stopped);
}

// The results do not depend on who waited how long.
TEST(Waiting, ChangesNoGame) {
  const auto games_when = [&](bool closed) {
    Office office;
    office.open = !closed;
    office.closes_at_action = 5;
    std::map<int, std::vector<Action>> games;
    MatchOptions options = one_thread(12);
    options.on_game = [&](const MatchGame& game) { games[game.number] = game.actions; };
    options.progress = [&](int done, int) { office.open = office.open || done == 8; };
    play_match(parse_game(kBoard), waiting_player(office), load_player("mcts:10", 8, {}), options, kNeverStop);
    return games;
  };
  EXPECT_EQ(games_when(true), games_when(false));
}

TEST(Waiting, TheYardstickGoesOnToo) {
  const AnyGame game = parse_game("quoridor:5x5,walls=1");
  const YardstickSet set = draw_proven_set(game, solve_game(game, {}), 50);
  Office office;
  office.open = false;
  office.closes_at_action = 2;
  int done = 0;
  YardstickOptions options;
  options.threads = 1;
  options.batch.rows = 4;
  options.progress = [&](int so_far, int all) {
    done = so_far;
    if (so_far == all - 1) office.open = true;
  };
  ask_player(game, waiting_player(office), set.positions, options, kNeverStop);
  EXPECT_EQ(done, 50);
  EXPECT_GT(office.asking, 1);
}

TEST(Clocks, AMatchHandsThemToItsPlayers) {
  Office office;
  MatchOptions options = one_thread(6);
  options.clock = {.main = 60, .increment = 0.6, .move = 5};
  play_match(parse_game(kBoard), waiting_player(office), load_player("random", 8, {}), options, kNeverStop);
  ASSERT_EQ(office.clocks.size(), 6u);  // one a game
  for (const auto& clocks : office.clocks) EXPECT_EQ(clocks, std::vector(2, options.clock));
  office.clocks.clear();
  options.clock = {};
  play_match(parse_game(kBoard), waiting_player(office), load_player("random", 8, {}), options, kNeverStop);
  ASSERT_EQ(office.clocks.size(), 6u);
  EXPECT_TRUE(office.clocks.front().empty());
}

}  // namespace
}  // namespace koridor
