// One thread and the slots that it drives: games of a match, or positions of the yardstick. The positions that the
// slots' players want evaluated form a batch. A slot whose player waits for somebody is passed over and asked again
// later; the thread sleeps only when all of its slots wait.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/game.h"
#include "models/network/evaluation_batch.h"

namespace koridor {

enum class SlotStep : std::uint8_t {
  evaluate,  // the slot wants the predictions of its leaves()
  waiting,   // its player waits for somebody
  paused,    // its player goes on when others have had their turn
  acted,     // an action was chosen; there is more to do
  idle,      // the slot has nothing left to do
};

// The next of the numbers [0, count) that the slots of all threads share; -1 where none is left.
inline int take_number(std::atomic<int>& next, int count) {
  if (next.load(std::memory_order_relaxed) >= count) return -1;  // so that the counter cannot overflow
  const int number = next.fetch_add(1, std::memory_order_relaxed);
  return number < count ? number : -1;
}

template <class Slot, class G>
concept DrivenSlot = requires(Slot slot, const Slot view, const Prediction& prediction) {
  { slot.step() } -> std::same_as<SlotStep>;
  { view.leaves() } -> std::same_as<int>;
  { view.leaf(0) } -> std::same_as<const typename G::State&>;
  { view.side() } -> std::convertible_to<std::size_t>;  // index of the batch that its leaves belong to
  { slot.supply(0, prediction) } -> std::same_as<void>;
};

template <Game G, DrivenSlot<G> Slot>
class SlotDriver {
 public:
  using BatchMakers = std::vector<std::function<std::unique_ptr<EvaluationBatch<G>>()>>;

  // `makers`: one per side, which makes its batch with room for the leaves of all slots where it is first asked for a
  // prediction; null for a side that never asks.
  SlotDriver(BatchMakers makers, std::vector<std::unique_ptr<Slot>> slots) : slots_(std::move(slots)) {
    for (auto& maker : makers) sides_.push_back({std::move(maker), {}, {}});
  }

  // Returns when all slots are idle, or keep_going() returns false.
  template <class KeepGoing>
  void run(const KeepGoing& keep_going) {
    while (keep_going()) {
      gather(keep_going);
      if (evaluate() || acted_) continue;
      if (waiting_ == 0) return;
      std::this_thread::sleep_for(kPause);
    }
  }

 private:
  // How long a waiting slot is left alone while others have something to do, and how long the thread sleeps
  // when all wait.
  static constexpr std::chrono::milliseconds kPause{1};

  struct Side {
    std::function<std::unique_ptr<EvaluationBatch<G>>()> maker;
    std::unique_ptr<EvaluationBatch<G>> batch;
    std::vector<std::pair<Slot*, int>> asking;  // slot and leaf of each row
  };

  // Lets every slot go on until it wants a prediction, waits or is idle.
  template <class KeepGoing>
  void gather(const KeepGoing& keep_going) {
    for (Side& side : sides_) {
      side.asking.clear();
      if (side.batch) side.batch->clear();
    }
    const bool waited = std::exchange(waiting_, 0) > 0;
    const auto begin = waited ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point{};
    acted_ = false;
    for (const auto& slot : slots_) {
      SlotStep step = SlotStep::acted;
      while (step == SlotStep::acted && keep_going()) {
        step = slot->step();
        if (is_due(waited, begin)) break;
      }
      acted_ = acted_ || step == SlotStep::acted || step == SlotStep::paused;
      waiting_ += step == SlotStep::waiting ? 1 : 0;
      if (step == SlotStep::evaluate) ask(*slot);
    }
  }

  // Whether it is time to ask the waiting slots again.
  bool is_due(bool waited, std::chrono::steady_clock::time_point begin) const {
    return waited ? std::chrono::steady_clock::now() - begin > kPause : waiting_ > 0;
  }

  void ask(Slot& slot) {
    Side& side = sides_[slot.side()];
    if (!side.batch && side.maker) side.batch = side.maker();
    if (!side.batch) throw std::logic_error("a player asks for predictions and has named no model");
    for (int leaf = 0; leaf < slot.leaves(); ++leaf) {
      side.batch->add(slot.leaf(leaf), 0);
      side.asking.emplace_back(&slot, leaf);
    }
  }

  // Evaluates the batches; false where nobody asked for a prediction.
  bool evaluate() {
    bool any = false;
    for (Side& side : sides_) {
      if (side.asking.empty()) continue;
      any = true;
      side.batch->evaluate();
      for (int row = 0; row < side.batch->size(); ++row) {
        const auto [slot, leaf] = side.asking[static_cast<std::size_t>(row)];
        slot->supply(leaf, side.batch->prediction(row));
      }
    }
    return any;
  }

  std::vector<Side> sides_;
  std::vector<std::unique_ptr<Slot>> slots_;
  int waiting_ = 0;     // slots that wait in this round
  bool acted_ = false;  // whether a slot can go on at once
};

}  // namespace koridor
