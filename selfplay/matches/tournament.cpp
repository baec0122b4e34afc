#include "selfplay/matches/tournament.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "selfplay/matches/repeats.h"

namespace koridor {
namespace {

constexpr double kMostGames = 1e8;

template <class T>
std::vector<std::vector<T>> square(int size, const T& value) {
  const auto count = static_cast<std::size_t>(size);
  return std::vector(count, std::vector(count, value));
}

// Calls visit(combination) for all sets of `size` of the numbers [0, count), in rising order.
template <class Visit>
void for_each_combination(int count, int size, const Visit& visit) {
  std::vector<int> chosen;
  const auto extend = [&](const auto& self, int next) -> void {
    if (std::ssize(chosen) == size) return visit(chosen);
    for (int number = next; number < count; ++number) {
      chosen.push_back(number);
      self(self, number + 1);
      chosen.pop_back();
    }
  };
  extend(extend, 0);
}

// What the players of the contest got per seat in this game.
std::vector<double> points_per_seat(const MatchGame& game, const Contest& contest, int seats) {
  std::vector<double> points;
  for (const int player : contest.players) {
    double sum = 0;
    int own = 0;
    for (std::size_t seat = 0; seat < static_cast<std::size_t>(seats); ++seat) {
      if (game.seats[seat] != player) continue;
      sum += game.outcome.values[seat];
      ++own;
    }
    points.push_back(own > 0 ? sum / own : 0);
  }
  return points;
}

// How many ways there are to choose `size` of `count`.
double combinations(int count, int size) {
  double ways = 1;
  for (int i = 0; i < size; ++i) ways *= static_cast<double>(count - i) / (i + 1);
  return ways;
}

std::vector<Cycle> find_cycles(const std::vector<std::vector<CrossScore>>& cross) {
  std::vector<Cycle> cycles;
  const auto likelier = [](const Cycle& a, const Cycle& b) {
    return a.los != b.los ? a.los > b.los : a.players < b.players;
  };
  const auto beats = [&](int a, int b) {
    const CrossScore& score = cross[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
    return score.games > 0 && score.share > 0.5;
  };
  const auto los = [&](int a, int b) { return cross[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)].los; };
  for_each_combination(static_cast<int>(cross.size()), 3, [&](const std::vector<int>& three) {
    for (const auto& [a, b, c] : {std::array{three[0], three[1], three[2]}, std::array{three[0], three[2], three[1]}}) {
      if (!beats(a, b) || !beats(b, c) || !beats(c, a)) continue;
      cycles.push_back({{a, b, c}, std::min({los(a, b), los(b, c), los(c, a)})});
    }
    if (cycles.size() < 2 * kMostCycles) return;
    std::ranges::nth_element(cycles, cycles.begin() + kMostCycles, likelier);
    cycles.resize(kMostCycles);
  });
  std::ranges::sort(cycles, likelier);
  if (cycles.size() > kMostCycles) cycles.resize(kMostCycles);
  return cycles;
}

}  // namespace

Schedule tournament_schedule(int players_of_game, int players, const TournamentSettings& settings) {
  if (players < 2) throw UserError("a tournament needs at least two players");
  const bool gauntlet = settings.form == TournamentForm::gauntlet;
  Schedule schedule;
  const bool pairs = players_of_game == 2 || players < players_of_game;
  const int size = pairs ? 2 : players_of_game;
  // The first player of a gauntlet is in every contest.
  const double meetings = (gauntlet ? combinations(players - 1, size - 1) : combinations(players, size)) *
                          (pairs && players_of_game > 2 ? 2 : 1);
  double group = players_of_game;
  for (int others = 2; others < players_of_game && !pairs && settings.permutations; ++others) group *= others;
  const double games = std::ceil(settings.games / group) * group;
  if (meetings * games > kMostGames) {
    throw UserError(fmt::format("{} players would meet {:.0f} times, for {:.0f} games each: more than {:.0f} games",
                                players, meetings, games, kMostGames));
  }
  const auto meet = [&](const std::vector<int>& who) {
    if (!pairs) {
      schedule.contests.push_back(all_different(who, settings.permutations));
    } else {
      schedule.contests.push_back(one_against_others(players_of_game, who[0], who[1]));
      if (players_of_game > 2) schedule.contests.push_back(one_against_others(players_of_game, who[1], who[0]));
    }
  };
  if (gauntlet) {
    for_each_combination(players - 1, size - 1, [&](const std::vector<int>& others) {
      std::vector<int> who = {0};
      for (const int other : others) who.push_back(other + 1);
      meet(who);
    });
  } else {
    for_each_combination(players, size, meet);
  }
  schedule.groups = (settings.games + schedule.group_size() - 1) / schedule.group_size();
  return schedule;
}

TournamentTally::TournamentTally(int players_of_game, int players, Schedule schedule)
    : seats_(players_of_game),
      schedule_(std::move(schedule)),
      standings_(static_cast<std::size_t>(players)),
      met_(square(players, 0)),
      points_(square(players, 0.0)),
      scores_(square(players, GroupScores(2))) {
  for (const Contest& contest : schedule_.contests) {
    ContestScore score;
    const Seating& seating = contest.seatings.front();
    for (const int player : contest.players) {
      const auto seats = std::count(seating.begin(), seating.begin() + seats_, static_cast<std::int16_t>(player));
      score.parts.push_back({player, static_cast<int>(seats), 0});
    }
    contests_.push_back(std::move(score));
    firsts_.emplace_back(seats_);
    groups_.emplace_back(static_cast<std::size_t>(schedule_.groups));
  }
  moves_.resize(contests_.size());
}

void TournamentTally::add(const MatchGame& game) {
  if (game.reason.kind == EndReason::Kind::forfeit) {
    const int loser = game.seats[static_cast<std::size_t>(game.reason.seat)];
    ++standings_[static_cast<std::size_t>(loser)].faults.lost[static_cast<std::size_t>(game.reason.forfeit.kind)];
  }
  ++done_;
  std::vector<MatchGame>& group = groups_[static_cast<std::size_t>(game.contest)][static_cast<std::size_t>(game.group)];
  group.push_back(game);
  if (std::ssize(group) < schedule_.group_size()) return;
  count_group(std::exchange(group, {}));
}

std::vector<double> TournamentTally::count(const MatchGame& game) {
  const Contest& contest = schedule_.contests[static_cast<std::size_t>(game.contest)];
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(seats_); ++seat) {
    Standing& standing = standings_[static_cast<std::size_t>(game.seats[seat])];
    const double points = game.outcome.values[seat];
    standing.points += points;
    ++standing.score.games;
    standing.score.wins += points == 1 ? 1 : 0;
    standing.score.draws += points > 0 && points < 1 ? 1 : 0;
    standing.score.losses += points == 0 ? 1 : 0;
  }
  const std::vector<double> per_seat = points_per_seat(game, contest, seats_);
  for (std::size_t i = 0; i < contest.players.size(); ++i) {
    const auto a = static_cast<std::size_t>(contest.players[i]);
    ++standings_[a].games;
    ContestScore::Part& part = contests_[static_cast<std::size_t>(game.contest)].parts[i];
    part.points += per_seat[i] * part.seats;
    for (const int opponent : contest.players) {
      const auto b = static_cast<std::size_t>(opponent);
      if (a == b) continue;
      ++met_[a][b];
      points_[a][b] += per_seat[i];
    }
  }
  return per_seat;
}

void TournamentTally::count_group(const std::vector<MatchGame>& games) {
  const auto contest = static_cast<std::size_t>(games.front().contest);
  const std::vector<int>& players = schedule_.contests[contest].players;
  std::vector<double> points(players.size());
  for (const MatchGame& game : games) {
    moves_[contest].push_back(hash_of(game));
    const std::vector<double> per_seat = count(game);
    for (std::size_t i = 0; i < players.size(); ++i) points[i] += per_seat[i];
  }
  counted_ += static_cast<int>(games.size());
  if (players.size() == 2) firsts_[contest].add(points[0] / static_cast<double>(games.size()));
  for (std::size_t i = 0; i < players.size(); ++i) {
    for (std::size_t k = 0; k < players.size(); ++k) {
      if (i == k) continue;
      const double ahead = (points[i] - points[k]) / static_cast<double>(games.size());
      scores_[static_cast<std::size_t>(players[i])][static_cast<std::size_t>(players[k])].add((1 + ahead) / 2);
    }
  }
}

CrossScore TournamentTally::cross_score(std::size_t a, std::size_t b) const {
  const double both = points_[a][b] + points_[b][a];
  return {
      .games = met_[a][b], .share = both > 0 ? points_[a][b] / both : 0.5, .los = estimate_score(scores_[a][b]).los};
}

double TournamentTally::dispersion_of(std::size_t contest) const {
  if (schedule_.contests[contest].players.size() != 2) return 1;
  return dispersion(firsts_[contest], schedule_.group_size());
}

TournamentResult TournamentTally::result(const TournamentSettings& settings) const {
  TournamentResult result{.standings = standings_, .cross = square(static_cast<int>(standings_.size()), CrossScore{})};
  std::vector<ContestScore> contests = contests_;
  for (std::size_t contest = 0; contest < contests.size(); ++contest) {
    contests[contest].dispersion = dispersion_of(contest);
    result.repeated += count_repeats(moves_[contest]);
  }
  const std::vector<Rating> ratings = rate_contests(static_cast<int>(standings_.size()), contests,
                                                    {.anchor = settings.anchor, .anchor_elo = settings.anchor_elo});
  for (std::size_t a = 0; a < standings_.size(); ++a) {
    result.standings[a].rating = ratings[a];
    for (std::size_t b = 0; b < standings_.size(); ++b) {
      if (a != b) result.cross[a][b] = cross_score(a, b);
    }
  }
  result.cycles = find_cycles(result.cross);
  result.games = done_;
  result.left_out = done_ - counted_;
  result.stopped = done_ < schedule_.games();
  return result;
}

TournamentResult play_tournament(const AnyGame& game, std::span<const MatchPlayer> players,
                                 const TournamentSettings& settings, const MatchOptions& options,
                                 const std::atomic<bool>& stop) {
  const int seats = players_of(game);
  const Schedule schedule = tournament_schedule(seats, static_cast<int>(players.size()), settings);
  TournamentTally tally(seats, static_cast<int>(players.size()), schedule);
  for (const MatchGame& before : options.played) tally.add(before);
  const auto keep = [&](const MatchGame& ended) {
    tally.add(ended);
    if (options.on_game) options.on_game(ended);
    if (options.progress) options.progress(tally.done(), schedule.games());
    return true;
  };
  // A finished tournament is shown also where its players are not there any more.
  if (tally.done() < schedule.games()) play_schedule({game, players, schedule, options}, keep, stop);
  return tally.result(settings);
}

}  // namespace koridor
