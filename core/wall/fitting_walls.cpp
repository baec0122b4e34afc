#include "core/wall/fitting_walls.h"

#include "core/wall/bitboard.h"
#include "core/wall/paths.h"

namespace koridor::wall {
namespace {

// Places for walls, by their anchors.
struct Places {
  Board horizontal;
  Board vertical;

  Places without_those_of_horizontal(Square anchor) const {
    const Board wall = Board::of(anchor);
    return {horizontal - (wall | wall.east() | wall.west()), vertical - wall};
  }
  Places without_those_of_vertical(Square anchor) const {
    const Board wall = Board::of(anchor);
    return {horizontal - wall, vertical - (wall | wall.north() | wall.south())};
  }
};

constexpr int kTaken = 4;  // a wall takes its own place and those of up to three others

// Whether so many walls fit into the places. Of the places in a wall's way, its own included, any largest choice has
// one, or the wall could be added to it.
bool fit(const Places& places, int walls) {
  if (walls == 0) return true;
  Bitboard horizontal, vertical;
  places.horizontal.store(horizontal);
  places.vertical.store(vertical);
  const int count = horizontal.count() + vertical.count();
  if (count < walls) return false;
  if (count > kTaken * (walls - 1)) return true;
  const bool is_horizontal = horizontal.any();
  const Square first = (is_horizontal ? horizontal : vertical).first();
  const Places rest =
      is_horizontal ? places.without_those_of_horizontal(first) : places.without_those_of_vertical(first);
  bool found = false;
  (places.horizontal - rest.horizontal).store(horizontal);
  (places.vertical - rest.vertical).store(vertical);
  horizontal.for_each(
      [&](Square anchor) { found = found || fit(places.without_those_of_horizontal(anchor), walls - 1); });
  vertical.for_each([&](Square anchor) { found = found || fit(places.without_those_of_vertical(anchor), walls - 1); });
  return found;
}

}  // namespace

int fitting_walls(const Geometry& geometry, const Configuration& walls, int most) {
  Places places;
  free_walls(geometry, Board(walls.horizontal), Board(walls.vertical), places.horizontal, places.vertical);
  int fitting = most + 1;
  while (!fit(places, fitting)) --fitting;
  return fitting;
}

}  // namespace koridor::wall
