// Positions as bytes for files. The layout, in order, everything little-endian:
//     stones     one bit per point, row by row: black's, then white's, rounded up to whole bytes (unused bits are zero)
//     1 byte     bit 0: white is to move; bit 1: CLEANUP; bits 2 and 3: passes in a row
//     2 bytes    ply
//     2 bytes    the ko point as an action; the number of actions: none; that number plus one: kUnchanged
//     4 bytes    stones placed in MAIN by black, by white (2 bytes each)
//     4 bytes    prisoners taken by black, by white (2 bytes each)
#include <algorithm>

#include "core/go/board.h"
#include "core/go/game.h"

namespace koridor::go {
namespace {

void write_number(std::span<std::uint8_t> bytes, std::size_t& at, int number) {
  bytes[at++] = static_cast<std::uint8_t>(number & 0xFF);
  bytes[at++] = static_cast<std::uint8_t>(number >> 8);
}

int read_number(std::span<const std::uint8_t> bytes, std::size_t& at) {
  const int number = bytes[at] | bytes[at + 1] << 8;
  at += 2;
  return number;
}

std::size_t stone_bytes(const Geometry& geometry) {
  return static_cast<std::size_t>((2 * geometry.area() + 7) / 8);
}

}  // namespace

int GoGame::packed_size() const {
  return static_cast<int>(stone_bytes(*geometry_)) + 13;
}

void GoGame::pack(const State& state, std::span<std::uint8_t> bytes) const {
  std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  const int area = geometry_->area();
  for (int colour = 0; colour < 2; ++colour) {
    for (int action = 0; action < area; ++action) {
      if (!state.has_stone(colour, geometry_->point[static_cast<std::size_t>(action)])) continue;
      const auto bit = static_cast<std::size_t>(colour * area + action);
      bytes[bit / 8] |= static_cast<std::uint8_t>(1 << bit % 8);
    }
  }
  std::size_t at = stone_bytes(*geometry_);
  bytes[at++] = static_cast<std::uint8_t>(state.player | static_cast<int>(state.phase) << 1 | state.passes << 2);
  write_number(bytes, at, state.ply);
  write_number(bytes, at,
               state.ko == kNoPoint     ? num_actions()
               : state.ko == kUnchanged ? num_actions() + 1
                                        : geometry_->action[state.ko]);
  for (const int number : state.placed) write_number(bytes, at, number);
  for (const int number : state.prisoners) write_number(bytes, at, number);
}

std::optional<State> GoGame::unpack(std::span<const std::uint8_t> bytes) const {
  if (bytes.size() != static_cast<std::size_t>(packed_size())) return std::nullopt;
  const int area = geometry_->area();
  std::array<std::vector<std::pair<int, int>>, 2> stones;
  for (std::size_t bit = 0; bit < 8 * stone_bytes(*geometry_); ++bit) {
    if ((bytes[bit / 8] >> bit % 8 & 1) == 0) continue;
    const int at = static_cast<int>(bit);
    if (at >= 2 * area) return std::nullopt;
    stones[at >= area ? 1 : 0].emplace_back(at % area / rules_.columns, at % area % rules_.columns);
  }
  std::size_t at = stone_bytes(*geometry_);
  const int turn = bytes[at++];
  std::optional<State> state = setup_state(stones[0], stones[1], turn & 1);
  if (!state || turn >= 16) return std::nullopt;
  state->phase = static_cast<Phase>(turn >> 1 & 1);
  state->passes = static_cast<std::uint8_t>(turn >> 2);
  state->ply = static_cast<std::uint16_t>(read_number(bytes, at));
  const int ko = read_number(bytes, at);
  if (ko == area || ko > num_actions() + 1) return std::nullopt;
  if (ko < area) state->ko = geometry_->point[static_cast<std::size_t>(ko)];
  if (ko == num_actions() + 1) state->ko = kUnchanged;
  const std::array<std::uint16_t, 2> on_board = state->placed;
  for (std::uint16_t& number : state->placed) number = static_cast<std::uint16_t>(read_number(bytes, at));
  for (std::uint16_t& number : state->prisoners) number = static_cast<std::uint16_t>(read_number(bytes, at));

  const bool cleanup = state->phase == Phase::cleanup;
  bool sound = state->ply <= max_plies_ && state->passes <= std::min<int>(2, state->ply);
  sound = sound && (!cleanup || (rules_.scoring == Scoring::territory && state->ply >= 2));
  sound = sound && (state->passes < 2 || cleanup || rules_.scoring == Scoring::area);
  // Every stone placed is on the board or was taken off; those of CLEANUP are not counted as placed.
  for (std::size_t colour = 0; colour < 2; ++colour) {
    const int seen = on_board[colour] + state->prisoners[colour ^ 1];
    sound = sound && (cleanup ? state->placed[colour] <= seen : state->placed[colour] == seen);
    if (rules_.limited_supply) sound = sound && state->placed[colour] <= supply_[colour];
  }
  sound = sound && sound_ko(*state);
  return sound ? state : std::nullopt;
}

// A ko point is empty and closed in by the stones of the player who moved last, one of which stands alone with no other
// liberty; and that move took something.
bool GoGame::sound_ko(const State& state) const {
  const bool tells_unchanged = rules_.ko == Ko::simple && rules_.suicide;
  if (state.passes > 0) return state.ko == (tells_unchanged ? kUnchanged : kNoPoint);
  if (state.ko == kUnchanged) return tells_unchanged && state.ply > 0;
  if (state.ko == kNoPoint) return true;
  const bool shape = with_points(*geometry_, [&]<class Points>() {
    const auto [own, other, empty] = side_of<Points>(*geometry_, state.stones, state.player);
    const Points ko = Points::of(state.ko);
    if (!(ko & empty).any() || (ko.neighbours() & (own | empty)).any()) return false;
    bool found = false;
    Points rest = ko.neighbours() & other;
    while (rest.any()) {
      const Points stone = rest.first();
      rest = rest - stone;
      const Points beside = stone.neighbours();
      found = found || (!(beside & other).any() && (beside & empty) == ko);
    }
    return found;
  });
  return shape && state.ply > 0 && state.prisoners[state.player ^ 1] > 0;
}

}  // namespace koridor::go
