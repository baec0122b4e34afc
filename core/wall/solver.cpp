#include "core/wall/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/wall/paths.h"

namespace koridor::wall {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;
// The bytes of a configuration besides its scores: it is stored twice, and has a place in the hash table.
constexpr std::size_t kConfigurationBytes = 160;

// Calls visit(walls with one more) for every wall that overlaps and crosses none of `walls`.
template <class Visit>
void for_each_free_wall(const Geometry& geometry, const Configuration& walls, Visit&& visit) {
  Board horizontal, vertical;
  free_walls(geometry, Board(walls.horizontal), Board(walls.vertical), horizontal, vertical);
  for (const bool is_horizontal : {true, false}) {
    Bitboard anchors;
    (is_horizontal ? horizontal : vertical).store(anchors);
    anchors.for_each([&](Square anchor) {
      Configuration more = walls;
      (is_horizontal ? more.horizontal : more.vertical).set(anchor);
      visit(more);
    });
  }
}

// best[i] = max(best[i], score_before(after[symmetric i])), over pairs of slots.
void take_better(const PawnPlaces& places, std::span<const Score> after, int symmetry, std::span<Score> best) {
  const int slots = places.slots;
  if (symmetry == 0) {
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::max(best[i], score_before(after[i]));
    return;
  }
  const bool swap = (symmetry & kHalfTurn) != 0;
  const bool mirror = (symmetry & kMirror) != 0;
  const int south_step = swap ? 1 : slots;
  const int north_step = swap ? slots : 1;
  for (int south = 0; south < slots; ++south) {
    const Score* const from = after.data() + (mirror ? places.mirrored[south] : south) * south_step;
    Score* const to = best.data() + south * slots;
    for (int north = 0; north < slots; ++north) {
      const int other = mirror ? places.mirrored[north] : north;
      to[north] = std::max(to[north], score_before(from[other * north_step]));
    }
  }
}

Configuration walls_of(const State& state) {
  return {state.horizontal, state.vertical};
}

bool includes(const Configuration& all, const Configuration& part) {
  return !(Board(part.horizontal) - Board(all.horizontal)).any() && !(Board(part.vertical) - Board(all.vertical)).any();
}

}  // namespace

// A configuration solved again with some positions drawn.
struct WallSolver::Repeated {
  std::array<std::vector<Score>, 2> scores;  // [player to move][pair], walls and players as they stand
};

WallSolver::WallSolver(const WallGame& game, const Position<WallGame>& position, const SolveLimits& limits)
    : game_(game), places_(game.geometry()), root_(walls_of(position.state)) {
  if (game.players() != 2) throw UserError(not_two_players(game.name(), game.players()));
  const Rules& rules = game.rules();
  if (rules.pawns > 1 || rules.goal != Goal::line || rules.walls_by_kind || rules.wall_after_move) {
    throw UserError(
        fmt::format("{} cannot be solved: the solver knows one pawn a player, goal lines, one stock of walls "
                    "and turns of one action",
                    game.name()));
  }
  stock_ = {position.state.walls_left[0], position.state.walls_left[2]};
  symmetries_ = stock_[0] == stock_[1] ? 4 : 2;
  find_configurations(limits);
  Retrograde retrograde(game_);
  const int last = static_cast<int>(layers_.size()) - 1;
  for (int layer = last; layer >= 0; --layer) {
    solve_layer(layer, retrograde, limits);
    if (!limits.keep_all && layer >= 1 && layer < last) std::vector<Score>().swap(layers_[layer + 1].scores);
  }
  for (const Layer& layer : layers_) report_.bytes += layer.scores.size();
}

std::size_t WallSolver::layer_bytes(const Layer& layer) const {
  const auto boards = layer.configurations.size() * static_cast<std::size_t>(layer.splits);
  return boards * 2 * static_cast<std::size_t>(places_.pairs());
}

std::size_t WallSolver::table_start(const Layer& layer, std::size_t place, int split, int player) const {
  const auto board = place * static_cast<std::size_t>(layer.splits) + static_cast<std::size_t>(split);
  return (2 * board + static_cast<std::size_t>(player)) * static_cast<std::size_t>(places_.pairs());
}

void WallSolver::find_configurations(const SolveLimits& limits) {
  Retrograde retrograde(game_);
  std::size_t all = 0;     // bytes of all layers
  std::size_t two = 0;     // of the largest two that follow each other
  std::size_t lists = 0;   // of the configurations themselves
  std::size_t before = 0;  // of the layer before
  layers_.emplace_back();
  layers_[0].configurations = {canonical(game_.geometry(), root_, symmetries_).walls};
  for (int placed = 0;; ++placed) {
    Layer& layer = layers_.back();
    layer.least = std::max(0, placed - stock_[1]);
    layer.splits = std::min(placed, stock_[0]) - layer.least + 1;
    for (const Configuration& walls : layer.configurations) {
      layer.places.emplace(walls, static_cast<int>(layer.places.size()));
      report_.positions +=
          static_cast<std::uint64_t>(retrograde.count_positions(walls)) * static_cast<std::uint64_t>(layer.splits);
    }
    report_.configurations += layer.configurations.size();
    const std::size_t bytes = layer_bytes(layer);
    all += bytes;
    two = std::max(two, before + bytes);
    lists += layer.configurations.size() * kConfigurationBytes;
    before = bytes;
    if ((limits.keep_all ? all : two) + lists > limits.mebibytes * kMebibyte) {
      throw UserError(
          fmt::format("{} is too big to solve in {} MiB: the walls can stand in more than {} ways; try fewer walls, a "
                      "smaller board, a later position or more memory",
                      game_.name(), limits.mebibytes, report_.configurations));
    }
    if (placed == stock_[0] + stock_[1]) return;
    Layer next = layer_after(layer, limits);
    if (next.configurations.empty()) return;
    layers_.push_back(std::move(next));
  }
}

WallSolver::Layer WallSolver::layer_after(const Layer& layer, const SolveLimits& limits) const {
  const Geometry& geometry = game_.geometry();
  const std::size_t most = limits.mebibytes * kMebibyte / (2 * static_cast<std::size_t>(places_.pairs()));
  Retrograde retrograde(game_);
  Layer next;
  std::unordered_set<Configuration, ConfigurationHash> found;
  for (const Configuration& walls : layer.configurations) {
    check_time(limits, 0);
    if (next.configurations.size() > most) break;  // too big, as the caller will say
    for_each_free_wall(geometry, walls, [&](const Configuration& more) {
      const Configuration least = canonical(geometry, more, symmetries_).walls;
      if (found.insert(least).second && retrograde.count_positions(least) > 0) next.configurations.push_back(least);
    });
  }
  return next;
}

void WallSolver::check_time(const SolveLimits& limits, std::uint64_t done) const {
  if (limits.keep_going && !limits.keep_going()) {
    throw SolveStopped(game_.name(), done == 0
                                         ? "its walls can stand in too many ways"
                                         : fmt::format("{} of its {} positions were solved", done, report_.positions));
  }
  if (limits.progress && done > 0) limits.progress(done, report_.positions);
}

WallSolver::Link WallSolver::find(int layer, const Configuration& walls) const {
  const Canonical least = canonical(game_.geometry(), walls, symmetries_);
  const auto found = layers_[layer].places.find(least.walls);
  return {found == layers_[layer].places.end() ? -1 : found->second, least.symmetry};
}

std::vector<WallSolver::Link> WallSolver::next_walls(int layer, const Configuration& walls) const {
  std::vector<Link> links;
  if (layer + 1 >= static_cast<int>(layers_.size())) return links;
  for_each_free_wall(game_.geometry(), walls, [&](const Configuration& more) {
    const Link link = find(layer + 1, more);
    if (link.place >= 0) links.push_back(link);
  });
  return links;
}

std::span<const Score> WallSolver::scores(int layer, Link link, int placed, int player) const {
  const Layer& of = layers_[layer];
  const bool swapped = (link.symmetry & kHalfTurn) != 0;
  const int split = (swapped ? layer - placed : placed) - of.least;
  const int mover = swapped ? 1 - player : player;
  return std::span(of.scores).subspan(table_start(of, static_cast<std::size_t>(link.place), split, mover),
                                      static_cast<std::size_t>(places_.pairs()));
}

void WallSolver::add_walls(int layer, int placed, int player, const std::vector<Link>& walls,
                           std::span<Score> best) const {
  const int own = player == 0 ? placed : layer - placed;
  if (own >= stock_[player]) return;
  for (const Link& link : walls) {
    take_better(places_, scores(layer + 1, link, placed + (player == 0 ? 1 : 0), 1 - player), link.symmetry, best);
  }
}

void WallSolver::solve_layer(int number, Retrograde& retrograde, const SolveLimits& limits) {
  Layer& layer = layers_[number];
  const auto pairs = static_cast<std::size_t>(places_.pairs());
  layer.scores.resize(layer_bytes(layer));
  for (std::size_t place = 0; place < layer.configurations.size(); ++place) {
    check_time(limits, done_);
    const Configuration& walls = layer.configurations[place];
    retrograde.set_walls(walls);
    const std::vector<Link> next = next_walls(number, walls);
    for (int split = 0; split < layer.splits; ++split) {
      std::array<std::span<Score>, 2> scores;
      for (int player = 0; player < 2; ++player) {
        scores[player] = std::span(layer.scores).subspan(table_start(layer, place, split, player), pairs);
        retrograde.clear(scores[player], kNoWall);
        add_walls(number, layer.least + split, player, next, scores[player]);
      }
      retrograde.solve(scores);
      for (const std::span<Score>& side : scores) {
        report_.drawn += static_cast<std::uint64_t>(std::ranges::count(side, Score{0}));
        for (const Score score : side) {
          if (score == kNoPosition) continue;
          report_.longest = std::max(report_.longest, plies_of(score));
          ++done_;
        }
      }
    }
  }
}

int WallSolver::layer_of(const State& state) const {
  const Configuration walls = walls_of(state);
  const int south = stock_[0] - state.walls_left[0];
  const int north = stock_[1] - state.walls_left[2];
  const int layer = walls.count() - root_.count();
  const bool follows = includes(walls, root_) && south >= 0 && north >= 0 && south + north == layer;
  return follows && layer < static_cast<int>(layers_.size()) && !layers_[layer].scores.empty() ? layer : -1;
}

bool WallSolver::covers(const Position<WallGame>& position) const {
  const State& state = position.state;
  const int layer = layer_of(state);
  // Where earlier positions are drawn, solution() solves the configuration again for both players to move.
  const bool other_moves = game_.rules().repetition > 0 && state.walls_left[2 - state.player * 2] > 0;
  const bool next = (state.walls_left[state.player * 2] == 0 && !other_moves) ||
                    layer + 1 == static_cast<int>(layers_.size()) || !layers_[layer + 1].scores.empty();
  return layer >= 0 && next && find(layer, walls_of(state)).place >= 0;
}

Score WallSolver::score(const State& state, const Repeated* repeated) const {
  const Square south = state.pawns[0];
  const Square north = state.pawns[kMaxPawns];
  const auto pair = static_cast<std::size_t>(places_.pair(south, north));
  if (repeated != nullptr) return repeated->scores[state.player][pair];
  const int layer = layer_of(state);
  const Link link = find(layer, walls_of(state));
  const bool swap = (link.symmetry & kHalfTurn) != 0;
  const bool mirror = (link.symmetry & kMirror) != 0;
  int first = places_.slot[0][south];
  int second = places_.slot[1][north];
  if (mirror) {
    first = places_.mirrored[first];
    second = places_.mirrored[second];
  }
  if (swap) std::swap(first, second);
  return scores(layer, link, stock_[0] - state.walls_left[0], state.player)[first * places_.slots + second];
}

std::vector<PawnPosition> WallSolver::drawn_by_repetition(const Position<WallGame>& position) const {
  std::vector<PawnPosition> drawn;
  const State& state = position.state;
  const int repetition = game_.rules().repetition;
  if (repetition == 0) return drawn;
  const auto keys = position.history.keys();
  const std::size_t reversible = std::min<std::size_t>(state.reversible_plies, keys.size());
  std::map<std::uint64_t, int> seen;  // key -> number of occurrences, the present one included
  seen[game_.repetition_key(state)] = 1;
  for (const std::uint64_t key : keys.last(reversible)) ++seen[key];
  if (std::ranges::none_of(seen, [&](const auto& entry) { return entry.second + 1 >= repetition; })) return drawn;
  const Geometry& geometry = game_.geometry();
  State other = state;
  for (int player = 0; player < 2; ++player) {
    other.player = static_cast<std::uint8_t>(player);
    geometry.board.for_each([&](Square south) {
      other.pawns[0] = south;
      geometry.board.for_each([&](Square north) {
        if (south == north || geometry.goal[0].test(south) || geometry.goal[1].test(north)) return;
        other.pawns[kMaxPawns] = north;
        const auto found = seen.find(game_.repetition_key(other));
        if (found == seen.end() || found->second + 1 < repetition) return;
        drawn.push_back({player, player == 0 ? south : north, player == 0 ? north : south});
      });
    });
  }
  return drawn;
}

Solution WallSolver::solution(const Position<WallGame>& position) const {
  const State& state = position.state;
  if (!covers(position)) {
    throw UserError(fmt::format("{}: the position after {} plies does not follow the one that was solved", game_.name(),
                                state.ply));
  }
  const std::vector<PawnPosition> drawn = drawn_by_repetition(position);
  Repeated repeated;
  if (!drawn.empty()) {
    const int layer = layer_of(state);
    const Configuration walls = walls_of(state);
    Retrograde retrograde(game_);
    retrograde.set_walls(walls);
    const std::vector<Link> next = next_walls(layer, walls);
    for (int player = 0; player < 2; ++player) {
      repeated.scores[player].resize(static_cast<std::size_t>(places_.pairs()));
      retrograde.clear(repeated.scores[player], kNoWall);
      add_walls(layer, stock_[0] - state.walls_left[0], player, next, repeated.scores[player]);
    }
    retrograde.solve({repeated.scores[0], repeated.scores[1]}, drawn);
  }

  Solution solution;
  Position<WallGame> next = position;
  ActionMask legal;
  game_.legal_actions(state, position.history, legal);
  const std::size_t mark = position.history.size();
  legal.for_each([&](Action action) {
    next.state = state;
    next.history.truncate(mark);
    next.apply(game_, action);
    const Outcome outcome = game_.outcome(next.state, next.history);
    SolvedAction solved{action, Proof::draw, 0};
    if (outcome.kind == Outcome::Kind::win) {
      solved = {action, outcome.winner == state.player ? Proof::win : Proof::loss, 1};
    } else if (outcome.kind == Outcome::Kind::ongoing) {
      const bool same_walls = next.state.reversible_plies > 0;
      const Score after = score(next.state, same_walls && !drawn.empty() ? &repeated : nullptr);
      const int plies = plies_of(after);
      if (after != 0 && next.state.ply + plies <= game_.max_plies()) {
        solved = {action, after < 0 ? Proof::win : Proof::loss, plies + 1};
      }
    }
    solution.actions.push_back(solved);
  });
  choose_best(solution);
  return solution;
}

}  // namespace koridor::wall
