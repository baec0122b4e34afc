// Why a game of a match ended other than by its rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/types.h"

namespace koridor {

// How a player lost a game without its rules' word: by a fault of its program, or by resigning.
struct Forfeit {
  enum class Kind : std::uint8_t {
    time,     // it overstepped its clock
    crash,    // its process ended
    hang,     // it gave no answer
    garbage,  // its answer could not be read
    illegal,  // it chose an action that is not legal
    resign,   // it gave the game up
  };
  Kind kind = Kind::crash;
  std::string detail{};  // one line for a person, without a full stop: what happened; may be empty

  std::string text() const;  // "crash (exit code 1)"
  friend bool operator==(const Forfeit&, const Forfeit&) = default;
};

inline constexpr int kForfeitKinds = 6;

// The kinds' names in tables and saved games, in the order of Forfeit::Kind.
inline constexpr std::array<const char*, kForfeitKinds> kForfeitNames = {"time",    "crash",   "hang",
                                                                         "garbage", "illegal", "resign"};

struct EndReason {
  enum class Kind : std::uint8_t {
    rules,      // the game ended by its rules
    forfeit,    // the player in `seat` lost it
    proven,     // adjudicated: the result was proven
    draw_rule,  // adjudicated: nobody was ahead for long, or the game was long
  };
  Kind kind = Kind::rules;
  int seat = -1;      // of the player who forfeited
  Forfeit forfeit{};  // where the kind is `forfeit`

  // One line: "player 2: crash (exit code 1)", "adjudicated: proven"; empty where the game ended by its rules.
  std::string text() const;
  friend bool operator==(const EndReason&, const EndReason&) = default;
};

// The outcome where the player in `seat` has lost to all others, who share the point.
inline Outcome forfeited_by(int seat, int players) {
  if (players == 2) return Outcome::won_by(1 - seat);
  Outcome outcome{.kind = Outcome::Kind::draw};
  for (int player = 0; player < players; ++player) {
    outcome.values[static_cast<std::size_t>(player)] = player == seat ? 0.0f : 1.0f / static_cast<float>(players - 1);
  }
  return outcome;
}

inline std::string Forfeit::text() const {
  const std::string name = kForfeitNames[static_cast<std::size_t>(kind)];
  return detail.empty() ? name : name + " (" + detail + ")";
}

inline std::string EndReason::text() const {
  switch (kind) {
    case Kind::rules:
      return "";
    case Kind::proven:
      return "adjudicated: proven";
    case Kind::draw_rule:
      return "adjudicated: draw";
    case Kind::forfeit:
      break;
  }
  return "player " + std::to_string(seat + 1) + ": " + forfeit.text();
}

}  // namespace koridor
