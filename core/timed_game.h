// Where the time of a search goes: rules, tree, encoding, cache. Only programs that ask for it run this code.
//
// Rules and tree alternate every few hundred nanoseconds inside Search, so the same search is given a game whose
// functions are timed (TimedGame); production code is instantiated without it and pays nothing. A thread times one
// round of its slots in kSampleEvery: it reads the processor's time-stamp counter around each call and subtracts the
// cost of reading it. What is left of the round is the tree, with the copying of records. Rounds in which the thread
// was interrupted are left out: those that took longer than the processor time that it got. (Not those longer than
// usual: where a few races of pawns are solved, a round takes many times as long, and these are what is to be seen.)
// The network is timed in every round.
//
// An evaluation takes some 40 readings of 10 to 20 ns each, in one round of 16; this costs less than 2% of a search
// without network, far less with one. Functions of a few nanoseconds (policy_index, player_to_move) are not timed and
// count as tree.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "core/base/elapsed.h"
#include "core/base/thread_time.h"
#include "core/game.h"

namespace koridor {

// The seconds of one thread by what they were spent on.
struct TimeShares {
  double rules = 0;
  double tree = 0;
  double encoding = 0;
  double cache = 0;
};

// The cheapest clock there is; its unit is unknown.
inline std::uint64_t clock_ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

class Stopwatch {
 public:
  enum Kind { rules, encoding, cache, kKinds };
  static constexpr std::uint64_t kSampleEvery = 16;  // rounds

  // Begins a round; one in kSampleEvery is timed.
  void begin_round() {
    running_ = round_++ % kSampleEvery == 0;
    if (!running_) return;
    ticks_ = {};
    calls_ = {};
    thread_began_ = thread_seconds();  // first here and last in the end, so that its own time seems no interruption
    time_began_ = Clock::now();
    began_ = clock_ticks();
  }
  void end_round() {
    if (!running_) return;
    running_ = false;
    const std::uint64_t ticks = clock_ticks() - began_;
    const double seconds = seconds_since(time_began_);
    if (thread_seconds() - thread_began_ < kUninterrupted * seconds) return;
    sum_round_ += ticks;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      sum_ticks_[kind] += ticks_[kind];
      sum_calls_[kind] += calls_[kind];
    }
  }

  template <class Call>
  decltype(auto) time(Kind kind, const Call& call) {
    const Reading reading(running_ ? this : nullptr, kind);
    return call();
  }

  // Divides `seconds`, spent in all rounds, among rules, tree, encoding and cache.
  TimeShares share_out(double seconds) const {
    const Cost cost = measure_cost();
    std::array<double, kKinds> part{};
    double readings = 0;
    for (int kind = 0; kind < kKinds; ++kind) {
      const double calls = static_cast<double>(sum_calls_[static_cast<std::size_t>(kind)]);
      const double ticks = static_cast<double>(sum_ticks_[static_cast<std::size_t>(kind)]);
      part[static_cast<std::size_t>(kind)] = std::max(0.0, ticks - calls * cost.inside);
      readings += calls * cost.whole;
    }
    const double round = static_cast<double>(sum_round_) - readings;
    if (round <= 0) return {.tree = seconds};
    return {.rules = seconds * part[rules] / round,
            .tree = seconds * std::max(0.0, 1.0 - (part[rules] + part[encoding] + part[cache]) / round),
            .encoding = seconds * part[encoding] / round,
            .cache = seconds * part[cache] / round};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kUninterrupted = 0.9;  // share of a round in which the thread ran

  class Reading {
   public:
    Reading(Stopwatch* watch, Kind kind) : watch_(watch), kind_(kind), began_(watch != nullptr ? clock_ticks() : 0) {}
    ~Reading() {
      if (watch_ == nullptr) return;
      watch_->ticks_[kind_] += clock_ticks() - began_;
      ++watch_->calls_[kind_];
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    Stopwatch* watch_;
    Kind kind_;
    std::uint64_t began_;
  };

  // Ticks per timed call of an empty function.
  struct Cost {
    double inside = 0;  // between the two readings: is counted as the function's
    double whole = 0;   // of the whole call
  };
  static Cost measure_cost() {
    constexpr int kRounds = 20;
    constexpr int kCalls = 1000;
    constexpr double kMost = std::numeric_limits<double>::max();
    Cost cost{kMost, kMost};
    for (int round = 0; round < kRounds; ++round) {  // the least counts: only other work makes it more
      Stopwatch watch;
      watch.begin_round();
      for (int call = 0; call < kCalls; ++call) watch.time(rules, [] {});
      watch.end_round();
      if (watch.sum_round_ == 0) continue;
      cost.inside = std::min(cost.inside, static_cast<double>(watch.sum_ticks_[rules]) / kCalls);
      cost.whole = std::min(cost.whole, static_cast<double>(watch.sum_round_) / kCalls);
    }
    return cost.whole < kMost ? cost : Cost{};
  }

  bool running_ = false;
  std::uint64_t round_ = 0;
  std::uint64_t began_ = 0;
  double thread_began_ = 0;
  Clock::time_point time_began_;
  std::array<std::uint64_t, kKinds> ticks_{};  // of this round
  std::array<std::uint64_t, kKinds> calls_{};
  std::uint64_t sum_round_ = 0;  // ticks of all rounds that count
  std::array<std::uint64_t, kKinds> sum_ticks_{};
  std::array<std::uint64_t, kKinds> sum_calls_{};
};

// The same game with its larger functions timed.
template <Game Base>
class TimedGame : public Base {
 public:
  using State = typename Base::State;

  // `watch` must outlive the game.
  TimedGame(const Base& game, Stopwatch& watch) : Base(game), watch_(&watch) {}

  Stopwatch& watch() const { return *watch_; }

  void legal_actions(const State& state, const History& history, ActionMask& mask) const {
    watch_->time(Stopwatch::rules, [&] { Base::legal_actions(state, history, mask); });
  }
  void apply(State& state, Action action) const {
    watch_->time(Stopwatch::rules, [&] { Base::apply(state, action); });
  }
  Outcome outcome(const State& state, const History& history) const {
    return watch_->time(Stopwatch::rules, [&] { return Base::outcome(state, history); });
  }
  std::uint64_t repetition_key(const State& state) const {
    return watch_->time(Stopwatch::rules, [&] { return Base::repetition_key(state); });
  }
  Action winning_action(const State& state) const requires requires(const Base& base) { base.winning_action(state); }
  {
    return watch_->time(Stopwatch::rules, [&] { return Base::winning_action(state); });
  }
  template <class Knowledge>
  auto known_value(const State& state, const History& history, Knowledge& knowledge, bool thorough) const requires
      requires(const Base& base) {
    base.known_value(state, history, knowledge, thorough);
  }
  {
    return watch_->time(Stopwatch::rules, [&] { return Base::known_value(state, history, knowledge, thorough); });
  }
  void encode(const State& state, const Features& features, int symmetry, float* planes, float* scalars) const {
    watch_->time(Stopwatch::encoding, [&] { Base::encode(state, features, symmetry, planes, scalars); });
  }

 private:
  Stopwatch* watch_;
};

// call(), timed as `kind` where the game is a timed one.
template <Game G, class Call>
decltype(auto) timed(const G& game, Stopwatch::Kind kind, const Call& call) {
  if constexpr (requires { game.watch(); }) {
    return game.watch().time(kind, call);
  } else {
    return call();
  }
}

}  // namespace koridor
