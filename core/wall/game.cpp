#include "core/wall/game.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "core/random.h"
#include "core/wall/moves.h"
#include "core/wall/paths.h"

#ifdef __BMI2__
#include <immintrin.h>
#endif

namespace koridor::wall {

static_assert(Game<WallGame>);

namespace {

constexpr int kWon = 1000;  // heuristic of a finished game: more than any path

std::uint64_t as_word(const void* eight_bytes) {
  std::uint64_t word;
  std::memcpy(&word, eight_bytes, sizeof word);
  return word;
}

OpenSteps<Board> open_steps(const Geometry& geometry, const State& state) {
  return {geometry, Board(state.horizontal), Board(state.vertical)};
}

std::array<Square, kMaxPlayers> first_pawns(const State& state) {
  std::array<Square, kMaxPlayers> pawns;
  for (int player = 0; player < kMaxPlayers; ++player) pawns[player] = state.pawns[player * kMaxPawns];
  return pawns;
}

bool may_place_wall(const State& state) {
  return state.walls_left[state.player * 2] > 0;
}

// Adds `bits`, at most 64, to the mask from action `first` on.
void add_bits(ActionMask& mask, int first, std::uint64_t bits) {
  if (bits == 0) return;
  const int shift = first & 63;
  mask.word(first >> 6) |= bits << shift;
  if (shift != 0 && bits >> (64 - shift) != 0) mask.word((first >> 6) + 1) |= bits >> (64 - shift);
}

// Adds a set of squares as the actions of one kind.
void add_squares(const Geometry& geometry, const Bitboard& set, ActionKind kind, ActionMask& mask) {
  int first = static_cast<int>(kind) * geometry.rows * geometry.columns;
#ifdef __BMI2__
  for (int i = 0; i < 4; ++i) {  // four rows at once
    add_bits(mask, first, _pext_u64(set.words[i], geometry.board.words[i]));
    first += 4 * geometry.columns;
  }
#else
  for (int row = 0; row < geometry.rows; ++row) {
    add_bits(mask, first, set.row(row));
    first += geometry.columns;
  }
#endif
}

// The square at place `rank` of the set, rising; rank is in [0, set.count()).
Square nth(const Bitboard& set, int rank) {
  for (int i = 0; i < 4; ++i) {
    const int here = std::popcount(set.words[i]);
    if (rank >= here) {
      rank -= here;
      continue;
    }
    std::uint64_t rest = set.words[i];
    for (; rank > 0; --rank) rest &= rest - 1;
    return static_cast<Square>(i * 64 + std::countr_zero(rest));
  }
  return 0;
}

}  // namespace

std::string WallGame::name() const {
  return variant_name(rules_);
}

WallGame::WallGame(const Rules& rules) : rules_(rules) {
  check(rules_);
  max_plies_ = effective_max_plies(rules_);
  if (max_plies_ == 4 * rules_.columns * rules_.rows) rules_.max_plies = 0;  // one form for equal rules
  geometry_ = std::make_shared<const Geometry>(rules_);
}

State WallGame::initial_state() const {
  State state;
  for (int player = 0; player < rules_.players; ++player) {
    state.pawns[player * kMaxPawns] = geometry_->start[player];
    state.walls_left[player * 2] = static_cast<std::uint8_t>(rules_.walls);
  }
  return state;
}

void WallGame::legal_actions(const State& state, const History&, ActionMask& mask) const {
  mask.clear();
  const Bitboard moves = pawn_moves(*geometry_, rules_, state);
  assert(rules_.players > 2 || moves.any());
  moves.for_each([&](Square square) { mask.set(geometry_->action(ActionKind::pawn, square)); });
  bool any = moves.any();
  if (may_place_wall(state)) {
    const WallSets walls = legal_walls<Board>(*geometry_, state.horizontal, state.vertical, first_pawns(state));
    add_squares(*geometry_, walls.horizontal, ActionKind::horizontal, mask);
    add_squares(*geometry_, walls.vertical, ActionKind::vertical, mask);
    any = any || walls.horizontal.any() || walls.vertical.any();
  }
  if (!any) mask.set(geometry_->pass());
}

int WallGame::count_legal_actions(const State& state) const {
  int count = pawn_moves(*geometry_, rules_, state).count();
  if (may_place_wall(state)) {
    const WallSets walls = legal_walls<Board>(*geometry_, state.horizontal, state.vertical, first_pawns(state));
    count += walls.horizontal.count() + walls.vertical.count();
  }
  return std::max(count, 1);  // a player without an action passes
}

Action WallGame::random_legal_action(const State& state, Random& random) const {
  const Bitboard moves = pawn_moves(*geometry_, rules_, state);
  const int pawn_count = moves.count();
  if (!may_place_wall(state)) {
    if (pawn_count == 0) return geometry_->pass();
    return geometry_->action(ActionKind::pawn, nth(moves, random.below(pawn_count)));
  }

  // Draw among the free walls too, and look for a way only once one is drawn that could close it; an illegal one is
  // put aside and the draw repeated, which leaves all legal actions equally likely.
  const Board placed_h(state.horizontal);
  const Board placed_v(state.vertical);
  Board free_h, free_v;
  free_walls(*geometry_, placed_h, placed_v, free_h, free_v);
  WallSets free, joining;
  free_h.store(free.horizontal);
  free_v.store(free.vertical);
  joining_walls(*geometry_, placed_h, placed_v, free_h, free_v);
  free_h.store(joining.horizontal);
  free_v.store(joining.vertical);
  for (;;) {
    const int horizontal_count = free.horizontal.count();
    const int total = pawn_count + horizontal_count + free.vertical.count();
    if (total == 0) return geometry_->pass();
    const int drawn = random.below(total);
    if (drawn < pawn_count) return geometry_->action(ActionKind::pawn, nth(moves, drawn));

    const bool is_horizontal = drawn < pawn_count + horizontal_count;
    const ActionKind kind = is_horizontal ? ActionKind::horizontal : ActionKind::vertical;
    Bitboard& drawn_from = is_horizontal ? free.horizontal : free.vertical;
    const Square square = nth(drawn_from, drawn - pawn_count - (is_horizontal ? 0 : horizontal_count));
    bool legal = true;
    if ((is_horizontal ? joining.horizontal : joining.vertical).test(square)) {
      const Board wall = Board::of(square);
      const OpenSteps<Board> open(*geometry_, is_horizontal ? placed_h | wall : placed_h,
                                  is_horizontal ? placed_v : placed_v | wall);
      for (int player = 0; legal && player < rules_.players; ++player) {
        legal = distance_to(open, state.pawns[player * kMaxPawns], Board(geometry_->goal[player])) < kUnreachable;
      }
    }
    if (legal) return geometry_->action(kind, square);
    drawn_from.reset(square);
  }
}

Action WallGame::winning_action(const State& state) const {
  Action action = kNoAction;
  pawn_moves(*geometry_, rules_, state).for_each([&](Square square) {
    if (geometry_->goal[state.player].test(square)) action = geometry_->action(ActionKind::pawn, square);
  });
  return action;
}

void WallGame::place_wall(State& state, ActionKind kind, Square anchor) {
  (kind == ActionKind::horizontal ? state.horizontal : state.vertical).set(anchor);
  // Zobrist keys, one a wall.
  state.walls_key ^= mix64(0x57A11000u + static_cast<std::uint64_t>(kind) * 256 + anchor);
}

void WallGame::apply(State& state, Action action) const {
  const ActionMeaning meaning = geometry_->meaning[index(action)];
  ++state.ply;
  ++state.reversible_plies;
  switch (meaning.kind) {
    case ActionKind::pawn:
      state.pawns[state.player * kMaxPawns] = meaning.square;
      if (geometry_->goal[state.player].test(meaning.square)) state.winner = static_cast<std::int8_t>(state.player);
      state.passes = 0;
      break;
    case ActionKind::horizontal:
    case ActionKind::vertical:
      place_wall(state, meaning.kind, meaning.square);
      --state.walls_left[state.player * 2];
      state.reversible_plies = 0;
      state.passes = 0;
      break;
    case ActionKind::pass:
      ++state.passes;
      break;
  }
  state.player = static_cast<std::uint8_t>(state.player + 1 == rules_.players ? 0 : state.player + 1);
}

Outcome WallGame::outcome(const State& state, const History& history) const {
  if (state.winner >= 0) return Outcome::won_by(state.winner);
  if (state.ply >= max_plies_ || state.passes >= rules_.players) return Outcome::drawn(rules_.players);
  if (rules_.repetition > 0 && history.count(repetition_key(state), state.reversible_plies) + 1 >= rules_.repetition) {
    return Outcome::drawn(rules_.players);
  }
  return {};
}

std::uint64_t WallGame::repetition_key(const State& state) const {
  return mix64(state.walls_key ^
               mix64(as_word(state.pawns.data()) ^ mix64(as_word(state.walls_left.data()) + state.player)));
}

std::uint64_t WallGame::key(const State& state) const {
  const std::uint64_t rest = static_cast<std::uint64_t>(state.ply) |
                             static_cast<std::uint64_t>(state.reversible_plies) << 16 |
                             static_cast<std::uint64_t>(state.passes) << 32 |
                             static_cast<std::uint64_t>(static_cast<std::uint8_t>(state.winner)) << 40 |
                             static_cast<std::uint64_t>(state.phase) << 48;
  return mix64(repetition_key(state) ^ mix64(rest));
}

int WallGame::distance(const State& state, int player) const {
  return distance_to(open_steps(*geometry_, state), state.pawns[player * kMaxPawns], Board(geometry_->goal[player]));
}

float WallGame::auxiliary(const State& state, int player) const {
  const float scale = static_cast<float>(rules_.rows + rules_.columns);
  return std::min(1.0f, static_cast<float>(distance(state, player)) / scale);
}

int WallGame::heuristic(const State& state, int player) const {
  if (state.winner >= 0) return state.winner == player ? kWon : -kWon;
  int nearest_opponent = kUnreachable;
  for (int other = 0; other < rules_.players; ++other) {
    if (other != player) nearest_opponent = std::min(nearest_opponent, distance(state, other));
  }
  return nearest_opponent - distance(state, player);
}

}  // namespace koridor::wall
