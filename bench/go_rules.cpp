#include "bench/go_rules.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/random_games.h"
#include "bench/report.h"

namespace koridor::bench {
namespace {

using go::GoGame;

// Positions as they occur in playouts, from the first move to the last.
std::vector<Position<GoGame>> sample_go_positions(const GoGame& game, std::size_t count) {
  std::vector<Position<GoGame>> positions;
  Random random(1);
  while (positions.size() < count) {
    Position position(game);
    while (positions.size() < count && !game.outcome(position.state, position.history).over()) {
      if (random.chance(0.1)) positions.push_back(position);
      position.apply(game, game.random_playout_action(position.state, position.history, random));
    }
  }
  return positions;
}

// The fastest public board's playouts per second; 0 if nobody measured them.
double public_playouts(const GoGame& game) {
  const go::Rules& rules = game.rules();
  if (rules.columns != rules.rows) return 0;
  return rules.columns == 9 ? 65000 : rules.columns == 19 ? 15000 : 0;
}

void bench_playouts(RulesReport& report, const GoGame& game, const std::string& title) {
  const auto [games, plies] = measure_random_games(game, [&](const Position<GoGame>& position, Random& random) {
    return game.random_playout_action(position.state, position.history, random);
  });
  std::string beside = fmt::format("{:.1f} plies each, {:.1f} ns a ply", plies, 1e9 / games.median / plies);
  if (const double goal = public_playouts(game); goal > 0) {
    beside += fmt::format("; {:.2f} of the fastest public board's {}", games.median / goal, goal);
  }
  report.line(title, games, "a second", beside);
}

}  // namespace

void bench_game_rules(const GoGame& game, TableWriter& out) {
  const std::vector<Position<GoGame>> positions = sample_go_positions(game, 2000);
  out.say(fmt::format("rules of {} (a state has {} bytes; medians of {} runs, one thread)\n", game.name(),
                      sizeof(go::State), kRuns));
  RulesReport report(out, game.name());

  std::vector<go::State> states;
  for (const Position<GoGame>& position : positions) states.push_back(position.state);
  const Rate copied = measure_copies(report, states);

  ActionMask mask;
  const Rate legal = measure([&] {
    for (const Position<GoGame>& position : positions) {
      game.legal_actions(position.state, position.history, mask);
      keep(mask);
    }
    return positions.size();
  });
  report.line("legal actions", legal, "positions/s", "");

  NoKnowledge nothing(game);
  std::int64_t known = 0;
  const Rate values = measure([&] {
    known = 0;
    for (const Position<GoGame>& position : positions) {
      known += game.known_value(position.state, position.history, nothing) ? 1 : 0;
    }
    return positions.size();
  });
  report.line("known values", values, "positions/s",
              fmt::format("{:.1f} ns each; {:.1f}% are known", 1e9 / values.median,
                          100.0 * static_cast<double>(known) / static_cast<double>(positions.size())));

  std::vector<Action> actions;
  Random random(2);
  for (const Position<GoGame>& position : positions) {
    actions.push_back(game.random_playout_action(position.state, position.history, random));
  }
  const Rate applied = measure([&] {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      go::State next = positions[i].state;
      game.apply(next, actions[i]);
      keep(next);
    }
    return positions.size();
  });
  report.line("actions applied", applied, "a second",
              fmt::format("{:.2f} of states copied", applied.median / copied.median));

  go::Rules rules = game.rules();
  rules.ko = go::Ko::simple;
  rules.suicide = false;
  bench_playouts(report, GoGame(rules), "playouts, simple ko");
  if (game.rules() != rules) bench_playouts(report, game, "playouts, these rules");

  measure_encodings(report, game, states, legal);
}

}  // namespace koridor::bench
