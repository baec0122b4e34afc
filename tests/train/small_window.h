// A replay window of a game so small that tests may look at every position.
#pragma once

#include <string>
#include <variant>

#include "core/registry.h"
#include "train/learner/replay_window.h"

namespace koridor {

inline const AnyGame& small_game() {
  static const AnyGame game = parse_game("quoridor:3x3,walls=1");
  return game;
}

inline const wall::WallGame& small_wall_game() {
  return std::get<wall::WallGame>(small_game());
}

inline ReplayWindow small_window(const TrainingConfig& config = {}, const std::string& hash = "") {
  return ReplayWindow({small_game()}, Features{}, config, hash);
}

}  // namespace koridor
