// States, one at a time and many at once, against the games themselves.
#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "tests/library/library_support.h"

namespace koridor::test {
namespace {

const std::vector<std::string> kGames = {"quoridor:5x5,walls=3", "quoridor4:5x5,walls=2", "blockade:6x7,walls=3",
                                         "go:5x5,japanese", "pinko-pallino:5x5,walls=2"};

std::vector<koridor_state*> handles_of(const std::vector<OwnedState>& states) {
  std::vector<koridor_state*> handles;
  for (const OwnedState& state : states) handles.push_back(state.get());
  return handles;
}

template <Game G>
std::vector<std::int32_t> legal_by(const G& game, const Position<G>& position) {
  std::vector<std::int32_t> actions;
  if (game.outcome(position.state, position.history).over()) return actions;
  ActionMask legal;
  game.legal_actions(position.state, position.history, legal);
  legal.for_each([&](Action action) { actions.push_back(index(action)); });
  return actions;
}

// Plays a random game by both, and compares all that a state says.
template <Game G>
void compare(const G& game, const OwnedGame& rules, std::uint64_t seed) {
  const OwnedState state = state_of(rules);
  Position<G> position(game);
  Random random(seed);
  for (;;) {
    const Outcome expected = game.outcome(position.state, position.history);
    koridor_outcome outcome = {.struct_size = sizeof outcome};
    EXPECT_TRUE(done(koridor_state_outcome(state.get(), &outcome)));
    EXPECT_EQ(outcome.over != 0, expected.over());
    std::int32_t number = -2;
    EXPECT_TRUE(done(koridor_state_ply(state.get(), &number)));
    EXPECT_EQ(number, game.ply(position.state));
    std::uint64_t key = 0;
    EXPECT_TRUE(done(koridor_state_key(state.get(), &key)));
    EXPECT_EQ(key, game.key(position.state));
    const std::vector<std::int32_t> legal = legal_of(state.get());
    EXPECT_EQ(legal, legal_by(game, position));
    for (const Notation notation : {Notation::standard, Notation::modern}) {
      const auto written = static_cast<koridor_notation>(notation);
      EXPECT_EQ(text_of([&](auto... buffer) { return koridor_state_board(state.get(), written, buffer...); }),
                game.print_board(position.state, notation, false));
    }
    if (expected.over()) {
      EXPECT_EQ(outcome.winner, expected.winner);
      for (std::size_t seat = 0; seat < kMaxPlayers; ++seat) EXPECT_EQ(outcome.values[seat], expected.values[seat]);
      expect_failure(koridor_state_player(state.get(), &number), KORIDOR_GAME_OVER, "over");
      expect_failure(koridor_state_apply(state.get(), 0), KORIDOR_ILLEGAL_ACTION, "over");
      return;
    }
    EXPECT_TRUE(done(koridor_state_player(state.get(), &number)));
    EXPECT_EQ(number, game.player_to_move(position.state));
    const std::int32_t action = legal[static_cast<std::size_t>(random.below(static_cast<int>(legal.size())))];
    const std::string text = text_of(
        [&](auto... buffer) { return koridor_state_action_text(state.get(), action, KORIDOR_STANDARD, buffer...); });
    EXPECT_EQ(text, game.print_action(position.state, static_cast<Action>(action), Notation::standard));
    EXPECT_TRUE(done(koridor_state_read_action(state.get(), text.c_str(), KORIDOR_STANDARD, &number)));
    EXPECT_EQ(number, action);
    EXPECT_TRUE(done(koridor_state_apply(state.get(), action)));
    position.apply(game, static_cast<Action>(action));
  }
}

TEST(LibraryStates, PlayAsTheGamesDo) {
  for (const std::string& name : kGames) {
    const OwnedGame rules = game_of(name);
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      std::visit([&](const auto& game) { compare(game, rules, seed); }, parse_game(name));
    }
  }
}

TEST(LibraryStates, AreCopiedAndPacked) {
  for (const std::string& name : kGames) {
    const OwnedGame game = game_of(name);
    const OwnedState state = state_of(game);
    koridor_state* const one[] = {state.get()};
    EXPECT_TRUE(done(koridor_states_play_randomly(one, 1, 6, 1)));
    const auto key_of = [](const koridor_state* of) {
      std::uint64_t key = 0;
      EXPECT_TRUE(done(koridor_state_key(of, &key)));
      return key;
    };
    koridor_state* made = nullptr;
    EXPECT_TRUE(done(koridor_state_copy(state.get(), &made)));
    const OwnedState copy(made);
    EXPECT_EQ(key_of(copy.get()), key_of(state.get()));
    EXPECT_TRUE(done(koridor_state_reset(copy.get())));
    EXPECT_EQ(key_of(copy.get()), key_of(state_of(game).get()));
    EXPECT_NE(key_of(copy.get()), key_of(state.get()));
    EXPECT_TRUE(done(koridor_state_assign(copy.get(), state.get())));
    EXPECT_EQ(key_of(copy.get()), key_of(state.get()));

    koridor_game_info info = {.struct_size = sizeof info};
    EXPECT_TRUE(done(koridor_game_describe(game.get(), &info)));
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(info.packed_size));
    EXPECT_TRUE(done(koridor_state_pack(state.get(), bytes.data(), bytes.size())));
    EXPECT_TRUE(done(koridor_state_unpack(game.get(), bytes.data(), bytes.size(), &made)));
    const OwnedState unpacked(made);
    EXPECT_EQ(key_of(unpacked.get()), key_of(state.get()));
    expect_failure(koridor_state_pack(state.get(), bytes.data(), bytes.size() - 1), KORIDOR_BUFFER_TOO_SMALL, "bytes");
    expect_failure(koridor_state_unpack(game.get(), bytes.data(), bytes.size() - 1, &made), KORIDOR_INVALID_ARGUMENT,
                   "bytes");
    std::ranges::fill(bytes, std::uint8_t{0xFF});
    expect_failure(koridor_state_unpack(game.get(), bytes.data(), bytes.size(), &made), KORIDOR_INVALID_ARGUMENT,
                   "no position");
  }
}

TEST(LibraryStates, SayWhatIsWrong) {
  const OwnedGame game = game_of("quoridor:5x5,walls=3");
  const OwnedState state = state_of(game);
  std::int32_t action = 5;
  expect_failure(koridor_state_read_action(state.get(), "c1", KORIDOR_STANDARD, &action), KORIDOR_ILLEGAL_ACTION, "c1");
  expect_failure(koridor_state_read_action(state.get(), "~", KORIDOR_STANDARD, &action), KORIDOR_ILLEGAL_ACTION,
                 "looks like");
  expect_failure(koridor_state_read_action(state.get(), nullptr, KORIDOR_STANDARD, &action), KORIDOR_INVALID_ARGUMENT,
                 "text is NULL");
  expect_failure(koridor_state_read_action(state.get(), "c4", static_cast<koridor_notation>(2), &action),
                 KORIDOR_INVALID_ARGUMENT, "notation");
  EXPECT_EQ(action, 5);
  expect_failure(koridor_state_apply(state.get(), -1), KORIDOR_INVALID_ARGUMENT, "no action -1");
  expect_failure(koridor_state_apply(state.get(), 100000), KORIDOR_INVALID_ARGUMENT, "no action 100000");
  std::size_t count = 0;
  EXPECT_TRUE(done(koridor_state_legal(state.get(), nullptr, 0, &count)));
  std::vector<std::int32_t> few(count - 1, -7);
  std::size_t again = 0;
  expect_failure(koridor_state_legal(state.get(), few.data(), few.size(), &again), KORIDOR_BUFFER_TOO_SMALL, "entries");
  EXPECT_EQ(again, count);
  EXPECT_EQ(few[0], -7);
  char small[4] = "abc";
  expect_failure(koridor_state_board(state.get(), KORIDOR_STANDARD, small, sizeof small, &count),
                 KORIDOR_BUFFER_TOO_SMALL, "the buffer has 4");
  EXPECT_STREQ(small, "abc");
  EXPECT_GT(count, 100u);
  expect_failure(koridor_state_assign(state.get(), state_of(game_of("quoridor")).get()), KORIDOR_INVALID_ARGUMENT,
                 "expected quoridor:5x5,walls=3");
}

// The batch functions say for each state what the functions of one state say.
TEST(LibraryStates, AgreeInBatches) {
  for (const std::string& name : kGames) {
    const OwnedGame game = game_of(name);
    koridor_game_info info = {.struct_size = sizeof info};
    EXPECT_TRUE(done(koridor_game_describe(game.get(), &info)));
    const auto actions = static_cast<std::size_t>(info.num_actions);
    const auto players = static_cast<std::size_t>(info.players);
    std::vector<OwnedState> states;
    for (int i = 0; i < 8; ++i) states.push_back(state_of(game));
    const std::vector<koridor_state*> all = handles_of(states);
    EXPECT_TRUE(done(koridor_states_play_randomly(all.data(), 4, 3, 1)));
    EXPECT_TRUE(done(koridor_states_play_randomly(all.data() + 4, 4, 100000, 2)));
    std::vector<std::int32_t> movers(all.size());
    std::vector<std::uint8_t> mask(all.size() * actions, 9);
    std::vector<std::uint8_t> over(all.size(), 9);
    std::vector<float> values(all.size() * players, -1.0f);
    EXPECT_TRUE(done(koridor_states_players(all.data(), all.size(), movers.data())));
    EXPECT_TRUE(done(koridor_states_legal(all.data(), all.size(), mask.data())));
    EXPECT_TRUE(done(koridor_states_outcomes(all.data(), all.size(), over.data(), values.data())));
    std::vector<std::int32_t> chosen(all.size(), KORIDOR_NO_ACTION);
    for (std::size_t i = 0; i < all.size(); ++i) {
      koridor_outcome outcome = {.struct_size = sizeof outcome};
      EXPECT_TRUE(done(koridor_state_outcome(all[i], &outcome)));
      EXPECT_EQ(over[i], outcome.over);
      EXPECT_EQ(over[i], i < 4 ? 0 : 1);
      for (std::size_t seat = 0; seat < players; ++seat) EXPECT_EQ(values[i * players + seat], outcome.values[seat]);
      const std::vector<std::int32_t> legal = legal_of(all[i]);
      std::vector<std::int32_t> masked;
      for (std::size_t action = 0; action < actions; ++action) {
        if (mask[i * actions + action] == 1) masked.push_back(static_cast<std::int32_t>(action));
      }
      EXPECT_EQ(masked, legal);
      if (outcome.over != 0) {
        EXPECT_EQ(movers[i], -1);
      } else {
        chosen[i] = legal.back();
      }
    }
    EXPECT_TRUE(done(koridor_states_apply(all.data(), all.size(), chosen.data())));
    std::int32_t ply = 0;
    EXPECT_TRUE(done(koridor_state_ply(all[0], &ply)));
    EXPECT_EQ(ply, 4);
    chosen.assign(all.size(), KORIDOR_NO_ACTION);
    chosen[1] = info.num_actions;
    expect_failure(koridor_states_apply(all.data(), all.size(), chosen.data()), KORIDOR_INVALID_ARGUMENT,
                   "state 1 of 8");
  }
}

TEST(LibraryStates, EncodeAsTheGameDoes) {
  for (const std::string& name : kGames) {
    const OwnedGame owned = game_of(name);
    std::vector<OwnedState> states;
    for (int i = 0; i < 5; ++i) states.push_back(state_of(owned));
    const std::vector<koridor_state*> all = handles_of(states);
    EXPECT_TRUE(done(koridor_states_play_randomly(all.data(), all.size(), 5, 3)));
    std::visit(
        [&]<Game G>(const G& game) {
          const Features features{.distances = true, .wall_effects = true};
          const EncodingShape shape = game.encoding(features);
          const auto planes_each = static_cast<std::size_t>(shape.plane_floats());
          const auto scalars_each = static_cast<std::size_t>(shape.scalars);
          const auto actions = static_cast<std::size_t>(game.num_actions());
          const int symmetry = game.num_symmetries() - 1;
          std::vector<float> planes(all.size() * planes_each, -9.0f);
          std::vector<float> scalars(all.size() * scalars_each, -9.0f);
          std::vector<std::int32_t> indices(all.size() * actions, -1);
          EXPECT_TRUE(done(koridor_states_encode(all.data(), all.size(), KORIDOR_DISTANCES | KORIDOR_WALL_EFFECTS,
                                                 symmetry, planes.data(), scalars.data())));
          EXPECT_TRUE(done(koridor_states_policy_indices(all.data(), all.size(), symmetry, indices.data())));
          for (std::size_t i = 0; i < all.size(); ++i) {
            std::vector<std::uint8_t> bytes(static_cast<std::size_t>(game.packed_size()));
            EXPECT_TRUE(done(koridor_state_pack(all[i], bytes.data(), bytes.size())));
            const auto state = game.unpack(bytes);
            ASSERT_TRUE(state);
            std::vector<float> one_planes(planes_each);
            std::vector<float> one_scalars(scalars_each);
            game.encode(*state, features, symmetry, one_planes.data(), one_scalars.data());
            EXPECT_TRUE(std::equal(one_planes.begin(), one_planes.end(), planes.data() + i * planes_each)) << name;
            EXPECT_TRUE(std::equal(one_scalars.begin(), one_scalars.end(), scalars.data() + i * scalars_each)) << name;
            for (std::size_t action = 0; action < actions; ++action) {
              EXPECT_EQ(indices[i * actions + action],
                        game.policy_index(*state, symmetry, static_cast<Action>(action)));
            }
          }
          expect_failure(koridor_states_encode(all.data(), all.size(), 1, symmetry + 1, planes.data(), scalars.data()),
                         KORIDOR_INVALID_ARGUMENT, "symmetry");
        },
        parse_game(name));
  }
}

TEST(LibraryStates, RefuseBatchesOfTwoGames) {
  const OwnedState one = state_of(game_of("quoridor:5x5,walls=3"));
  const OwnedState same = state_of(game_of("quoridor:5x5,walls=3"));
  const OwnedState other = state_of(game_of("quoridor:5x5,walls=2"));
  std::int32_t players[2];
  koridor_state* const fit[] = {one.get(), same.get()};
  EXPECT_TRUE(done(koridor_states_players(fit, 2, players)));
  koridor_state* const misfit[] = {one.get(), other.get()};
  expect_failure(koridor_states_players(misfit, 2, players), KORIDOR_INVALID_ARGUMENT, "state 1 of 2");
  EXPECT_TRUE(done(koridor_states_players(nullptr, 0, nullptr)));
  expect_failure(koridor_states_players(nullptr, 2, players), KORIDOR_INVALID_ARGUMENT, "states is NULL");
  expect_failure(koridor_states_play_randomly(fit, 2, -1, 0), KORIDOR_INVALID_ARGUMENT, "plies");
}

}  // namespace
}  // namespace koridor::test
