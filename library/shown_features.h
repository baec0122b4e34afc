// What an encoding shows, as a number of the interface: bit i is feature i of kFeatureNames.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "core/game.h"
#include "library/failure.h"

namespace koridor::library {

static_assert(kFeatureNames[0].member == &Features::distances && KORIDOR_DISTANCES == 1);
static_assert(kFeatureNames[1].member == &Features::ways && KORIDOR_WAYS == 2);
static_assert(kFeatureNames[2].member == &Features::wall_effects && KORIDOR_WALL_EFFECTS == 4);

// Throws Failure for a number that is no sum of koridor_feature.
inline Features features_of(std::int32_t number) {
  constexpr std::int32_t kAll = (1 << kFeatureNames.size()) - 1;
  if (number < 0 || number > kAll) {
    throw Failure(KORIDOR_INVALID_ARGUMENT,
                  fmt::format("features is {}, expected a sum of koridor_feature, 0 to {}", number, kAll));
  }
  Features features;
  for (std::size_t i = 0; i < kFeatureNames.size(); ++i) features.*kFeatureNames[i].member = (number >> i & 1) != 0;
  return features;
}

inline std::int32_t number_of(const Features& features) {
  std::int32_t number = 0;
  for (std::size_t i = 0; i < kFeatureNames.size(); ++i) number |= features.*kFeatureNames[i].member ? 1 << i : 0;
  return number;
}

}  // namespace koridor::library
