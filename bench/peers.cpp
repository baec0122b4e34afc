#include "bench/peers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "bench/bench_model.h"
#include "bench/selfplay.h"
#include "core/base/error.h"
#include "core/registry.h"

namespace koridor::bench {
namespace {

// The fastest run of the fastest peer: OpenSpiel's C++ AlphaZero with LibTorch, float32, 200 simulations per move, 16
// games at once, no subtree kept, an evaluation cache. We measured it on both cores of a quiet virtual machine with 2
// cores of a Sapphire Rapids (AVX-512, AMX), Debian 12. Its Quoridor network sees a grid of 17x17, not of 9x9.
struct Peer {
  const char* game;
  int blocks;
  int channels;
  double evaluations;  // per second
  double moves;        // per second
};
constexpr std::array<Peer, 4> kPeers = {{{"go:9x9", 6, 96, 1'083, 6.1},
                                         {"quoridor", 6, 96, 302, 2.1},
                                         {"go:9x9", 2, 16, 14'500, 79},
                                         {"quoridor", 2, 16, 6'810, 289}}};
constexpr int kVisits = 200;

std::string peer_text(const TableRow& row) {
  std::string text = fmt::format("{} {}x{}: {}, {} threads x {} slots, cache of {} MiB a thread\n", row.text("game"),
                                 row.integer("blocks"), row.integer("channels"), row.text("evaluator"),
                                 row.integer("threads"), row.integer("slots"), row.integer("cache_mebibytes"));
  text += fmt::format(
      "  evaluations {:>9.0f} a second  {:>6.1f}x of {:.0f}   (the cache answers {:.1f}% of what is asked)\n",
      row.number("evaluations_per_second"), row.number("times_peer_evaluations"),
      row.number("peer_evaluations_per_second"), 100.0 * row.number("cache_hit_share"));
  text += fmt::format("  moves       {:>9.1f} a second  {:>6.1f}x of {:.1f}\n", row.number("moves_per_second"),
                      row.number("times_peer_moves"), row.number("peer_moves_per_second"));
  return text + fmt::format("  visits      {:>9.0f} a second\n  time        {}\n", row.number("visits_per_second"),
                            ledger_text(row));
}

}  // namespace

bool has_peer(const std::string& game) {
  return std::ranges::find(kPeers, game, &Peer::game) != kPeers.end();
}

void bench_peers(const PeersTask& task, TableWriter& out, const std::atomic<bool>& stop) {
  if (!task.game.empty() && !has_peer(task.game)) {
    std::set<std::string> games;
    for (const Peer& peer : kPeers) games.insert(peer.game);
    throw UserError(fmt::format("peers: nobody was measured on {}; the games with a peer are {}", task.game,
                                fmt::join(games, " and ")));
  }
  out.say(fmt::format(
      "peers: {} visits a move, subtree kept, no cheap searches, random weights; x: times the fastest peer's best "
      "run on 2 cores of a Sapphire Rapids\n",
      kVisits));
  using enum ColumnType;
  std::vector<Column> columns = {{"game", text},
                                 {"blocks", integer},
                                 {"channels", integer},
                                 {"cache_mebibytes", integer, "MiB"},
                                 {"peer_evaluations_per_second", number, "1/s"},
                                 {"times_peer_evaluations", number},
                                 {"peer_moves_per_second", number, "1/s"},
                                 {"times_peer_moves", number}};
  add_figures(columns);
  out.begin({"peers", std::move(columns), peer_text});
  for (const Peer& peer : kPeers) {
    if (!task.game.empty() && task.game != peer.game) continue;
    const AnyGame game = parse_game(peer.game);
    SelfplayConfig selfplay;
    selfplay.evaluation = task.selfplay.evaluation;
    selfplay.slots = task.selfplay.slots;
    selfplay.visits = selfplay.cheap_visits = kVisits;
    selfplay.full_share = 1;
    selfplay.opening_plies = 0;
    SearchConfig search;
    search.algorithm = Puct::kName;
    const SelfplayFigures figures =
        measure_selfplay({.game = game,
                          .model = random_network(game, {.blocks = peer.blocks, .channels = peer.channels}, {}),
                          .selfplay = selfplay,
                          .search = search,
                          .threads = task.threads,
                          .seconds = task.seconds},
                         stop);
    if (stop) return;
    std::vector<Cell> cells = {peer.game,        peer.blocks,
                               peer.channels,    selfplay.evaluation.cache_mebibytes,
                               peer.evaluations, figures.evaluations / peer.evaluations,
                               peer.moves,       figures.moves / peer.moves};
    add_figures(cells, figures);
    out.row(std::move(cells));
  }
  out.say("\n");
}

}  // namespace koridor::bench
