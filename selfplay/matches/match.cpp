#include "selfplay/matches/match.h"

#include <array>
#include <vector>

#include "selfplay/matches/match_tally.h"
#include "selfplay/matches/schedule.h"

namespace koridor {

SeatScore MatchResult::total() const {
  SeatScore sum;
  for (const SeatScore& seat : by_seat) {
    sum.games += seat.games;
    sum.wins += seat.wins;
    sum.draws += seat.draws;
    sum.losses += seat.losses;
  }
  return sum;
}

MatchResult play_match(const AnyGame& game, const MatchPlayer& a, const MatchPlayer& b, const MatchOptions& options,
                       const std::atomic<bool>& stop) {
  const int players = players_of(game);
  const Schedule schedule = match_schedule(players, options);
  MatchTally tally(players, schedule.group_size(), schedule.games(), options.sprt);
  for (const MatchGame& before : options.played) tally.add(before);
  // A finished match is shown also where its players are not there any more.
  if (tally.decided() || tally.done() == schedule.games()) return tally.result();
  const auto keep = [&](const MatchGame& ended) {
    tally.add(ended);
    if (options.on_game) options.on_game(ended);
    if (options.progress) options.progress(tally.done(), schedule.games());
    return !tally.decided();
  };
  const std::array both = {a, b};
  play_schedule({game, both, schedule, options}, keep, stop);
  return tally.result();
}

}  // namespace koridor
