// The hot loop of self-play allocates nothing once it is warm. Every operator new of this program is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "models/network/evaluation_batch.h"
#include "selfplay/generator/game_slot.h"
#include "selfplay/matches/players.h"
#include "tests/selfplay/selfplay_tools.h"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace koridor {
namespace {

using wall::WallGame;

// Plays the games 0 .. games - 1 in some slots; allocations made on the way.
long play_games(const WallGame& game, std::vector<GameSlot<WallGame>>& slots, EvaluationBatch<WallGame>& batch,
                std::uint32_t games) {
  const long before = allocations;
  std::vector<GameSlot<WallGame>*> waiting;
  waiting.reserve(slots.size());
  std::uint32_t next = 0;
  do {
    batch.clear();
    waiting.clear();
    for (GameSlot<WallGame>& slot : slots) {
      bool waits = slot.advance();
      for (; !waits && next < games; ++next) {
        slot.start(game, {.number = next}, Random::for_game(3, 0, next));
        waits = slot.advance();
      }
      if (!waits) continue;
      batch.add(slot.leaf(), slot.variant());
      waiting.push_back(&slot);
    }
    if (!waiting.empty()) batch.evaluate();
    for (int row = 0; row < batch.size(); ++row) {
      waiting[static_cast<std::size_t>(row)]->supply(batch.prediction(row));
    }
  } while (!waiting.empty());
  return allocations - before - 1;  // but for `waiting` itself
}

TEST(Allocation, WarmSelfplayAllocatesNothing) {
  for (const char* name : {"quoridor:5x5,walls=3", "quoridor:7x7,walls=4,repetition=3"}) {
    for (const std::string& algorithm : SearchRules::names()) {
      for (const EvaluatorFactory& factory : {uniform_factory(), network_factory("eigen")}) {
        const auto game = std::get<WallGame>(parse_game(name));
        SelfplayConfig config = small_options().selfplay;
        config.visits = 30;
        config.opening_plies = 0.1;
        SearchConfig search;
        search.algorithm = algorithm;
        config.opponents = {"random", "alphabeta:2"};
        PlyCounts counts;
        const std::vector<WallGame> variants{game};
        Opponents<WallGame> opponents(variants, config);
        std::vector<GameSlot<WallGame>> slots;
        slots.reserve(4);
        for (int i = 0; i < 4; ++i) slots.emplace_back(game, config, search, opponents, counts);
        EvaluationBatch<WallGame> batch(std::span(&game, 1), {}, factory(game.encoding({}), 4),
                                        {.rows = 4, .cache = make_cache(game.encoding({}), 1)});
        EXPECT_GT(play_games(game, slots, batch, 8), 0) << "the counter does not count";
        EXPECT_EQ(play_games(game, slots, batch, 8), 0) << name << " with " << batch.evaluator().describe();
      }
    }
  }
}

TEST(Allocation, WarmPlayersAllocateNothing) {
  const AnyGame any = parse_game("quoridor:5x5,walls=3");
  const auto& game = std::get<WallGame>(any);
  for (const char* name : {"random", "greedy", "alphabeta:3", "mcts:30"}) {
    const auto player =
        std::get<std::unique_ptr<Player<WallGame>>>(load_player(name, 16, {}).prepare(any, kNeverStop)());
    Position position(game);
    const auto play = [&] {
      Random random(5);
      position.state = game.initial_state();
      position.history.clear();
      player->new_game(position, {});
      while (!game.outcome(position.state, position.history).over()) {
        player->begin(random);
        ASSERT_EQ(player->step(), PlayerStep::done);
        const Action action = player->action(0);
        player->play(action);
        position.apply(game, action);
      }
    };
    play();
    const long before = allocations;
    play();
    EXPECT_EQ(allocations - before, 0) << name;
  }
}

}  // namespace
}  // namespace koridor
