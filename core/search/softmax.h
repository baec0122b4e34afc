// The exponential and the softmax of search: written so that the compiler turns the loops into vector instructions (the
// standard library's exp cannot be), since every expanded node needs one over all its legal actions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace koridor {

// Priors below this are raised to it, so that their logarithm exists.
inline constexpr float kSmallestPrior = 1e-30f;

// 1 / temperature, as an exponent of weights in [0, 1]. A float cannot hold that of temperatures next to 0.
inline float inverse_temperature(double temperature) {
  return static_cast<float>(1.0 / std::max(temperature, 1e-30));
}

// e^x for x <= 0, relative error below 3e-7; anything under -87 counts as -87 (1.6e-38). Splits x = n ln 2 + r with
// |r| <= ln 2 / 2 (n by adding and taking away 1.5 * 2^23, which rounds), takes the Taylor polynomial of r and puts n
// into the exponent bits.
[[gnu::always_inline]] inline float exp_negative(float x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f;
  constexpr float kLn2Low = -2.12194440e-4f;
  constexpr float kRound = 12582912.0f;
  x = x < -87.0f ? -87.0f : x;
  const float shifted = x * kLog2E + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float sum = 1.0f / 5040.0f;
  sum = sum * r + 1.0f / 720.0f;
  sum = sum * r + 1.0f / 120.0f;
  sum = sum * r + 1.0f / 24.0f;
  sum = sum * r + 1.0f / 6.0f;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  const auto exponent =
      static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound) + 127)
      << 23;
  return sum * std::bit_cast<float>(exponent);
}

// Maxima and sums run in so many lanes: a fixed number, so that the result is the same whatever the vector width.
inline constexpr std::size_t kSoftmaxLanes = 16;

// combine(combine(start, x0), x1) and so on over all entries, first within each lane and then over the lanes in their
// order; combining with `start` twice must change nothing. Entries that fill at most one row of lanes are combined
// without them, in the same order: for the few edges of most nodes the lanes took longer than the exponentials.
template <class Combine>
inline float combine_in_lanes(std::span<const float> x, float start, Combine&& combine) {
  float result = start;
  if (x.size() <= kSoftmaxLanes) {
    for (float entry : x) result = combine(result, entry);
    return result;
  }
  const std::size_t whole = x.size() - x.size() % kSoftmaxLanes;
  std::array<float, kSoftmaxLanes> lanes;
  lanes.fill(start);
  for (std::size_t i = 0; i < whole; i += kSoftmaxLanes) {
    for (std::size_t lane = 0; lane < kSoftmaxLanes; ++lane) lanes[lane] = combine(lanes[lane], x[i + lane]);
  }
  for (std::size_t i = whole; i < x.size(); ++i) lanes[i - whole] = combine(lanes[i - whole], x[i]);
  for (float lane : lanes) result = combine(result, lane);
  return result;
}

// Turns logits into probabilities in place: each at least kSmallestPrior, sum 1 within rounding.
inline void softmax(std::span<float> logits) {
  const float top = combine_in_lanes(logits, logits[0], [](float a, float b) { return std::max(a, b); });
  for (float& entry : logits) entry = exp_negative(entry - top);
  const float total = combine_in_lanes(logits, 0.0f, [](float a, float b) { return a + b; });
  const float factor = 1.0f / total;
  for (float& entry : logits) entry = std::max(entry * factor, kSmallestPrior);
}

}  // namespace koridor
