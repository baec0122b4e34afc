// Solves two-player wall games exactly: every position that can follow a given one, by backward induction.
//
// Walls stay where they are, so that arrangements of walls (configurations) form layers by the number of walls. Each
// configuration is solved as a whole (retrograde.h), for every division of the stocks and every place of the pawns,
// from the deepest layer up; the value of placing a wall is looked up one layer below. Configurations that are
// mirrored, or turned by half a turn with the players swapped, are solved once.
//
//     layer 0   the walls now on the board   1 configuration   ┐ one table per configuration and division of the
//     layer 1   one wall more                8 (5x5)           │ stocks: [player to move][slot of one][slot of two],
//     layer 2   two walls more               124               │ one byte each for value and distance
//     ...                                                      ┘
//
// A position in which nobody can force a win is drawn by max_plies, or by repetition before that. max_plies turns into
// draws exactly those wins and losses whose distance is more than the plies left. A rule of repetition does not change
// the value of a position reached for the first time, since a forced win comes closer with every move and so never
// repeats a position; earlier positions of the game that would be drawn if they came again are taken as draws.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/game.h"
#include "core/solve/solution.h"
#include "core/wall/configuration.h"
#include "core/wall/game.h"
#include "core/wall/retrograde.h"

namespace koridor::wall {

class WallSolver {
 public:
  // Without limits.keep_all only two layers are in memory at a time, and in the end the first two, so that only
  // positions with the walls of `position` are covered.
  WallSolver(const WallGame& game, const Position<WallGame>& position, const SolveLimits& limits);

  bool covers(const Position<WallGame>& position) const;
  Solution solution(const Position<WallGame>& position) const;
  const SolveReport& report() const { return report_; }

 private:
  struct Layer {
    std::vector<Configuration> configurations;  // canonical
    std::unordered_map<Configuration, int, ConfigurationHash> places;
    int least = 0;   // fewest walls player one can have placed in this layer
    int splits = 0;  // how many numbers of walls player one can have placed
    std::vector<Score> scores;
  };
  // A configuration's place in its layer, seen through a symmetry.
  struct Link {
    int place = -1;
    int symmetry = 0;
  };

  void check_time(const SolveLimits& limits, std::uint64_t done) const;
  void find_configurations(const SolveLimits& limits);
  // The configurations with one wall more, up to about as many as the limits allow.
  Layer layer_after(const Layer& layer, const SolveLimits& limits) const;
  void solve_layer(int layer, Retrograde& retrograde, const SolveLimits& limits);
  // Raises `best` to the best value that `player`, to move in `layer` where player one has placed `placed` walls,
  // reaches by a wall.
  void add_walls(int layer, int placed, int player, const std::vector<Link>& walls, std::span<Score> best) const;
  std::vector<Link> next_walls(int layer, const Configuration& walls) const;
  Link find(int layer, const Configuration& walls) const;
  // Scores of a configuration for `player` to move; `placed` and `player` are meant before the link's symmetry.
  std::span<const Score> scores(int layer, Link link, int placed, int player) const;
  std::size_t layer_bytes(const Layer& layer) const;
  // Where a table of slot pairs begins in the layer's scores, [place][split][player to move][pair].
  std::size_t table_start(const Layer& layer, std::size_t place, int split, int player) const;

  // The score of a state that is not over. Where drawn positions change values, `repeated` has them; else it is null.
  struct Repeated;
  Score score(const State& state, const Repeated* repeated) const;
  int layer_of(const State& state) const;  // -1: none
  std::vector<PawnPosition> drawn_by_repetition(const Position<WallGame>& position) const;

  WallGame game_;
  PawnPlaces places_;
  Configuration root_;
  std::array<int, 2> stock_{};  // at the root
  int symmetries_ = 4;          // 2, the mirror only, with stocks of different size
  std::vector<Layer> layers_;
  SolveReport report_;
  std::uint64_t done_ = 0;  // positions solved so far
};

}  // namespace koridor::wall
