// Collects the finished games of a match, in any order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "selfplay/matches/match.h"

namespace koridor {

class MatchTally {
 public:
  // `players`: of the game; `group`: games that share an opening; `games`: the most that are played.
  MatchTally(int players, int group, int games, const std::optional<SprtSettings>& sprt);

  // Each number once.
  void add(const MatchGame& game);

  // Whether the sequential test has decided. It takes the groups in the order of their numbers: games that end early
  // are not a fair sample, since one side may win quickly and the other slowly.
  bool decided() const { return sprt_ && state_.verdict != SprtVerdict::undecided; }
  int done() const { return done_; }

  MatchResult result() const;

 private:
  struct Kept {
    bool there = false;
    std::int8_t seat = 0;  // of A
    std::int8_t would_resign = -1;
    float points = 0;           // of A
    float resigner_points = 0;  // of the seat that would have resigned
    int plies = 0;
    EndReason::Kind reason = EndReason::Kind::rules;
    Forfeit::Kind forfeit = Forfeit::Kind::crash;
    std::int8_t forfeited_by = -1;  // the seat
    std::uint64_t moves = 0;        // hash_of() the game (repeats.h)
  };

  std::optional<double> group_score(int group) const;  // nothing where one of its games is missing
  static void count(const Kept& game, MatchResult& result);

  int players_;
  int group_;
  std::vector<Kept> games_;  // by number
  int done_ = 0;
  std::optional<SprtSettings> sprt_;
  SprtState state_;
  GroupScores ordered_;  // the groups up to next_group_
  int next_group_ = 0;
};

}  // namespace koridor
