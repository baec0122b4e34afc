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
#include "core/random.h"
#include "core/wall/bitboard.h"
#include "core/wall/geometry.h"
#include "core/wall/rules.h"

namespace koridor::wall {

inline constexpr int kMaxPawns = 2;

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

  const Rules& rules() const { return rules_; }  // max_plies is 0 where it is the default
  const Geometry& geometry() const { return *geometry_; }

  std::string name() const;
  std::string_view family() const { return "wall"; }
  int players() const { return rules_.players; }
  int num_actions() const { return 3 * rules_.rows * rules_.columns + 1; }
  int max_plies() const { return max_plies_; }

  State initial_state() const;
  int player_to_move(const State& state) const { return state.player; }
  int ply(const State& state) const { return state.ply; }
  void legal_actions(const State& state, const History& history, ActionMask& mask) const;
  // Number of legal actions, without writing them down (bulk counting in perft).
  int count_legal_actions(const State& state) const;
  // Each legal action with equal chance: legal_actions() and a draw from it, much faster. Position not over.
  Action random_legal_action(const State& state, Random& random) const;
  // An action that wins for the player to move at once, or kNoAction. Position not over.
  Action winning_action(const State& state) const;
  void apply(State& state, Action action) const;
  Outcome outcome(const State& state, const History& history) const;
  std::uint64_t key(const State& state) const;
  std::uint64_t repetition_key(const State& state) const;

  // Steps from the player's nearest pawn to its goal line, walls counted, pawns not. 0 on the goal.
  int distance(const State& state, int player) const;

  // Identity and left-right mirror. With three or four players the mirror turns the order of the seats round, so there
  // it is no symmetry of the game.
  int num_symmetries() const { return rules_.players == 2 ? 2 : 1; }
  // Planes [planes, rows, columns] and scalars [scalars], as the player to move sees the board: turned so that the own
  // goal line is row 0 (half a turn for two players, quarter turns for three and four), players in the order of their
  // turns, the player to move first. Values are in [0, 1] (walls left / 10 up to 3.1) and depend on the state alone.
  //   planes   1        ones (the board's area)
  //            players  the pawn of each player
  //            players  the goal line of each player
  //            4        squares whose step north, east, south, west is closed by a wall or the edge
  //            2        middles of horizontal and of vertical walls, at the square north-west of them
  //            players  with features.distances: steps to the goal line of each player from every square, pawns not
  //                     counted, / (rows + columns), at most 1; 1 where there is no way
  //   scalars  players  walls left / 10
  //            players  1 with a wall left, else 0
  //            players  with features.distances: steps each player has still to go, / (rows + columns), at most 1
  //            4        ply / max_plies, rows / 11, columns / 11, 1 where a rule of repetition holds, else 0
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
  // Puts a wall on the board, key and all; the rest of the turn is the caller's.
  static void place_wall(State& state, ActionKind kind, Square anchor);

  Rules rules_;
  int max_plies_;  // rules_.max_plies, or its default
  std::shared_ptr<const Geometry> geometry_;
};

}  // namespace koridor::wall
