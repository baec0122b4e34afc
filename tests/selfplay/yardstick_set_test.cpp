// Sets of positions as files: what is written is read again, and what is damaged is refused in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/sealed_text.h"
#include "selfplay/matches/yardstick/draw.h"
#include "selfplay/matches/yardstick/set_file.h"
#include "tests/error_of.h"
#include "tests/temporary_folder.h"

namespace koridor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

YardstickSet proven_set() {
  const AnyGame game = parse_game("quoridor:3x3,walls=1");
  return draw_proven_set(game, solve_game(game, {}), 40);
}

// With a policy in 255ths, as files keep it.
YardstickSet referred_set() {
  YardstickSet set = draw_open_set(parse_game("quoridor:5x5,walls=2"), 20);
  set.reference = {"gen-0040.koridor", "0123456789abcdef", 3200};
  for (YardstickPosition& position : set.positions) {
    position.value = 0.25f;
    position.known.back().keeps = true;
    position.known.front().target = 55 / 255.0f;
    position.known.back().target = 200 / 255.0f;
  }
  return set;
}

// The line with which bytes are refused.
std::string refusal(const std::string& bytes) {
  return error_of([&] { parse_yardstick_set(bytes, "a.yardstick"); });
}

// The bytes with a checksum that is right.
std::string sealed(const std::string& rest) {
  return "koridor yardstick 1 checksum " + text_checksum(rest) + "\n" + rest;
}

// Positions of one game are alike.
TEST(OpenSet, IsOfManyGames) {
  const YardstickSet set = draw_open_set(parse_game("quoridor:7x7,walls=5"), 60);
  ASSERT_EQ(set.positions.size(), 60u);
  std::set<std::vector<Action>> openings;
  for (const YardstickPosition& position : set.positions) {
    openings.emplace(position.actions.begin(),
                     position.actions.begin() + std::min<std::ptrdiff_t>(6, std::ssize(position.actions)));
  }
  EXPECT_GT(openings.size(), 12u);
}

TEST(YardstickFile, IsReadAsItWasWritten) {
  for (const YardstickSet& set : {proven_set(), referred_set()}) {
    YardstickSet again = parse_yardstick_set(yardstick_bytes(set), "a.yardstick");
    EXPECT_EQ(yardstick_bytes(again), yardstick_bytes(set));
    for (YardstickPosition& position : again.positions) {
      if (!set.proven) position.value = 0.25f;  // in 65535ths
    }
    EXPECT_EQ(again, set);
  }
}

TEST(YardstickFile, RoundsAPolicySoThatItsSumIsKept) {
  YardstickSet set = referred_set();
  for (YardstickPosition& position : set.positions) {
    for (KnownAction& known : position.known) known.target = 1.0f / static_cast<float>(position.known.size());
  }
  const YardstickSet again = parse_yardstick_set(yardstick_bytes(set), "a.yardstick");  // which checks the sum
  EXPECT_EQ(yardstick_bytes(again), yardstick_bytes(set));
}

TEST(YardstickFile, DamageIsNamed) {
  const std::string bytes = yardstick_bytes(proven_set());
  const std::string head = bytes.substr(bytes.find('\n') + 1, bytes.find('\n', 50) - bytes.find('\n'));
  const std::string body = bytes.substr(bytes.find('\n', 50) + 1);
  EXPECT_THAT(refusal("something else"), HasSubstr("a.yardstick: no set of positions of format version 1"));
  EXPECT_THAT(refusal(bytes.substr(0, bytes.size() - 1)), HasSubstr("its checksum is wrong"));
  EXPECT_THAT(refusal(sealed(head + body.substr(0, body.size() - 1))), HasSubstr("ends in the middle"));
  EXPECT_THAT(refusal(sealed(head + body + body)), HasSubstr("more than 40 positions"));
  EXPECT_THAT(refusal(sealed("{}\n")), HasSubstr("neither \"proven\" nor \"reference\""));
  EXPECT_THAT(refusal(sealed(std::string(5000, '['))), HasSubstr("its head is no JSON object"));
  EXPECT_THAT(refusal(sealed(R"({"values":"proven","positions":1,"game":"chess"})"
                             "\n")),
              HasSubstr("chess"));
  EXPECT_THAT(refusal(sealed(R"({"values":"proven","positions":1,"game":"quoridor:3x3,walls=1"})"
                             "\n" +
                             std::string("\0\1\0", 3))),
              HasSubstr("action 0 is illegal as ply 1"));
  EXPECT_THAT(refusal(sealed(R"({"values":"proven","positions":1,"game":"quoridor:3x3,walls=1"})"
                             "\n" +
                             std::string(9, '\xFF'))),
              HasSubstr("a number is larger than"));
}

// Every change is either refused in one line that names the file, or leaves a set.
TEST(YardstickFile, NoChangeBreaksTheReader) {
  Random random(1);
  for (const YardstickSet& set : {proven_set(), referred_set()}) {
    const std::string bytes = yardstick_bytes(set);
    const std::string rest = bytes.substr(bytes.find('\n') + 1);
    for (int i = 0; i < 300; ++i) {
      std::string changed = rest;
      for (int change = 0; change < 3; ++change) {
        changed[static_cast<std::size_t>(random.below(static_cast<int>(changed.size())))] =
            static_cast<char>(random.below(256));
      }
      const std::string line = refusal(sealed(changed));
      if (line != "no error") {
        EXPECT_THAT(line, StartsWith("a.yardstick: "));
        EXPECT_THAT(line, Not(HasSubstr("\n")));
      }
    }
  }
}

// What could not be read again is refused before anybody searches.
TEST(YardstickFile, WhatDoesNotFitIsRefused) {
  const auto refused = [](const char* game, int positions, const std::string& player) {
    return error_of([&] { check_set_fits(parse_game(game), positions, player); });
  };
  EXPECT_EQ(refused("quoridor", 10000, "gen-0040.koridor"), "no error");
  EXPECT_EQ(refused("quoridor:5x5,walls=3", 100000, ""), "no error");
  EXPECT_THAT(refused("quoridor", 1000000, "gen-0040.koridor"), HasSubstr("may not fit into a file of 64 MiB"));
  EXPECT_THAT(refused("quoridor:5x5,walls=3", 1000000, ""), HasSubstr("or fewer"));
  EXPECT_EQ(refused("quoridor", 20, std::string(3000, 'x')), "no error");
  EXPECT_THAT(refused("quoridor", 20, std::string(4096, 'x')), HasSubstr("too long"));

  // The bounds hold: the longest text is read again, and no position takes more than is reckoned with.
  YardstickSet set = referred_set();
  while (refused("quoridor:5x5,walls=2", 20, set.reference.player + "\"") == "no error") set.reference.player += '"';
  EXPECT_EQ(parse_yardstick_set(yardstick_bytes(set), "a.yardstick").reference.player, set.reference.player);
}

TEST(YardstickFile, IsFoundByItsGame) {
  const TemporaryFolder folder;
  const YardstickSet proven = proven_set();
  YardstickSet other = referred_set();
  write_yardstick_set(folder.path() / "a.yardstick", other);
  write_yardstick_set(folder.path() / "b.yardstick", proven);
  write_file_atomically(folder.path() / "c.yardstick", "damaged");
  EXPECT_EQ(find_yardstick_set(folder.path(), proven.game), folder.path() / "b.yardstick");
  EXPECT_EQ(find_yardstick_set(folder.path(), other.game), folder.path() / "a.yardstick");
  EXPECT_TRUE(find_yardstick_set(folder.path(), "quoridor").empty());
  EXPECT_EQ(read_yardstick_set(folder.path() / "b.yardstick"), proven);
}

}  // namespace
}  // namespace koridor
