#include "selfplay/shards/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/game_end.h"
#include "tests/error_of.h"
#include "tests/selfplay/selfplay_tools.h"

namespace koridor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ShardData& good() {
  static const ShardData data = [] {
    GeneratorOptions options = small_options();
    options.selfplay.opening_plies = 0.1;
    return generate("quoridor:5x5,walls=3", options, uniform_factory(), 12).sink.in_order();
  }();
  return data;
}

std::size_t row_of(const ShardData& data, PlyKind kind) {
  const auto found = std::ranges::find(data.ply_kind, static_cast<std::uint8_t>(kind));
  return static_cast<std::size_t>(found - data.ply_kind.begin());
}

TEST(Verify, FindsNothingWrongWithGoodGames) {
  EXPECT_THAT(verify_shard(good()), IsEmpty());
}

TEST(Verify, NamesWhatIsWrong) {
  const std::vector<std::pair<const char*, std::function<void(ShardData&)>>> faults{
      {"game 7: .*another game has this number", [](ShardData& d) { d.game_number[2] = 7; }},
      {"is not legal", [](ShardData& d) { d.ply_action[5] = 75; }},
      {"is not legal", [](ShardData& d) { d.ply_action[5] = 60000; }},
      {"not the one the actions lead to", [](ShardData& d) { d.ply_state[3] ^= 1; }},
      {"is not to move", [](ShardData& d) { d.ply_player[4] ^= 1; }},
      {"an opening ply after",
       [](ShardData& d) {
         const auto cheap = static_cast<std::uint8_t>(PlyKind::cheap);
         const auto two = std::search_n(d.ply_kind.begin(), d.ply_kind.end(), 2, cheap);  // neither has a policy
         const auto row = static_cast<std::size_t>(two - d.ply_kind.begin()) + 1;
         ASSERT_LT(row, d.game_first_ply[1]);
         d.ply_kind[row] = 0;
         d.ply_value[2 * row] = d.ply_value[2 * row + 1] = 0;
       }},
      {"policy of a ply without a search", [](ShardData& d) { d.ply_kind[row_of(d, PlyKind::full)] = 0; }},
      {"policy of a ply without a search",
       [](ShardData& d) { d.ply_kind[row_of(d, PlyKind::full)] = static_cast<std::uint8_t>(PlyKind::opponent); }},
      {"values sum to 1",
       [](ShardData& d) { d.ply_kind[row_of(d, PlyKind::cheap)] = static_cast<std::uint8_t>(PlyKind::opponent); }},
      {"is the network and an opponent",
       [](ShardData& d) {
         const std::size_t row = row_of(d, PlyKind::cheap);
         d.ply_kind[row] = static_cast<std::uint8_t>(PlyKind::opponent);
         d.ply_value[2 * row] = d.ply_value[2 * row + 1] = 0;
       }},
      {"full search without a policy", [](ShardData& d) { d.ply_kind[row_of(d, PlyKind::cheap)] = 2; }},
      {"the policy sums to", [](ShardData& d) { d.policy_probability[0] ^= 0x4000; }},
      {"the policy names the action .*, not legal", [](ShardData& d) { d.policy_action[0] = 75; }},
      {"the values sum to", [](ShardData& d) { d.ply_value[2 * row_of(d, PlyKind::full)] = 0.9991f; }},
      {"player . got", [](ShardData& d) { std::swap(d.game_outcome[0], d.game_outcome[1]); }},
      {"auxiliary value is", [](ShardData& d) { d.game_auxiliary[5] = 0.987f; }},
      {"did not end by 3", [](ShardData& d) { d.game_end[3] = 3; }},
      {"the rule parameters are not", [](ShardData& d) { d.info.rules["walls"] = "4"; }},
      {"bytes a position", [](ShardData& d) { d.info.game = "quoridor:9x9,walls=3"; }},
      {"quorridor", [](ShardData& d) { d.info.game = "quorridor"; }},
      {"another order", [](ShardData& d) { d.info.action_order = "?"; }},
      {"rows: ", [](ShardData& d) { d.game_plies[0] += 1; }},
  };
  for (const auto& [expected, spoil] : faults) {
    ShardData data = good();
    spoil(data);
    const auto lines = verify_shard(data);
    ASSERT_FALSE(lines.empty()) << expected;
    bool named = false;
    for (const std::string& line : lines) named = named || ::testing::Matches(::testing::ContainsRegex(expected))(line);
    EXPECT_TRUE(named) << expected << " is not said by: " << ::testing::PrintToString(lines);
  }
}

// Only in files of version 1 `goal` may stand for every win.
TEST(Verify, AGameOfGoThatSomebodyWonReachedNoGoal) {
  ShardData data = generate("go:3x3", small_options(), uniform_factory(), 4).sink.in_order();
  EXPECT_THAT(verify_shard(data), IsEmpty());
  ASSERT_EQ(std::ranges::max(data.game_outcome[0], data.game_outcome[1]), 1.0f) << "komi leaves no draw";
  data.game_end[0] = static_cast<std::uint8_t>(GameEnd::goal);
  EXPECT_THAT(verify_shard(data), ElementsAre(HasSubstr("did not end by 0")));
  data.ply_depth.clear();
  data.ply_largest_depth.clear();
  data.ply_surprise.clear();
  EXPECT_THAT(verify_shard(data), IsEmpty());
}

TEST(Verify, AGameMustBeOverAtItsEndAndNotBefore) {
  ShardData shorter = good();  // the last game loses its last ply
  shorter.game_plies.back() -= 1;
  for (int i = 0; i < shorter.info.state_bytes; ++i) shorter.ply_state.pop_back();
  shorter.policy_action.resize(shorter.policy_action.size() - shorter.policy_count.back());
  shorter.policy_probability.resize(shorter.policy_action.size());
  shorter.ply_action.pop_back();
  shorter.ply_player.pop_back();
  shorter.ply_kind.pop_back();
  shorter.ply_value.resize(shorter.ply_value.size() - 2);
  shorter.policy_first.pop_back();
  shorter.policy_count.pop_back();
  shorter.ply_depth.pop_back();
  shorter.ply_largest_depth.pop_back();
  shorter.ply_surprise.pop_back();
  EXPECT_THAT(verify_shard(shorter), ElementsAre(HasSubstr("not over")));

  ShardData joined = good();  // the first two games as one
  joined.game_plies[0] = static_cast<std::uint16_t>(joined.game_plies[0] + joined.game_plies[1]);
  joined.game_number.erase(joined.game_number.begin() + 1);
  joined.game_first_ply.erase(joined.game_first_ply.begin() + 1);
  joined.game_plies.erase(joined.game_plies.begin() + 1);
  joined.game_end.erase(joined.game_end.begin() + 1);
  joined.game_simulations.erase(joined.game_simulations.begin() + 1);
  joined.game_evaluations.erase(joined.game_evaluations.begin() + 1);
  joined.game_model.erase(joined.game_model.begin() + 1);
  joined.game_outcome.erase(joined.game_outcome.begin(), joined.game_outcome.begin() + 2);
  joined.game_auxiliary.erase(joined.game_auxiliary.begin(), joined.game_auxiliary.begin() + 2);
  EXPECT_THAT(verify_shard(joined), ElementsAre(HasSubstr("over before")));
}

// Who looks at what games teach plays them again, and names the one that cannot be played.
TEST(RequireLegalPlies, NamesAPlyThatIsNotLegal) {
  EXPECT_EQ(error_of([] { require_legal_plies(good(), "a.h5"); }), "no error");
  ShardData illegal = good();
  const std::size_t last = illegal.game_plies[1];
  illegal.ply_action[illegal.game_first_ply[1] + last - 1] = 60000;
  EXPECT_EQ(error_of([&] { require_legal_plies(illegal, "a.h5"); }),
            fmt::format("a.h5: ply {} of game {} is not legal; see --verify", last, illegal.game_number[1]));
  ShardData longer = good();  // its first game goes on after its end
  ++longer.game_plies[0];
  EXPECT_EQ(
      error_of([&] { require_legal_plies(longer, "a.h5"); }),
      fmt::format("a.h5: ply {} of game {} is not legal; see --verify", longer.game_plies[0], longer.game_number[0]));
}

}  // namespace
}  // namespace koridor
