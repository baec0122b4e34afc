// A slot of the yardstick: its player chooses an action in one position after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "selfplay/matches/player.h"
#include "selfplay/matches/players.h"
#include "selfplay/matches/slots.h"
#include "selfplay/matches/yardstick/measure.h"

namespace koridor {

// What all slots of a measurement share.
struct YardstickTable {
  std::span<const YardstickPosition> positions;
  const YardstickOptions& options;
  PlayerFactory players;
  std::vector<YardstickAnswer> answers;  // one per position, each written by the slot that took it
  std::atomic<int> next{0};              // index of the next position to start

  std::mutex mutex{};
  int done = 0;

  void count_one() {
    const std::lock_guard lock(mutex);
    ++done;
    if (options.progress) options.progress(done, static_cast<int>(positions.size()));
  }
};

template <Game G>
class YardstickSlot {
 public:
  YardstickSlot(const G& game, YardstickTable& table)
      : game_(&game), table_(&table), player_(std::get<std::unique_ptr<Player<G>>>(table.players())) {}

  SlotStep step() {
    if (place_ < 0 && !start_next()) return SlotStep::idle;
    const PlayerStep step = player_->step();
    if (step == PlayerStep::evaluate) return SlotStep::evaluate;
    if (step == PlayerStep::waiting) return SlotStep::waiting;
    if (step == PlayerStep::paused) return SlotStep::paused;
    if (step == PlayerStep::done) {
      keep();
    } else {
      table_->answers[static_cast<std::size_t>(place_)].fault = player_->forfeit().text();
    }
    table_->count_one();
    place_ = -1;
    return SlotStep::acted;
  }

  std::size_t side() const { return 0; }
  int leaves() const { return player_->leaves(); }
  const typename G::State& leaf(int number) const { return player_->leaf(number); }
  void supply(int leaf, const Prediction& prediction) { player_->supply(leaf, prediction); }

 private:
  static constexpr std::uint64_t kChoiceStream = 2;  // of random numbers; draw.cpp has the other

  // Starts the next position; false where none is left.
  bool start_next() {
    place_ = take_number(table_->next, static_cast<int>(table_->positions.size()));
    if (place_ < 0) return false;
    const std::vector<Action>& actions = table_->positions[static_cast<std::size_t>(place_)].actions;
    Position<G> position(*game_);
    for (const Action action : actions) position.apply(*game_, action);
    random_ = Random::for_game(table_->options.seed, kChoiceStream, static_cast<std::uint64_t>(place_));
    player_->follow(actions);
    player_->new_game(position, {});
    player_->begin(random_);
    return true;
  }

  void keep() {
    YardstickAnswer& answer = table_->answers[static_cast<std::size_t>(place_)];
    answer.action = player_->action(0);
    answer.value = player_->value();
    answer.policy = player_->policy();
    answer.searched = player_->searched();
  }

  const G* game_;
  YardstickTable* table_;
  std::unique_ptr<Player<G>> player_;
  Random random_;
  int place_ = -1;  // index of the position; -1: none
};

}  // namespace koridor
