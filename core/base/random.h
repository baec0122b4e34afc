// Koridor's random numbers, so that a game can be replayed from (run seed, generation, game number). Integers and
// uniform() are the same on every machine and compiler, as the standard library's distributions are not. Those with
// logarithms (normal, exponential, Gumbel, gamma) may differ in their last bits between builds and kinds of CPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

namespace koridor {

// SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64 bits that mixes well. Also used to derive Zobrist keys.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// xoshiro256++ 1.0 (Blackman and Vigna 2019), seeded through SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) {
    for (std::uint64_t& word : state_) word = seed = mix64(seed);
  }

  // The stream of one game of a run: independent of threads, machines and order.
  static Random for_game(std::uint64_t run_seed, std::uint64_t generation, std::uint64_t game) {
    return Random(mix64(mix64(mix64(run_seed) ^ generation) ^ game));
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // An integer in [0, bound), bound >= 1. Lemire's multiply-shift; the bias is below bound / 2^64.
  int below(int bound) {
    return static_cast<int>((static_cast<unsigned __int128>(next()) * static_cast<std::uint64_t>(bound)) >> 64);
  }

  // In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // In (0, 1]: safe under a logarithm.
  double positive_uniform() { return 1.0 - uniform(); }

  bool chance(double probability) { return uniform() < probability; }

  // Exponential with the given mean.
  double exponential(double mean) { return -mean * std::log(positive_uniform()); }

  // Standard Gumbel, location 0, scale 1.
  double gumbel() { return -std::log(-std::log(positive_uniform() * (1.0 - 1e-16) + 1e-300)); }

  // Standard normal (Box-Muller; the second value is thrown away, so that the stream has no hidden state).
  double normal() {
    return std::sqrt(-2.0 * std::log(positive_uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
  }

  // Gamma with the given shape > 0 and scale 1 (Marsaglia and Tsang 2000).
  double gamma(double shape) {
    if (shape < 1.0) return gamma(shape + 1.0) * std::pow(positive_uniform(), 1.0 / shape);
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      const double x = normal();
      const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
      if (v > 0.0 && std::log(positive_uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

  // Fills `out`, which is not empty, with a sample of the symmetric Dirichlet distribution; `concentration` is the
  // parameter of each entry.
  void dirichlet(double concentration, std::span<float> out) {
    double total = 0.0;
    float largest = 0.0f;
    for (float& entry : out) {
      const double sample = gamma(concentration);
      entry = static_cast<float>(sample);
      largest = std::max(largest, entry);
      total += sample;
    }
    if (largest < std::numeric_limits<float>::min()) {
      // Samples of tiny concentrations are too small for a float with all its digits, or for any. As good as all of the
      // mass is on one entry there.
      out[static_cast<std::size_t>(below(static_cast<int>(out.size())))] = 1.0f;
      return;
    }
    for (float& entry : out) entry = static_cast<float>(entry / total);
  }

  // An index in [0, weights.size()), drawn in proportion to the weights (>= 0, not all zero).
  int weighted(std::span<const float> weights) {
    double total = 0.0;
    for (float weight : weights) total += weight;
    double target = uniform() * total;
    int last = 0;
    for (int i = 0; i < static_cast<int>(weights.size()); ++i) {
      if (weights[i] <= 0.0f) continue;
      last = i;
      target -= weights[i];
      if (target < 0.0) break;
    }
    return last;
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace koridor
