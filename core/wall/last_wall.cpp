#include "core/wall/last_wall.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/wall/paths.h"
#include "core/wall/race.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace koridor::wall {
namespace {

// Of a board whose sets of cells are such words.
template <class Word>
constexpr std::size_t kCells = 8 * sizeof(Word);
template <class Word>
constexpr std::size_t kLanes = 64 / sizeof(Word);
constexpr int kMostRounds = Race::kLongest / 2;
constexpr std::size_t kMostWalls = 2 * 64;  // there are fewer anchors than cells

std::size_t at(int cell) {
  return static_cast<std::size_t>(cell);
}

// A set of cells for each of several arrangements of walls, one per lane; a word for one alone.
template <class Word>
struct VectorOf;
template <>
struct VectorOf<std::uint32_t> {
  using Type [[gnu::vector_size(64)]] = std::uint32_t;
};
template <>
struct VectorOf<std::uint64_t> {
  using Type [[gnu::vector_size(64)]] = std::uint64_t;
};
template <class Word>
using Vector = typename VectorOf<Word>::Type;

// All lanes in one word: of words of 32 bits, the even and the odd ones.
template <class Set>
std::uint64_t joined(const Set& set) {
  std::uint64_t all = 0;
  for (const std::uint64_t word : std::bit_cast<std::array<std::uint64_t, sizeof(Set) / 8>>(set)) all |= word;
  return all;
}

template <class Set>
bool any(const Set& set) {
  if constexpr (sizeof(Set) <= 8) {
    return set != 0;
  } else {
#ifdef __AVX512F__
    return _mm512_test_epi64_mask(std::bit_cast<__m512i>(set), std::bit_cast<__m512i>(set)) != 0;
#else
    return joined(set) != 0;
#endif
  }
}

// All cells, or none, of each lane by whether it has the cell.
template <class Set>
Set lanes_with(const Set& set, int cell) {
  const Set zero{};
  const Set bit = set >> cell & 1;
  return zero - bit;
}

template <class Set>
Set moved(const Set& set, int by) {
  return by > 0 ? set << by : set >> -by;
}

// What both pawns can do between the walls of each lane, and the positions as far as they are decided. Positions of
// player two's cell `north` are a set of player one's cells.
template <class Word, class Set>
class Field {
 public:
  // The cells from which each straight step is open: of one lane, in all of them.
  void begin(const Geometry& geometry, const Rules& rules, const std::array<Word, 4>& straight) {
    columns_ = geometry.columns;
    cells_ = geometry.rows * geometry.columns;
    by_ = {-columns_, 1, columns_, -1};
    for (std::size_t i = 0; i < 4; ++i) step_[i] = Set{} + straight[i];
    directions_ = rules.step == Step::diagonal ? 8 : 4;
    both_ = rules.diagonal_step == DiagonalStep::both;
  }
  void close(std::size_t lane, const std::array<Word, 4>& closed) {
    for (std::size_t i = 0; i < 4; ++i) step_[i][lane] &= ~closed[i];
  }

  // To be called when the steps are there.
  void open_positions(const std::array<Word, 2>& goals) {
    goals_ = goals;
    for (std::size_t i = 0; i < 4 && directions_ == 8; ++i) {
      const std::size_t next = (i + 1) % 4;
      const Set one = step_[i] & moved(step_[next], -by_[i]);
      const Set other = step_[next] & moved(step_[i], -by_[next]);
      by_[4 + i] = by_[i] + by_[next];
      step_[4 + i] = both_ ? one & other : one | other;
    }
    const Word board = cells_ == static_cast<int>(8 * sizeof(Word)) ? ~Word{0} : (Word{1} << cells_) - 1;
    for (int cell = 0; cell < cells_; ++cell) {
      for (std::size_t i = 0; i < directions_; ++i) leads_[i][at(cell)] = lanes_with(step_[i], cell);
      south_jumps_[at(cell)].count = north_jumps_[at(cell)].count = 0;
      near_[at(cell)] = 0;
    }
    find_jumps();
    for (int north = 0; north < cells_; ++north) {
      const Word free = board & ~(Word{1} << north);
      const bool ended = (goals[1] >> north & 1) != 0;
      const Word places = ended ? 0 : free & ~goals[0];
      for (std::size_t mover = 0; mover < 2; ++mover) {
        not_won_[mover][at(north)] = Set{} + free;
        open_[mover][at(north)] = Set{} + places;
        is_won_[mover][at(north)] = false;
        is_open_[mover][at(north)] = places != 0;
      }
      // A player whose opponent stands on its goal has lost, in no ply.
      lost_[0][at(north)] = Set{} + (ended ? free : Word{0});
      lost_[1][at(north)] = Set{} + (ended ? Word{0} : static_cast<Word>(free & goals[0]));
      for (std::size_t mover = 0; mover < 2; ++mover) is_lost_[mover][at(north)] = any(lost_[mover][at(north)]);
    }
  }

  // The cells from which there is a way to the player's goal. Diagonal steps make no other ways: the rule wants a way
  // round the corner.
  Set reaching(std::size_t player) const {
    Set reached = Set{} + goals_[player];
    for (Set layer = reached; any(layer);) {
      Set next{};
      for (std::size_t i = 0; i < 4; ++i) next |= moved(layer, -by_[i]) & step_[i];
      layer = next & ~reached;
      reached |= layer;
    }
    return reached;
  }

  // The positions that the mover wins by a step to one that was lost last, or that `more` has; calls
  // visit(north, row). Returns whether there are any.
  template <class More, class Visit>
  bool find_wins(std::size_t mover, More&& more, Visit&& visit) {
    const auto wins = [&](int north, const Set& open) {
      return (before(mover, lost_[1 - mover], is_lost_[1 - mover], north, open) | more(north)) & open;
    };
    return find(mover, wins, won_[mover], is_won_[mover], [&](int north, const Set& row) {
      not_won_[mover][at(north)] &= ~row;
      visit(north, row);
    });
  }

  // The positions that the mover loses: all of its steps lead to wins of the other. Only those are looked at that
  // candidates(north) has.
  template <class Candidates, class Visit>
  bool find_losses(std::size_t mover, Candidates&& candidates, Visit&& visit) {
    const auto losses = [&](int north, const Set& open) {
      const Set row = candidates(north) & open;
      return any(row) ? row & ~before(mover, not_won_[1 - mover], all_rows_, north, row) : row;
    };
    return find(mover, losses, lost_[mover], is_lost_[mover], visit);
  }

  int cells() const { return cells_; }
  // Candidates of a mover who can only step: a step leads to a position that was won last.
  Set before_won(std::size_t mover, int north) const {
    return before(mover, won_[1 - mover], is_won_[1 - mover], north, open_[mover][at(north)]);
  }
  const Set& not_won(std::size_t mover, int north) const { return not_won_[mover][at(north)]; }

 private:
  using Rows = std::array<Set, kCells<Word>>;
  using Flags = std::array<bool, kCells<Word>>;

  // Jumps, each with the cell of player one in the lanes that have it: its own before it jumps, or the one that is
  // jumped over. `by` is what a jump of player one adds to its cell, `to` where one of player two ends.
  struct Jumps {
    std::array<Set, 12> cell;
    std::array<std::int8_t, 12> by;
    std::array<std::uint8_t, 12> to;
    std::size_t count = 0;
  };

  void find_jumps() {
    for (int over = 0; over < cells_; ++over) {
      for (std::size_t ahead = 0; ahead < 4; ++ahead) {
        const int from = over - by_[ahead];
        if (from < 0 || from >= cells_) continue;
        const Set face = leads_[ahead][at(from)];
        if (!any(face)) continue;
        near_[at(over)] |= Word{1} << from;
        near_[at(from)] |= Word{1} << over;
        const auto add = [&](const Set& lanes, int to) {
          if (!any(lanes)) return;
          Jumps& south = south_jumps_[at(over)];
          south.by[south.count] = static_cast<std::int8_t>(to - from);
          south.cell[south.count++] = lanes & (Set{} + static_cast<Word>(Word{1} << from));
          Jumps& north = north_jumps_[at(from)];
          north.to[north.count] = static_cast<std::uint8_t>(to);
          north.cell[north.count++] = lanes & (Set{} + static_cast<Word>(Word{1} << over));
        };
        const Set straight = leads_[ahead][at(over)];
        add(face & straight, over + by_[ahead]);
        for (const std::size_t aside : {(ahead + 1) % 4, (ahead + 3) % 4}) {
          add(face & ~straight & leads_[aside][at(over)], over + by_[aside]);
        }
      }
    }
  }

  // Of the positions that are asked about, those from which a step or a jump of the mover leads into `to`; others may
  // be among them. `is_there` tells the rows of `to` that are not empty.
  Set before(std::size_t mover, const Rows& to, const Flags& is_there, int north, const Set& asked) const {
    Set result{};
    if (mover == 0) {
      if (!is_there[at(north)]) return result;
      const Set& row = to[at(north)];
      for (std::size_t i = 0; i < directions_; ++i) result |= moved(row, -by_[i]) & step_[i];
      if (!any(asked & near_[at(north)])) return result;
      const Jumps& jumps = south_jumps_[at(north)];
      for (std::size_t i = 0; i < jumps.count; ++i) result |= moved(row, -jumps.by[i]) & jumps.cell[i];
      return result;
    }
    for (std::size_t i = 0; i < directions_; ++i) {
      const int next = north + by_[i];
      if (next < 0 || next >= cells_ || !is_there[at(next)]) continue;
      result |= to[at(next)] & leads_[i][at(north)];
    }
    if (!any(asked & near_[at(north)])) return result;
    const Jumps& jumps = north_jumps_[at(north)];
    for (std::size_t i = 0; i < jumps.count; ++i) {
      if (is_there[jumps.to[i]]) result |= to[jumps.to[i]] & jumps.cell[i];
    }
    return result;
  }

  // Decides what row_of(north, open) says of the open positions with this mover, and keeps it in `rows`. Returns
  // whether there is any.
  template <class RowOf, class Visit>
  bool find(std::size_t mover, RowOf&& row_of, Rows& rows, Flags& is_there, Visit&& visit) {
    bool found = false;
    for (int north = 0; north < cells_; ++north) {
      is_there[at(north)] = false;
      if (!is_open_[mover][at(north)]) continue;
      Set& open = open_[mover][at(north)];
      const Set row = row_of(north, open);
      if (!any(row)) continue;
      rows[at(north)] = row;
      is_there[at(north)] = found = true;
      open &= ~row;
      is_open_[mover][at(north)] = any(open);
      visit(north, row);
    }
    return found;
  }

  static constexpr Flags all_rows() {
    Flags flags{};
    flags.fill(true);
    return flags;
  }
  static constexpr Flags all_rows_ = all_rows();

  int columns_ = 0;
  int cells_ = 0;
  std::array<Word, 2> goals_{};
  std::size_t directions_ = 4;
  bool both_ = false;
  std::array<int, 8> by_{};                      // direction -> what a step adds to a cell
  std::array<Set, 8> step_{};                    // direction -> cells from which it is open
  std::array<Rows, 8> leads_;                    // direction, cell -> the lanes in which it is open there
  std::array<Word, kCells<Word>> near_;          // cells one step away, in some lane
  std::array<Jumps, kCells<Word>> south_jumps_;  // over player two's cell
  std::array<Jumps, kCells<Word>> north_jumps_;  // from player two's cell
  std::array<Rows, 2> open_;                     // [mover]: not decided yet
  std::array<Rows, 2> not_won_;                  // [mover]: finished games of the other included
  std::array<Rows, 2> won_;                      // [mover]: found last
  std::array<Rows, 2> lost_;
  std::array<Flags, 2> is_open_;
  std::array<Flags, 2> is_won_;
  std::array<Flags, 2> is_lost_;
};

// What the walls that can be placed are worth, over all lanes: by round, [player two's cell]. Round k has the wins in
// 2k + 1 plies and the losses in 2k + 2. Rounds from `rounds` on are like the last, and lose nothing more.
template <class Word>
struct WorthOfWalls {
  using Row = std::array<Word, kCells<Word>>;
  std::array<Row, kMostRounds> some_lost;  // a wall leads to a loss of the other in just so many plies
  std::array<Row, kMostRounds> all_won;    // every wall leads to a win of the other in at most so many
  int rounds = 0;
  Row finally_won;  // every wall of the blocks that are through leads to a win of the other

  void clear() {
    rounds = 0;
    finally_won.fill(~Word{0});
  }
  Word all_won_by(int round, int cell) const {
    return round < 0 ? Word{0} : all_won[at(std::min(round, rounds - 1))][at(cell)];
  }

  void begin(int round) {
    if (round < rounds) return;
    some_lost[at(round)].fill(0);
    all_won[at(round)] = finally_won;
    rounds = round + 1;
  }
};

// A board's room for the work.
template <class Word>
struct Scratch {
  Field<Word, Vector<Word>> lanes;
  Field<Word, Word> alone;
  WorthOfWalls<Word> worth;
  std::array<std::array<Word, 4>, kMostWalls> walls;  // the straight steps that each free wall closes
};

template <class Word>
Word dense(const Geometry& geometry, const Bitboard& squares) {
  Word result = 0;
  squares.for_each(
      [&](Square square) { result |= Word{1} << (row_of(square) * geometry.columns + column_of(square)); });
  return result;
}

// Lists the free walls by the steps that they close, and returns how many there are.
template <class Word>
std::size_t list_walls(const Geometry& geometry, const Configuration& walls,
                       std::array<std::array<Word, 4>, kMostWalls>& list) {
  Board free_horizontal, free_vertical;
  free_walls(geometry, Board(walls.horizontal), Board(walls.vertical), free_horizontal, free_vertical);
  Bitboard horizontal, vertical;
  free_horizontal.store(horizontal);
  free_vertical.store(vertical);
  std::size_t count = 0;
  const auto cell = [&](Square anchor, int down, int right) {
    return Word{1} << ((row_of(anchor) + down) * geometry.columns + column_of(anchor) + right);
  };
  horizontal.for_each([&](Square anchor) {
    list[count++] = {cell(anchor, 1, 0) | cell(anchor, 1, 1), 0, cell(anchor, 0, 0) | cell(anchor, 0, 1), 0};
  });
  vertical.for_each([&](Square anchor) {
    list[count++] = {0, cell(anchor, 0, 0) | cell(anchor, 1, 0), 0, cell(anchor, 0, 1) | cell(anchor, 1, 1)};
  });
  return count;
}

template <class Word>
Word some_lane(const Vector<Word>& set) {
  const std::uint64_t words = joined(set);
  return static_cast<Word>(sizeof(Word) == 8 ? words : words | words >> 32);
}
template <class Word>
Word every_lane(const Vector<Word>& set) {
  return ~some_lane<Word>(~set);
}

// Solves the races of a block of lanes, the first `used` of which have a wall, with `other` to move first, and adds
// what the walls are worth. False where a race takes too long.
template <class Word>
bool add_races(Field<Word, Vector<Word>>& lanes, std::size_t used, std::size_t other, WorthOfWalls<Word>& worth) {
  using Set = Vector<Word>;
  const int cells = lanes.cells();
  // No wall may close a pawn's last way, and lanes without a wall count for nobody.
  Set there{};
  for (std::size_t lane = 0; lane < used; ++lane) there[lane] = ~Word{0};
  const Set south = lanes.reaching(0) & there;
  const Set north = lanes.reaching(1);
  std::array<Set, kCells<Word>> legal;
  for (int cell = 0; cell < cells; ++cell) legal[at(cell)] = south & lanes_with(north, cell);
  std::array<Word, kCells<Word>> won;  // by `other`, whatever the wall
  const auto find_won = [&](int cell) {
    won[at(cell)] = every_lane<Word>(~(lanes.not_won(other, cell) & legal[at(cell)]));
  };
  for (int cell = 0; cell < cells; ++cell) find_won(cell);

  int round = 0;
  for (bool found = true; found; ++round) {
    if (round == kMostRounds) return false;
    worth.begin(round);
    found = false;
    for (std::size_t winner = 0; winner < 2; ++winner) {
      const auto see = [&](int cell, const Set&) {
        if (winner == other) find_won(cell);
      };
      if (lanes.find_wins(
              winner, [](int) { return Set{}; }, see))
        found = true;
    }
    for (int cell = 0; cell < cells; ++cell) worth.all_won[at(round)][at(cell)] &= won[at(cell)];
    for (std::size_t loser = 0; loser < 2; ++loser) {
      const auto after_wins = [&](int cell) { return lanes.before_won(loser, cell); };
      const auto add = [&](int cell, const Set& row) {
        if (loser == other) worth.some_lost[at(round)][at(cell)] |= some_lane<Word>(row & legal[at(cell)]);
      };
      if (lanes.find_losses(loser, after_wins, add)) found = true;
    }
  }
  for (int cell = 0; cell < cells; ++cell) {
    for (int later = round; later < worth.rounds; ++later) worth.all_won[at(later)][at(cell)] &= won[at(cell)];
    worth.finally_won[at(cell)] &= won[at(cell)];
  }
  return true;
}

// Writes the digits of the game before the wall.
template <class Word>
LastWallResult finish(Field<Word, Word>& alone, std::size_t owner, const WorthOfWalls<Word>& worth,
                      std::uint64_t* digits) {
  LastWallResult result;
  const int cells = alone.cells();
  const std::size_t plane = 2 * at(cells);
  int plies = 0;
  std::size_t mover = 0;
  const auto write = [&](int cell, Word row) {
    for (; plies >> result.digits_used != 0; ++result.digits_used) {
      std::fill_n(digits + at(result.digits_used) * plane, plane, 0);
    }
    std::uint64_t* digit = digits + mover * at(cells) + at(cell);
    for (int rest = plies; rest != 0; rest >>= 1, digit += plane) {
      if ((rest & 1) != 0) *digit |= row;
    }
  };
  bool found = true;
  for (int round = 0; found || round < worth.rounds; ++round) {
    if (round == kMostRounds) return result;
    found = false;
    plies = 2 * round + 1;
    for (mover = 0; mover < 2; ++mover) {
      const bool has_walls = mover == owner && round > 0 && round <= worth.rounds;
      const auto by_walls = [&](int cell) { return has_walls ? worth.some_lost[at(round - 1)][at(cell)] : Word{0}; };
      if (alone.find_wins(mover, by_walls, write)) found = true;
    }
    ++plies;
    for (mover = 0; mover < 2; ++mover) {
      const auto candidates = [&](int cell) {
        const Word by_steps = alone.before_won(mover, cell);
        if (mover != owner || worth.rounds == 0) return by_steps;
        // The last of the moves to be a win of the other may be a step or a wall.
        const Word by_walls = worth.all_won_by(round, cell);
        return (by_steps | (by_walls & ~worth.all_won_by(round - 1, cell))) & by_walls;
      };
      if (alone.find_losses(mover, candidates, write)) found = true;
    }
  }
  result.complete = true;
  return result;
}

template <class Word>
LastWallResult solve(const Geometry& geometry, const Rules& rules, const Configuration& walls, int owner,
                     std::uint64_t* digits) {
  thread_local const std::unique_ptr<Scratch<Word>> own = std::make_unique<Scratch<Word>>();
  Scratch<Word>& room = *own;
  const OpenSteps<Board> open(geometry, Board(walls.horizontal), Board(walls.vertical));
  std::array<Word, 4> straight;
  for (std::size_t i = 0; const Board* steps : {&open.north, &open.east, &open.south, &open.west}) {
    Bitboard squares;
    steps->store(squares);
    straight[i++] = dense<Word>(geometry, squares);
  }
  const std::array<Word, 2> goals = {dense<Word>(geometry, geometry.goal[0]), dense<Word>(geometry, geometry.goal[1])};
  const std::size_t count = list_walls(geometry, walls, room.walls);
  room.worth.clear();
  for (std::size_t first = 0; first < count; first += kLanes<Word>) {
    const std::size_t used = std::min(kLanes<Word>, count - first);
    room.lanes.begin(geometry, rules, straight);
    for (std::size_t lane = 0; lane < used; ++lane) room.lanes.close(lane, room.walls[first + lane]);
    room.lanes.open_positions(goals);
    if (!add_races(room.lanes, used, static_cast<std::size_t>(1 - owner), room.worth)) return {};
  }
  room.alone.begin(geometry, rules, straight);
  room.alone.open_positions(goals);
  return finish(room.alone, static_cast<std::size_t>(owner), room.worth, digits);
}

}  // namespace

bool last_wall_serves(const Geometry& geometry, const Rules& rules) {
  return rules.players == 2 && rules.pawns == 1 && rules.goal == Goal::line && rules.step != Step::twice &&
         !rules.wall_after_move && !rules.walls_by_kind && rules.jumps && geometry.rows * geometry.columns <= 64;
}

LastWallResult solve_last_wall(const Geometry& geometry, const Rules& rules, const Configuration& walls, int owner,
                               std::uint64_t* digits) {
  if (geometry.rows * geometry.columns <= 32) {
    return solve<std::uint32_t>(geometry, rules, walls, owner, digits);
  }
  return solve<std::uint64_t>(geometry, rules, walls, owner, digits);
}

}  // namespace koridor::wall
