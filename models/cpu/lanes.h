// Eight numbers at once as the compiler's vector type, which works on every CPU and is one register on most.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace koridor {

inline constexpr int kLanes = 8;

using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

// A quantised activation, in units that its layer knows.
using Byte = std::uint8_t;

// bfloat16: the upper half of a float.
enum class Bf16 : std::uint16_t {};

inline Lanes load(const float* from) {
  Lanes values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
inline void store(Lanes values, float* to) {
  std::memcpy(to, &values, sizeof values);
}

// `a` where it is NaN: a ReLU, max(a, 0), then hides no overflow from the guard (models/network/guard.h).
inline Lanes max(Lanes a, Lanes b) {
  return b > a ? b : a;
}

// The sums of eight vectors: of each ((v0 + v4) + (v1 + v5)) + ((v2 + v6) + (v3 + v7)).
inline Lanes sums_of(const Lanes (&v)[kLanes]) {
  // Each step halves the numbers that are left of a vector and puts those of two into one.
  const auto folded = [](Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  };
  const auto paired = [](Lanes a, Lanes b) {
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
  };
  const Lanes low = paired(folded(v[0], v[1]), folded(v[2], v[3]));
  const Lanes high = paired(folded(v[4], v[5]), folded(v[6], v[7]));
  return paired(low, high);
}

using LaneBits [[gnu::vector_size(kLanes * sizeof(std::uint32_t))]] = std::uint32_t;
using HalfBits [[gnu::vector_size(kLanes * sizeof(std::uint16_t))]] = std::uint16_t;

inline Lanes load(const Bf16* from) {
  HalfBits halves;
  std::memcpy(&halves, from, sizeof halves);
  return std::bit_cast<Lanes>(__builtin_convertvector(halves, LaneBits) << 16);
}
// To the nearest, ties to even.
inline void store(Lanes values, Bf16* to) {
  const auto bits = std::bit_cast<LaneBits>(values);
  const auto halves = __builtin_convertvector((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16, HalfBits);
  std::memcpy(to, &halves, sizeof halves);
}

template <class Element>
Element from_float(float value);
template <>
inline float from_float<float>(float value) {
  return value;
}
template <>
inline Bf16 from_float<Bf16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<Bf16>(static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16));
}

template <>
inline Byte from_float<Byte>(float value) {
  return static_cast<Byte>(std::clamp(value, 0.0f, 255.0f) + 0.5f);
}

}  // namespace koridor
