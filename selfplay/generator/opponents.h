// Classical players as opponents in self-play. In a share of the games the network has one seat, drawn by lot, and each
// other seat is played by one of the opponents, drawn likewise. So the network meets play that is not its own, and the
// results of these games say how such players answer it. The opponents' plies teach the policy head nothing; that their
// positions teach the value (training.cheap_share) is what makes such games worth playing (train/METHODS.md).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/alphabeta.h"
#include "selfplay/generator/config.h"

namespace koridor {

// The texts that name an opponent, in words.
inline constexpr const char* kOpponentForm = "random, greedy or alphabeta:1 to alphabeta:8";

// The depth of the alpha-beta search that the text means ("greedy", "alphabeta:2"), at least 1; 0: "random", which
// plays any legal action. Nothing for any other text.
std::optional<int> opponent_depth(const std::string& text);

// Who plays the seats of one game: a number in the list of opponents, or the network.
class Seats {
 public:
  static constexpr int kNetwork = -1;

  Seats() { who_.fill(kNetwork); }
  int operator[](int seat) const { return who_[static_cast<std::size_t>(seat)]; }
  void give(int seat, int who) { who_[static_cast<std::size_t>(seat)] = static_cast<std::int16_t>(who); }
  bool has_opponents() const {
    return std::ranges::any_of(who_, [](int who) { return who != kNetwork; });
  }

 private:
  std::array<std::int16_t, kMaxPlayers> who_;
};

// The opponents of one thread's games.
template <Game G>
class Opponents {
 public:
  // `variants`: the rules that games are played by; they must outlive this, and so must `stop`, which ends a search
  // that is under way. config.opponents are of kOpponentForm, as every configuration is that was read.
  Opponents(const std::vector<G>& variants, const SelfplayConfig& config, const std::atomic<bool>* stop = nullptr)
      : share_(config.opponent_share) {
    for (const G& game : variants) {
      players_.emplace_back();
      for (const std::string& text : config.opponents) {
        const int depth = opponent_depth(text).value();
        players_.back().push_back(depth > 0 ? Player(AlphaBeta<G>(game, depth, stop)) : Player());
      }
    }
  }

  Opponents(const std::vector<G>&&, const SelfplayConfig&, const std::atomic<bool>* = nullptr) = delete;

  // Draws who plays a game. Nothing is drawn where there are no opponents.
  Seats draw(int players, Random& random) const {
    Seats seats;
    const int count = static_cast<int>(players_[0].size());
    if (count == 0 || !random.chance(share_)) return seats;
    const int own = random.below(players);
    for (int seat = 0; seat < players; ++seat) {
      if (seat != own) seats.give(seat, random.below(count));
    }
    return seats;
  }

  struct Choice {
    Action action;        // kNoAction: `stop` was set before the search was over
    std::uint64_t nodes;  // positions that were looked at for it
  };
  // The choice of opponent `who`, by the rules `game` of this number, in a position that is not over.
  Choice choose(int who, const G& game, int variant, const Position<G>& position, Random& random) {
    Player& player = players_[static_cast<std::size_t>(variant)][static_cast<std::size_t>(who)];
    if (!player) return {random_action(game, position.state, position.history, random), 1};
    const Action action = player->choose(position, random);
    return {action, player->nodes()};
  }

 private:
  using Player = std::optional<AlphaBeta<G>>;  // empty: one that plays any legal action

  double share_;
  std::vector<std::vector<Player>> players_;  // by variant
};

}  // namespace koridor
