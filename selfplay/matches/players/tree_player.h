// A player that thinks with a tree search. Each kind that derives from it evaluates the leaves in its own way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/search/search.h"
#include "selfplay/matches/levels.h"
#include "selfplay/matches/player.h"

namespace koridor {

// The outcome with these proven values; nothing where they are neither a win nor a draw of all.
inline std::optional<Outcome> outcome_of(const Values& values, int players) {
  constexpr float kNear = 1e-4f;
  bool even = true;
  for (int player = 0; player < players; ++player) {
    const float value = values[static_cast<std::size_t>(player)];
    if (value > 1 - kNear) return Outcome::won_by(player);
    even = even && std::abs(value - 1.0f / static_cast<float>(players)) < kNear;
  }
  return even ? std::optional(Outcome::drawn(players)) : std::nullopt;
}

template <Game G>
class TreePlayer : public Player<G> {
 public:
  TreePlayer(const G& game, const SearchConfig& config, const Strength& strength)
      : game_(&game), strength_(strength), search_(game, config, room(strength)) {}

  void new_game(const Position<G>& position, GameClocks clocks) override {
    clocks_ = clocks;
    search_.reset(position);
  }
  void begin(Random& random) override {
    random_ = &random;
    const auto seat = static_cast<std::size_t>(game_->player_to_move(search_.position().state));
    // A player without visits asks for the network's policy alone. At a clock its search would have no limit of visits.
    search_.begin({.visits = strength_.visits == Strength::kEndless ? 0 : std::max(strength_.visits, 1),
                   .count_kept = count_kept(),
                   .seconds = strength_.seconds,
                   .clock = clocks_.empty() ? nullptr : &clocks_[seat],
                   .pending = strength_.leaves,
                   .pause = kPause},
                  random);
  }
  Action action(double temperature) override {
    return search_.sample_action(strength_.temperature > 0 ? strength_.temperature : temperature, *random_);
  }
  std::optional<float> value() const override {
    const int mover = game_->player_to_move(search_.position().state);
    return search_.root_value()[static_cast<std::size_t>(mover)];
  }
  std::optional<Outcome> proven() const override {
    return search_.proven() ? outcome_of(search_.root_value(), game_->players()) : std::nullopt;
  }
  std::vector<PolicyEntry> policy() const override {
    std::vector<PolicyEntry> policy;
    search_.policy_target(policy);
    return policy;
  }
  std::vector<ActionStatistics> searched() const override { return search_.statistics(); }
  // The tree below the action is kept.
  void play(Action action) override { search_.play(action); }

 protected:
  // After so many simulations in a row others have their turn: a game to play, a signal to see.
  static constexpr int kPause = 1000;

  // Whether simulations kept from the last move count among its visits.
  virtual bool count_kept() const = 0;

  Search<G>& search() { return search_; }
  const Search<G>& search() const { return search_; }
  Random& random() { return *random_; }
  const Strength& strength() const { return strength_; }

 private:
  // Of the tree of a search that only time limits, which forgets where it is full. On 9x9 a node takes some 2 kB.
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  // What PUCT keeps from move to move may come to several times its visits. Memory that is never written costs nothing.
  static constexpr int kRoomForKept = 8;
  static constexpr int kMostVisitsKept = 200'000;
  static SearchRoom room(const Strength& strength) {
    if (strength.visits == Strength::kEndless) return {0, 0, kMostBytes, true};
    return std::max(strength.visits, std::min(strength.visits, kMostVisitsKept / kRoomForKept) * kRoomForKept);
  }

  const G* game_;
  Strength strength_;
  GameClocks clocks_;
  Search<G> search_;
  Random* random_ = nullptr;
};

}  // namespace koridor
