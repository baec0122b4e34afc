// What a player keeps though it passes for ever: chains that nobody can capture, and their eyes.
//
// Benson's algorithm (D. B. Benson 1976, "Life in the Game of Go", Information Sciences 10), on sets of points. Seen
// from one side, a *region* is a whole connected part of the points without an own stone, and its border are the own
// chains beside it. A region is *vital* to a chain of its border if all its points that can ever be empty while the
// owner passes are beside that chain: without suicide these are the points that are empty now, since nothing in the
// region can be captured; where suicide is legal it is all of them, since stones in the region may take themselves off.
// The chains that are *pass-alive* are the largest set of which each has two vital regions with borders in the set.
//
// Theorem. While the owner passes, (a) no pass-alive chain is captured, and (b) a region whose border is pass-alive
// holds an empty point after every move.
// Proof. Let (a) and (b) hold so far. Each pass-alive chain has a liberty in each of two vital regions, by (b), and one
// move takes one of them at most, so (a) holds on. Stones of the other side in a region of (b) have no liberty outside
// of it. One that takes the last empty point captures nothing of the border, by (a), and there is nothing else beside;
// so it has no liberty, and is illegal or takes itself off. So (b) holds on.
//
// An *eye* is a region with a pass-alive border of which all points that can be empty are beside pass-alive chains. Its
// empty points never count for the other side; of an eye of one point this is the point itself, which is the owner's.
// So at whatever time the game ends while the owner passes, its area is at least
//     pass-alive stones + eyes of one point
// and that of the other side at most all else less one point for each larger eye.
#pragma once

#include "core/go/board.h"

namespace koridor::go {

// The regions of `side.own` of which all points that can be empty are beside own stones: all others are no eyes.
template <class Points>
Points close_regions(const Side<Points>& side, bool suicide) {
  const Points others = side.other | side.empty;
  const Points open = suicide ? others : side.empty;
  return others - connected(open - side.own.neighbours(), others);
}

template <class Points>
struct PassAlive {
  Points stones;  // of the pass-alive chains
  Points eyes;    // all points of all eyes
};

// `regions` are close_regions(side, suicide). Each round looks at the chains that are left and floods the regions
// beside them, until a round drops none; there are at most as many rounds as chains, and seldom more than three.
template <class Points>
PassAlive<Points> pass_alive(const Side<Points>& side, Points regions, bool suicide) {
  const Points open = suicide ? side.other | side.empty : side.empty;
  Points stones = connected(regions.neighbours() & side.own, side.own);
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (Points rest = stones; rest.any();) {
      const Points chain = connected(rest.first(), stones);
      const Points beside = chain.neighbours();
      rest = rest - chain;
      int vital = 0;
      for (Points near = regions & beside; near.any() && vital < 2;) {
        const Points region = connected(near.first(), regions);
        near = near - region;
        vital += ((region & open) - beside).any() ? 0 : 1;
      }
      if (vital >= 2) continue;
      stones = stones - chain;
      regions = regions - connected(regions & beside, regions);
      dropped = true;
    }
  }
  return {stones, regions};
}

// The owner's area less that of the other side, at least, at any end of the game while the owner passes; `area` are the
// points of the board.
template <class Points>
int sure_lead(const PassAlive<Points>& kept, int area) {
  const Points in_larger = kept.eyes & kept.eyes.neighbours();
  int larger = 0;
  for (Points rest = in_larger; rest.any(); ++larger) rest = rest - connected(rest.first(), in_larger);
  return 2 * (kept.stones.count() + (kept.eyes - in_larger).count()) + larger - area;
}

}  // namespace koridor::go
