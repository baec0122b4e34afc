#include "core/wall/race.h"

#include <algorithm>
#include <bit>

#include "core/base/random.h"
#include "core/wall/game.h"
#include "core/wall/paths.h"

namespace koridor::wall {
namespace {

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
  // Every cell `by` further on, which is in (-64, 64) and not 0; what leaves the words is lost.
  Cells moved(int by) const {
    Cells result;
    for (int i = 0; i < kWords; ++i) {
      const auto word = [&](int place) {
        return place >= 0 && place < kWords ? words[static_cast<std::size_t>(place)] : 0;
      };
      result.words[static_cast<std::size_t>(i)] = by > 0 ? word(i) << by | (kWords > 1 ? word(i - 1) >> (64 - by) : 0)
                                                         : word(i) >> -by | (kWords > 1 ? word(i + 1) << (64 + by) : 0);
    }
    return result;
  }
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

template <int kWords>
class RaceSolver {
 public:
  RaceSolver(const Geometry& geometry, const Rules& rules, const Configuration& walls)
      : columns_(geometry.columns), cells_(geometry.rows * geometry.columns) {
    find_steps(geometry, rules, walls);
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

  // Writes the digits of all positions; whether every forced win was found.
  bool solve(std::uint64_t* digits) {
    std::fill_n(digits, 2 * cells_ * Race::kDigits * kWords, 0);
    for (int plies = 1;; plies += 2) {
      if (plies > Race::kLongest) return false;
      if (!decide_wins(plies, digits)) return true;
      if (!decide_losses(plies + 1, digits)) return true;
    }
  }

 private:
  using Set = Cells<kWords>;
  static constexpr std::size_t kMostCells = 64 * kWords;
  static std::size_t at(int cell) { return static_cast<std::size_t>(cell); }

  // [player two's cell]: sets of player one's cells, and which of them are not empty.
  struct Table {
    std::array<Set, kMostCells> rows;
    Set active{};
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

  void find_jumps() {
    for (std::size_t ahead = 0; ahead < 4; ++ahead) {
      step_[ahead].for_each([&](int from) {
        const int over = from + by_[ahead];
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
      const Set south = free - south_before(free, north);
      const Set other = free - north_before(not_won_[0], north);
      stuck_[0][at(north)] = south;
      stuck_[1][at(north)] = other;
      any = any || ((south | other) & open_[0][at(north)]).any();
    }
    may_pass_ = any;
  }

  // Player one's cells from which a move or a pass of player one leads into `to`, player two being on `north`.
  Set south_before(const Set& to, int north) const {
    Set from{};
    for (std::size_t i = 0; i < directions_; ++i) from = from | (to.moved(-by_[i]) & step_[i]);
    if ((to & south_lands_[at(north)]).any()) {
      const Jumps& jumps = south_jumps_[at(north)];
      for (int i = 0; i < jumps.count; ++i) {
        if (to.test(jumps.list[at(i)].to)) from.set(jumps.list[at(i)].south);
      }
    }
    return may_pass_ ? from | (to & stuck_[0][at(north)]) : from;
  }

  // Player one's cells with which a move or a pass of player two, from `north`, leads into `to`.
  Set north_before(const Table& to, int north) const {
    Set with{};
    for (std::size_t i = 0; i < directions_; ++i) {
      if (step_[i].test(north)) with = with | to.rows[at(north + by_[i])];
    }
    const Jumps& jumps = north_jumps_[at(north)];
    for (int i = 0; i < jumps.count; ++i) {
      const Jump& jump = jumps.list[at(i)];
      if (to.rows[at(jump.to)].test(jump.south)) with.set(jump.south);
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

  void decide(int mover, int north, const Set& row, int plies, std::uint64_t* digits) {
    open_[at(mover)][at(north)] = open_[at(mover)][at(north)] - row;
    if (!open_[at(mover)][at(north)].any()) open_rows_[at(mover)] = open_rows_[at(mover)] - Set::of(north);
    std::uint64_t* digit = digits + static_cast<std::size_t>((mover * cells_ + north) * Race::kDigits * kWords);
    for (int rest = plies; rest != 0; rest >>= 1, digit += kWords) {
      if ((rest & 1) == 0) continue;
      for (std::size_t i = 0; i < kWords; ++i) digit[i] |= row.words[i];
    }
  }

  // The mover wins in `plies` by a move to a loss in one less.
  bool decide_wins(int plies, std::uint64_t* digits) {
    won_[0].clear();
    won_[1].clear();
    const auto win = [&](int mover, int north, const Set& before) {
      const Set row = before & open_[at(mover)][at(north)];
      if (!row.any()) return;
      won_[at(mover)].set(north, row);
      not_won_[at(mover)].rows[at(north)] = not_won_[at(mover)].rows[at(north)] - row;
      decide(mover, north, row, plies, digits);
    };
    (lost_[1].active & open_rows_[0]).for_each([&](int north) {
      win(0, north, south_before(lost_[1].rows[at(north)], north));
    });
    (rows_before(lost_[0].active) & open_rows_[1]).for_each([&](int north) {
      win(1, north, north_before(lost_[0], north));
    });
    return won_[0].active.any() || won_[1].active.any();
  }

  // The mover loses in `plies` where some move leads to a win in one less and none to anything but a win.
  bool decide_losses(int plies, std::uint64_t* digits) {
    lost_[0].clear();
    lost_[1].clear();
    (won_[1].active & open_rows_[0]).for_each([&](int north) {
      Set row = south_before(won_[1].rows[at(north)], north) & open_[0][at(north)];
      if (row.any()) row = row - south_before(not_won_[1].rows[at(north)], north);
      if (!row.any()) return;
      lost_[0].set(north, row);
      decide(0, north, row, plies, digits);
    });
    (rows_before(won_[0].active) & open_rows_[1]).for_each([&](int north) {
      Set row = north_before(won_[0], north) & open_[1][at(north)];
      if (row.any()) row = row - north_before(not_won_[0], north);
      if (!row.any()) return;
      lost_[1].set(north, row);
      decide(1, north, row, plies, digits);
    });
    return lost_[0].active.any() || lost_[1].active.any();
  }

  int columns_;
  int cells_;
  std::size_t directions_ = 4;
  std::array<int, 8> by_{};                      // direction -> what a step adds to a cell
  std::array<Set, 8> step_{};                    // direction -> cells from which the step is open
  std::array<Jumps, kMostCells> south_jumps_{};  // over player two's cell
  std::array<Set, kMostCells> south_lands_{};    // where those end
  std::array<Jumps, kMostCells> north_jumps_{};  // from player two's cell
  Set board_{};
  bool may_pass_ = false;
  std::array<std::array<Set, kMostCells>, 2> stuck_;  // [player][player two's cell], where may_pass_
  std::array<std::array<Set, kMostCells>, 2> open_;   // [mover][player two's cell]: not decided yet
  std::array<Set, 2> open_rows_{};                    // [mover]: rows of open_ that are not empty
  std::array<Table, 2> not_won_;                      // [mover]: finished games of the other included
  std::array<Table, 2> won_;                          // [mover]: found in the last round
  std::array<Table, 2> lost_;
};

template <int kWords>
void solve(const WallGame& game, const Configuration& walls, std::uint64_t* digits, bool& complete, bool& may_pass) {
  RaceSolver<kWords> solver(game.geometry(), game.rules(), walls);
  complete = solver.solve(digits);
  may_pass = solver.may_pass();
}

int words_for(const Geometry& geometry) {
  return (geometry.rows * geometry.columns + 63) / 64;
}

// The rules of moves; the board is the tables' own.
std::uint64_t rules_key(const Rules& rules) {
  return mix64(static_cast<std::uint64_t>(rules.step) * 4 + static_cast<std::uint64_t>(rules.diagonal_step) * 2 +
               (rules.jumps ? 1 : 0));
}

}  // namespace

bool RaceTables::serve(const WallGame& game) {
  const Rules& rules = game.rules();
  return rules.players == 2 && rules.pawns == 1 && rules.goal == Goal::line && rules.step != Step::twice &&
         !rules.wall_after_move;
}

RaceTables::RaceTables(const WallGame& game) {
  if (!serve(game)) return;
  const Geometry& geometry = game.geometry();
  const int words = words_for(geometry);
  words_ = static_cast<std::size_t>(2 * geometry.rows * geometry.columns * Race::kDigits * words);
  digits_ = std::make_unique_for_overwrite<std::uint64_t[]>(words_ * kRaces);
  for (std::size_t i = 0; i < kRaces; ++i) {
    Race& race = entries_[i].race;
    race.digits_ = digits_.get() + i * words_;
    race.columns_ = geometry.columns;
    race.cells_ = geometry.rows * geometry.columns;
    race.words_ = words;
  }
}

const Race& RaceTables::race(const WallGame& game, const State& state) {
  const std::uint64_t key = state.walls_key ^ rules_key(game.rules());
  const Configuration walls{state.horizontal, state.vertical};
  for (Entry& entry : entries_) {
    if (entry.key != key || entry.used == 0 || entry.walls != walls) continue;
    entry.used = ++asked_;
    return entry.race;
  }
  Entry* const oldest = &*std::ranges::min_element(entries_, {}, &Entry::used);
  oldest->key = key;
  oldest->walls = walls;
  oldest->used = ++asked_;
  ++solved_;
  Race& race = oldest->race;
  switch (race.words_) {
    case 1:
      solve<1>(game, walls, race.digits_, race.complete_, race.may_pass_);
      break;
    case 2:
      solve<2>(game, walls, race.digits_, race.complete_, race.may_pass_);
      break;
    default:
      solve<3>(game, walls, race.digits_, race.complete_, race.may_pass_);
      break;
  }
  return race;
}

}  // namespace koridor::wall
