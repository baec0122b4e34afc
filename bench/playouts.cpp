#include "bench/playouts.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/random_games.h"
#include "bench/wall_positions.h"
#include "core/registry.h"

namespace koridor::bench {
namespace {

// OpenSpiel's uniformly random games per second (0: not known), one thread of a machine like the one of FIGURES.md.
struct Measured {
  std::string variant;
  double openspiel;
};

const std::vector<Measured>& games() {
  static const std::vector<Measured> all = {
      {"quoridor", 1560},      {"quoridor4", 338},          {"quoridor-kid", 2247},
      {"quoridor:11x11", 315}, {"pinko-pallino", 315},  // its board's figure: OpenSpiel has no Pinko Pallino
      {"blockade", 0},         {"quoridor:5x5,walls=3", 0},
  };
  return all;
}

void bench_game(const wall::WallGame& game, double openspiel, TableWriter& out) {
  const RandomGames random_games =
      measure_random_games(game, [&](const Position<wall::WallGame>& position, Random& random) {
        return game.random_legal_action(position.state, random);
      });

  const std::vector<wall::State> states = sample_positions(game, 1000);
  ActionMask mask;
  const History none;
  const Rate legal = measure([&] {
    for (const wall::State& state : states) {
      game.legal_actions(state, none, mask);
      keep(mask);
    }
    return states.size();
  });
  const EncodingShape shape = game.encoding({});
  std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
  std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
  const Rate encoded = measure([&] {
    for (const wall::State& state : states) {
      game.encode(state, {}, 0, planes.data(), scalars.data());
      keep(planes);
    }
    return states.size();
  });
  const double games = random_games.games.median;
  out.row({game.name(), games, openspiel > 0 ? Cell(games / openspiel) : Cell(), random_games.plies,
           legal.median / encoded.median});
}

}  // namespace

void bench_playouts(TableWriter& out) {
  out.say(fmt::format("uniformly random games (medians of {} runs, one thread)\n  {:<22} {:>10} {:>10} {:>8} {:>16}\n",
                      kRuns, "game", "a second", "OpenSpiels", "plies", "encode / legal"));
  using enum ColumnType;
  out.begin({"playouts",
             {{"game", text},
              {"games_per_second", number, "1/s"},
              {"times_openspiel", number},
              {"plies", number, "plies"},
              {"encode_over_legal", number}},
             [](const TableRow& row) {
               return fmt::format(
                   "  {:<22} {:>10.0f} {:>10} {:>8.1f} {:>16.2f}\n", row.text("game"), row.number("games_per_second"),
                   row.empty("times_openspiel") ? "-" : fmt::format("{:.0f}", row.number("times_openspiel")),
                   row.number("plies"), row.number("encode_over_legal"));
             }});
  for (const auto& [variant, openspiel] : games()) {
    bench_game(std::get<wall::WallGame>(parse_game(variant)), openspiel, out);
  }
}

}  // namespace koridor::bench
