// Solves two-player wall games exactly: every position that can follow a given one, by backward induction.
//
// Walls stay where they are, so arrangements of walls (configurations) form layers: those with all walls placed, with
// all but one, and so on. Each configuration is solved as a whole, for every way the stocks can be divided and every
// place of the pawns (retrograde.h), from the deepest layer up; placing a wall looks a value up one layer below.
// Configurations that are mirrored, or turned by half a turn with the players swapped, are solved once.
//
//     layer 0   the walls now on the board        1 configuration     ┐
//     layer 1   one wall more                     8 (5x5)             │ a configuration x a division of the stocks:
//     layer 2   two walls more                    124                 │ [player to move][slot of one][slot of two]
//     ...                                                             ┘ of one byte each, value and distance
//
// Draws. A position in which nobody can force a win is drawn by max_plies, or by repetition before. max_plies turns
// exactly those wins and losses into draws whose distance is more than the plies left. A rule of repetition changes the
// value of no position reached for the first time, since a forced win comes closer with every move and so never repeats
// a position; positions of the game so far that would be drawn if they came again are taken as draws, exactly.
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
  // Without limits.keep_all only two layers are in memory at a time, and in the end the first two: positions with the
  // walls of `position` are covered then.
  WallSolver(const WallGame& game, const Position<WallGame>& position, const SolveLimits& limits);

  bool covers(const Position<WallGame>& position) const;
  Solution solution(const Position<WallGame>& position) const;
  const SolveReport& report() const { return report_; }

 private:
  struct Layer {
    std::vector<Configuration> configurations;  // canonical
    std::unordered_map<Configuration, int, ConfigurationHash> places;
    int least = 0;   // fewest walls player one can have placed in this layer
    int splits = 0;  // numbers of walls player one can have placed
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
  // The best a player to move with `placed` walls of player one in `layer` reaches by a wall, into `best`.
  void add_walls(int layer, int placed, int player, const std::vector<Link>& walls, std::span<Score> best) const;
  std::vector<Link> next_walls(int layer, const Configuration& walls) const;
  Link find(int layer, const Configuration& walls) const;
  // Scores of a configuration for `player` to move, both as given before the link's symmetry.
  std::span<const Score> scores(int layer, Link link, int placed, int player) const;
  std::size_t layer_bytes(const Layer& layer) const;
  // Where a table of pawn pairs begins in the layer's scores, [place][split][player to move][pair].
  std::size_t table_start(const Layer& layer, std::size_t place, int split, int player) const;

  // Of a state that is not over; the values that `repeated` positions change are taken from there.
  struct Repeated;
  Score score(const State& state, const Repeated* repeated) const;
  int layer_of(const State& state) const;  // -1: none
  std::vector<PawnPosition> drawn_by_repetition(const Position<WallGame>& position) const;

  WallGame game_;
  PawnPlaces places_;
  Configuration root_;
  std::array<int, 2> stock_{};  // at the root
  int symmetries_ = 4;          // with stocks of different size: 2, the mirror only
  std::vector<Layer> layers_;
  SolveReport report_;
  std::uint64_t done_ = 0;  // positions solved so far
};

}  // namespace koridor::wall
