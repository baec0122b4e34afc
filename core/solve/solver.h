// The exact solver of each game.
#pragma once

#include "core/solve/tree_solver.h"
#include "core/wall/solver.h"

namespace koridor {

template <Game G>
struct SolverOf {
  using type = TreeSolver<G>;
};

template <>
struct SolverOf<wall::WallGame> {
  using type = wall::WallSolver;
};

// See solution.h for what every one of them offers.
template <Game G>
using Solver = typename SolverOf<G>::type;

}  // namespace koridor
