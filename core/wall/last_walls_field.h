// The positions of two pawns between fixed walls, as sets of cells: what the pawns can do, and which positions are won
// and lost, worked out backwards by plies. With vectors for sets this is done for several arrangements of walls at
// once, one per lane. It serves last_walls.cpp alone.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/wall/geometry.h"
#include "core/wall/rules.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace koridor::wall::last_walls {

// Of a board whose sets of cells are such words.
template <class Word>
constexpr std::size_t kCells = 8 * sizeof(Word);
template <class Word>
constexpr std::size_t kLanes = 64 / sizeof(Word);

inline std::size_t at(int cell) {
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
  void begin(const Geometry& geometry, const Rules& rules, const std::array<Word, 4>& straight,
             const std::array<Word, 2>& goals) {
    goals_ = goals;
    columns_ = geometry.columns;
    cells_ = geometry.rows * geometry.columns;
    by_ = {-columns_, 1, columns_, -1};
    for (std::size_t i = 0; i < 4; ++i) step_[i] = Set{} + straight[i];
    directions_ = rules.step == Step::diagonal ? 8 : 4;
    both_ = rules.diagonal_step == DiagonalStep::both;
  }
  // Closes these steps, in one lane of a vector.
  void close(std::size_t lane, const std::array<Word, 4>& closed) {
    for (std::size_t i = 0; i < 4; ++i) {
      if constexpr (sizeof(Set) == sizeof(Word)) {
        step_[i] &= ~closed[i];
      } else {
        step_[i][lane] &= ~closed[i];
      }
    }
  }

  // Works out all that the pawns can do; to be called when the steps are there.
  void find_moves() {
    for (std::size_t i = 0; i < 4 && directions_ == 8; ++i) {
      const std::size_t next = (i + 1) % 4;
      const Set one = step_[i] & moved(step_[next], -by_[i]);
      const Set other = step_[next] & moved(step_[i], -by_[next]);
      by_[4 + i] = by_[i] + by_[next];
      step_[4 + i] = both_ ? one & other : one | other;
    }
    for (int cell = 0; cell < cells_; ++cell) {
      for (std::size_t i = 0; i < directions_; ++i) leads_[i][at(cell)] = lanes_with(step_[i], cell);
      south_jumps_[at(cell)].count = north_jumps_[at(cell)].count = 0;
      near_[at(cell)] = 0;
    }
    find_jumps();
  }

  // Begins with nothing decided but the games that are over; to be called after find_moves().
  void open_positions() {
    const Word board = cells_ == static_cast<int>(8 * sizeof(Word)) ? ~Word{0} : (Word{1} << cells_) - 1;
    for (int north = 0; north < cells_; ++north) {
      const Word free = board & ~(Word{1} << north);
      const bool ended = (goals_[1] >> north & 1) != 0;
      const Word places = ended ? 0 : free & ~goals_[0];
      for (std::size_t mover = 0; mover < 2; ++mover) {
        not_won_[mover][at(north)] = Set{} + free;
        open_[mover][at(north)] = Set{} + places;
        is_won_[mover][at(north)] = false;
        is_open_[mover][at(north)] = places != 0;
      }
      // A player whose opponent stands on its goal has lost, in no ply.
      lost_[0][at(north)] = Set{} + (ended ? free : Word{0});
      lost_[1][at(north)] = Set{} + (ended ? Word{0} : static_cast<Word>(free & goals_[0]));
      for (std::size_t mover = 0; mover < 2; ++mover) is_lost_[mover][at(north)] = any(lost_[mover][at(north)]);
    }
  }

  // The cells from which there is a way to the player's goal; begin() is enough for that. Diagonal steps make no other
  // ways: the rule wants a way round the corner.
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

}  // namespace koridor::wall::last_walls
