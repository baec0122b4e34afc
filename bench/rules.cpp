#include "bench/rules.h"

#include <fmt/format.h>

#include <vector>

#include "bench/go_rules.h"
#include "bench/measure.h"
#include "bench/random_games.h"
#include "bench/report.h"
#include "bench/wall_positions.h"
#include "core/base/error.h"
#include "core/perft.h"
#include "core/registry.h"
#include "core/wall/paths.h"

namespace koridor::bench {
namespace {

using wall::WallGame;

// The number of legal walls by plain code: every free wall is tried with a search for a way for every pawn.
int count_walls_plainly(const WallGame& game, const wall::State& state) {
  const wall::Geometry& geometry = game.geometry();
  wall::Board free_h, free_v;
  const wall::Board placed_h(state.horizontal);
  const wall::Board placed_v(state.vertical);
  wall::free_walls(geometry, placed_h, placed_v, free_h, free_v);
  int count = 0;
  const auto try_walls = [&](const wall::Board& free, bool horizontal) {
    wall::Bitboard anchors;
    free.store(anchors);
    anchors.for_each([&](wall::Square anchor) {
      const wall::Board wall = wall::Board::of(anchor);
      const wall::OpenSteps<wall::Board> open(geometry, horizontal ? placed_h | wall : placed_h,
                                              horizontal ? placed_v : placed_v | wall);
      for (const wall::Way& way : game.ways(state)) {
        if (wall::distance_to(open, way.from, wall::Board(*way.to)) == wall::kUnreachable) return;
      }
      ++count;
    });
  };
  if (game.rules().wall_after_move && state.phase == 0) return 0;
  const int horizontal = state.walls_left[state.player * 2];
  const int vertical = game.rules().walls_by_kind ? state.walls_left[state.player * 2 + 1] : horizontal;
  if (horizontal > 0) try_walls(free_h, true);
  if (vertical > 0) try_walls(free_v, false);
  return count;
}

void bench_game_rules(const WallGame& game, TableWriter& out) {
  const std::vector<wall::State> states = sample_positions(game, 2000);
  const History none;
  out.say(fmt::format("rules of {} (a state has {} bytes; medians of {} runs, one thread)\n", game.name(),
                      sizeof(wall::State), kRuns));
  RulesReport report(out, game.name());

  const Rate copied = measure_copies(report, states);

  const Rate plain = measure([&] {
    for (const wall::State& state : states) keep(count_walls_plainly(game, state));
    return states.size();
  });
  ActionMask mask;
  const Rate positions = measure([&] {
    for (const wall::State& state : states) {
      game.legal_actions(state, none, mask);
      keep(mask);
    }
    return states.size();
  });
  std::int64_t actions = 0;
  for (const wall::State& state : states) actions += game.count_legal_actions(state);
  const double actions_each = static_cast<double>(actions) / static_cast<double>(states.size());
  std::string beside = fmt::format("{:.4g} actions/s", positions.median * actions_each);
  if (game.rules().walls > 0) beside += fmt::format("; {:.1f} times the plain way", positions.median / plain.median);
  report.line("legal actions", positions, "positions/s", beside);

  Random lots(2);
  std::vector<Action> drawn;
  for (const wall::State& state : states) drawn.push_back(game.random_legal_action(state, lots));
  const Rate applied = measure([&] {
    for (std::size_t i = 0; i < states.size(); ++i) {
      wall::State next = states[i];
      game.apply(next, drawn[i]);
      keep(next);
    }
    return states.size();
  });
  report.line("actions applied", applied, "a second",
              fmt::format("{:.2f} of states copied", applied.median / copied.median));

  const Position<WallGame> first(game);
  int depth = 1;
  while (perft(game, first, depth) < 100'000 && depth < 12) ++depth;
  const Rate leaves = measure([&] { return perft(game, first, depth); });
  // Those of the last ply are counted and not made.
  report.line("perft leaves", leaves, "a second", fmt::format("depth {}", depth));

  const auto [games, plies] = measure_random_games(game, [&](const Position<WallGame>& position, Random& random) {
    return game.random_legal_action(position.state, random);
  });
  report.line("random games", games, "a second",
              fmt::format("{:.1f} plies each, {:.4g} plies/s", plies, games.median * plies));

  measure_encodings(report, game, states, positions);
}

}  // namespace

void bench_rules(const std::string& game_variant, TableWriter& out) {
  std::visit(
      [&]<Game G>(const G& game) {
        if constexpr (requires { bench_game_rules(game, out); }) {
          bench_game_rules(game, out);
        } else {
          throw UserError("there is no bench of the rules of " + game.name());
        }
      },
      parse_game(game_variant));
}

}  // namespace koridor::bench
