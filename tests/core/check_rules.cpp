// The slow check of the wall games' rules: check_rules [POSITIONS [THREADS [SEED]]] plays random games of random
// variants by the engine and by the plain implementation until so many positions were the same, or prints the first
// that differ.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/base/cores.h"
#include "core/base/number.h"
#include "core/registry.h"
#include "tests/core/naive_comparison.h"

namespace koridor::wall {
namespace {

int check_positions(long wanted, int threads, std::uint64_t seed) {
  std::mutex mutex;
  Compared total;
  std::set<std::string> variants;
  std::atomic<bool> enough = false;
  const auto start = std::chrono::steady_clock::now();
  const auto work = [&](int thread) {
    Random random = Random::for_game(seed, static_cast<std::uint64_t>(thread), 0);
    while (!enough) {
      Compared compared;
      // Every tenth game is a preset as it is.
      const int preset = random.below(10 * static_cast<int>(presets().size()));
      const std::string variant = preset < static_cast<int>(presets().size())
                                      ? presets()[static_cast<std::size_t>(preset)].rules.id
                                      : random_variant(random);
      const WallGame game = std::get<WallGame>(parse_game(variant));
      compare_with_naive(game, random, compared);
      const std::scoped_lock lock(mutex);
      variants.insert(variant);
      total.positions += compared.positions;
      total.passes += compared.passes;
      total.wins += compared.wins;
      total.draws += compared.draws;
      if (total.mismatch.empty()) total.mismatch = compared.mismatch;
      if (total.positions >= wanted || !total.mismatch.empty()) enough = true;
    }
  };
  std::vector<std::jthread> workers;
  for (int thread = 0; thread < threads; ++thread) workers.emplace_back(work, thread);
  workers.clear();  // waits for them
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!total.mismatch.empty()) {
    fmt::print("{}\n", total.mismatch);
    return 1;
  }
  fmt::print(
      "{} positions of {} variants agree ({} games won, {} drawn, {} positions with nothing but a pass), {:.0f} s\n",
      total.positions, variants.size(), total.wins, total.draws, total.passes, seconds.count());
  return 0;
}

int check_perft() {
  int wrong = 0;
  const std::vector<GoldenPerft> all = read_golden_perft();
  for (const GoldenPerft& golden : all) {
    const WallGame game = std::get<WallGame>(parse_game(golden.variant));
    const std::uint64_t leaves = naive_perft(game, golden.confirmed);
    if (leaves == golden.leaves[static_cast<std::size_t>(golden.confirmed - 1)]) continue;
    fmt::print("perft {} of {}: {}\n", golden.confirmed, golden.variant, leaves);
    ++wrong;
  }
  if (wrong == 0) fmt::print("{} golden perft counts confirmed\n", all.size());
  return wrong;
}

}  // namespace
}  // namespace koridor::wall

int main(int count, char** arguments) {
  const auto number = [&](int place, long otherwise) {
    if (count <= place) return otherwise;
    const auto given = koridor::read_number<long>(arguments[place], 1, 1'000'000'000);
    if (given) return *given;
    fmt::print(stderr, "check_rules: {} is no number from 1 to 1000000000\n", arguments[place]);
    std::exit(2);
  };
  if (koridor::wall::check_perft() > 0) return 1;
  const auto threads = static_cast<int>(number(2, koridor::core_count()));
  return koridor::wall::check_positions(number(1, 1'000'000), threads, static_cast<std::uint64_t>(number(3, 1)));
}
