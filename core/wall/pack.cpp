// Positions as bytes for files. The layout, in order, everything little-endian:
//     walls      one bit an anchor, row by row: horizontal ones, then vertical ones, rounded up to whole bytes (unused
//                bits are zero)
//     1 byte     a player: the pawn's square, row * columns + column
//     1 byte     a player: walls left
//     2 bytes    ply
//     2 bytes    plies since the last wall
//     1 byte     passes in a row
// The player to move, the winner and the key follow from these.
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
  return wall_bytes(rules_) + 2 * rules_.players + 5;
}

void WallGame::pack(const State& state, std::span<std::uint8_t> bytes) const {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  BitCursor bits;
  for (const Bitboard* walls : {&state.horizontal, &state.vertical}) {
    geometry_->anchors.for_each([&](Square square) { bits.write(bytes, walls->test(square)); });
  }
  std::size_t at = static_cast<std::size_t>(wall_bytes(rules_));
  for (int player = 0; player < rules_.players; ++player) {
    const Square square = state.pawns[player * kMaxPawns];
    bytes[at++] = static_cast<std::uint8_t>(row_of(square) * rules_.columns + column_of(square));
  }
  for (int player = 0; player < rules_.players; ++player) bytes[at++] = state.walls_left[player * 2];
  for (const int number : {int{state.ply}, int{state.reversible_plies}}) {
    bytes[at++] = static_cast<std::uint8_t>(number & 0xFF);
    bytes[at++] = static_cast<std::uint8_t>(number >> 8);
  }
  bytes[at] = state.passes;
}

std::optional<State> WallGame::unpack(std::span<const std::uint8_t> bytes) const {
  if (bytes.size() != static_cast<std::size_t>(packed_size())) return std::nullopt;
  const int players = rules_.players;
  State state;

  BitCursor bits;
  int placed = 0;
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
      ++placed;
    });
  }
  while (bits.in_byte()) sound = !bits.read(bytes) && sound;

  std::size_t at = static_cast<std::size_t>(wall_bytes(rules_));
  for (int player = 0; player < players; ++player) {
    const int place = bytes[at++];
    if (place >= rules_.rows * rules_.columns) return std::nullopt;
    const Square square = make_square(place / rules_.columns, place % rules_.columns);
    for (int other = 0; other < player; ++other) sound = sound && state.pawns[other * kMaxPawns] != square;
    state.pawns[player * kMaxPawns] = square;
    if (geometry_->goal[player].test(square)) {
      sound = sound && state.winner < 0;
      state.winner = static_cast<std::int8_t>(player);
    }
  }
  int stock = 0;
  for (int player = 0; player < players; ++player) {
    state.walls_left[player * 2] = bytes[at++];
    stock += state.walls_left[player * 2];
    sound = sound && state.walls_left[player * 2] <= rules_.walls;
  }
  state.ply = static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
  state.reversible_plies = static_cast<std::uint16_t>(bytes[at + 2] | bytes[at + 3] << 8);
  state.passes = bytes[at + 4];
  state.player = static_cast<std::uint8_t>(state.ply % players);

  sound = sound && placed + stock == players * rules_.walls && state.ply <= max_plies_;
  sound = sound && (placed == 0 ? state.reversible_plies == state.ply : state.reversible_plies < state.ply);
  sound = sound && placed + state.reversible_plies <= state.ply;
  sound = sound && state.passes <= players && state.passes <= state.reversible_plies;
  for (int player = 0; player < players && sound; ++player) {
    const int turns = (state.ply + players - 1 - player) / players;  // taken so far
    sound = rules_.walls - state.walls_left[player * 2] <= turns && distance(state, player) < kUnreachable;
  }
  // A game ends with the winner's arrival.
  sound = sound && (state.winner < 0 || (state.ply > 0 && (state.winner + 1) % players == state.player));
  if (!sound) return std::nullopt;
  return state;
}

}  // namespace koridor::wall
