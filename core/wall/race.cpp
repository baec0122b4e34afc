#include "core/wall/race.h"

#include <algorithm>

#include "core/base/random.h"
#include "core/wall/fitting_walls.h"
#include "core/wall/game.h"
#include "core/wall/last_walls.h"
#include "core/wall/last_walls_store.h"
#include "core/wall/race_solver.h"

namespace koridor::wall {
namespace {

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
  races_ = std::clamp(kRoom / (words_ * sizeof(std::uint64_t)), kLeastRaces, kMostRaces);
  digits_ = std::make_unique_for_overwrite<std::uint64_t[]>(words_ * races_);
  entries_ = std::make_unique<Entry[]>(races_);
  for (std::size_t i = 0; i < races_; ++i) {
    Race& race = entries_[i].race;
    race.digits_ = digits_.get() + i * words_;
    race.columns_ = geometry.columns;
    race.cells_ = geometry.rows * geometry.columns;
    race.words_ = words;
  }
}

RaceTables::Entry& RaceTables::entry(const WallGame& game, const State& state, const std::array<int, 2>& left) {
  const std::uint64_t key = state.walls_key ^ rules_key(game.rules());
  const Configuration walls{state.horizontal, state.vertical};
  const std::span<Entry> entries(entries_.get(), races_);
  for (std::size_t i = 0; i < races_; ++i) {
    if (keys_[i] != key || entries[i].used == 0 || entries[i].left != left || entries[i].walls != walls) continue;
    entries[i].used = ++asked_;
    return entries[i];
  }
  const auto oldest = std::ranges::min_element(entries, {}, &Entry::used);
  keys_[static_cast<std::size_t>(oldest - entries.begin())] = key;
  *oldest = {.walls = walls, .left = left, .used = ++asked_, .race = oldest->race};
  oldest->race.symmetry_ = 0;
  return *oldest;
}

void RaceTables::solve(Entry& entry, const WallGame& game, Winners winners, const State* until) {
  Race& race = entry.race;
  const int looked_for = static_cast<int>(winners);
  const auto solve_with = [&]<int kWords>() {
    RaceSolver<kWords> solver(game.geometry(), game.rules(), entry.walls);
    Place place{};
    if (until != nullptr) place = {until->player, race.cell(until->pawns[0]), race.cell(until->pawns[kMaxPawns])};
    const std::array<bool, 2> more =
        solver.solve(race.digits_, {(looked_for & 1) != 0, (looked_for & 2) != 0}, until != nullptr ? &place : nullptr);
    const int left = solver.complete() ? (more[0] ? 1 : 0) + (more[1] ? 2 : 0) : 0;
    race.exhausted_ = static_cast<Winners>(looked_for & ~left);
    race.complete_ = solver.complete();
    race.may_pass_ = solver.may_pass();
    race.digits_used_ = solver.digits_used();
  };
  switch (race.words_) {
    case 1:
      solve_with.template operator()<1>();
      break;
    case 2:
      solve_with.template operator()<2>();
      break;
    default:
      solve_with.template operator()<3>();
      break;
  }
  entry.solved = true;
  ++solved_;
}

const Race& RaceTables::race(const WallGame& game, const State& state) {
  Entry& found = entry(game, state);
  if (!found.solved || found.race.exhausted_ != Winners::both) solve(found, game, Winners::both, nullptr);
  return found.race;
}

const Race& RaceTables::race_from(const WallGame& game, const State& state, Winners winners) {
  Entry& found = entry(game, state);
  if (!found.solved) {
    solve(found, game, winners, &state);
  } else if (!found.race.answers(winners, state.player, state.pawns[0], state.pawns[kMaxPawns])) {
    const int all = static_cast<int>(winners) | static_cast<int>(found.race.exhausted_);
    solve(found, game, static_cast<Winners>(all), nullptr);
  }
  return found.race;
}

const Race& RaceTables::last_walls(const WallGame& game, const State& state) {
  const Geometry& geometry = game.geometry();
  const int fitting = fitting_walls(geometry, {state.horizontal, state.vertical}, 2);
  // A player with more walls than fit has no use for them.
  std::array<int, 2> left = {std::min<int>(state.walls_left[0], fitting), std::min<int>(state.walls_left[2], fitting)};
  Entry& found = entry(game, state, left);
  if (found.solved) return found.race;
  LastWallsResult result;
  if (std::min(left[0] + left[1], fitting) == 1) {
    result = solve_last_walls(geometry, game.rules(), found.walls, left, found.race.digits_);
  } else {
    const Canonical same = canonical(geometry, found.walls, 4);
    if ((same.symmetry & kHalfTurn) != 0) std::swap(left[0], left[1]);
    LastWallsStore& store = LastWallsStore::of_process();
    const LastWallsStore::Key key = LastWallsStore::key(geometry, game.rules(), same.walls, left);
    result = store.find(key, found.race.cells_, found.race.digits_);
    if (!result.complete) {
      result = solve_last_walls(geometry, game.rules(), same.walls, left, found.race.digits_);
      if (result.complete) store.keep(key, found.race.cells_, found.race.digits_, result);
    }
    found.race.symmetry_ = same.symmetry;
  }
  found.race.exhausted_ = result.complete ? Winners::both : Winners::nobody;
  found.race.complete_ = result.complete;
  found.race.may_pass_ = false;
  found.race.digits_used_ = result.digits_used;
  found.solved = true;
  ++solved_;
  return found.race;
}

}  // namespace koridor::wall
