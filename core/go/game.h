// Go as a Game: any board from 1x1 to 19x19, any of the rules of rules.h.
//
// Actions are points and the pass:
//     action = row * columns + column     row 0 at the top, column 0 at the left
//     last index                          pass
// Player 0 is black. A position is two sets of stones and a few counters; no chains are kept (board.h says why).
//
// Games with territory scoring are played out: two passes end the phase MAIN, in the phase CLEANUP both players may go
// on capturing dead stones, and two more passes end the game. Black's score less white's is
//     (difference of areas at the end) - (difference of stones placed in MAIN, handicap included) - komi.
// This equals territory and prisoners as they are counted on a board, since a stone placed in MAIN costs its owner the
// point that area gives for it. Moves in CLEANUP cost nothing. Known differences from Japanese practice: neutral points
// left open in MAIN are worth a point to whoever takes them in CLEANUP; bent four is played out; eyes in seki count.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/go/geometry.h"
#include "core/go/points.h"
#include "core/go/rules.h"
#include "core/words.h"

namespace koridor::go {

enum class Phase : std::uint8_t { main, cleanup };

// State::ko after an action that left the stones as they were (a pass, or a stone that captured only itself). Under
// simple ko a stone that captures only itself would then restore the position before that action.
inline constexpr std::uint16_t kUnchanged = 0xFFFE;

// A position. 120 bytes, trivially copyable.
struct State {
  std::array<PointWords, 2> stones{};  // black's, white's
  std::uint64_t stones_key = 0;        // Zobrist key of the stones, kept up by apply
  std::uint16_t ply = 0;
  std::uint16_t ko = kNoPoint;               // the point that would take a single stone back; or see kUnchanged
  std::array<std::uint16_t, 2> placed{};     // stones placed in MAIN by black, white; handicap and set-up included
  std::array<std::uint16_t, 2> prisoners{};  // stones of the other colour that left the board: black's, white's
  std::uint8_t player = 0;
  std::uint8_t passes = 0;  // in a row, within the phase
  Phase phase = Phase::main;

  bool has_stone(int colour, int point) const {
    return (stones[static_cast<std::size_t>(colour)][static_cast<std::size_t>(point >> 6)] >> (point & 63) & 1) != 0;
  }
  friend bool operator==(const State&, const State&) = default;
};
static_assert(sizeof(State) == 120);

// What a position is worth, and why. Arrays hold black's number and then white's.
struct Score {
  std::array<int, 2> stones{};     // on the board
  std::array<int, 2> territory{};  // empty points that reach only this colour
  std::array<int, 2> prisoners{};  // stones of the other colour off the board
  std::array<int, 2> placed{};     // stones placed in MAIN
  std::array<int, 2> placed_in_cleanup{};
  int neutral = 0;  // empty points that reach both colours or none

  int area(int colour) const {
    return stones[static_cast<std::size_t>(colour)] + territory[static_cast<std::size_t>(colour)];
  }
  // Black's points less white's, without komi.
  int by_area() const { return area(0) - area(1); }
  int by_territory() const { return by_area() - (placed[0] - placed[1]); }
};

class GoGame {
 public:
  using State = go::State;
  using Rules = go::Rules;

  static std::vector<Registration<Rules>> registrations();

  // Throws UserError where a parameter is out of its range.
  explicit GoGame(const Rules& rules);

  const Rules& rules() const { return rules_; }  // max_plies is 0 if it has its default value
  const Geometry& geometry() const { return *geometry_; }

  std::string name() const;
  std::string_view family() const { return "go"; }
  // By which a network plays best (core/search/rules.h).
  BestSearch best_search() const { return {"puct"}; }
  int players() const { return 2; }
  int num_actions() const { return geometry_->area() + 1; }
  int max_plies() const { return max_plies_; }

  State initial_state() const;
  // A position set up by hand, with points as (row, column) from the top left. Set-up stones count as placed, as
  // handicap stones do. Returns nothing where stones overlap, lie outside or have no liberty.
  std::optional<State> setup_state(std::span<const std::pair<int, int>> black,
                                   std::span<const std::pair<int, int>> white, int player) const;
  int player_to_move(const State& state) const { return state.player; }
  int ply(const State& state) const { return state.ply; }
  void legal_actions(const State& state, const History& history, ActionMask& mask) const;
  // A legal point that fills no own eye, each with equal chance; the pass where there is none. Only on boards of one
  // row or column a chain that must be saved may make it fill one.
  Action random_playout_action(const State& state, const History& history, Random& random) const;
  // Of positions that a player wins though it passes from now on (pass_alive.h), where the rules let it do so: without
  // must_save_atari, and not where both simple ko and suicide could draw the game. The best action is to pass.
  using Knowledge = NoKnowledge;
  std::optional<KnownValue> known_value(const State& state, const History& history, NoKnowledge& nothing,
                                        bool thorough = false) const;
  void apply(State& state, Action action) const;
  Outcome outcome(const State& state, const History& history) const;
  // Whether the player to move has no stone left, which ends the game (stone_supply).
  bool out_of_stones(const State& state) const;
  std::uint64_t key(const State& state) const;
  // Of the stones and the phase, and of the player to move unless the ko rule compares the stones alone.
  std::uint64_t repetition_key(const State& state) const;

  Score score(const State& state) const;
  // Twice black's points less white's by the rules of this game, komi included.
  int half_points(const State& state) const;
  // Whether a game with this outcome is over and the score has decided it: a repetition makes a draw whatever stands on
  // the board.
  bool ends_by_count(const State& state, const Outcome& outcome) const {
    return outcome.over() && (outcome.kind != Outcome::Kind::draw || half_points(state) == 0);
  }
  // The owner of each point at the end as `player` sees it: 1 own, 0 the other's, 0.5 neither; [rows * columns].
  void ownership(const State& state, int player, std::span<float> out) const;

  // 8 on square boards, 4 on others; geometry.cpp lists them.
  int num_symmetries() const { return geometry_->symmetries; }
  // Planes [planes, rows, columns] and scalars [scalars], as the player to move sees the board. Values are in [0, 1],
  // scalars in [0, 3]; they depend on the state alone.
  //   planes   1  ones (the board's area)
  //            2  own stones, the other's
  //            3  stones of chains with one, two, three or more liberties
  //            1  the point that would take a single stone back (illegal under every ko rule)
  //   scalars  2  points the mover has or lacks before the area is counted (komi, stones placed), / 20, at most 3
  //            1  1 in CLEANUP
  //            1  1 after a pass
  //            3  ply / max_plies, rows / 19, columns / 19
  //            5  1 with superko, situational superko, suicide, territory scoring, must_save_atari
  //            3  1 with limited stones; the share of the own stones left; that of the other's
  EncodingShape encoding(const Features& features) const;
  EncodingNames encoding_names(const Features& features) const;
  void encode(const State& state, const Features& features, int symmetry, float* planes, float* scalars) const;
  int policy_index(const State&, int symmetry, Action action) const {
    return geometry_->policy_view[static_cast<std::size_t>(symmetry)][static_cast<std::size_t>(index(action))];
  }

  // The player's share of the area, neutral points halved.
  float auxiliary(const State& state, int player) const;
  // Own points less the other's, in quarter points: 4 for each point nearer to that side's stones and 1 for each empty
  // point beside them. Chains in atari that the player to move can take do not count.
  int heuristic(const State& state, int player) const;

  std::string action_order() const;
  // Points are named as in the Go Text Protocol ("D4": letters without I, row 1 at the bottom); the pass is "pass". The
  // notation makes no difference.
  std::string print_action(const State& state, Action action, Notation notation = Notation::standard) const;
  std::optional<Action> parse_action(const State& state, const History& history, std::string_view text,
                                     Notation notation = Notation::standard) const;
  std::string print_board(const State& state, Notation notation, bool colour) const {
    return draw_board(state, {.notation = notation, .colour = colour});
  }
  // Turned by an even number of quarters.
  std::string draw_board(const State& state, const BoardView& view) const;
  int turns_to_bottom(int player) const { return 2 * player; }
  std::string_view seat_title(int player) const { return player == 0 ? "black" : "white"; }
  Interpretation interpret(const State& state, std::string_view text, Notation notation) const;
  Objection objection(const State& state, const History& history, Action action, Notation notation) const;
  ActionHelp help(const State& state, const ActionMask& legal, Notation notation) const;

  int packed_size() const;
  void pack(const State& state, std::span<std::uint8_t> bytes) const;
  std::optional<State> unpack(std::span<const std::uint8_t> bytes) const;

 private:
  Action pass() const { return geometry_->pass(); }
  std::vector<std::string> lines_beside_board(const State& state, const BoardView& view) const;
  std::string draw_point(const State& state, const BoardView& view, Action action) const;
  bool sound_ko(const State& state) const;
  bool lives(const State& state, int point) const;
  std::optional<Objection> repetition(const State& state, const History& history, Action action,
                                      const std::string& name) const;
  // Whether every chain has a liberty.
  bool all_alive(const State& state) const;
  template <class Points>
  Points legal_points(const State& state, const History& history, bool& bound) const;
  template <class Points>
  Action random_point(const State& state, const History& history, Random& random) const;

  Rules rules_;
  int max_plies_;  // rules_.max_plies, or its default
  bool decides_;   // the rules are such that known_value() may tell a value
  std::array<int, 2> supply_;
  std::shared_ptr<const Geometry> geometry_;
};

// The point's name as in the Go Text Protocol.
std::string point_name(const Geometry& geometry, int row, int column);

}  // namespace koridor::go
