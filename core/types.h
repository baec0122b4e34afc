// The types that every part of Koridor shares: actions, players, values, the mask of legal actions, outcomes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace koridor {

// The largest number of players of any game. Arrays with one entry per player have this fixed length; entries past the
// game's own number of players are zero.
inline constexpr int kMaxPlayers = 4;

// An action's index in its game, in [0, game.num_actions()). Its meaning is the game's (see the game's header).
enum class Action : std::uint16_t {};
inline constexpr Action kNoAction{0xFFFF};
constexpr int index(Action action) {
  return static_cast<int>(action);
}

// One entry per player, in seat order (player 0 moves first), each in [0, 1]: 1 is a win, 0 a loss, 1/players a draw.
using Values = std::array<float, kMaxPlayers>;

// How a game stands. `values` is meaningful only when the game is over.
struct Outcome {
  enum class Kind : std::uint8_t { ongoing, win, draw };
  Kind kind = Kind::ongoing;
  std::int8_t winner = -1;  // player index when kind is `win`, else -1
  Values values{};

  bool over() const { return kind != Kind::ongoing; }

  static Outcome won_by(int player) {
    Outcome outcome{Kind::win, static_cast<std::int8_t>(player), {}};
    outcome.values[player] = 1.0f;
    return outcome;
  }
  static Outcome drawn(int players) {
    Outcome outcome{Kind::draw, -1, {}};
    for (int player = 0; player < players; ++player) outcome.values[player] = 1.0f / static_cast<float>(players);
    return outcome;
  }
};

// The set of legal actions, one bit per action; large enough for every game of Koridor (Blockade has 617 actions).
class ActionMask {
 public:
  static constexpr int kWords = 10;
  static constexpr int kCapacity = kWords * 64;

  void clear() { words_.fill(0); }
  void set(Action action) { words_[index(action) >> 6] |= std::uint64_t{1} << (index(action) & 63); }
  void reset(Action action) { words_[index(action) >> 6] &= ~(std::uint64_t{1} << (index(action) & 63)); }
  bool test(Action action) const {
    return index(action) < kCapacity && (words_[index(action) >> 6] >> (index(action) & 63) & 1) != 0;
  }
  int count() const {
    int total = 0;
    for (std::uint64_t word : words_) total += std::popcount(word);
    return total;
  }
  bool empty() const { return count() == 0; }
  std::uint64_t& word(int i) { return words_[i]; }
  std::uint64_t word(int i) const { return words_[i]; }

  // Calls visit(Action) for every action of the set, in rising order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int i = 0; i < kWords; ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(Action{static_cast<std::uint16_t>(i * 64 + std::countr_zero(rest))});
      }
    }
  }

  // The action at place `rank` in rising order; rank is in [0, count()).
  Action nth(int rank) const {
    for (int i = 0; i < kWords; ++i) {
      const int here = std::popcount(words_[i]);
      if (rank >= here) {
        rank -= here;
        continue;
      }
      std::uint64_t rest = words_[i];
      for (; rank > 0; --rank) rest &= rest - 1;
      return Action{static_cast<std::uint16_t>(i * 64 + std::countr_zero(rest))};
    }
    return kNoAction;
  }

  friend bool operator==(const ActionMask&, const ActionMask&) = default;

 private:
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace koridor
