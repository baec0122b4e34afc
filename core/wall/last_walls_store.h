// The tables before the last two walls that this process has worked out (last_walls.h), for all of its threads.
//
// Such a table takes as long as dozens of evaluations, but there are few of them: those of 5x5 with 3 walls each are
// some ten thousand up to symmetry, which all games of a training meet again and again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/wall/configuration.h"
#include "core/wall/geometry.h"
#include "core/wall/last_walls.h"

namespace koridor::wall {

// Any thread may use it at any time, without a lock: what is kept never changes any more. It has 51 MB of addresses, of
// which memory is taken as tables come, and allocates nothing after construction.
class LastWallsStore {
 public:
  // What a table depends on, on a board of up to 32 squares.
  struct Key {
    std::uint64_t walls;  // the anchors of horizontal ones, and of vertical ones in the upper half
    std::uint64_t game;   // board, moves, and the players' walls
    friend bool operator==(const Key&, const Key&) = default;
  };
  static Key key(const Geometry& geometry, const Rules& rules, const Configuration& walls,
                 const std::array<int, 2>& left);

  LastWallsStore();

  static LastWallsStore& of_process();

  // Copies a complete table of so many cells, as solve_last_walls writes it. Returns a result that is not complete
  // where it has none.
  LastWallsResult find(const Key& key, int cells, std::uint64_t* digits) const;
  // Keeps a copy of a complete table, unless others have taken its two places, or some win takes longer than it holds.
  void keep(const Key& key, int cells, const std::uint64_t* digits, const LastWallsResult& result);

  // How many are kept.
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kPlaces = 1 << 15;
  static constexpr std::size_t kDigits = 6;  // wins in up to 63 plies
  static constexpr std::size_t kCells = 32;
  enum class Place : std::uint8_t { empty, being_written, full };
  // Without initial values, so that places that stay empty take no memory.
  struct Table {
    Key key;
    int digits_used;
    int rounds;
    std::array<std::uint32_t, kDigits * 2 * kCells> digits;
  };

  // A table is at one of two neighbouring places, this and the one whose number differs in the last bit.
  static std::size_t first_place(const Key& key);

  std::array<std::atomic<Place>, kPlaces> places_{};
  std::unique_ptr<Table[]> tables_;
  std::atomic<std::size_t> size_ = 0;
};

}  // namespace koridor::wall
