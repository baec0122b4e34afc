#include "selfplay/generator/choose_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/threads.h"

namespace koridor {
namespace {

constexpr double kSeconds = 0.2;  // length of a run, without its start
constexpr int kRuns = 2;          // runs per try
constexpr double kGain = 1.03;    // smaller ratios of two rates count as noise
constexpr int kFirstSlots = 32;
constexpr int kFewestSlots = 8;

// Drops the games, and stops when the threads have worked long enough.
class TrySink : public GameSink {
 public:
  TrySink(int threads, const std::atomic<bool>& stop) : threads_(threads), stop_(stop) {}
  void take(const GameRecord&) override {}
  void tick(const SelfplayStatistics& now) override {
    if (now.network_seconds + now.other_seconds >= kSeconds * threads_ || stop_) done = true;
  }
  std::atomic<bool> done{false};

 private:
  int threads_;
  const std::atomic<bool>& stop_;
};

struct Try {
  int threads;
  int slots;
  double rate;  // evaluations per second
};

// Whether each core runs two threads.
bool shared_cores() {
  std::ifstream in("/sys/devices/system/cpu/smt/active");
  int active = 0;
  return in >> active && active == 1;
}

class Chooser {
 public:
  Chooser(const SlotQuestion& question, const std::function<double(int, int)>& rate)
      : question_(question), rate_(rate) {}

  SlotChoice choose() {
    const int most = thread_count(question_.threads);
    Try best = best_slots(most);
    if (may_share() && most > 1 && best.rate > 0) {
      const Try alone = best_slots(most / 2);
      if (alone.rate > best.rate * kGain) best = alone;
    }
    std::string reason = fmt::format("{} x {}", counted(best.threads, "thread"), counted(best.slots, "slot"));
    for (std::size_t i = 0; i < tries_.size(); ++i) {
      reason += fmt::format("{} {} x {}: {:.0f}", i == 0 ? "; evaluations/s tried:" : ",", tries_[i].threads,
                            tries_[i].slots, tries_[i].rate);
    }
    return {best.threads, best.slots, std::move(reason)};
  }

 private:
  // Whether there may be one thread per core or two.
  bool may_share() const { return question_.threads == 0 && question_.shared_cores; }

  Try best_slots(int threads) {
    // With a given number of slots there is something to measure only where the number of threads is to be chosen.
    if (question_.slots > 0) {
      return may_share() ? measure(threads, question_.slots) : Try{threads, question_.slots, 0};
    }
    const int most = std::clamp(question_.games / (4 * threads), 1, kMostSlots);
    if (most <= kFewestSlots) return {threads, most, 0};
    const Try first = measure(threads, std::min(kFirstSlots, most));
    Try best = first;
    while (2 * best.slots <= most) {
      const Try next = measure(threads, 2 * best.slots);
      if (next.rate < best.rate * kGain) break;
      best = next;
    }
    while (best.slots <= first.slots && best.slots / 2 >= kFewestSlots) {
      const Try next = measure(threads, best.slots / 2);
      if (next.rate * kGain < best.rate) break;
      best = next;
    }
    return best;
  }

  Try measure(int threads, int slots) {
    Try fastest{threads, slots, 0};
    for (int run = 0; run < kRuns; ++run) fastest.rate = std::max(fastest.rate, rate_(threads, slots));
    tries_.push_back(fastest);
    return fastest;
  }

  SlotQuestion question_;
  const std::function<double(int, int)>& rate_;
  std::vector<Try> tries_;
};

}  // namespace

SlotChoice choose_slots_by(const SlotQuestion& question, const std::function<double(int threads, int slots)>& rate) {
  return Chooser(question, rate).choose();
}

SlotChoice choose_slots(const AnyGame& game, const GeneratorOptions& options, const EvaluatorFactory& make_evaluator,
                        int games, const std::atomic<bool>& stop) {
  const auto rate = [&](int threads, int slots) {
    GeneratorOptions tried = options;
    tried.threads = threads;
    tried.selfplay.slots = slots;
    tried.selfplay.evaluation.cache_mebibytes = 0;
    tried.tick_seconds = 0.05;
    std::vector<std::uint32_t> numbers(1'000'000);
    std::iota(numbers.begin(), numbers.end(), 0);
    TrySink sink(threads, stop);
    const SelfplayStatistics end = generate_games({game, tried, make_evaluator}, numbers, sink, sink.done);
    const double seconds = (end.network_seconds + end.other_seconds) / threads;
    return seconds > 0 ? static_cast<double>(end.evaluations) / seconds : 0;
  };
  return choose_slots_by({options.threads, options.selfplay.slots, games, shared_cores()}, rate);
}

}  // namespace koridor
