#include "bench/peers.h"

#include <fmt/format.h>

#include <array>

#include "bench/bench_model.h"
#include "bench/selfplay.h"
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

}  // namespace

void bench_peers(const PeersTask& task, const std::atomic<bool>& stop) {
  fmt::print(
      "peers: {} visits a move, subtree kept, no cheap searches, random weights; x: times the fastest peer's best "
      "run\n",
      kVisits);
  for (const Peer& peer : kPeers) {
    if (!task.game.empty() && task.game != peer.game) continue;
    const AnyGame game = parse_game(peer.game);
    SelfplayConfig selfplay = task.selfplay;
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
    fmt::print("{} {}x{}: {}, {} threads x {} slots, cache of {} MiB a thread\n", peer.game, peer.blocks, peer.channels,
               figures.evaluator, figures.threads, figures.slots, selfplay.evaluation.cache_mebibytes);
    fmt::print("  evaluations {:>9.0f} a second  {:>6.1f}x of {:.0f}   (the cache answers {:.1f}% of what is asked)\n",
               figures.evaluations, figures.evaluations / peer.evaluations, peer.evaluations,
               100.0 * figures.hit_share);
    fmt::print("  moves       {:>9.1f} a second  {:>6.1f}x of {:.1f}\n", figures.moves, figures.moves / peer.moves,
               peer.moves);
    fmt::print("  visits      {:>9.0f} a second\n  time        {}\n", figures.visits, ledger_text(figures));
  }
  fmt::print("\n");
}

}  // namespace koridor::bench
