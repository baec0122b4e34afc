// The exact solver of each game.
#pragma once

#include <memory>
#include <variant>

#include "core/registry.h"
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

// solution.h says what every solver offers.
template <Game G>
using Solver = typename SolverOf<G>::type;

// A solver of any game, shared by all its users.
template <class AnyGame>
struct SolversOf;
template <class... Games>
struct SolversOf<std::variant<Games...>> {
  using type = std::variant<std::shared_ptr<const Solver<Games>>...>;
};
using AnySolver = SolversOf<AnyGame>::type;

// Solves the whole game from its first position. Throws UserError where that is not possible within the limits.
inline AnySolver solve_game(const AnyGame& any, const SolveLimits& limits) {
  return std::visit(
      [&]<Game G>(const G& game) -> AnySolver {
        return std::make_shared<const Solver<G>>(game, Position<G>(game), limits);
      },
      any);
}

}  // namespace koridor
