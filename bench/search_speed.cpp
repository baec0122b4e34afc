// How fast is the search without a network? Plays games with a uniform prediction on one thread and prints simulations
// per second and bytes of memory. The rules alone bound it, so their rate is printed beside it: an evaluated simulation
// generates the legal actions of one position, and copies and applies along its path. Searches whose nodes share what
// they know of one position (core/search/transpositions.h) have lines of their own. Of wall games it also prints what a
// race takes to work out.
//
//   search_speed [GAME ...]          (default: quoridor and quoridor:5x5,walls=3)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/elapsed.h"
#include "core/base/error.h"
#include "core/registry.h"
#include "core/search/search.h"
#include "core/wall/last_walls.h"

namespace koridor {
namespace {

struct Speed {
  double simulations = 0;  // per second
  double evaluations = 0;
  double depth = 0;  // mean length of a path
  std::size_t memory = 0;
};

template <Game G>
Speed measure(const G& game, const SearchConfig& config, int visits, double seconds) {
  Search<G> search(game, config, visits);
  const std::vector<float> policy(static_cast<std::size_t>(game.encoding({}).policy_size()));
  std::vector<float> value(static_cast<std::size_t>(game.players()) + 1, 1.0f / static_cast<float>(game.players()));
  value.back() = 0.0f;
  Random random(1);
  Speed speed;
  const auto start = std::chrono::steady_clock::now();
  double elapsed = 0.0;
  while (elapsed < seconds) {
    search.reset(Position<G>(game));
    while (!game.outcome(search.position().state, search.position().history).over() && elapsed < seconds) {
      search.begin({visits, true}, random);
      while (search.step() == SearchStep::evaluate) {
        speed.evaluations += 1;
        speed.depth += game.ply(search.leaf()) - game.ply(search.position().state);
        search.supply({policy, value});
      }
      speed.simulations += search.simulations();  // fewer than planned where something is proven
      search.play(search.sample_action(1.0, random));
      elapsed = seconds_since(start);
    }
  }
  speed.depth /= speed.evaluations;
  speed.simulations /= elapsed;
  speed.evaluations /= elapsed;
  speed.memory = search.memory_bytes();
  return speed;
}

// Positions per second of random games, with their legal actions listed.
template <Game G>
double rules_speed(const G& game, double seconds) {
  Random random(1);
  double positions = 0.0;
  const auto start = std::chrono::steady_clock::now();
  double elapsed = 0.0;
  while (elapsed < seconds) {
    Position<G> position(game);
    ActionMask actions;
    while (!game.outcome(position.state, position.history).over()) {
      game.legal_actions(position.state, position.history, actions);
      position.apply(game, actions.nth(random.below(actions.count())));
      positions += 1;
    }
    elapsed = seconds_since(start);
  }
  return positions / elapsed;
}

// Microseconds to work out a race between random walls (core/wall/race.h), or with one or two walls left in the game
// what comes before the last walls (core/wall/last_walls.h), on average over arrangements of walls that are met in
// turn, each at its quickest.
double race_microseconds(const wall::WallGame& game, int walls_left) {
  constexpr std::size_t kArrangements = 100;  // more than a RaceTables keeps
  constexpr int kRounds = 15;
  Random random(1);
  std::vector<wall::State> states;
  while (states.size() < kArrangements) {
    Position<wall::WallGame> position(game);
    const wall::State& state = position.state;
    while (state.walls_left[0] + state.walls_left[2] > walls_left && !game.outcome(state, position.history).over()) {
      position.apply(game, game.random_legal_action(state, random));
    }
    if (!game.outcome(state, position.history).over()) states.push_back(state);
  }
  wall::RaceTables races(game);
  // solve_last_walls writes such a table, with a word for each place of player two.
  std::vector<std::uint64_t> digits(std::size_t{2 * 64 * wall::Race::kDigits});
  std::vector<double> least(kArrangements, 1e9);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kArrangements; ++i) {
      const auto start = std::chrono::steady_clock::now();
      if (walls_left == 0) {
        races.race(game, states[i]);
      } else {
        const wall::State& state = states[i];
        wall::solve_last_walls(game.geometry(), game.rules(), {state.horizontal, state.vertical},
                               {state.walls_left[0], state.walls_left[2]}, digits.data());
      }
      least[i] = std::min(least[i], seconds_since(start));
    }
  }
  return 1e6 * std::accumulate(least.begin(), least.end(), 0.0) / kArrangements;
}

template <Game G>
void report(const G& game) {
  fmt::print("{}: {:.0f} positions a second by the rules alone\n", game.name(), rules_speed(game, 1.0));
  if constexpr (std::is_same_v<G, wall::WallGame>) {
    if (wall::RaceTables::serve(game)) fmt::print("  a race: {:.1f} microseconds\n", race_microseconds(game, 0));
    const int most = std::min(2 * game.rules().walls, wall::most_last_walls(game.geometry(), game.rules()));
    if (most >= 1) fmt::print("  before the last wall: {:.1f} microseconds\n", race_microseconds(game, 1));
    if (most >= 2) fmt::print("  before the last two walls: {:.1f} microseconds\n", race_microseconds(game, 2));
  }
  for (const std::string& algorithm : SearchRules::names()) {
    for (const int transpositions : {0, match_search().transposition_visits}) {
      for (const int visits : {64, 400}) {
        SearchConfig config;
        config.algorithm = algorithm;
        config.transposition_visits = transpositions;
        const Speed speed = measure(game, config, visits, 1.5);
        fmt::print("  {:6} {:3} visits{}: {:8.0f} simulations/s, {:8.0f} evaluations/s, mean depth {:.1f}, {:.2f} MB\n",
                   algorithm, visits, transpositions > 0 ? ", transpositions shared" : "", speed.simulations,
                   speed.evaluations, speed.depth, static_cast<double>(speed.memory) / 1e6);
      }
    }
  }
}

}  // namespace
}  // namespace koridor

int main(int argc, char** argv) {
  std::vector<std::string> games(argv + 1, argv + argc);
  if (games.empty()) games = {"quoridor", "quoridor:5x5,walls=3"};
  try {
    for (const std::string& name : games) {
      std::visit([](const auto& game) { koridor::report(game); }, koridor::parse_game(name));
    }
  } catch (const koridor::UserError& error) {
    fmt::print(stderr, "search_speed: {}\n", error.what());
    return 2;
  }
  return 0;
}
