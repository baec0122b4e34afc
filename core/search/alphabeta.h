// A fixed-depth alpha-beta search over the game's hand-made heuristic: the classical opponent.
//
// With more than two players it is the paranoid search (Sturtevant and Korf 2000): the searcher maximises its own
// heuristic and everybody else minimises it, so that the two bounds still cut. The state says who is to move, since a
// player may make two plies in a row.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"

namespace koridor {

inline constexpr int kMaxAlphaBetaDepth = 8;

template <Game G>
class AlphaBeta {
 public:
  // A win after n more plies scores kWin - n, a loss n - kWin. Every heuristic is smaller in magnitude.
  static constexpr int kWin = 1'000'000;
  static bool decided(int score) {
    return score > kWin - kMaxAlphaBetaDepth - 1 || score < -kWin + kMaxAlphaBetaDepth + 1;
  }

  // Searches `depth` plies deep, in [1, kMaxAlphaBetaDepth]. The game must outlive the search, and so must `stop`, which
  // ends it within some thousand positions.
  AlphaBeta(const G& game, int depth, const std::atomic<bool>* stop = nullptr)
      : game_(&game), depth_(depth), stop_(stop), history_(game.max_plies() + kMaxAlphaBetaDepth + 1) {
    for (auto& moves : moves_) moves.reserve(static_cast<std::size_t>(game.num_actions()));
  }

  // Has the next choose() ended by another `stop`, which must outlive that alone.
  void heed(const std::atomic<bool>& stop) { stop_ = &stop; }

  // The best action for the player to move, in a position that is not over. Ties are broken at random. kNoAction where
  // it was stopped before it knew.
  Action choose(const Position<G>& position, Random& random) {
    int equals = 0;
    Action choice = kNoAction;
    look_for_best(position.state, position.history, [&](Action action, bool better) {
      if (better) equals = 0;
      if (random.below(++equals) == 0) choice = action;
    });
    return stopped_ ? kNoAction : choice;
  }

  // All actions among which choose() draws, where nothing stops it.
  void choices(const typename G::State& state, const History& history, ActionMask& best) {
    look_for_best(state, history, [&](Action action, bool better) {
      if (better) best.clear();
      best.set(action);
    });
  }
  // The same by other rules from now on: those of a game of the same actions and board.
  void play_by(const G& game) { game_ = &game; }

  // The score of the last choice, for the player who made it.
  int score() const { return score_; }
  // The positions that the last choice looked at, those looked at only to sort moves among them.
  std::uint64_t nodes() const { return nodes_; }

 private:
  static constexpr int kInfinity = std::numeric_limits<int>::max();
  // Positions after which it looks whether to stop: milliseconds.
  static constexpr std::uint64_t kLook = 4096;

  struct Move {
    Action action;
    int estimate;  // for the searcher, one ply ahead
  };

  // Calls found(action, better) for each action that is as good as the best one before it, or better.
  template <class Found>
  void look_for_best(const typename G::State& state, const History& history, const Found& found) {
    me_ = game_->player_to_move(state);
    nodes_ = 0;
    next_look_ = stop_ != nullptr ? kLook : std::numeric_limits<std::uint64_t>::max();
    stopped_ = false;
    history_ = history;
    int best = -kInfinity;
    for (const Move& move : ordered_moves(state, 0)) {
      // The window includes the best score itself, so that a tie is seen as one.
      const int score = score_after(state, move.action, 1, best == -kInfinity ? best : best - 1, kInfinity);
      const bool better = score > best;
      if (better) best = score;
      if (score == best) found(move.action, better);
    }
    score_ = stopped_ ? 0 : best;
  }

  // The legal moves, the most promising for their mover first, so that the bounds cut more. Moves to leaves
  // are not sorted.
  std::vector<Move>& ordered_moves(const typename G::State& state, int ply) {
    std::vector<Move>& moves = moves_[static_cast<std::size_t>(ply)];
    moves.clear();
    ActionMask legal;
    game_->legal_actions(state, history_, legal);
    const bool order = depth_ - ply > 1;
    legal.for_each([&](Action action) {
      int estimate = 0;
      if (order) {
        typename G::State next = state;
        game_->apply(next, action);
        ++nodes_;
        estimate = game_->heuristic(next, me_);
      }
      moves.push_back({action, estimate});
    });
    if (!order) return moves;
    const int sign = game_->player_to_move(state) == me_ ? 1 : -1;
    std::ranges::sort(moves, [sign](const Move& a, const Move& b) {
      return a.estimate != b.estimate ? sign * a.estimate > sign * b.estimate : a.action < b.action;
    });
    return moves;
  }

  // The score of `action`, after which `ply` plies have been played.
  int score_after(const typename G::State& before, Action action, int ply, int alpha, int beta) {
    typename G::State state = before;
    const std::size_t past = history_.size();
    remember(*game_, before, history_);
    game_->apply(state, action);
    ++nodes_;
    const int score = score_of(state, ply, alpha, beta);
    history_.truncate(past);
    return score;
  }

  // Once it is to stop it is at every position, so that all plies come to their end, with scores that mean nothing.
  bool stopping() {
    stopped_ = stopped_ || stop_->load(std::memory_order_relaxed);
    if (!stopped_) next_look_ = nodes_ + kLook;
    return stopped_;
  }

  int score_of(const typename G::State& state, int ply, int alpha, int beta) {
    if (nodes_ >= next_look_ && stopping()) return 0;
    const Outcome outcome = game_->outcome(state, history_);
    if (outcome.kind == Outcome::Kind::draw) return 0;
    if (outcome.over()) return outcome.winner == me_ ? kWin - ply : ply - kWin;
    if (ply == depth_) return game_->heuristic(state, me_);
    const bool maximise = game_->player_to_move(state) == me_;
    int best = maximise ? -kInfinity : kInfinity;
    for (const Move& move : ordered_moves(state, ply)) {
      const int score = score_after(state, move.action, ply + 1, alpha, beta);
      if (maximise) {
        best = std::max(best, score);
        alpha = std::max(alpha, score);
      } else {
        best = std::min(best, score);
        beta = std::min(beta, score);
      }
      if (alpha >= beta) break;
    }
    return best;
  }

  const G* game_;
  int depth_;
  const std::atomic<bool>* stop_;  // may be null
  int me_ = 0;
  int score_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t next_look_ = 0;  // at so many nodes
  bool stopped_ = false;
  History history_;
  std::array<std::vector<Move>, kMaxAlphaBetaDepth> moves_;  // by ply, so that the recursion allocates nothing
};

}  // namespace koridor
