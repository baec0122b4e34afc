#include "core/wall/game.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "core/base/random.h"
#include "core/wall/fitting_walls.h"
#include "core/wall/last_walls.h"
#include "core/wall/moves.h"

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

// Adds `bits`, at most 64, to the mask from action `first` on.
void add_bits(ActionMask& mask, int first, std::uint64_t bits) {
  if (bits == 0) return;
  const int shift = first & 63;
  mask.word(first >> 6) |= bits << shift;
  if (shift != 0 && bits >> (64 - shift) != 0) mask.word((first >> 6) + 1) |= bits >> (64 - shift);
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

std::vector<Registration<Rules>> WallGame::registrations() {
  std::vector<Registration<Rules>> all;
  for (const Preset& preset : presets()) all.push_back({preset.rules.id, preset.title, "walls=3", preset.rules});
  return all;
}

std::string WallGame::name() const {
  return variant_name(rules_);
}

WallGame::WallGame(const Rules& rules) : rules_(rules) {
  check(rules_);
  max_plies_ = effective_max_plies(rules_);
  if (max_plies_ == 4 * rules_.columns * rules_.rows) rules_.max_plies = 0;  // one form for equal rules
  geometry_ = std::make_shared<const Geometry>(rules_);
  plain_ = geometry_->plain;
  races_ = RaceTables::serve(*this);
  last_walls_ = most_last_walls(*geometry_, rules_);
}

State WallGame::initial_state() const {
  State state;
  state.pawns = geometry_->start;
  for (int player = 0; player < rules_.players; ++player) {
    for (int kind = 0; kind < wall_kinds(); ++kind) {
      state.walls_left[player * 2 + kind] = static_cast<std::uint8_t>(rules_.walls);
    }
  }
  return state;
}

template <bool kPlain>
bool WallGame::may_place_wall(const State& state) const {
  if constexpr (kPlain) return state.walls_left[state.player * 2] > 0;
  return state.phase == (rules_.wall_after_move ? 1 : 0) &&
         state.walls_left[state.player * 2] + state.walls_left[state.player * 2 + 1] > 0;
}

template <bool kPlain>
Ways WallGame::find_ways(const State& state) const {
  Ways ways;
  for (int player = 0; player < rules_.players; ++player) {
    ways.add({state.pawns[player * kMaxPawns], &geometry_->goal[player]});
    if (kPlain || rules_.pawns == 1) continue;
    ways.add({state.pawns[player * kMaxPawns + 1], &geometry_->goal[player]});
    // A pawn that reaches one goal square reaches the other if there is a way between them.
    if (rules_.goal == Goal::starts) ways.add({geometry_->goal[player].first(), &geometry_->last_goal[player]});
  }
  return ways;
}

Ways WallGame::ways(const State& state) const {
  return find_ways<false>(state);
}

template <bool kPlain>
Stock WallGame::stock(const State& state) const {
  if (kPlain || !rules_.walls_by_kind) return {};
  return {state.walls_left[state.player * 2] > 0, state.walls_left[state.player * 2 + 1] > 0};
}

template <bool kPlain>
WallSets WallGame::find_legal_walls(const State& state) const {
  return legal_walls<Board>(*geometry_, state.horizontal, state.vertical, find_ways<kPlain>(state),
                            stock<kPlain>(state));
}

template <bool kPlain>
WallGame::PawnMoves<kPlain> WallGame::find_moves(const State& state) const {
  // Made in place: a copy by whole registers would wait for the words that were only just stored.
  if constexpr (kPlain) {
    return {plain_pawn_moves(*geometry_, rules_, state)};
  } else {
    PawnMoves<kPlain> moves;
    for (int pawn = 0; pawn < rules_.pawns && state.phase == 0; ++pawn) {
      moves[pawn] = any_pawn_moves(*geometry_, rules_, state, pawn);
    }
    return moves;
  }
}

bool WallGame::can_place_wall(const State& state) const {
  const Stock stock_left = stock<false>(state);
  if (state.walls_left[state.player * 2] + state.walls_left[state.player * 2 + 1] == 0) return false;
  const Board placed_h(state.horizontal);
  const Board placed_v(state.vertical);
  Board free_h, free_v;
  free_walls(*geometry_, placed_h, placed_v, free_h, free_v);
  if (!stock_left.horizontal) free_h = Board();
  if (!stock_left.vertical) free_v = Board();
  Board joining_h = free_h;
  Board joining_v = free_v;
  joining_walls(*geometry_, placed_h, placed_v, joining_h, joining_v);
  if (((free_h - joining_h) | (free_v - joining_v)).any()) return true;  // nearly always
  const WallSets walls = find_legal_walls<false>(state);
  return walls.horizontal.any() || walls.vertical.any();
}

void WallGame::add_walls(const Bitboard& squares, ActionKind kind, ActionMask& mask) const {
  int first = geometry_->action_plane(kind) * rules_.rows * rules_.columns;
#ifdef __BMI2__
  for (int i = 0; i < 4; ++i) {  // four rows at once
    add_bits(mask, first, _pext_u64(squares.words[i], geometry_->board.words[i]));
    first += 4 * rules_.columns;
  }
#else
  for (int row = 0; row < rules_.rows; ++row) {
    add_bits(mask, first, squares.row(row));
    first += rules_.columns;
  }
#endif
}

template <bool kPlain>
void WallGame::list_actions(const State& state, ActionMask& mask) const {
  mask.clear();
  const PawnMoves<kPlain> moves = find_moves<kPlain>(state);
  assert(!kPlain || rules_.players > 2 || moves[0].any());  // two players always have a pawn move: it can be proved
  bool any = false;
  for (std::size_t pawn = 0; pawn < moves.size(); ++pawn) {
    moves[pawn].for_each(
        [&](Square square) { mask.set(geometry_->action(ActionKind::pawn, square, static_cast<int>(pawn))); });
    any = any || moves[pawn].any();
  }
  if (may_place_wall<kPlain>(state)) {
    const WallSets walls = find_legal_walls<kPlain>(state);
    add_walls(walls.horizontal, ActionKind::horizontal, mask);
    add_walls(walls.vertical, ActionKind::vertical, mask);
    any = any || walls.horizontal.any() || walls.vertical.any();
  }
  if (!any) mask.set(geometry_->pass());
}

void WallGame::legal_actions(const State& state, const History&, ActionMask& mask) const {
  plain_ ? list_actions<true>(state, mask) : list_actions<false>(state, mask);
}

template <bool kPlain>
int WallGame::count_actions(const State& state) const {
  int count = 0;
  for (const Bitboard& moves : find_moves<kPlain>(state)) count += moves.count();
  if (may_place_wall<kPlain>(state)) {
    const WallSets walls = find_legal_walls<kPlain>(state);
    count += walls.horizontal.count() + walls.vertical.count();
  }
  return std::max(count, 1);  // a player without an action passes
}

int WallGame::count_legal_actions(const State& state) const {
  return plain_ ? count_actions<true>(state) : count_actions<false>(state);
}

template <bool kPlain>
Action WallGame::draw_action(const State& state, Random& random) const {
  const PawnMoves<kPlain> moves = find_moves<kPlain>(state);
  const int first_count = moves[0].count();
  int pawn_count = first_count;
  if constexpr (!kPlain) pawn_count += moves[1].count();
  const auto pawn_action = [&](int rank) {
    if constexpr (!kPlain) {
      if (rank >= first_count) return geometry_->action(ActionKind::pawn, nth(moves[1], rank - first_count), 1);
    }
    return geometry_->action(ActionKind::pawn, nth(moves[0], rank));
  };
  if (!may_place_wall<kPlain>(state)) {
    return pawn_count == 0 ? geometry_->pass() : pawn_action(random.below(pawn_count));
  }

  // The draw is among the pawn moves and all free walls, and only a drawn wall that could close a way is tested. If it
  // is illegal, it is put aside and the draw repeated, which leaves all legal actions equally likely.
  const Board placed_h(state.horizontal);
  const Board placed_v(state.vertical);
  Board free_h, free_v;
  free_walls(*geometry_, placed_h, placed_v, free_h, free_v);
  const Stock stock_left = stock<kPlain>(state);
  if (!stock_left.horizontal) free_h = Board();
  if (!stock_left.vertical) free_v = Board();
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
    if (drawn < pawn_count) return pawn_action(drawn);

    const bool is_horizontal = drawn < pawn_count + horizontal_count;
    const ActionKind kind = is_horizontal ? ActionKind::horizontal : ActionKind::vertical;
    Bitboard& drawn_from = is_horizontal ? free.horizontal : free.vertical;
    const Square square = nth(drawn_from, drawn - pawn_count - (is_horizontal ? 0 : horizontal_count));
    bool legal = true;
    if ((is_horizontal ? joining.horizontal : joining.vertical).test(square)) {
      const Board wall = Board::of(square);
      const OpenSteps<Board> open(*geometry_, is_horizontal ? placed_h | wall : placed_h,
                                  is_horizontal ? placed_v : placed_v | wall);
      const Ways ways = find_ways<kPlain>(state);
      legal = std::ranges::all_of(
          ways, [&](const Way& way) { return distance_to(open, way.from, Board(*way.to)) < kUnreachable; });
    }
    if (legal) return geometry_->action(kind, square);
    drawn_from.reset(square);
  }
}

Action WallGame::random_legal_action(const State& state, Random& random) const {
  return plain_ ? draw_action<true>(state, random) : draw_action<false>(state, random);
}

template <bool kPlain>
Action WallGame::find_win(const State& state) const {
  const Bitboard& goal = geometry_->goal[state.player];
  const PawnMoves<kPlain> moves = find_moves<kPlain>(state);
  Action action = kNoAction;
  for (std::size_t pawn = 0; pawn < moves.size(); ++pawn) {
    if (!kPlain && rules_.win_pawns == 2 && !goal.test(state.pawns[state.player * kMaxPawns + 1 - pawn])) continue;
    moves[pawn].for_each([&](Square square) {
      if (goal.test(square)) action = geometry_->action(ActionKind::pawn, square, static_cast<int>(pawn));
    });
  }
  return action;
}

Action WallGame::winning_action(const State& state) const {
  return plain_ ? find_win<true>(state) : find_win<false>(state);
}

// The cap makes draws of exactly those wins and losses that are further away than it is. A rule of repetition takes no
// draw away: who can hold out for ever can do so until the game is drawn.
//
// What comes before the last walls has tables of its own (last_walls.h). Walls that do not fit any more count for
// nothing.
//
// More walls left to one player alone are further choices that it need not take: what it wins without them, it wins.
// That holds only where it may always move its pawn, since who has no other choice must place a wall.
std::optional<KnownValue> WallGame::known_value(const State& state, const History& history, RaceTables& races,
                                                bool thorough) const {
  const int owner = player_with_walls(state);
  if (!races_ || !races.has_room()) return std::nullopt;
  const int provable = std::min(last_walls_, races.proven_walls());
  int to_place = walls_left(state, 0) + walls_left(state, 1);
  if (to_place > 0) {
    to_place = std::min(to_place, fitting_walls(*geometry_, {state.horizontal, state.vertical}, provable));
  }
  const bool is_last = to_place > 0 && to_place <= provable;
  const bool exact = to_place == 0 || is_last;
  if (owner == kBoth && !exact) return std::nullopt;
  if (!exact && !thorough && !is_ahead(state, owner)) return std::nullopt;
  const Winners winners = exact ? Winners::both : owner == 0 ? Winners::one : Winners::two;
  const Race& race = is_last ? races.last_walls(*this, state) : races.race_from(*this, state, winners);
  const int plies = race.plies(state.player, state.pawns[0], state.pawns[kMaxPawns]);
  const int left = max_plies_ - state.ply;
  const int winner = plies % 2 == 1 ? state.player : 1 - state.player;
  if (!exact && (plies == 0 || plies > left || winner != owner || race.may_pass())) return std::nullopt;
  if (plies == 0 && !race.complete()) return std::nullopt;
  if (plies == 0 || plies > left) return KnownValue{.values = Outcome::drawn(2).values, .plies = left};
  if (may_meet_past(state, history, race, winner, plies)) return std::nullopt;
  return KnownValue{.values = Outcome::won_by(winner).values, .plies = plies, .exact = exact};
}

int WallGame::walls_left(const State& state, int player) {
  const auto first = static_cast<std::size_t>(player * 2);
  return state.walls_left[first] + state.walls_left[first + 1];
}

int WallGame::player_with_walls(const State& state) {
  if (walls_left(state, 0) > 0) return walls_left(state, 1) > 0 ? kBoth : 0;
  return walls_left(state, 1) > 0 ? 1 : kNobody;
}

// Whether the player's way is so short that it should win the race; a table is seldom worth its while where it is not.
bool WallGame::is_ahead(const State& state, int player) const {
  const int lead = distance(state, 1 - player) - distance(state, player);
  return lead >= (state.player == player ? 0 : 1);
}

// A way to a win comes nearer with every move, so that it meets no position twice; but it may meet one of the past that
// would be a draw if it came again.
bool WallGame::may_meet_past(const State& state, const History& history, const Race& race, int winner,
                             int plies) const {
  if (rules_.repetition == 0) return false;
  const std::size_t window = std::min<std::size_t>(state.reversible_plies, history.size());
  const int before = rules_.repetition - 1;
  const auto is_draw = [&](std::uint64_t key) {
    return history.may_hold(key, before) && history.count(key, window) >= before;
  };
  if (std::ranges::none_of(history.keys().last(window), is_draw)) return false;
  bool found = false;
  State other = state;
  for (other.player = 0; other.player < 2; ++other.player) {
    geometry_->board.for_each([&](Square south) {
      other.pawns[0] = south;
      geometry_->board.for_each([&](Square north) {
        const int there = race.plies(other.player, south, north);
        if (there == 0 || there >= plies || (there % 2 == 1) != (other.player == winner)) return;
        other.pawns[kMaxPawns] = north;
        found = found || is_draw(repetition_key(other));
      });
    });
  }
  return found;
}

void WallGame::place_wall(State& state, ActionKind kind, Square anchor) {
  (kind == ActionKind::horizontal ? state.horizontal : state.vertical).set(anchor);
  // Zobrist keys, one per wall.
  state.walls_key ^= mix64(0x57A11000u + static_cast<std::uint64_t>(kind) * 256 + anchor);
}

bool WallGame::move_pawn(State& state, const ActionMeaning& meaning) const {
  const Bitboard& goal = geometry_->goal[state.player];
  Square* const pawns = &state.pawns[state.player * kMaxPawns];
  pawns[meaning.pawn] = meaning.square;
  bool won = goal.test(meaning.square);
  if (plain_) return won;
  if (rules_.win_pawns == 2) won = won && goal.test(pawns[1 - meaning.pawn]);
  if (rules_.pawns == 2 && pawns[0] > pawns[1]) std::swap(pawns[0], pawns[1]);
  return won;
}

void WallGame::apply(State& state, Action action) const {
  const ActionMeaning meaning = geometry_->meaning[index(action)];
  ++state.ply;
  ++state.reversible_plies;
  switch (meaning.kind) {
    case ActionKind::pawn:
      state.passes = 0;
      if (move_pawn(state, meaning)) {
        state.winner = static_cast<std::int8_t>(state.player);
      } else if (!plain_ && rules_.wall_after_move && can_place_wall(state)) {
        state.phase = 1;  // the same player goes on
        return;
      }
      break;
    case ActionKind::horizontal:
    case ActionKind::vertical:
      place_wall(state, meaning.kind, meaning.square);
      --state.walls_left[state.player * 2 + (rules_.walls_by_kind && meaning.kind == ActionKind::vertical ? 1 : 0)];
      state.reversible_plies = 0;
      state.passes = 0;
      state.phase = 0;
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
  if (rules_.repetition > 0) {
    const std::uint64_t key = repetition_key(state);
    const int before = rules_.repetition - 1;
    if (history.may_hold(key, before) && history.count(key, state.reversible_plies) >= before) {
      return Outcome::drawn(rules_.players);
    }
  }
  return {};
}

BestSearch WallGame::best_search() const {
  constexpr int kLargeBoard = 49;
  constexpr float kTemperature = 1.8f;
  if (rules_.step == Step::diagonal) return {"puct", kTemperature};
  if (rules_.step == Step::twice) return {"puct"};
  if (players() == 2 && rules_.rows * rules_.columns >= kLargeBoard) return {"puct", kTemperature};
  return {"gumbel"};
}

// The mover is added to the first stock: the walls on the board say how many all stocks hold, so that the sum tells
// the two apart. A stock is below 32, which leaves the highest bits of its byte to the phase.
std::uint64_t WallGame::repetition_key(const State& state) const {
  const std::uint64_t turn = state.player + (static_cast<std::uint64_t>(state.phase) << 62);
  return mix64(state.walls_key ^ mix64(as_word(state.pawns.data()) ^ mix64(as_word(state.walls_left.data()) + turn)));
}

std::uint64_t WallGame::key(const State& state) const {
  const std::uint64_t rest = static_cast<std::uint64_t>(state.ply) |
                             static_cast<std::uint64_t>(state.reversible_plies) << 16 |
                             static_cast<std::uint64_t>(state.passes) << 32 |
                             static_cast<std::uint64_t>(static_cast<std::uint8_t>(state.winner)) << 40;
  return mix64(repetition_key(state) ^ mix64(rest));
}

std::uint64_t WallGame::prediction_key(const State& state) const {
  return mix64(repetition_key(state) ^ mix64(state.ply));
}

int WallGame::distance(const State& state, int player) const {
  const OpenSteps<Board> open = open_steps(*geometry_, state);
  const Board goal(geometry_->goal[player]);
  const auto from = [&](int pawn) {
    const Square square = state.pawns[player * kMaxPawns + pawn];
    return rules_.step == Step::diagonal ? distance_to(EightSteps(open, rules_.diagonal_step), square, goal)
                                         : distance_to(open, square, goal);
  };
  if (rules_.pawns == 1) return from(0);
  return rules_.win_pawns == 1 ? std::min(from(0), from(1)) : std::min(from(0) + from(1), kUnreachable);
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
