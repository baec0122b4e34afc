#include "selfplay/generator/config.h"

#include <algorithm>
#include <cmath>

#include "selfplay/generator/opponents.h"

namespace koridor {

void describe_settings(SelfplayConfig& config, SettingList& list) {
  list.number("games", &config.games, 1, 1e8, "games per generation");
  list.number("first_games", &config.first_games, 0, 1e8,
              "games of generation 0, whose network knows nothing; 0: the same number as of the others");
  list.number("slots", &config.slots, 0, kLargestSlots,
              "games in flight per thread, and positions per batch of its evaluator; 0: measured at the start")
      .may_change();
  list.number("visits", &config.visits, 1, 1e5,
              "simulations of a full search; only full searches make training positions");
  list.number("cheap_visits", &config.cheap_visits, 1, 1e5,
              "simulations of the other searches: playout-cap randomisation, Wu 2019, section 3.1");
  list.number("progressive_share", &config.progressive_share, 0.01, 1,
              "share of visits and cheap_visits that searches of generation 0 have, which grows by equal factors from "
              "generation to generation: progressive simulation, Wu et al. 2023; 1: all from the start");
  list.number("progressive_generations", &config.progressive_generations, 1, 1e6,
              "first generation whose searches have all visits");
  list.number("full_share", &config.full_share, 0, 1, "probability that a ply's search is a full one");
  list.number("known_share", &config.known_share, 0, 1,
              "share of these full searches that is kept where the rules alone know the value (a race of pawns, the "
              "last wall, a decided game of Go, a win at once), which a search needs no network for; the others become "
              "cheap ones");
  list.number(
      "opening_plies", &config.opening_plies, 0, 1,
      "mean number of plies drawn from the raw policy at the start, before each game's is rounded down, in units "
      "of the board's area, Wu 2019");
  list.number("opening_temperature", &config.opening_temperature, 0.01, 100,
              "temperature of the raw policy in the opening");
  list.number("temperature", &config.temperature, 0, 100,
              "temperature of the choice among the searched actions at ply 0; a full search by gumbel ignores it, "
              "since its noise already draws the action");
  list.number("temperature_end", &config.temperature_end, 0, 100,
              "temperature of that choice towards the end of the game, to which it falls exponentially");
  list.number("temperature_half_life", &config.temperature_half_life, 0, 1e5,
              "half-life of that fall, in plies; 0: the board's longer side");
  list.number("repetition_share", &config.repetition_share, 0, 1,
              "share of games in which the third occurrence of a position is a draw; wall games only");
  list.list("opponents", &config.opponents,
            "classical players whom the network also plays against; empty: it plays all games against itself; only "
            "with training.cheap_share above 0 it learns what positions are worth in which they are to move, without "
            "which it plays worse (train/METHODS.md)")
      .of_form(kOpponentForm, [](const std::string& text) { return opponent_depth(text).has_value(); });
  list.number("opponent_share", &config.opponent_share, 0, 1,
              "share of games in which it has one seat, drawn by lot, and each other seat one of the opponents");
  list.number("shard_seconds", &config.shard_seconds, 0.1, 3600,
              "seconds after which a finished game is in a file, not synced, at the latest");
  describe_settings(config.evaluation, list);
}

SearchVisits visits_in(const SelfplayConfig& config, std::uint32_t generation) {
  const double way = static_cast<double>(generation) / config.progressive_generations;
  const double share = way < 1 ? std::pow(config.progressive_share, 1 - way) : 1;
  const auto visits = [share](int all) { return std::max(1, static_cast<int>(std::lround(all * share))); };
  return {.full = visits(config.visits), .cheap = visits(config.cheap_visits)};
}

}  // namespace koridor
