// The wall games (Quoridor for 2 to 4 players, Quoridor Kid, and every size) as one Game.
//
// Geometry: row 0 is the top as player one (south) sees it, column 0 the left, so player one starts on the middle of
// row rows-1 and goes for row 0. Actions are dense indices over planes of rows * columns squares,
//     action = plane * rows * columns + row * columns + column
//     plane 0            a pawn's destination square
//     plane 1, plane 2   a horizontal / vertical wall, named by the square north-west of its middle
//     last index         pass (num_actions() - 1); legal only where nothing else is
// which is also the order of the policy of the network for player one; other players see the board turned so that
// their goal is up, and `policy_index` turns actions likewise.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/game.h"
#include "core/wall/bitboard.h"
#include "core/wall/rules.h"

namespace koridor::wall {

inline constexpr int kMaxPawns = 2;

// A square of a 16x16 grid: row * 16 + column, whatever the board's size.
using Square = std::uint8_t;

// A position. 96 bytes, trivially copyable.
struct State {
  Bitboard horizontal;                                     // middles of horizontal walls
  Bitboard vertical;                                       // middles of vertical walls
  std::array<Square, kMaxPlayers * kMaxPawns> pawns{};     // [player * kMaxPawns + pawn]
  std::array<std::uint8_t, kMaxPlayers * 2> walls_left{};  // [player * 2 + kind]; one undivided stock: kind 0
  std::uint64_t walls_key = 0;                             // Zobrist key of the walls, kept up by apply
  std::uint16_t ply = 0;
  std::uint16_t reversible_plies = 0;  // plies since the last wall: how far back repetition looks
  std::uint8_t player = 0;
  std::uint8_t passes = 0;  // passes in a row
  std::int8_t winner = -1;
  std::uint8_t phase = 0;  // 0: any action; kept for games whose turn has two parts

  friend bool operator==(const State&, const State&) = default;
};
static_assert(sizeof(State) == 96);

class WallGame {
 public:
  using State = wall::State;

  // Throws UserError where a parameter is out of its range.
  explicit WallGame(const Rules& rules);

  const Rules& rules() const { return rules_; }

  std::string name() const;
  std::string_view family() const { return "wall"; }
  int players() const { return rules_.players; }
  int num_actions() const { return 3 * rules_.rows * rules_.columns + 1; }
  int max_plies() const;

  State initial_state() const;
  int player_to_move(const State& state) const { return state.player; }
  int ply(const State& state) const { return state.ply; }
  void legal_actions(const State& state, const History& history, ActionMask& mask) const;
  // Number of legal actions, without writing them down (bulk counting in perft).
  int count_legal_actions(const State& state) const;
  void apply(State& state, Action action) const;
  Outcome outcome(const State& state, const History& history) const;
  std::uint64_t key(const State& state) const;
  std::uint64_t repetition_key(const State& state) const;

  // Steps from the player's nearest pawn to its goal line, walls counted, pawns not. 0 on the goal.
  int distance(const State& state, int player) const;

  int num_symmetries() const { return 2; }  // identity, left-right mirror
  EncodingShape encoding(const Features& features) const;
  void encode(const State& state, const Features& features, int symmetry, float* planes, float* scalars) const;
  int policy_index(const State& state, int symmetry, Action action) const;

  float auxiliary(const State& state, int player) const;
  int heuristic(const State& state, int player) const;

  std::string print_action(const State& state, Action action, Notation notation = Notation::standard) const;
  std::optional<Action> parse_action(const State& state, const History& history, std::string_view text,
                                     Notation notation = Notation::standard) const;
  std::string print_board(const State& state, Notation notation, bool colour) const;

  int packed_size() const;
  void pack(const State& state, std::span<std::uint8_t> bytes) const;
  std::optional<State> unpack(std::span<const std::uint8_t> bytes) const;

 private:
  struct Tables;  // everything derived from the rules once
  Rules rules_;
  std::shared_ptr<const Tables> tables_;
};

}  // namespace koridor::wall
