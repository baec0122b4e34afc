// For tests of every game: their names, and test names made of them.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "core/registry.h"

namespace koridor::test {

// Every registered game by its own rules, and boards on which some ends come soon.
inline std::vector<std::string> every_game() {
  std::vector<std::string> names{"quoridor:3x3,walls=1,repetition=2", "go:3x3,leaflet", "go:5x5,leaflet-strict",
                                 "blockade:5x7,walls=3"};
  for (const GameInfo& info : registered_games()) names.push_back(info.variant);
  return names;
}

// googletest takes letters and digits alone.
inline std::string letters_of(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

}  // namespace koridor::test
