// The option --seed of the commands whose random choices are others each time, unless one asks for the same.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "cli/command_line.h"

namespace koridor::cli {

// Adds --seed, which sets `seed`; the value must outlive the parsing.
inline void add_seed(const Command& command, std::optional<std::uint64_t>& seed) {
  command.add_option("--seed", seed, "Of the random choices (default: another one each time)");
}

// The seed that was given; otherwise a new one.
inline std::uint64_t chosen_seed(const std::optional<std::uint64_t>& given) {
  return given ? *given : std::random_device()();
}

}  // namespace koridor::cli
