#include "selfplay/matches/match_tally.h"

#include <algorithm>
#include <utility>

#include "selfplay/matches/repeats.h"

namespace koridor {

MatchTally::MatchTally(int players, int group, int games, const std::optional<SprtSettings>& sprt)
    : players_(players), group_(group), games_(static_cast<std::size_t>(games)), sprt_(sprt), ordered_(players) {
  if (sprt_) state_ = sprt_state(ordered_, *sprt_);
}

void MatchTally::add(const MatchGame& game) {
  const auto points = [&](int seat) { return game.outcome.values[static_cast<std::size_t>(seat)]; };
  Kept& kept = games_[static_cast<std::size_t>(game.number)];
  kept = {.there = true,
          .seat = static_cast<std::int8_t>(game.seat),
          .would_resign = static_cast<std::int8_t>(game.would_resign),
          .points = points(game.seat),
          .resigner_points = game.would_resign < 0 ? 0 : points(game.would_resign),
          .plies = static_cast<int>(game.actions.size()),
          .reason = game.reason.kind,
          .forfeit = game.reason.forfeit.kind,
          .forfeited_by = static_cast<std::int8_t>(game.reason.seat),
          .moves = hash_of(game)};
  ++done_;
  while (sprt_ && !decided() && (next_group_ + 1) * group_ <= std::ssize(games_)) {
    const std::optional<double> score = group_score(next_group_);
    if (!score) break;
    ordered_.add(*score);
    ++next_group_;
    state_ = sprt_state(ordered_, *sprt_);
  }
}

std::optional<double> MatchTally::group_score(int group) const {
  double sum = 0;
  for (int i = 0; i < group_; ++i) {
    const Kept& game = games_[static_cast<std::size_t>(group * group_ + i)];
    if (!game.there) return std::nullopt;
    sum += game.points;
  }
  return sum / group_;
}

void MatchTally::count(const Kept& game, MatchResult& result) {
  SeatScore& score = result.by_seat[static_cast<std::size_t>(game.seat)];
  score.games += 1;
  score.wins += game.points == 1 ? 1 : 0;
  score.draws += game.points > 0 && game.points < 1 ? 1 : 0;
  score.losses += game.points == 0 ? 1 : 0;
  if (game.reason == EndReason::Kind::forfeit) {
    ++result.faults[game.forfeited_by == game.seat ? 0 : 1].lost[static_cast<std::size_t>(game.forfeit)];
  }
  result.proven += game.reason == EndReason::Kind::proven ? 1 : 0;
  result.draw_rule += game.reason == EndReason::Kind::draw_rule ? 1 : 0;
  result.played_on += game.would_resign >= 0 ? 1 : 0;
  result.wrong_resignations += game.would_resign >= 0 && game.resigner_points > 0 ? 1 : 0;
}

MatchResult MatchTally::result() const {
  MatchResult result;
  result.groups = GroupScores(players_);
  const int limit = decided() ? next_group_ * group_ : static_cast<int>(games_.size());
  int games = 0;
  double points = 0;
  double plies = 0;
  std::vector<std::uint64_t> moves;
  for (int group = 0; group < limit / group_; ++group) {
    const std::optional<double> score = group_score(group);
    if (score) result.groups.add(*score);
    for (int number = group * group_; number < (group + 1) * group_; ++number) {
      const Kept& game = games_[static_cast<std::size_t>(number)];
      if (!score) {
        result.left_out += game.there ? 1 : 0;
        continue;
      }
      ++games;
      points += game.points;
      plies += game.plies;
      moves.push_back(game.moves);
      count(game, result);
    }
  }
  result.repeated = count_repeats(std::move(moves));
  result.score = games > 0 ? points / games : 0;
  result.mean_plies = games > 0 ? plies / games : 0;
  const ScoreEstimate estimate = estimate_score(result.groups);
  result.low = games > 0 ? std::min(estimate.low, result.score) : 0;
  result.high = games > 0 ? std::max(estimate.high, result.score) : 1;
  result.los = estimate.los;
  if (sprt_) result.sprt = state_;
  result.tested_groups = next_group_;
  result.stopped = !decided() && done_ < std::ssize(games_);
  return result;
}

}  // namespace koridor
