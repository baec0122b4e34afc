// The time a player has for a game and for its actions.
#pragma once

#include <chrono>

namespace koridor {

// A duration of 0 is not set. A clock without any duration set limits nothing.
struct Clock {
  std::chrono::milliseconds main{0};       // for all actions of the game together
  std::chrono::milliseconds increment{0};  // added to what is left of `main` after each action
  std::chrono::milliseconds move{0};       // for each action, in addition to `main`

  bool none() const { return *this == Clock{}; }
  friend bool operator==(const Clock&, const Clock&) = default;
};

}  // namespace koridor
