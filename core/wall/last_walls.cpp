#include "core/wall/last_walls.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/wall/fitting_walls.h"
#include "core/wall/last_walls_field.h"
#include "core/wall/paths.h"
#include "core/wall/race.h"

namespace koridor::wall {
namespace {

using last_walls::any;
using last_walls::at;
using last_walls::Field;
using last_walls::joined;
using last_walls::kCells;
using last_walls::kLanes;
using last_walls::lanes_with;
using last_walls::Vector;

constexpr int kMostRounds = Race::kLongest / 2;
constexpr std::size_t kMostWalls = 2 * 64;  // there are fewer anchors than cells

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
  // The walls that were added since begin(0) are worth no more after so many rounds; all of them leave `won`.
  void end(int round, const Row& won, int cells) {
    for (int cell = 0; cell < cells; ++cell) {
      for (int later = round; later < rounds; ++later) all_won[at(later)][at(cell)] &= won[at(cell)];
      finally_won[at(cell)] &= won[at(cell)];
    }
  }
};

// A place for a wall.
template <class Word>
struct FreeWall {
  std::array<Word, 4> closed;  // the straight steps that it closes
  Square anchor;
  bool horizontal;
};

// The free walls of an arrangement.
template <class Word>
class FreeWalls {
 public:
  FreeWalls(const Geometry& geometry, const Configuration& walls) {
    Board free_horizontal, free_vertical;
    free_walls(geometry, Board(walls.horizontal), Board(walls.vertical), free_horizontal, free_vertical);
    Bitboard horizontal, vertical;
    free_horizontal.store(horizontal);
    free_vertical.store(vertical);
    const auto cell = [&](Square anchor, int down, int right) {
      return Word{1} << ((row_of(anchor) + down) * geometry.columns + column_of(anchor) + right);
    };
    horizontal.for_each([&](Square anchor) {
      const Word above = cell(anchor, 0, 0) | cell(anchor, 0, 1);
      const Word below = cell(anchor, 1, 0) | cell(anchor, 1, 1);
      list_[count_++] = {.closed = {below, 0, above, 0}, .anchor = anchor, .horizontal = true};
    });
    vertical.for_each([&](Square anchor) {
      const Word left = cell(anchor, 0, 0) | cell(anchor, 1, 0);
      const Word right = cell(anchor, 0, 1) | cell(anchor, 1, 1);
      list_[count_++] = {.closed = {0, left, 0, right}, .anchor = anchor, .horizontal = false};
    });
  }
  std::span<const FreeWall<Word>> list() const& { return std::span(list_).first(count_); }
  void list() && = delete;  // a loop over a temporary's would begin when that is gone

 private:
  std::array<FreeWall<Word>, kMostWalls> list_;
  std::size_t count_ = 0;
};

template <class Word>
Word some_lane(const Vector<Word>& set) {
  const std::uint64_t words = joined(set);
  return static_cast<Word>(sizeof(Word) == 8 ? words : words | words >> 32);
}
template <class Word>
Word every_lane(const Vector<Word>& set) {
  return ~some_lane<Word>(~set);
}

// A table that is asked for, or none.
struct Table {
  std::uint64_t* digits = nullptr;
  LastWallsResult result;
};

// Who may place the last wall, a bit for each player: one of them, or either, whoever does so first.
using Owners = std::size_t;
constexpr Owners kEveryOwners = 3;

Owners owners_of(const std::array<int, 2>& left) {
  return (left[0] > 0 ? Owners{1} : 0) + (left[1] > 0 ? Owners{2} : 0);
}
bool is_among(Owners owners, std::size_t player) {
  return (owners >> player & 1) != 0;
}

// What comes before the last wall, by its owners. All of these tables share the races behind the wall.
using Tables = std::array<Table, kEveryOwners + 1>;

// Solves the last walls of one board.
template <class Word>
class Solver {
 public:
  void begin(const Geometry& geometry, const Rules& rules) {
    geometry_ = &geometry;
    rules_ = &rules;
    goals_ = {static_cast<Word>(dense(geometry, geometry.goal[0])),
              static_cast<Word>(dense(geometry, geometry.goal[1]))};
  }

  // What comes before the last wall, for all owners whose table is asked for.
  void solve_one(const Configuration& walls, Tables& tables) {
    const std::array<Word, 4> straight = open_steps(walls);
    const FreeWalls<Word> free(*geometry_, walls);
    for (WorthOfWalls<Word>& worth : worth_) worth.clear();
    for (std::size_t first = 0; first < free.list().size(); first += kLanes<Word>) {
      const auto block = free.list().subspan(first, std::min(kLanes<Word>, free.list().size() - first));
      lanes_.begin(*geometry_, *rules_, straight, goals_);
      for (std::size_t lane = 0; lane < block.size(); ++lane) lanes_.close(lane, block[lane].closed);
      lanes_.find_moves();
      lanes_.open_positions();
      if (!add_races(block.size(), tables)) return;
    }
    alone_.begin(*geometry_, *rules_, straight, goals_);
    alone_.find_moves();
    for (Owners owners = 1; owners <= kEveryOwners; ++owners) {
      if (tables[owners].digits == nullptr) continue;
      std::array<const WorthOfWalls<Word>*, 2> worth{};
      for (std::size_t player = 0; player < 2; ++player) {
        if (is_among(owners, player)) worth[player] = &worth_[player];
      }
      tables[owners].result = finish(worth, tables[owners].digits);
    }
  }

  // What comes before the last wall but one. The players have two walls or more.
  LastWallsResult solve_two(const Configuration& walls, const std::array<int, 2>& left, std::uint64_t* digits) {
    for (WorthOfWalls<Word>& worth : worth_before_) worth.clear();
    const std::array<Word, 4> straight = open_steps(walls);
    const FreeWalls<Word> free(*geometry_, walls);
    for (const FreeWall<Word>& wall : free.list()) {
      alone_.begin(*geometry_, *rules_, straight, goals_);
      alone_.close(0, wall.closed);
      const Word south = alone_.reaching(0);
      const Word north = alone_.reaching(1);
      if ((south & ~goals_[0]) == 0 || (north & ~goals_[1]) == 0) continue;
      Configuration with = walls;
      (wall.horizontal ? with.horizontal : with.vertical).set(wall.anchor);
      // Who may place the last wall once a player has placed this one.
      const auto owners_after = [&](std::size_t player) {
        std::array<int, 2> then = left;
        --then[player];
        return owners_of(then);
      };
      Tables tables{};
      for (std::size_t player = 0; player < 2; ++player) {
        const Owners owners = owners_after(player);
        if (left[player] > 0) tables[owners].digits = before_last_[owners].data();
      }
      solve_one(with, tables);
      for (std::size_t player = 0; player < 2; ++player) {
        if (left[player] == 0) continue;
        const Table& table = tables[owners_after(player)];
        if (!table.result.complete) return {};
        add_table(table, 1 - player, south, north, worth_before_[player]);
      }
    }
    alone_.begin(*geometry_, *rules_, straight, goals_);
    alone_.find_moves();
    std::array<const WorthOfWalls<Word>*, 2> worth{};
    for (std::size_t player = 0; player < 2; ++player) {
      if (left[player] > 0) worth[player] = &worth_before_[player];
    }
    return finish(worth, digits);
  }

 private:
  std::array<Word, 4> open_steps(const Configuration& walls) const {
    const OpenSteps<Board> open(*geometry_, Board(walls.horizontal), Board(walls.vertical));
    std::array<Word, 4> straight;
    for (std::size_t i = 0; const Board* steps : {&open.north, &open.east, &open.south, &open.west}) {
      Bitboard squares;
      steps->store(squares);
      straight[i++] = static_cast<Word>(dense(*geometry_, squares));
    }
    return straight;
  }

  // Solves the races of the lanes, the first `used` of which have a wall, and adds what the walls are worth to each
  // owner of a table that is asked for; the other one is the first to move after the wall. False where a race takes too
  // long.
  bool add_races(std::size_t used, const Tables& tables) {
    using Set = Vector<Word>;
    const int cells = lanes_.cells();
    // No wall may close a pawn's last way, and lanes without a wall count for nobody.
    Set there{};
    for (std::size_t lane = 0; lane < used; ++lane) there[lane] = ~Word{0};
    const Set south = lanes_.reaching(0) & there;
    const Set north = lanes_.reaching(1);
    std::array<Set, kCells<Word>> legal;
    for (int cell = 0; cell < cells; ++cell) legal[at(cell)] = south & lanes_with(north, cell);
    std::array<std::array<Word, kCells<Word>>, 2> won;  // by each player who is to move, whatever the wall
    const auto is_asked = [&](std::size_t mover) {
      const Owners alone = Owners{1} << (1 - mover);
      return tables[alone].digits != nullptr || tables[kEveryOwners].digits != nullptr;
    };
    const auto find_won = [&](std::size_t mover, int cell) {
      won[mover][at(cell)] = every_lane<Word>(~(lanes_.not_won(mover, cell) & legal[at(cell)]));
    };
    const auto for_each_asked = [&](auto&& visit) {
      for (std::size_t mover = 0; mover < 2; ++mover) {
        if (is_asked(mover)) visit(mover, worth_[1 - mover]);
      }
    };
    for_each_asked([&](std::size_t mover, WorthOfWalls<Word>&) {
      for (int cell = 0; cell < cells; ++cell) find_won(mover, cell);
    });

    int round = 0;
    for (bool found = true; found; ++round) {
      if (round == kMostRounds) return false;
      for_each_asked([&](std::size_t, WorthOfWalls<Word>& worth) { worth.begin(round); });
      found = false;
      for (std::size_t winner = 0; winner < 2; ++winner) {
        const auto see = [&](int cell, const Set&) {
          if (is_asked(winner)) find_won(winner, cell);
        };
        if (lanes_.find_wins(
                winner, [](int) { return Set{}; }, see))
          found = true;
      }
      for_each_asked([&](std::size_t mover, WorthOfWalls<Word>& worth) {
        for (int cell = 0; cell < cells; ++cell) worth.all_won[at(round)][at(cell)] &= won[mover][at(cell)];
      });
      for (std::size_t loser = 0; loser < 2; ++loser) {
        const auto after_wins = [&](int cell) { return lanes_.before_won(loser, cell); };
        WorthOfWalls<Word>& worth = worth_[1 - loser];
        const auto add = [&](int cell, const Set& row) {
          if (is_asked(loser)) worth.some_lost[at(round)][at(cell)] |= some_lane<Word>(row & legal[at(cell)]);
        };
        if (lanes_.find_losses(loser, after_wins, add)) found = true;
      }
    }
    for_each_asked([&](std::size_t mover, WorthOfWalls<Word>& worth) { worth.end(round, won[mover], cells); });
    return true;
  }

  // Adds what a wall is worth to its owner, behind which the table has the positions with `mover` to move. Pawns have a
  // way from the cells of `south` and of `north`.
  void add_table(const Table& table, std::size_t mover, Word south, Word north, WorthOfWalls<Word>& worth) const {
    const int cells = alone_.cells();
    const std::size_t plane = 2 * at(cells);
    const auto in_plies = [&](int plies, int cell) {
      const std::uint64_t* digit = table.digits + mover * at(cells) + at(cell);
      Word set = ~Word{0};
      for (int i = 0; i < table.result.digits_used; ++i, digit += plane) {
        const Word bits = static_cast<Word>(*digit);
        set &= (plies >> i & 1) != 0 ? bits : static_cast<Word>(~bits);
      }
      return set;
    };
    std::array<Word, kCells<Word>> legal;
    std::array<Word, kCells<Word>> won;
    for (int cell = 0; cell < cells; ++cell) {
      legal[at(cell)] = (north >> cell & 1) != 0 ? south : Word{0};
      won[at(cell)] = ~legal[at(cell)];
    }
    worth.begin(0);
    for (int round = 0; round < table.result.rounds; ++round) {
      worth.begin(round);
      const bool has_losses = (2 * round + 2) >> table.result.digits_used == 0;
      for (int cell = 0; cell < cells; ++cell) {
        won[at(cell)] |= in_plies(2 * round + 1, cell);
        worth.all_won[at(round)][at(cell)] &= won[at(cell)];
        if (has_losses) worth.some_lost[at(round)][at(cell)] |= in_plies(2 * round + 2, cell) & legal[at(cell)];
      }
    }
    worth.end(table.result.rounds, won, cells);
  }

  // Writes the digits of the game before the walls that are worth so much to each player; nullptr: it has none.
  LastWallsResult finish(const std::array<const WorthOfWalls<Word>*, 2>& worth, std::uint64_t* digits) {
    LastWallsResult result;
    alone_.open_positions();
    const int cells = alone_.cells();
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
    int rounds = 0;  // of the walls
    for (const WorthOfWalls<Word>* walls : worth) rounds = std::max(rounds, walls != nullptr ? walls->rounds : 0);
    bool found = true;
    // A wall that leads to a loss of the last of these rounds wins one round later.
    for (int round = 0; found || round <= rounds; ++round) {
      if (round == kMostRounds) return result;
      found = false;
      plies = 2 * round + 1;
      for (mover = 0; mover < 2; ++mover) {
        const WorthOfWalls<Word>* walls = worth[mover];
        const bool wins = walls != nullptr && round > 0 && round <= walls->rounds;
        const auto by_walls = [&](int cell) { return wins ? walls->some_lost[at(round - 1)][at(cell)] : Word{0}; };
        if (alone_.find_wins(mover, by_walls, write)) found = true;
      }
      ++plies;
      for (mover = 0; mover < 2; ++mover) {
        const WorthOfWalls<Word>* walls = worth[mover];
        const auto candidates = [&](int cell) {
          const Word by_steps = alone_.before_won(mover, cell);
          if (walls == nullptr || walls->rounds == 0) return by_steps;
          // The last of the moves to be a win of the other may be a step or a wall.
          const Word by_walls = walls->all_won_by(round, cell);
          return (by_steps | (by_walls & ~walls->all_won_by(round - 1, cell))) & by_walls;
        };
        if (alone_.find_losses(mover, candidates, write)) found = true;
      }
      if (found) result.rounds = round + 1;
    }
    result.complete = true;
    return result;
  }

  const Geometry* geometry_ = nullptr;
  const Rules* rules_ = nullptr;
  std::array<Word, 2> goals_{};
  Field<Word, Vector<Word>> lanes_;
  Field<Word, Word> alone_;
  std::array<WorthOfWalls<Word>, 2> worth_;         // of the last wall, to each owner
  std::array<WorthOfWalls<Word>, 2> worth_before_;  // of the last but one
  // Digits of tables before the last wall, by its owners.
  std::array<std::array<std::uint64_t, 2 * kCells<Word> * Race::kDigits>, kEveryOwners + 1> before_last_;
};

template <class Word>
LastWallsResult solve(const Geometry& geometry, const Rules& rules, const Configuration& walls,
                      const std::array<int, 2>& left, std::uint64_t* digits) {
  thread_local const std::unique_ptr<Solver<Word>> own = std::make_unique<Solver<Word>>();
  own->begin(geometry, rules);
  if (left[0] + left[1] > 1 && fitting_walls(geometry, walls, 1) > 1) return own->solve_two(walls, left, digits);
  Tables tables{};
  Table& table = tables[owners_of(left)];
  table.digits = digits;
  own->solve_one(walls, tables);
  return table.result;
}

}  // namespace

int most_last_walls(const Geometry& geometry, const Rules& rules) {
  if (rules.players != 2 || rules.pawns != 1 || rules.goal != Goal::line || rules.step == Step::twice ||
      rules.wall_after_move || rules.walls_by_kind || !rules.jumps) {
    return 0;
  }
  const int cells = geometry.rows * geometry.columns;
  return cells <= 32 ? 2 : cells <= 64 ? 1 : 0;
}

LastWallsResult solve_last_walls(const Geometry& geometry, const Rules& rules, const Configuration& walls,
                                 std::array<int, 2> left, std::uint64_t* digits) {
  if (geometry.rows * geometry.columns <= 32) {
    return solve<std::uint32_t>(geometry, rules, walls, left, digits);
  }
  return solve<std::uint64_t>(geometry, rules, walls, left, digits);
}

std::uint64_t dense(const Geometry& geometry, const Bitboard& squares) {
  std::uint64_t result = 0;
  squares.for_each(
      [&](Square square) { result |= std::uint64_t{1} << (row_of(square) * geometry.columns + column_of(square)); });
  return result;
}

}  // namespace koridor::wall
