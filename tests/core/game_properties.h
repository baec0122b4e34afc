// Properties that must hold for every game, checked by random play. A new game needs one line in property_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"
#include "core/perft.h"
#include "core/registry.h"

namespace koridor {

template <Game G>
class GameProperties {
 public:
  GameProperties(const G& game, std::uint64_t seed) : game_(game), random_(seed) {}

  // Plays random games to their end and checks every position on the way.
  void check(int games) {
    const AnyGame again = parse_game(game_.name());
    EXPECT_EQ(std::get<G>(again).name(), game_.name());
    EXPECT_EQ(rule_parameters(again), rule_parameters(AnyGame(game_)));
    for (int i = 0; i < games; ++i) play();
    for (int symmetry = 0; symmetry < game_.num_symmetries(); ++symmetry) play_beside(symmetry);
  }

 private:
  struct Encoded {
    std::vector<float> planes;
    std::vector<float> scalars;
    friend bool operator==(const Encoded&, const Encoded&) = default;
  };

  // Into memory full of `fill` before.
  Encoded encoded(const typename G::State& state, int symmetry, float fill) const {
    const EncodingShape shape = game_.encoding({});
    Encoded result{std::vector<float>(static_cast<std::size_t>(shape.plane_floats()), fill),
                   std::vector<float>(static_cast<std::size_t>(shape.scalars), fill)};
    game_.encode(state, {}, symmetry, result.planes.data(), result.scalars.data());
    return result;
  }

  // Legal actions by their place in the policy.
  std::map<int, Action> policy_places(const Position<G>& position, int symmetry) const {
    std::map<int, Action> places;
    if (game_.outcome(position.state, position.history).over()) return places;
    ActionMask legal;
    game_.legal_actions(position.state, position.history, legal);
    legal.for_each([&](Action action) { places[game_.policy_index(position.state, symmetry, action)] = action; });
    return places;
  }

  // Whether the first position is its own image under every symmetry: not with stones of a handicap, nor where an even
  // number of columns has no middle for one of an odd number of pawns.
  static bool starts_symmetrical(const go::GoGame& game) { return game.rules().handicap == 0; }
  static bool starts_symmetrical(const wall::WallGame& game) {
    return game.rules().columns % 2 == 1 || game.rules().pawns % 2 == 0;
  }
  template <Game Other>
  static bool starts_symmetrical(const Other&) {
    return true;
  }

  // Plays a game and beside it the same turned or mirrored, found by the policy alone: both must look alike all the
  // way, have the same actions and end alike.
  void play_beside(int symmetry) {
    if (!starts_symmetrical(game_)) return;
    Position<G> position(game_);
    Position<G> image(game_);
    for (;;) {
      ASSERT_EQ(encoded(position.state, symmetry, 1), encoded(image.state, 0, 2)) << game_.name() << " " << symmetry;
      const Outcome outcome = game_.outcome(position.state, position.history);
      ASSERT_EQ(outcome.values, game_.outcome(image.state, image.history).values);
      const std::map<int, Action> actions = policy_places(position, symmetry);
      const std::map<int, Action> images = policy_places(image, 0);
      ASSERT_TRUE(std::ranges::equal(actions, images, {}, &std::pair<const int, Action>::first,
                                     &std::pair<const int, Action>::first))
          << game_.name() << " " << symmetry;
      if (outcome.over()) return;
      const auto drawn = std::next(actions.begin(), random_.below(static_cast<int>(actions.size())));
      position.apply(game_, drawn->second);
      image.apply(game_, images.at(drawn->first));
    }
  }

  void play() {
    Position<G> position(game_);
    while (!check_outcome(position).over()) {
      ASSERT_LT(game_.ply(position.state), game_.max_plies());
      ActionMask legal;
      legal.set(Action{0});  // legal_actions must overwrite what was there
      legal.set(Action{static_cast<std::uint16_t>(ActionMask::kCapacity - 1)});
      game_.legal_actions(position.state, position.history, legal);
      ASSERT_FALSE(legal.empty());
      if constexpr (CountsActions<G>) {
        ASSERT_EQ(game_.count_legal_actions(position.state), legal.count());
      }
      check_text(position, legal);
      check_policy(position.state, legal);
      check_encoding(position.state);
      check_storage(position.state);
      check_keys(position.state);
      ASSERT_FALSE(testing::Test::HasFailure()) << game_.name() << "\n"
                                                << game_.print_board(position.state, Notation::standard, false);
      position.apply(game_, legal.nth(random_.below(legal.count())));
    }
    check_encoding(position.state);  // the end of a game has encodings and bytes too
    check_storage(position.state);
    check_keys(position.state);
  }

  Outcome check_outcome(const Position<G>& position) {
    const Outcome outcome = game_.outcome(position.state, position.history);
    float total = 0.0f;
    for (int player = 0; player < kMaxPlayers; ++player) {
      total += outcome.values[player];
      if (player >= game_.players()) {
        EXPECT_EQ(outcome.values[player], 0.0f);
      }
    }
    EXPECT_NEAR(total, outcome.over() ? 1.0f : 0.0f, 1e-6f);
    EXPECT_EQ(outcome.winner >= 0, outcome.kind == Outcome::Kind::win);
    return outcome;
  }

  void check_text(const Position<G>& position, const ActionMask& legal) {
    for (const Notation notation : {Notation::standard, Notation::modern}) {
      std::set<std::string> names;
      legal.for_each([&](Action action) { names.insert(game_.print_action(position.state, action, notation)); });
      ASSERT_EQ(static_cast<int>(names.size()), legal.count());
      const Action action = legal.nth(random_.below(legal.count()));
      const std::string name = game_.print_action(position.state, action, notation);
      ASSERT_EQ(game_.parse_action(position.state, position.history, name, notation), action) << name;
      ASSERT_EQ(game_.parse_action(position.state, position.history, name + "x", notation), std::nullopt);
    }
    ASSERT_NE(game_.print_board(position.state, Notation::standard, false), "");
  }

  void check_policy(const typename G::State& state, const ActionMask& legal) {
    const int size = game_.encoding({}).policy_size();
    for (int symmetry = 0; symmetry < game_.num_symmetries(); ++symmetry) {
      std::set<int> seen;
      legal.for_each([&](Action action) {
        ASSERT_LT(index(action), game_.num_actions());
        const int place = game_.policy_index(state, symmetry, action);
        ASSERT_GE(place, 0);
        ASSERT_LT(place, size);
        seen.insert(place);
      });
      ASSERT_EQ(static_cast<int>(seen.size()), legal.count());
    }
  }

  void check_encoding(const typename G::State& state) {
    for (const bool distances : {false, true}) {
      const Features features{.distances = distances, .ways = !distances, .wall_effects = distances};
      const EncodingShape shape = game_.encoding(features);
      for (int symmetry = 0; symmetry < game_.num_symmetries(); ++symmetry) {
        constexpr float kUnwritten = std::numeric_limits<float>::quiet_NaN();
        constexpr float kGuard = -7.0f;  // behind the end: must stay as it is
        std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()), kUnwritten);
        std::vector<float> scalars(static_cast<std::size_t>(shape.scalars), kUnwritten);
        planes.push_back(kGuard);
        scalars.push_back(kGuard);
        game_.encode(state, features, symmetry, planes.data(), scalars.data());
        ASSERT_EQ(planes.back(), kGuard);
        ASSERT_EQ(scalars.back(), kGuard);
        planes.pop_back();
        scalars.pop_back();
        for (const float value : planes) ASSERT_TRUE(value >= 0.0f && value <= 1.0f) << value;
        for (const float value : scalars) ASSERT_TRUE(value >= 0.0f && value <= 3.1f) << value;
      }
    }
    for (int player = 0; player < game_.players(); ++player) {
      const float target = game_.auxiliary(state, player);
      ASSERT_TRUE(target >= 0.0f && target <= 1.0f) << target;
    }
  }

  void check_storage(const typename G::State& state) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(game_.packed_size()), 0xAA);
    game_.pack(state, bytes);
    const auto unpacked = game_.unpack(bytes);
    ASSERT_TRUE(unpacked.has_value());
    ASSERT_EQ(*unpacked, state);
    ASSERT_EQ(game_.unpack(std::span(bytes).first(bytes.size() - 1)), std::nullopt);

    // One changed byte gives either nothing or another sound state, never a crash.
    bytes[static_cast<std::size_t>(random_.below(static_cast<int>(bytes.size())))] ^=
        static_cast<std::uint8_t>(1 + random_.below(255));
    if (const auto other = game_.unpack(bytes)) {
      std::vector<std::uint8_t> packed_again(bytes.size());
      game_.pack(*other, packed_again);
      ASSERT_EQ(packed_again, bytes);
      ASSERT_NE(*other, state);
    }
  }

  void check_keys(const typename G::State& state) {
    const auto [entry, is_new] = states_.emplace(game_.key(state), state);
    ASSERT_EQ(entry->second, state) << "two states with one key";
    if (is_new) {
      ASSERT_TRUE(packed_.insert(bytes_of(state)).second) << "one state with two keys";
    }
  }

  std::string bytes_of(const typename G::State& state) const {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(game_.packed_size()));
    game_.pack(state, bytes);
    return {bytes.begin(), bytes.end()};
  }

  const G& game_;
  Random random_;
  std::unordered_map<std::uint64_t, typename G::State> states_;
  std::set<std::string> packed_;
};

}  // namespace koridor
