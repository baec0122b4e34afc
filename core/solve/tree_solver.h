// Solves any game of two players by searching all its continuations to their ends. This is exact whatever the rules
// make of the past (superko, repetition, caps), and feasible only for very small games.
//
// The search is alpha-beta over loss, draw and win. A value is remembered for a position together with its past, as a
// sum of hashes of the earlier positions (their order does not matter to any rule), because another past may forbid or
// end something else. Equal keys of 64 bits count as equal positions. Remembered values only save time: those of
// positions asked for before are forgotten where the memory is needed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/game.h"
#include "core/solve/solution.h"

namespace koridor {

// It counts no distances: they are 0 in its solutions.
template <Game G>
class TreeSolver {
 public:
  TreeSolver(const G& game, const Position<G>& position, const SolveLimits& limits)
      : game_(game), limits_(limits), most_(limits.mebibytes * kEntriesInMebibyte) {
    if (game.players() != 2) throw UserError(not_two_players(game.name(), game.players()));
    ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    if (legal.count() > kMostActions) {
      throw UserError(
          fmt::format("{} is too big to solve: {} actions are legal, and a search of every order of play ends with at "
                      "most {}; try a smaller board or a later position",
                      game.name(), legal.count(), kMostActions));
    }
    solve(position);
  }

  bool covers(const Position<G>&) const { return true; }  // a position not known yet is solved when it is asked for

  Solution solution(const Position<G>& position) const { return solve(position); }

  SolveReport report() const {
    const std::lock_guard lock(mutex_);
    return report_;
  }

 private:
  static constexpr std::size_t kEntriesInMebibyte = (1 << 20) / 48;
  // Go on an empty board of 4x4 has 17 actions and is out of reach for minutes; nothing beyond was ever solved so.
  static constexpr int kMostActions = 20;
  static constexpr int kLoss = -1;  // of the first player; a draw is 0
  static constexpr int kWin = 1;

  struct Bounds {
    std::int8_t low = kLoss;
    std::int8_t high = kWin;
  };
  struct Move {
    Action action;
    int estimate;
  };
  // The values that matter to whoever asks.
  struct Window {
    int alpha = kLoss;
    int beta = kWin;
  };

  Solution solve(const Position<G>& position) const {
    const std::lock_guard lock(mutex_);
    remembers_others_ = !known_.empty();
    History history = position.history;
    std::uint64_t past = 0;
    for (const std::uint64_t key : history.keys()) past += mix64(key);
    Solution solution;
    ActionMask legal;
    game_.legal_actions(position.state, history, legal);
    const int sign = game_.player_to_move(position.state) == 0 ? 1 : -1;
    legal.for_each([&](Action action) {
      const int value = sign * value_after(position.state, history, past, action, {});
      solution.actions.push_back({action, static_cast<Proof>(value), 0});
    });
    choose_best(solution);
    report_.bytes = known_.size() * (1 << 20) / kEntriesInMebibyte;
    return solution;
  }

  int value_after(const typename G::State& before, History& history, std::uint64_t past, Action action,
                  Window window) const {
    typename G::State state = before;
    const std::uint64_t key = game_.repetition_key(before);
    history.push(key);
    game_.apply(state, action);
    const int value = value_of(state, history, past + mix64(key), window);
    history.truncate(history.size() - 1);
    return value;
  }

  // The value for the first player; exact inside the window, else a bound on that side.
  int value_of(const typename G::State& state, History& history, std::uint64_t past, Window window) const {
    auto [alpha, beta] = window;
    const Outcome outcome = game_.outcome(state, history);
    if (outcome.kind == Outcome::Kind::draw) return 0;
    if (outcome.over()) return outcome.winner == 0 ? kWin : kLoss;
    const std::uint64_t key = mix64(game_.key(state) ^ mix64(past));
    if (const auto found = known_.find(key); found != known_.end()) {
      alpha = std::max<int>(alpha, found->second.low);
      beta = std::min<int>(beta, found->second.high);
      if (alpha >= beta) return found->second.low >= beta ? found->second.low : found->second.high;
    }
    if (++report_.positions % 4096 == 0 && limits_.keep_going && !limits_.keep_going()) {
      throw SolveStopped(game_.name(), fmt::format("{} positions were looked at", report_.positions));
    }

    const bool maximise = game_.player_to_move(state) == 0;
    int best = maximise ? kLoss : kWin;
    int low = alpha;
    int high = beta;
    for (const Move& move : ordered_moves(state, history)) {
      const int value = value_after(state, history, past, move.action, {low, high});
      best = maximise ? std::max(best, value) : std::min(best, value);
      if (maximise) low = std::max(low, best);
      if (!maximise) high = std::min(high, best);
      if (low >= high) break;
    }
    Bounds& bounds = known_[key];
    if (best > alpha) bounds.low = static_cast<std::int8_t>(std::max<int>(bounds.low, best));
    if (best < beta) bounds.high = static_cast<std::int8_t>(std::min<int>(bounds.high, best));
    if (known_.size() > most_) make_room();
    return best;
  }

  // Forgets what is known; throws where that is of the present position alone, which then takes more than there is.
  void make_room() const {
    if (!remembers_others_) {
      throw UserError(
          fmt::format("{} is too big to solve in {} MiB: {} positions were looked at; try a smaller board, a later "
                      "position or more memory",
                      game_.name(), limits_.mebibytes, report_.positions));
    }
    known_.clear();
    remembers_others_ = false;
  }

  // The moves that look best for their mover first, so that the bounds cut more.
  std::vector<Move> ordered_moves(const typename G::State& state, const History& history) const {
    std::vector<Move> moves;
    ActionMask legal;
    game_.legal_actions(state, history, legal);
    const int player = game_.player_to_move(state);
    legal.for_each([&](Action action) {
      typename G::State next = state;
      game_.apply(next, action);
      moves.push_back({action, game_.heuristic(next, player)});
    });
    std::ranges::stable_sort(moves, std::ranges::greater{}, &Move::estimate);
    return moves;
  }

  G game_;
  SolveLimits limits_;
  std::size_t most_;  // entries
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint64_t, Bounds> known_;
  mutable bool remembers_others_ = false;  // known_ has values from before the present position was asked for
  mutable SolveReport report_;
};

}  // namespace koridor
