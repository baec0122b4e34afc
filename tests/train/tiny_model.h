// The file of a small network with random weights.
#pragma once

#include <string>

#include "tests/tiny_model.h"

namespace koridor {

inline void write_tiny_model(const std::string& path, std::uint64_t seed,
                             const std::string& game = "quoridor:3x3,walls=1") {
  save_model(path, *test::tiny_model(parse_game(game), {.seed = seed}));
}

}  // namespace koridor
