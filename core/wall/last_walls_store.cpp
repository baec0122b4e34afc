#include "core/wall/last_walls_store.h"

#include <algorithm>

#include "core/base/random.h"

namespace koridor::wall {

LastWallsStore::LastWallsStore() : tables_(std::make_unique_for_overwrite<Table[]>(kPlaces)) {}

LastWallsStore& LastWallsStore::of_process() {
  static LastWallsStore store;
  return store;
}

LastWallsStore::Key LastWallsStore::key(const Geometry& geometry, const Rules& rules, const Configuration& walls,
                                        const std::array<int, 2>& left) {
  Key result{.walls = dense(geometry, walls.horizontal) | dense(geometry, walls.vertical) << 32, .game = 0};
  for (const int part : {geometry.rows, geometry.columns, static_cast<int>(rules.step),
                         static_cast<int>(rules.diagonal_step), left[0], left[1]}) {
    result.game = result.game << 8 | static_cast<std::uint64_t>(part);
  }
  return result;
}

std::size_t LastWallsStore::first_place(const Key& key) {
  return mix64(key.walls ^ mix64(key.game)) % kPlaces;
}

LastWallsResult LastWallsStore::find(const Key& key, int cells, std::uint64_t* digits) const {
  const std::size_t first = first_place(key);
  for (const std::size_t i : {first, first ^ 1}) {
    if (places_[i].load(std::memory_order_acquire) != Place::full || tables_[i].key != key) continue;
    const Table& table = tables_[i];
    std::copy_n(table.digits.begin(), table.digits_used * 2 * cells, digits);
    return {.digits_used = table.digits_used, .rounds = table.rounds, .complete = true};
  }
  return {};
}

void LastWallsStore::keep(const Key& key, int cells, const std::uint64_t* digits, const LastWallsResult& result) {
  const std::size_t words = static_cast<std::size_t>(result.digits_used * 2 * cells);
  if (words > kDigits * 2 * kCells) return;
  const std::size_t first = first_place(key);
  for (const std::size_t i : {first, first ^ 1}) {
    Place place = Place::empty;
    Table& table = tables_[i];
    if (places_[i].compare_exchange_strong(place, Place::being_written, std::memory_order_acquire)) {
      table.key = key;
      table.digits_used = result.digits_used;
      table.rounds = result.rounds;
      std::transform(digits, digits + words, table.digits.begin(),
                     [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
      places_[i].store(Place::full, std::memory_order_release);
      size_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    // A place that another thread is writing to may come to hold this very table, and then it does so twice.
    if (place == Place::full && table.key == key) return;
  }
}

}  // namespace koridor::wall
