// Small games that satisfy the Game concept, for tests of what is written over it: tic-tac-toe; Subtraction, where a
// player makes two plies in a row; Race, for three players; Paths, a tree of a given shape that ends in draws.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/random.h"
#include "core/game.h"

namespace koridor::toy {

// Everything of a Game that the toys share. Rules has: State with `ply` and `player`; name, players, num_actions,
// max_plies; initial_state(), legal(state, action), apply(state, action), outcome(state).
template <class Rules>
class ToyGame {
 public:
  using State = typename Rules::State;

  explicit ToyGame(const Rules& rules = {}) : rules_(rules) {}

  std::string name() const { return rules_.name; }
  std::string_view family() const { return "toy"; }
  int players() const { return rules_.players; }
  int num_actions() const { return rules_.num_actions; }
  int max_plies() const { return rules_.max_plies; }

  State initial_state() const { return rules_.initial_state(); }
  int player_to_move(const State& state) const { return state.player; }
  int ply(const State& state) const { return state.ply; }
  void legal_actions(const State& state, const History&, ActionMask& mask) const {
    mask.clear();
    for (int i = 0; i < num_actions(); ++i) {
      if (rules_.legal(state, i)) mask.set(Action{static_cast<std::uint16_t>(i)});
    }
  }
  void apply(State& state, Action action) const {
    rules_.apply(state, index(action));
    ++state.ply;
  }
  Outcome outcome(const State& state, const History&) const {
    const Outcome outcome = rules_.outcome(state);
    return !outcome.over() && state.ply >= max_plies() ? Outcome::drawn(players()) : outcome;
  }
  std::uint64_t key(const State& state) const {
    std::array<std::uint8_t, sizeof(State)> bytes;
    std::memcpy(bytes.data(), &state, sizeof(State));
    std::uint64_t key = 0;
    for (std::uint8_t byte : bytes) key = mix64(key ^ byte);
    return key;
  }
  std::uint64_t repetition_key(const State& state) const { return key(state); }
  bool looks_back() const {
    if constexpr (requires { rules_.looks_back; }) return rules_.looks_back;
    return true;
  }

  int num_symmetries() const { return 1; }
  EncodingShape encoding(const Features&) const { return {1, 1, num_actions(), 0, 1, players()}; }
  void encode(const State&, const Features&, int, float* planes, float*) const {
    std::fill_n(planes, num_actions(), 0.0f);
  }
  int policy_index(const State&, int, Action action) const { return index(action); }
  float auxiliary(const State&, int) const { return 0.0f; }
  int heuristic(const State&, int) const { return 0; }

  std::string action_order() const { return "the action's number"; }
  std::string print_action(const State&, Action action, Notation = Notation::standard) const {
    return std::to_string(index(action));
  }
  std::optional<Action> parse_action(const State& state, const History& history, std::string_view text,
                                     Notation = Notation::standard) const {
    std::uint16_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return std::nullopt;
    ActionMask mask;
    legal_actions(state, history, mask);
    return mask.test(Action{number}) ? std::optional(Action{number}) : std::nullopt;
  }
  std::string print_board(const State&, Notation, bool) const { return "\n"; }

  int packed_size() const { return sizeof(State); }
  void pack(const State& state, std::span<std::uint8_t> bytes) const {
    std::memcpy(bytes.data(), &state, sizeof(State));
  }
  std::optional<State> unpack(std::span<const std::uint8_t> bytes) const {
    State state;
    std::memcpy(&state, bytes.data(), sizeof(State));
    return state;
  }

 private:
  Rules rules_;
};

// Tic-tac-toe on squares 0..8, row by row.
struct TicTacToeRules {
  std::string name = "tictactoe";
  int players = 2;
  int num_actions = 9;
  int max_plies = 9;

  struct State {
    std::array<std::uint16_t, 2> stones{};
    std::uint16_t ply = 0;
    std::uint16_t player = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  State initial_state() const { return {}; }
  bool legal(const State& state, int square) const { return ((state.stones[0] | state.stones[1]) >> square & 1) == 0; }
  void apply(State& state, int square) const {
    state.stones[state.player] = static_cast<std::uint16_t>(state.stones[state.player] | 1 << square);
    state.player ^= 1;
  }
  Outcome outcome(const State& state) const {
    for (int line : {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124}) {
      for (int player = 0; player < 2; ++player) {
        if ((state.stones[player] & line) == line) return Outcome::won_by(player);
      }
    }
    return {};
  }
};

// A heap of stones; a turn is two plies of the same player, each takes one to three stones (action + 1). Who takes the
// last stone wins.
struct SubtractionRules {
  std::string name = "subtraction";
  int players = 2;
  int num_actions = 3;
  int max_plies = 64;
  int stones = 12;

  struct State {
    std::int16_t stones = 0;
    std::uint16_t ply = 0;
    std::uint8_t player = 0;
    std::uint8_t second = 0;  // 1: the second ply of the turn
    std::int8_t winner = -1;
    std::uint8_t unused = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  State initial_state() const {
    State state;
    state.stones = static_cast<std::int16_t>(stones);
    return state;
  }
  bool legal(const State& state, int action) const { return action < state.stones; }
  void apply(State& state, int action) const {
    state.stones = static_cast<std::int16_t>(state.stones - action - 1);
    if (state.stones == 0) state.winner = static_cast<std::int8_t>(state.player);
    if (state.second != 0) state.player ^= 1;
    state.second ^= 1;
  }
  Outcome outcome(const State& state) const { return state.winner < 0 ? Outcome{} : Outcome::won_by(state.winner); }
};

// Three runners on a track; in turn each moves itself (0), the next (1) or the one after (2) one step on. The first on
// the last square wins, whoever moved it there: who cannot win often decides who does.
struct RaceRules {
  std::string name = "race";
  int players = 3;
  int num_actions = 3;
  int max_plies = 12;
  std::array<int, 3> start{};
  int goal = 3;

  struct State {
    std::array<std::int8_t, 3> place{};
    std::uint8_t player = 0;
    std::uint16_t ply = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  State initial_state() const {
    State state;
    for (int player = 0; player < 3; ++player) state.place[player] = static_cast<std::int8_t>(start[player]);
    return state;
  }
  bool legal(const State&, int) const { return true; }
  void apply(State& state, int action) const {
    ++state.place[(state.player + action) % 3];
    state.player = static_cast<std::uint8_t>((state.player + 1) % 3);
  }
  Outcome outcome(const State& state) const {
    for (int player = 0; player < 3; ++player) {
      if (state.place[player] >= goal) return Outcome::won_by(player);
    }
    return {};
  }
};

// Every position has `num_actions` actions, and after max_plies plies the game is a draw. A state is its path.
struct PathsRules {
  std::string name = "paths";
  int players = 2;
  int num_actions = 7;
  int max_plies = 40;
  bool looks_back = true;

  struct State {
    std::uint64_t path = 0;
    std::int32_t ply = 0;
    std::int32_t player = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  State initial_state() const { return {}; }
  bool legal(const State&, int) const { return true; }
  void apply(State& state, int action) const {
    state.path = mix64(state.path ^ static_cast<std::uint64_t>(action));
    // Players follow each other in no simple order.
    state.player = static_cast<std::int32_t>((state.path >> 40) % static_cast<std::uint64_t>(players));
  }
  Outcome outcome(const State&) const { return {}; }
};

using TicTacToe = ToyGame<TicTacToeRules>;
using Subtraction = ToyGame<SubtractionRules>;
using Race = ToyGame<RaceRules>;
using Paths = ToyGame<PathsRules>;
static_assert(Game<TicTacToe> && Game<Subtraction> && Game<Race> && Game<Paths>);

}  // namespace koridor::toy
