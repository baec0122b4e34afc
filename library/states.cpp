// One state: koridor_state_*.
#include <fmt/format.h>

#include "core/reading.h"
#include "library/objects.h"
#include "library/structs.h"

using namespace koridor::library;
using koridor::Action;
using koridor::ActionMask;
using koridor::index;
using koridor::Position;

koridor_status koridor_state_new(const koridor_game* game, koridor_state** state) {
  return guarded([&] {
    require(state, "state");
    const koridor_game& rules = live(game);
    *state = make<koridor_state>(rules.rules, start_of(rules.rules->game));
  });
}
koridor_status koridor_state_copy(const koridor_state* state, koridor_state** copy) {
  return guarded([&] {
    require(copy, "copy");
    const koridor_state& from = live(state);
    *copy = make<koridor_state>(from.rules, from.position);
  });
}
koridor_status koridor_state_assign(koridor_state* state, const koridor_state* from) {
  return guarded([&] {
    koridor_state& to = live(state);
    require_same_game(*to.rules, *live(from).rules, "the state to copy");
    to.position = from->position;
  });
}
koridor_status koridor_state_reset(koridor_state* state) {
  return guarded([&] {
    with_state(live(state), []<koridor::Game G>(const G& game, Position<G>& position) {
      position.state = game.initial_state();
      position.history.clear();
    });
  });
}
koridor_status koridor_state_free(koridor_state* state) {
  return release(state);
}

koridor_status koridor_state_player(const koridor_state* state, int32_t* player) {
  return guarded([&] {
    require(player, "player");
    with_state(live(state), [&](const auto& game, const auto& position) {
      if (game.outcome(position.state, position.history).over()) {
        throw Failure(KORIDOR_GAME_OVER, "the game is over: nobody is to move");
      }
      *player = game.player_to_move(position.state);
    });
  });
}
koridor_status koridor_state_ply(const koridor_state* state, int32_t* ply) {
  return guarded([&] {
    require(ply, "ply");
    *ply = with_state(live(state), [](const auto& game, const auto& position) { return game.ply(position.state); });
  });
}
koridor_status koridor_state_key(const koridor_state* state, uint64_t* key) {
  return guarded([&] {
    require(key, "key");
    *key = with_state(live(state), [](const auto& game, const auto& position) { return game.key(position.state); });
  });
}
koridor_status koridor_state_outcome(const koridor_state* state, koridor_outcome* outcome) {
  return guarded([&] {
    require_struct(outcome, "koridor_outcome");
    write_struct(outcome, outcome_of(with_state(live(state), [](const auto& game, const auto& position) {
                   return game.outcome(position.state, position.history);
                 })));
  });
}

koridor_status koridor_state_legal(const koridor_state* state, int32_t* actions, size_t capacity, size_t* count) {
  return guarded([&] {
    ActionMask legal;
    with_state(live(state), [&](const auto& game, const auto& position) { legal = legal_actions_of(game, position); });
    if (!writes_list(static_cast<std::size_t>(legal.count()), actions, capacity, count)) return;
    legal.for_each([&](Action action) { *actions++ = index(action); });
  });
}

koridor_status koridor_state_apply(koridor_state* state, int32_t action) {
  return guarded([&] {
    const Action played = action_of(*live(state).rules, action);
    with_state(*state, [&](const auto& game, auto& position) {
      if (const auto objection = objection_to(game, position.state, position.history, played)) {
        throw Failure(KORIDOR_ILLEGAL_ACTION, objection->message);
      }
      position.apply(game, played);
    });
  });
}

koridor_status koridor_state_action_text(const koridor_state* state, int32_t action, koridor_notation notation,
                                         char* buffer, size_t size, size_t* length) {
  return guarded([&] {
    const Action named = action_of(*live(state).rules, action);
    const koridor::Notation written = notation_of(notation);
    const std::string text = with_state(*state, [&](const auto& game, const auto& position) -> std::string {
      return game.print_action(position.state, named, written);
    });
    write_text(text, buffer, size, length);
  });
}

koridor_status koridor_state_read_action(const koridor_state* state, const char* text, koridor_notation notation,
                                         int32_t* action) {
  return guarded([&] {
    require(text, "text");
    require(action, "action");
    const koridor::Notation written = notation_of(notation);
    with_state(live(state), [&](const auto& game, const auto& position) {
      const koridor::Reading reading = read_action(game, position.state, position.history, text, written);
      if (reading.action) {
        *action = index(*reading.action);
        return;
      }
      throw Failure(KORIDOR_ILLEGAL_ACTION, koridor::refusal_text(game, position.state, reading, written));
    });
  });
}

koridor_status koridor_state_board(const koridor_state* state, koridor_notation notation, char* buffer, size_t size,
                                   size_t* length) {
  return guarded([&] {
    const koridor::Notation written = notation_of(notation);
    const std::string text = with_state(live(state), [&](const auto& game, const auto& position) -> std::string {
      return koridor::board_text(game, position, {.notation = written});
    });
    write_text(text, buffer, size, length);
  });
}

koridor_status koridor_state_pack(const koridor_state* state, uint8_t* bytes, size_t size) {
  return guarded([&] {
    require(bytes, "bytes");
    with_state(live(state), [&](const auto& game, const auto& position) {
      const auto needed = static_cast<std::size_t>(game.packed_size());
      if (size < needed) {
        throw Failure(KORIDOR_BUFFER_TOO_SMALL,
                      fmt::format("a position of {} has {} bytes, the buffer has {}", game.name(), needed, size));
      }
      game.pack(position.state, std::span(bytes, needed));
    });
  });
}

koridor_status koridor_state_unpack(const koridor_game* game, const uint8_t* bytes, size_t size,
                                    koridor_state** state) {
  return guarded([&] {
    require(bytes, "bytes");
    require(state, "state");
    const koridor_game& rules = live(game);
    std::visit(
        [&]<koridor::Game G>(const G& known) {
          const auto needed = static_cast<std::size_t>(known.packed_size());
          if (size != needed) {
            throw Failure(KORIDOR_INVALID_ARGUMENT,
                          fmt::format("a position of {} has {} bytes, these are {}", known.name(), needed, size));
          }
          const auto unpacked = known.unpack(std::span(bytes, size));
          if (!unpacked) {
            throw Failure(KORIDOR_INVALID_ARGUMENT, fmt::format("these bytes are no position of {}", known.name()));
          }
          Position<G> position(known);
          position.state = *unpacked;
          *state = make<koridor_state>(rules.rules, std::move(position));
        },
        rules.rules->game);
  });
}
