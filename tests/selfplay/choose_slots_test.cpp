#include "selfplay/generator/choose_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/threads.h"
#include "models/network/uniform.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;

// By a machine that needs so many seconds for a call of the network, for each position, and for each pair of positions.
struct Machine {
  double call = 0;
  double position = 0;
  double pair = 0;
  double second_thread = 1;  // what each of two threads of a core does, of one that has it alone

  double rate(int threads, int slots) const {
    const double seconds = call + slots * position + slots * slots * pair;
    return threads * slots / seconds * (threads > thread_count(0) / 2 ? second_thread : 1.0);
  }
};

SlotChoice choose(const Machine& machine, const SlotQuestion& question) {
  return choose_slots_by(question, [&](int threads, int slots) { return machine.rate(threads, slots); });
}

TEST(ChooseSlots, TakesManyWhereCallsAreDear) {
  const SlotChoice choice = choose({.call = 0.02, .position = 1e-5}, {.threads = 1, .games = 100000});
  EXPECT_EQ(choice.slots, kMostSlots);
  EXPECT_THAT(choice.reason, HasSubstr("1 thread x 256 slots; evaluations/s tried: 1 x 32: "));
}

TEST(ChooseSlots, TakesFewWhereLargeBatchesAreDear) {
  EXPECT_EQ(choose({.position = 1e-5, .pair = 1e-4}, {.threads = 1, .games = 100000}).slots, 8);
  EXPECT_EQ(choose({.call = 1e-2, .pair = 1e-4}, {.threads = 1, .games = 100000}).slots, 8);
}

TEST(ChooseSlots, AGainBelowNoiseIsNone) {
  // Twice the slots gain 1%, half of them lose 2%, and a quarter 6%.
  EXPECT_EQ(choose({.call = 1e-5, .position = 1.5e-5}, {.threads = 1, .games = 100000}).slots, 16);
}

TEST(ChooseSlots, TheFasterOfTwoMeasurementsCounts) {
  int calls = 0;
  const auto rate = [&](int, int slots) { return ++calls % 2 == 1 ? 1.0 : 1000.0 * slots; };
  EXPECT_EQ(choose_slots_by({.threads = 1, .games = 100000}, rate).slots, kMostSlots);
}

TEST(ChooseSlots, TakesOneThreadPerCoreWhereTwoHinderEachOther) {
  if (thread_count(0) < 2) GTEST_SKIP() << "one core";
  const SlotQuestion question{.slots = 7, .shared_cores = true};
  EXPECT_EQ(choose({.position = 1e-5, .second_thread = 0.3}, question).threads, thread_count(0) / 2);
  EXPECT_EQ(choose({.position = 1e-5, .second_thread = 0.9}, question).threads, thread_count(0));
}

TEST(ChooseSlots, LeavesEachThreadGamesEnoughAndDoesNotMeasureForFew) {
  const Machine dear{.call = 0.02};
  EXPECT_EQ(choose(dear, {.threads = 1, .games = 20}).slots, 5);
  EXPECT_EQ(choose(dear, {.threads = 1, .games = 1}).slots, 1);
  EXPECT_EQ(choose(dear, {.threads = 1, .games = 20}).reason, "1 thread x 5 slots");
  EXPECT_LE(choose(dear, {.threads = 1, .games = 200}).slots, 50);
}

TEST(ChooseSlots, LeavesAPinnedNumberAlone) {
  EXPECT_EQ(choose({.call = 0.02}, {.threads = 1, .slots = 7, .games = 100000}).reason, "1 thread x 7 slots");
}

TEST(ChooseSlots, MeasuresByPlaying) {
  GeneratorOptions options = small_options();
  options.selfplay.slots = 0;
  const EvaluatorFactory factory = [](const EncodingShape& shape, int most) { return make_uniform(shape, most); };
  const SlotChoice choice = choose_slots(parse_game("quoridor:5x5,walls=3"), options, factory, 64, kNeverStop);
  EXPECT_GE(choice.slots, 8);
  EXPECT_LE(choice.slots, 16) << "four games per slot";
  EXPECT_THAT(choice.reason, HasSubstr("evaluations/s tried: 1 x 16: "));
}

}  // namespace
}  // namespace koridor
