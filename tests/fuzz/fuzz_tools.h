// What the fuzz targets share.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/registry.h"

namespace koridor::fuzz {

// Ends the process, which libFuzzer reports with the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// Games that differ in every respect text and bytes depend on; a byte of the input chooses one.
inline const AnyGame& game_number(std::uint8_t number) {
  static const std::array kGames = {
      parse_game("quoridor"),
      parse_game("quoridor:5x5,walls=3,repetition=3"),
      parse_game("quoridor4:3x3,walls=1"),
      parse_game("quoridor:4x4,players=3,walls=2"),
      parse_game("pinko-pallino"),
      parse_game("pinko-pallino:4x3,walls=2,jumps=true"),
      parse_game("blockade"),
      parse_game("blockade:4x5,walls=2,win_pawns=2"),
      parse_game("go:5x5"),
      parse_game("go:3x3,leaflet-strict"),
  };
  return kGames[number % kGames.size()];
}

// Those of them that are wall games, or that are Go.
inline const AnyGame& wall_game_number(std::uint8_t number) {
  constexpr std::uint8_t kWallGames = 8;
  return game_number(number % kWallGames);
}
inline const AnyGame& go_game_number(std::uint8_t number) {
  return game_number(8 + number % 2);
}

}  // namespace koridor::fuzz
