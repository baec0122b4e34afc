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

// e^x for x <= 0, relative error below 3e-7; anything under -87 counts as -87 (1.6e-38). Splits x = n ln 2 + r with
// |r| <= ln 2 / 2 (n by adding and taking away 1.5 * 2^23, which rounds), takes the Taylor polynomial of r and puts n
// into the exponent bits.
inline float exp_negative(float x) {
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

// Turns logits into probabilities in place: each at least kSmallestPrior, sum 1 within rounding. Sums and maxima run in
// a fixed number of lanes, so the result is the same whatever the vector width.
inline void softmax(std::span<float> logits) {
  constexpr std::size_t kLanes = 16;
  const std::size_t size = logits.size();
  const std::size_t whole = size - size % kLanes;
  float* const x = logits.data();

  std::array<float, kLanes> lanes;
  lanes.fill(x[0]);
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = std::max(lanes[lane], x[i + lane]);
  }
  for (std::size_t i = whole; i < size; ++i) lanes[i - whole] = std::max(lanes[i - whole], x[i]);
  const float top = *std::max_element(lanes.begin(), lanes.end());

  for (std::size_t i = 0; i < size; ++i) x[i] = exp_negative(x[i] - top);

  lanes.fill(0.0f);
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane];
  }
  for (std::size_t i = whole; i < size; ++i) lanes[i - whole] += x[i];
  float total = 0.0f;
  for (float lane : lanes) total += lane;

  const float factor = 1.0f / total;
  for (std::size_t i = 0; i < size; ++i) x[i] = std::max(x[i] * factor, kSmallestPrior);
}

}  // namespace koridor
