// Works out the table of one arrangement of walls (race.h): from finished games backwards, one number of plies after
// the other.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/wall/configuration.h"
#include "core/wall/geometry.h"
#include "core/wall/paths.h"
#include "core/wall/race.h"
#include "core/wall/rules.h"

namespace koridor::wall {

// A set of cells, row * columns + column.
template <int kWords>
struct Cells {
  std::array<std::uint64_t, kWords> words;

  static Cells none() { return {}; }
  static Cells of(int cell) {
    Cells result{};
    result.set(cell);
    return result;
  }
  bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words) all |= word;
    return all != 0;
  }
  bool test(int cell) const { return (words[static_cast<std::size_t>(cell >> 6)] >> (cell & 63) & 1) != 0; }
  void set(int cell) { words[static_cast<std::size_t>(cell >> 6)] |= std::uint64_t{1} << (cell & 63); }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int i = 0; i < kWords; ++i) {
      for (std::uint64_t rest = words[static_cast<std::size_t>(i)]; rest != 0; rest &= rest - 1) {
        visit(i * 64 + std::countr_zero(rest));
      }
    }
  }
  // Every cell `by` further on, or back, which is in (0, 64); what leaves the words is lost.
  Cells forward(int by) const {
    Cells result;
    for (std::size_t i = kWords; i-- > 0;) {
      result.words[i] = words[i] << by | (i > 0 ? words[i - 1] >> (64 - by) : 0);
    }
    return result;
  }
  Cells back(int by) const {
    Cells result;
    for (std::size_t i = 0; i < kWords; ++i) {
      result.words[i] = words[i] >> by | (i + 1 < kWords ? words[i + 1] << (64 - by) : 0);
    }
    return result;
  }
  // The same by the sign of `by`.
  Cells moved(int by) const { return by > 0 ? forward(by) : back(-by); }
  friend Cells operator&(const Cells& a, const Cells& b) {
    Cells result;
    for (std::size_t i = 0; i < kWords; ++i) result.words[i] = a.words[i] & b.words[i];
    return result;
  }
  friend Cells operator|(const Cells& a, const Cells& b) {
    Cells result;
    for (std::size_t i = 0; i < kWords; ++i) result.words[i] = a.words[i] | b.words[i];
    return result;
  }
  // a without b.
  friend Cells operator-(const Cells& a, const Cells& b) {
    Cells result;
    for (std::size_t i = 0; i < kWords; ++i) result.words[i] = a.words[i] & ~b.words[i];
    return result;
  }
};

// A position of a race.
struct Place {
  int mover;
  int south;  // player one's cell
  int north;
};

template <int kWords>
class RaceSolver {
 public:
  RaceSolver(const Geometry& geometry, const Rules& rules, const Configuration& walls)
      : columns_(geometry.columns), cells_(geometry.rows * geometry.columns) {
    find_steps(geometry, rules, walls);
    for (int north = 0; north < cells_; ++north) find_rows(north);
    if (rules.jumps) find_jumps();
    for (int cell = 0; cell < cells_; ++cell) board_.set(cell);
    const Set south_goal = dense(geometry, geometry.goal[0]);
    const Set north_goal = dense(geometry, geometry.goal[1]);
    for (int north = 0; north < cells_; ++north) {
      const Set free = board_ - Set::of(north);
      not_won_[0].rows[at(north)] = not_won_[1].rows[at(north)] = free;
      const Set places = north_goal.test(north) ? Set::none() : free - south_goal;
      open_[0][at(north)] = open_[1][at(north)] = places;
      if (places.any()) open_rows_[0].set(north), open_rows_[1].set(north);
      // A player whose opponent stands on its goal has lost, in no ply.
      lost_[0].set(north, north_goal.test(north) ? free : Set::none());
      lost_[1].set(north, north_goal.test(north) ? Set::none() : free & south_goal);
      won_[0].set(north, Set::none());
      won_[1].set(north, Set::none());
    }
    if (!rules.jumps) find_stuck();
  }

  bool may_pass() const { return may_pass_; }

  // Writes the digits of the positions from which one of the chosen players wins, the quickest wins first, until that
  // of a position is known if there is `until`. Returns the players of whom there may be more wins; complete() tells
  // whether those are left because they take too long.
  std::array<bool, 2> solve(std::uint64_t* digits, std::array<bool, 2> more, const Place* until) {
    digits_ = digits;
    const auto is_known = [&] {
      return until != nullptr && !open_[at(until->mover)][at(until->north)].test(until->south);
    };
    for (int plies = 1; plies <= Race::kLongest; plies += 2) {
      make_room_for(plies + 1);
      for (std::size_t winner = 0; winner < 2; ++winner) more[winner] = more[winner] && decide_wins(winner, plies);
      if (is_known()) return more;
      for (std::size_t winner = 0; winner < 2; ++winner) {
        more[winner] = more[winner] && decide_losses(1 - winner, plies + 1);
      }
      if (is_known() || !(more[0] || more[1])) return more;
    }
    complete_ = false;
    return more;
  }
  int digits_used() const { return digits_used_; }
  // Whether nothing took more plies than a table holds.
  bool complete() const { return complete_; }

 private:
  using Set = Cells<kWords>;
  static constexpr std::size_t kMostCells = 64 * kWords;
  static std::size_t at(int cell) { return static_cast<std::size_t>(cell); }

  // [player two's cell]: sets of player one's cells, and which of them are not empty.
  struct Table {
    std::array<Set, kMostCells + 1> rows;  // the last one is empty and stands for the rows that are none
    Set active{};
    Table() { rows[kMostCells] = Set::none(); }
    void set(int north, const Set& row) {
      rows[at(north)] = row;
      if (row.any()) active.set(north);
    }
    void clear() {
      active.for_each([&](int north) { rows[at(north)] = Set::none(); });
      active = Set::none();
    }
  };

  // A jump at a place of player two's pawn: of player one's pawn, or over it.
  struct Jump {
    std::uint8_t south;
    std::uint8_t to;
  };
  struct Jumps {
    std::array<Jump, 8> list;
    int count = 0;
    void add(int south, int to) {
      list[at(count++)] = {static_cast<std::uint8_t>(south), static_cast<std::uint8_t>(to)};
    }
  };

  static Set dense(const Geometry& geometry, const Bitboard& squares) {
    Set result{};
    squares.for_each([&](Square square) { result.set(row_of(square) * geometry.columns + column_of(square)); });
    return result;
  }

  void find_steps(const Geometry& geometry, const Rules& rules, const Configuration& walls) {
    const OpenSteps<Board> steps(geometry, Board(walls.horizontal), Board(walls.vertical));
    const std::array<const Board*, 4> straight = {&steps.north, &steps.east, &steps.south, &steps.west};
    by_ = {-columns_, 1, columns_, -1};
    for (std::size_t i = 0; i < 4; ++i) {
      Bitboard squares;
      straight[i]->store(squares);
      step_[i] = dense(geometry, squares);
    }
    if (rules.step != Step::diagonal) return;
    directions_ = 8;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t next = (i + 1) % 4;
      const Set one = step_[i] & step_[next].moved(-by_[i]);
      const Set other = step_[next] & step_[i].moved(-by_[next]);
      by_[4 + i] = by_[i] + by_[next];
      step_[4 + i] = rules.diagonal_step == DiagonalStep::both ? one & other : one | other;
    }
  }

  void find_rows(int north) {
    for (std::size_t i = 0; i < 8; ++i) {
      const bool open = i < directions_ && step_[i].test(north);
      next_rows_[at(north)][i] = static_cast<std::uint8_t>(open ? at(north + by_[i]) : kMostCells);
    }
  }

  void find_jumps() {
    for (std::size_t ahead = 0; ahead < 4; ++ahead) {
      step_[ahead].for_each([&](int from) {
        const int over = from + by_[ahead];
        near_[at(over)].set(from);
        const auto add = [&](int to) {
          south_jumps_[at(over)].add(from, to);
          south_lands_[at(over)].set(to);
          north_jumps_[at(from)].add(over, to);
        };
        if (step_[ahead].test(over)) {
          add(over + by_[ahead]);
        } else {
          for (const std::size_t aside : {(ahead + 1) % 4, (ahead + 3) % 4}) {
            if (step_[aside].test(over)) add(over + by_[aside]);
          }
        }
      });
    }
  }

  void find_stuck() {
    bool any = false;
    for (int north = 0; north < cells_; ++north) {
      // Neither stands on its goal where this matters: the sets of open positions see to that.
      const Set& free = not_won_[0].rows[at(north)];
      const Set south = free - south_before(free, north, free);
      const Set other = free - north_before(not_won_[0], north, free);
      stuck_[0][at(north)] = south;
      stuck_[1][at(north)] = other;
      any = any || ((south | other) & open_[0][at(north)]).any();
    }
    may_pass_ = any;
  }

  // Of the cells of player one that are asked about, those from which a move or a pass of player one leads into `to`,
  // player two being on `north`; others may be among them.
  Set south_before(const Set& to, int north, const Set& asked) const {
    Set from = ((to.forward(columns_) & step_[0]) | (to.back(1) & step_[1])) |
               ((to.back(columns_) & step_[2]) | (to.forward(1) & step_[3]));
    for (std::size_t i = 4; i < directions_; ++i) from = from | (to.moved(-by_[i]) & step_[i]);
    if ((asked & near_[at(north)]).any() && (to & south_lands_[at(north)]).any()) {
      const Jumps& jumps = south_jumps_[at(north)];
      for (int i = 0; i < jumps.count; ++i) {
        if (to.test(jumps.list[at(i)].to)) from.set(jumps.list[at(i)].south);
      }
    }
    return may_pass_ ? from | (to & stuck_[0][at(north)]) : from;
  }

  // Likewise those with which a move or a pass of player two, from `north`, leads into `to`.
  Set north_before(const Table& to, int north, const Set& asked) const {
    const std::array<std::uint8_t, 8>& next = next_rows_[at(north)];
    Set with = (to.rows[next[0]] | to.rows[next[1]]) | (to.rows[next[2]] | to.rows[next[3]]);
    for (std::size_t i = 4; i < directions_; ++i) with = with | to.rows[next[i]];
    if ((asked & near_[at(north)]).any()) {
      const Jumps& jumps = north_jumps_[at(north)];
      for (int i = 0; i < jumps.count; ++i) {
        const Jump& jump = jumps.list[at(i)];
        if (to.rows[jump.to].test(jump.south)) with.set(jump.south);
      }
    }
    return may_pass_ ? with | (to.rows[at(north)] & stuck_[1][at(north)]) : with;
  }

  // Rows from which player two can come to a row of `rows`, and perhaps some more.
  Set rows_before(const Set& rows) const {
    Set result = rows;
    for (int twice = 0; twice < 2; ++twice) {  // a jump is two steps
      Set next = result;
      for (std::size_t i = 0; i < directions_; ++i) next = next | (result.moved(-by_[i]) & step_[i]);
      result = next;
    }
    return result;
  }

  std::size_t plane_words() const { return 2 * at(cells_) * kWords; }

  // Clears the digits up to the first one of so many plies.
  void make_room_for(int plies) {
    for (; plies >> digits_used_ != 0; ++digits_used_) {
      std::fill_n(digits_ + at(digits_used_) * plane_words(), plane_words(), 0);
    }
  }

  void decide(std::size_t mover, int north, const Set& row, int plies) {
    open_[mover][at(north)] = open_[mover][at(north)] - row;
    if (!open_[mover][at(north)].any()) open_rows_[mover] = open_rows_[mover] - Set::of(north);
    std::uint64_t* digit = digits_ + (mover * at(cells_) + at(north)) * kWords;
    for (int rest = plies; rest != 0; rest >>= 1, digit += plane_words()) {
      if ((rest & 1) == 0) continue;
      for (std::size_t i = 0; i < kWords; ++i) digit[i] |= row.words[i];
    }
  }

  // The mover wins in `plies` by a move to a loss in one less.
  bool decide_wins(std::size_t mover, int plies) {
    won_[mover].clear();
    const Table& lost = lost_[1 - mover];
    const auto win = [&](int north, const auto& before) {
      const Set& open = open_[mover][at(north)];
      const Set row = before(open) & open;
      if (!row.any()) return;
      won_[mover].set(north, row);
      not_won_[mover].rows[at(north)] = not_won_[mover].rows[at(north)] - row;
      decide(mover, north, row, plies);
    };
    if (mover == 0) {
      (lost.active & open_rows_[0]).for_each([&](int north) {
        win(north, [&](const Set& asked) { return south_before(lost.rows[at(north)], north, asked); });
      });
    } else {
      (rows_before(lost.active) & open_rows_[1]).for_each([&](int north) {
        win(north, [&](const Set& asked) { return north_before(lost, north, asked); });
      });
    }
    return won_[mover].active.any();
  }

  // The mover loses in `plies` where some move leads to a win in one less and none to anything but a win.
  bool decide_losses(std::size_t mover, int plies) {
    lost_[mover].clear();
    const Table& won = won_[1 - mover];
    const Table& not_won = not_won_[1 - mover];
    const auto lose = [&](int north, const auto& before) {
      const Set& open = open_[mover][at(north)];
      Set row = before(won, open) & open;
      if (row.any()) row = row - before(not_won, row);
      if (!row.any()) return;
      lost_[mover].set(north, row);
      decide(mover, north, row, plies);
    };
    if (mover == 0) {
      (won.active & open_rows_[0]).for_each([&](int north) {
        lose(north, [&](const Table& to, const Set& asked) { return south_before(to.rows[at(north)], north, asked); });
      });
    } else {
      (rows_before(won.active) & open_rows_[1]).for_each([&](int north) {
        lose(north, [&](const Table& to, const Set& asked) { return north_before(to, north, asked); });
      });
    }
    return lost_[mover].active.any();
  }

  int columns_;
  int cells_;
  std::size_t directions_ = 4;
  std::array<int, 8> by_{};    // direction -> what a step adds to a cell
  std::array<Set, 8> step_{};  // direction -> cells from which the step is open
  std::array<std::array<std::uint8_t, 8>, kMostCells>
      next_rows_;                       // player two's cell, direction -> cell, or kMostCells
  std::array<Set, kMostCells> near_{};  // player two's cell -> cells of player one that one may jump from or over
  std::array<Jumps, kMostCells> south_jumps_{};  // over player two's cell
  std::array<Set, kMostCells> south_lands_{};    // where those end
  std::array<Jumps, kMostCells> north_jumps_{};  // from player two's cell
  Set board_{};
  bool may_pass_ = false;
  bool complete_ = true;
  std::uint64_t* digits_ = nullptr;  // of the race
  int digits_used_ = 0;
  std::array<std::array<Set, kMostCells>, 2> stuck_;  // [player][player two's cell], where may_pass_
  std::array<std::array<Set, kMostCells>, 2> open_;   // [mover][player two's cell]: not decided yet
  std::array<Set, 2> open_rows_{};                    // [mover]: rows of open_ that are not empty
  std::array<Table, 2> not_won_;                      // [mover]: finished games of the other included
  std::array<Table, 2> won_;                          // [mover]: found in the last round
  std::array<Table, 2> lost_;
};

}  // namespace koridor::wall
