// Positions as bytes for files. The layout, in order, everything little-endian:
//     walls      one bit per anchor, row by row: horizontal ones, then vertical ones, rounded up to whole bytes (unused
//                bits are zero)
//     pawns      one byte per pawn, player by player: its square, row * columns + column
//     stocks     one byte per player: walls left (with walls_by_kind two: horizontal, vertical)
//     2 bytes    ply
//     2 bytes    plies since the last wall
//     1 byte     passes in a row
//     1 byte     only with wall_after_move: the player to move * 2 + phase
// The winner and the key follow from these, and without wall_after_move the player to move.
#include <algorithm>

#include "core/wall/game.h"
#include "core/wall/paths.h"

namespace koridor::wall {
namespace {

// Writes or reads bits from the lowest of each byte up.
class BitCursor {
 public:
  void write(std::span<std::uint8_t> bytes, bool bit) {
    if (bit) bytes[at_ / 8] |= static_cast<std::uint8_t>(1 << at_ % 8);
    ++at_;
  }
  bool read(std::span<const std::uint8_t> bytes) {
    const bool bit = (bytes[at_ / 8] >> at_ % 8 & 1) != 0;
    ++at_;
    return bit;
  }
  bool in_byte() const { return at_ % 8 != 0; }

 private:
  std::size_t at_ = 0;
};

int wall_bytes(const Rules& rules) {
  return (2 * (rules.rows - 1) * (rules.columns - 1) + 7) / 8;
}

}  // namespace

int WallGame::packed_size() const {
  return wall_bytes(rules_) + (rules_.pawns + wall_kinds()) * rules_.players + (rules_.wall_after_move ? 6 : 5);
}

void WallGame::pack(const State& state, std::span<std::uint8_t> bytes) const {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  BitCursor bits;
  for (const Bitboard* walls : {&state.horizontal, &state.vertical}) {
    geometry_->anchors.for_each([&](Square square) { bits.write(bytes, walls->test(square)); });
  }
  std::size_t at = static_cast<std::size_t>(wall_bytes(rules_));
  for (int player = 0; player < rules_.players; ++player) {
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
      const Square square = state.pawns[player * kMaxPawns + pawn];
      bytes[at++] = static_cast<std::uint8_t>(row_of(square) * rules_.columns + column_of(square));
    }
  }
  for (int player = 0; player < rules_.players; ++player) {
    for (int kind = 0; kind < wall_kinds(); ++kind) bytes[at++] = state.walls_left[player * 2 + kind];
  }
  for (const int number : {int{state.ply}, int{state.reversible_plies}}) {
    bytes[at++] = static_cast<std::uint8_t>(number & 0xFF);
    bytes[at++] = static_cast<std::uint8_t>(number >> 8);
  }
  bytes[at++] = state.passes;
  if (rules_.wall_after_move) bytes[at] = static_cast<std::uint8_t>(state.player * 2 + state.phase);
}

std::optional<State> WallGame::unpack(std::span<const std::uint8_t> bytes) const {
  if (bytes.size() != static_cast<std::size_t>(packed_size())) return std::nullopt;
  State state;

  BitCursor bits;
  std::array<int, 2> placed{};  // of each kind, or all in the first entry
  bool sound = true;
  for (const ActionKind kind : {ActionKind::horizontal, ActionKind::vertical}) {
    geometry_->anchors.for_each([&](Square square) {
      if (!bits.read(bytes)) return;
      Board free_h, free_v;
      free_walls(*geometry_, Board(state.horizontal), Board(state.vertical), free_h, free_v);
      Bitboard free;
      (kind == ActionKind::horizontal ? free_h : free_v).store(free);
      sound = sound && free.test(square);
      place_wall(state, kind, square);
      ++placed[rules_.walls_by_kind && kind == ActionKind::vertical ? 1 : 0];
    });
  }
  while (bits.in_byte()) sound = !bits.read(bytes) && sound;

  std::size_t at = static_cast<std::size_t>(wall_bytes(rules_));
  for (int player = 0; player < rules_.players; ++player) {
    for (int pawn = 0; pawn < rules_.pawns; ++pawn) {
      const int place = bytes[at++];
      if (place >= rules_.rows * rules_.columns) return std::nullopt;
      state.pawns[player * kMaxPawns + pawn] = make_square(place / rules_.columns, place % rules_.columns);
    }
  }
  sound = sound && place_pawns_soundly(state);
  for (int player = 0; player < rules_.players; ++player) {
    for (int kind = 0; kind < wall_kinds(); ++kind) {
      const int left = bytes[at++];
      if (left > rules_.walls) return std::nullopt;
      state.walls_left[player * 2 + kind] = static_cast<std::uint8_t>(left);
    }
  }
  state.ply = static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
  state.reversible_plies = static_cast<std::uint16_t>(bytes[at + 2] | bytes[at + 3] << 8);
  state.passes = bytes[at + 4];
  if (rules_.wall_after_move) {
    state.player = bytes[at + 5] / 2;
    state.phase = bytes[at + 5] % 2;
    if (state.player >= rules_.players) return std::nullopt;
  } else {
    state.player = static_cast<std::uint8_t>(state.ply % rules_.players);
  }
  if (!sound || !is_sound(state, placed)) return std::nullopt;
  return state;
}

// Sets the winner from the pawns just read; false where the pawns cannot stand like that.
bool WallGame::place_pawns_soundly(State& state) const {
  const int players = rules_.players;
  for (int player = 0; player < players; ++player) {
    const Square* const pawns = &state.pawns[player * kMaxPawns];
    if (rules_.pawns == 2 && pawns[0] >= pawns[1]) return false;
    const auto arrived =
        std::count_if(pawns, pawns + rules_.pawns, [&](Square square) { return geometry_->goal[player].test(square); });
    if (arrived < rules_.win_pawns) continue;
    if (state.winner >= 0) return false;
    state.winner = static_cast<std::int8_t>(player);
  }
  // Two stand on one square only where one of them has just won by entering it.
  for (int player = 0; player < players; ++player) {
    for (int other = 0; other < player; ++other) {
      for (int pawn = 0; pawn < rules_.pawns * rules_.pawns; ++pawn) {
        const Square square = state.pawns[player * kMaxPawns + pawn % rules_.pawns];
        if (square != state.pawns[other * kMaxPawns + pawn / rules_.pawns]) continue;
        const bool entered = rules_.enters_held_goals() && (state.winner == player || state.winner == other) &&
                             geometry_->goal[state.winner].test(square);
        if (!entered) return false;
      }
    }
  }
  return true;
}

// Whether the numbers of a state just read are consistent; `placed` are the walls on the board by kind.
bool WallGame::is_sound(const State& state, const std::array<int, 2>& placed) const {
  const int players = rules_.players;
  const int all_placed = placed[0] + placed[1];
  for (int kind = 0; kind < wall_kinds(); ++kind) {
    int stock = 0;
    for (int player = 0; player < players; ++player) stock += state.walls_left[player * 2 + kind];
    if (placed[kind] + stock != players * rules_.walls) return false;
  }
  if (state.ply > max_plies_ || all_placed + state.reversible_plies > state.ply) return false;
  if (all_placed == 0 ? state.reversible_plies != state.ply : state.reversible_plies >= state.ply) return false;
  if (state.passes > players || state.passes > state.reversible_plies) return false;
  if (rules_.wall_after_move) {
    if (2 * all_placed > state.ply || (state.ply == 0 && state.player != 0)) return false;
    if (state.phase == 1 &&
        (state.winner >= 0 || state.passes > 0 || state.reversible_plies == 0 || !can_place_wall(state))) {
      return false;
    }
  } else {
    for (int player = 0; player < players; ++player) {
      const int turns = (state.ply + players - 1 - player) / players;  // taken so far
      const int used = wall_kinds() * rules_.walls - state.walls_left[player * 2] - state.walls_left[player * 2 + 1];
      if (used > turns) return false;
    }
  }
  const OpenSteps<Board> open(*geometry_, Board::fresh(state.horizontal), Board::fresh(state.vertical));
  for (const Way& way : ways(state)) {
    if (distance_to(open, way.from, Board(*way.to)) == kUnreachable) return false;
  }
  // A game ends with the winner's arrival.
  return state.winner < 0 || (state.ply > 0 && state.passes == 0 && (state.winner + 1) % players == state.player);
}

}  // namespace koridor::wall
