// The clocks of one game of a match, a player's in each seat, and the time that passes on them.
#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "core/search/clock.h"
#include "core/types.h"
#include "selfplay/matches/forfeit.h"

namespace koridor {

class SeatClocks {
 public:
  void new_game(const TimeControl& control, int players) {
    clocks_.fill(GameClock(control));
    seats_ = control.none() ? 0 : static_cast<std::size_t>(players);
  }
  // By seat; empty where nothing is limited. They stay where they are.
  GameClocks clocks() const { return GameClocks(clocks_).first(seats_); }

  // A player begins to think.
  void start() {
    if (seats_ > 0) begin_ = std::chrono::steady_clock::now();
  }
  // Whether the player in `seat`, which thinks, has overstepped its clock by now.
  bool late(int seat) const {
    if (seats_ == 0) return false;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    return taken.count() > clocks_[static_cast<std::size_t>(seat)].most();
  }
  // The player in `seat`, which began to think last, has chosen its action; the reason where it was too late.
  std::optional<Forfeit> stop(int seat) {
    if (seats_ == 0) return std::nullopt;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin_;
    GameClock& clock = clocks_[static_cast<std::size_t>(seat)];
    const double most = clock.most();
    if (clock.spend(taken.count())) return std::nullopt;
    return Forfeit{.kind = Forfeit::Kind::time,
                   .detail = fmt::format("{:.3f} s for an action, {:.3f} s were left", taken.count(), most)};
  }

 private:
  std::array<GameClock, kMaxPlayers> clocks_;
  std::size_t seats_ = 0;  // that have a clock
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace koridor
