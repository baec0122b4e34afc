// The plan of sequential halving: which simulation visits whom.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace koridor {

// The table of sequential halving (Karnin et al. 2013, as Danihelka et al. 2022 use it) for `considered` actions and
// `simulations` simulations, both >= 1. Entry i: how many visits the action of simulation i has had before it. In each
// of the ceil(log2 considered) phases the surviving actions get equally many visits, then the better half goes on
// (at least two); simulations left over go to the last two in turn. For 4 actions and 16 simulations:
//     0 0 0 0  1 1 1 1 | 2 2 3 3 4 4 5 5
// Written into `table` (no allocation where it has the capacity). Returns how many simulations the first phase has.
inline std::size_t halving_table(int considered, int simulations, std::vector<std::uint32_t>& table) {
  table.clear();
  int phases = 0;
  while ((1 << phases) < considered) ++phases;
  std::uint32_t visits = 0;
  std::size_t first_phase = 0;
  for (int survivors = considered; static_cast<int>(table.size()) < simulations;) {
    const int rounds = considered == 1 ? simulations : std::max(1, simulations / (phases * survivors));
    for (int round = 0; round < rounds; ++round, ++visits) {
      const int room = simulations - static_cast<int>(table.size());
      table.insert(table.end(), static_cast<std::size_t>(std::min(survivors, room)), visits);
    }
    if (first_phase == 0) first_phase = table.size();
    survivors = std::max(std::min(considered, 2), survivors / 2);
  }
  return first_phase;
}

}  // namespace koridor
