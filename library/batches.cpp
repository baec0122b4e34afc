// Many states at once: koridor_states_*.
#include <fmt/format.h>

#include "core/base/random.h"
#include "core/reading.h"
#include "library/objects.h"
#include "library/shown_features.h"
#include "library/structs.h"

namespace koridor::library {
namespace {

// Calls body(game, position, i) for each state, which are all of the first one's game. Throws Failure with the number
// of the state at fault.
template <class Body>
void for_each_state(koridor_state* const* states, std::size_t count, const Body& body) {
  if (count == 0) return;
  require(states, "states");
  const auto failed = [count](std::size_t i, const Failure& failure) {
    return Failure(failure.status(), fmt::format("state {} of {}: {}", i, count, failure.what()));
  };
  std::shared_ptr<const Rules> rules;
  try {
    rules = live(states[0]).rules;
  } catch (const Failure& failure) {
    throw failed(0, failure);
  }
  std::visit(
      [&]<Game G>(const G& game) {
        for (std::size_t i = 0; i < count; ++i) {
          try {
            koridor_state& state = live(states[i]);
            require_same_game(*rules, *state.rules, "it");
            body(game, std::get<Position<G>>(state.position), i);
          } catch (const Failure& failure) {
            throw failed(i, failure);
          }
        }
      },
      rules->game);
}

template <Game G>
void require_symmetry(const G& game, int symmetry) {
  if (symmetry >= 0 && symmetry < game.num_symmetries()) return;
  throw Failure(KORIDOR_INVALID_ARGUMENT,
                fmt::format("the symmetry is {}; {} has 0 to {}", symmetry, game.name(), game.num_symmetries() - 1));
}

template <Game G>
bool is_over(const G& game, const Position<G>& position) {
  return game.outcome(position.state, position.history).over();
}

}  // namespace
}  // namespace koridor::library

using namespace koridor::library;
using koridor::Action;
using koridor::ActionMask;

koridor_status koridor_states_players(koridor_state* const* states, size_t count, int32_t* players) {
  return guarded([&] {
    if (count > 0) require(players, "players");
    for_each_state(states, count, [&](const auto& game, const auto& position, std::size_t i) {
      players[i] = is_over(game, position) ? -1 : game.player_to_move(position.state);
    });
  });
}

koridor_status koridor_states_legal(koridor_state* const* states, size_t count, uint8_t* mask) {
  return guarded([&] {
    if (count > 0) require(mask, "mask");
    for_each_state(states, count, [&](const auto& game, const auto& position, std::size_t i) {
      const auto actions = static_cast<std::size_t>(game.num_actions());
      std::uint8_t* row = mask + i * actions;
      std::fill_n(row, actions, std::uint8_t{0});
      if (is_over(game, position)) return;
      ActionMask legal;
      game.legal_actions(position.state, position.history, legal);
      legal.for_each([&](Action action) { row[koridor::index(action)] = 1; });
    });
  });
}

koridor_status koridor_states_apply(koridor_state* const* states, size_t count, const int32_t* actions) {
  return guarded([&] {
    if (count > 0) require(actions, "actions");
    for_each_state(states, count, [&](const auto& game, auto& position, std::size_t i) {
      if (actions[i] == KORIDOR_NO_ACTION) return;
      const Action action = action_of(*states[i]->rules, actions[i]);
      if (const auto objection = objection_to(game, position.state, position.history, action)) {
        throw Failure(KORIDOR_ILLEGAL_ACTION, objection->message);
      }
      position.apply(game, action);
    });
  });
}

koridor_status koridor_states_outcomes(koridor_state* const* states, size_t count, uint8_t* over, float* values) {
  return guarded([&] {
    if (count > 0) require(over, "over");
    if (count > 0) require(values, "values");
    for_each_state(states, count, [&](const auto& game, const auto& position, std::size_t i) {
      const koridor_outcome outcome = outcome_of(game.outcome(position.state, position.history));
      over[i] = outcome.over != 0 ? 1 : 0;
      const auto players = static_cast<std::size_t>(game.players());
      std::copy_n(outcome.values, players, values + i * players);
    });
  });
}

koridor_status koridor_states_encode(koridor_state* const* states, size_t count, int32_t features, int32_t symmetry,
                                     float* planes, float* scalars) {
  return guarded([&] {
    if (count > 0) require(planes, "planes");
    if (count > 0) require(scalars, "scalars");
    const koridor::Features shown = features_of(features);
    for_each_state(states, count, [&](const auto& game, const auto& position, std::size_t i) {
      require_symmetry(game, symmetry);
      const koridor::EncodingShape shape = game.encoding(shown);
      game.encode(position.state, shown, symmetry, planes + i * static_cast<std::size_t>(shape.plane_floats()),
                  scalars + i * static_cast<std::size_t>(shape.scalars));
    });
  });
}

koridor_status koridor_states_policy_indices(koridor_state* const* states, size_t count, int32_t symmetry,
                                             int32_t* indices) {
  return guarded([&] {
    if (count > 0) require(indices, "indices");
    for_each_state(states, count, [&](const auto& game, const auto& position, std::size_t i) {
      require_symmetry(game, symmetry);
      const auto actions = static_cast<std::size_t>(game.num_actions());
      for (std::size_t action = 0; action < actions; ++action) {
        indices[i * actions + action] = game.policy_index(position.state, symmetry, static_cast<Action>(action));
      }
    });
  });
}

koridor_status koridor_states_play_randomly(koridor_state* const* states, size_t count, int32_t plies, uint64_t seed) {
  return guarded([&] {
    if (plies < 0) throw Failure(KORIDOR_INVALID_ARGUMENT, fmt::format("plies is {}, expected 0 or more", plies));
    for_each_state(states, count, [&](const auto& game, auto& position, std::size_t i) {
      koridor::Random random = koridor::Random::for_game(seed, 0, i);
      for (int ply = 0; ply < plies && !is_over(game, position); ++ply) {
        position.apply(game, random_action(game, position.state, position.history, random));
      }
    });
  });
}
