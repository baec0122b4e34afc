// The wall games (Quoridor for 2 to 4 players, Quoridor Kid, Pinko Pallino, Blockade, and every size) as one Game.
//
// Row 0 is the top as player one (south) sees it, column 0 the left; player one starts, with one pawn, in the middle of
// row rows-1, at column (columns-1)/2 rounded down, and goes for row 0 (core/README.md has the other starts and goals).
// Actions are dense indices over planes of rows * columns squares,
//     action = plane * rows * columns + row * columns + column
//     one plane per pawn   the destination square of that pawn of the player to move (lowest square first)
//     then two planes      a horizontal / vertical wall, named by the square north-west of its middle
//     last index           pass (num_actions() - 1); legal only where nothing else is
// This is also the order of the network's policy for player one. Other players see the board turned so that their goal
// is up, and `policy_index` turns actions likewise.
//
// With rules.wall_after_move a turn is two plies of one player: in phase 0 a pawn moves, in phase 1 a wall is placed.
// Phase 1 is left out where no wall can be placed. A player who cannot move in phase 0 passes the whole turn.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/wall/bitboard.h"
#include "core/wall/geometry.h"
#include "core/wall/paths.h"
#include "core/wall/race.h"
#include "core/wall/rules.h"
#include "core/words.h"

namespace koridor::wall {

// A position. 96 bytes, trivially copyable.
struct State {
  Bitboard horizontal;                                     // middles of horizontal walls
  Bitboard vertical;                                       // middles of vertical walls
  std::array<Square, kMaxPlayers * kMaxPawns> pawns{};     // [player * kMaxPawns + pawn], a player's two rising
  std::array<std::uint8_t, kMaxPlayers * 2> walls_left{};  // [player * 2 + kind]; an undivided stock is kind 0
  std::uint64_t walls_key = 0;                             // Zobrist key of the walls, kept up by apply
  std::uint16_t ply = 0;
  std::uint16_t reversible_plies = 0;  // plies since the last wall: how far back repetition looks
  std::uint8_t player = 0;
  std::uint8_t passes = 0;  // passes in a row
  std::int8_t winner = -1;
  std::uint8_t phase = 0;  // 1: the mover has moved and owes a wall; else 0

  friend bool operator==(const State&, const State&) = default;
};
static_assert(sizeof(State) == 96);

class WallGame {
 public:
  using State = wall::State;
  using Rules = wall::Rules;

  static std::vector<Registration<Rules>> registrations();

  // Throws UserError where a parameter is out of its range.
  explicit WallGame(const Rules& rules);

  const Rules& rules() const { return rules_; }  // max_plies is 0 if it has its default value
  const Geometry& geometry() const { return *geometry_; }

  std::string name() const;
  std::string_view family() const { return "wall"; }
  int players() const { return rules_.players; }
  int num_actions() const { return index(geometry_->pass()) + 1; }
  int max_plies() const { return max_plies_; }

  State initial_state() const;
  int player_to_move(const State& state) const { return state.player; }
  int ply(const State& state) const { return state.ply; }
  void legal_actions(const State& state, const History& history, ActionMask& mask) const;
  // The number of legal actions, counted without listing them (bulk counting in perft).
  int count_legal_actions(const State& state) const;
  // A legal action, each with equal chance; much faster than a draw from legal_actions(). Position not over.
  Action random_legal_action(const State& state, Random& random) const;
  // An action that wins for the player to move at once, or kNoAction. Position not over.
  Action winning_action(const State& state) const;
  // Of races, in which nobody has a wall left that fits (race.h), of games in which one or two such walls are left
  // (last_walls.h), and of players who alone have walls and win without them; looked for thoroughly or where their way
  // is the shorter.
  using Knowledge = RaceTables;
  std::optional<KnownValue> known_value(const State& state, const History& history, RaceTables& races,
                                        bool thorough = false) const;
  void apply(State& state, Action action) const;
  Outcome outcome(const State& state, const History& history) const;
  bool looks_back() const { return rules_.repetition > 0; }
  // By which a network plays best (core/search/rules.h): in Pinko Pallino, Blockade and in Quoridor by two players on
  // large boards PUCT, in the other games of Quoridor Gumbel's (train/METHODS.md, "Which rule wins"). PUCT's priors are
  // flatter but in Blockade ("Flatter priors").
  BestSearch best_search() const;
  std::uint64_t key(const State& state) const;
  std::uint64_t repetition_key(const State& state) const;
  // Without the counters that encode() does not show: the same walls and moves in another order are the same question.
  std::uint64_t prediction_key(const State& state) const;

  // The ways no wall may close.
  Ways ways(const State& state) const;

  // Single steps of the player's nearest pawn to a goal square, or of both pawns together where both must arrive. Walls
  // are in the way, pawns are not; steps go in 8 directions where the rules have them. 0 on the goal.
  int distance(const State& state, int player) const;

  // The identity and the left-right mirror. The mirror is no symmetry with three or four players, as it reverses the
  // order of the seats, nor where it changes the goal squares (a start square beside the middle).
  int num_symmetries() const { return geometry_->mirrors ? 2 : 1; }
  // Planes [planes, rows, columns] and scalars [scalars], as the player to move sees the board: turned so that the own
  // goal line is row 0 (half a turn for two players, quarter turns for three and four), players in the order of their
  // turns, the player to move first. Values are in [0, 1] (walls left / 10 up to 3.1, rows / 11 up to 1.3) and depend
  // on the state alone.
  //   planes   1        ones (the board's area)
  //            players  x pawns: each pawn of each player, one player's in rising order of squares in this view
  //            players  the goal squares of each player
  //            4        squares whose step north, east, south, west is closed by a wall or the edge
  //            2        middles of horizontal and of vertical walls, at the square north-west of them
  //            players  with features.distances: steps to the goal of each player from every square / (rows +
  //                     columns), at most 1; pawns do not block; 1 where there is no way
  //            players  x pawns, with features.ways: 1 on every square of every shortest way of the pawn, its own
  //                     square and the goal square included; other pawns do not block
  //            players  x pawns x 2, with features.wall_effects: of horizontal and of vertical walls, at the anchor of
  //                     every wall that neither overlaps nor crosses one on the board, legal or not, min(steps by
  //                     which it makes the pawn's shortest way longer, 8) / 8, and 1 also where it leaves no way; 0 at
  //                     all other anchors; all 0 once nobody has walls left
  //   scalars  players  walls left / 10 (with walls_by_kind two per player, horizontal and vertical)
  //            players  1 with a wall left, else 0 (likewise)
  //            players  with features.distances: distance() of each player / (rows + columns), at most 1
  //            1        with wall_after_move: the phase
  //            4        ply / max_plies, rows / 11, columns / 11, 1 where a rule of repetition holds, else 0
  EncodingShape encoding(const Features& features) const;
  EncodingNames encoding_names(const Features& features) const;
  void encode(const State& state, const Features& features, int symmetry, float* planes, float* scalars) const;
  int policy_index(const State& state, int symmetry, Action action) const;

  float auxiliary(const State& state, int player) const;
  int heuristic(const State& state, int player) const;

  std::string action_order() const;
  std::string print_action(const State& state, Action action, Notation notation = Notation::standard) const;
  std::optional<Action> parse_action(const State& state, const History& history, std::string_view text,
                                     Notation notation = Notation::standard) const;
  std::string print_board(const State& state, Notation notation, bool colour) const {
    return draw_board(state, {.notation = notation, .colour = colour});
  }
  std::string draw_board(const State& state, const BoardView& view) const;
  int turns_to_bottom(int player) const { return geometry_->turns[static_cast<std::size_t>(player)]; }
  // "e3h", "e3 horizontal", "d4-c5", "d4 c5" and, where a player has one pawn, "c5"; the pass is "--" or "pass".
  Interpretation interpret(const State& state, std::string_view text, Notation notation) const;
  Objection objection(const State& state, const History& history, Action action, Notation notation) const;
  ActionHelp help(const State& state, const ActionMask& legal, Notation notation) const;

  int packed_size() const;
  void pack(const State& state, std::span<std::uint8_t> bytes) const;
  std::optional<State> unpack(std::span<const std::uint8_t> bytes) const;

 private:
  int wall_kinds() const { return rules_.walls_by_kind ? 2 : 1; }
  static constexpr int kNobody = -1;
  static constexpr int kBoth = 2;
  // With two players: the one that has walls left, kNobody or kBoth.
  static int player_with_walls(const State& state);
  static int walls_left(const State& state, int player);
  bool is_ahead(const State& state, int player) const;
  // Whether a position of the past that would be a draw now could come again while `winner` takes so many plies to win.
  bool may_meet_past(const State& state, const History& history, const Race& race, int winner, int plies) const;
  // Whether the player to move can place one of its walls.
  bool can_place_wall(const State& state) const;
  // Adds a set of anchors as actions.
  void add_walls(const Bitboard& squares, ActionKind kind, ActionMask& mask) const;

  // The rules are compiled twice: with kPlain for Quoridor's moves and turns (Geometry::plain), which need fewer tests.
  template <bool kPlain>
  using PawnMoves = std::array<Bitboard, kPlain ? 1 : kMaxPawns>;  // a pawn's destinations
  template <bool kPlain>
  PawnMoves<kPlain> find_moves(const State& state) const;
  // Whether the turn allows the player to move a wall now, if one can be placed.
  template <bool kPlain>
  bool may_place_wall(const State& state) const;
  template <bool kPlain>
  Stock stock(const State& state) const;
  template <bool kPlain>
  Ways find_ways(const State& state) const;
  template <bool kPlain>
  WallSets find_legal_walls(const State& state) const;
  template <bool kPlain>
  void list_actions(const State& state, ActionMask& mask) const;
  template <bool kPlain>
  int count_actions(const State& state) const;
  template <bool kPlain>
  Action draw_action(const State& state, Random& random) const;
  template <bool kPlain>
  Action find_win(const State& state) const;

  std::vector<std::string> lines_beside_board(const State& state, const BoardView& view) const;

  // Whether a player's two pawns are in the opposite order in this view.
  bool swaps_pawns(const State& state, int player, int view) const;
  bool place_pawns_soundly(State& state) const;
  bool is_sound(const State& state, const std::array<int, 2>& placed) const;
  // Moves a pawn and returns whether that wins; the caller does the rest of the turn.
  bool move_pawn(State& state, const ActionMeaning& meaning) const;
  // Puts a wall on the board and updates the key; the caller does the rest of the turn.
  static void place_wall(State& state, ActionKind kind, Square anchor);

  Rules rules_;
  int max_plies_;   // rules_.max_plies, or its default
  bool plain_;      // geometry_->plain
  bool races_;      // RaceTables::serve
  int last_walls_;  // most_last_walls
  std::shared_ptr<const Geometry> geometry_;
};

}  // namespace koridor::wall
