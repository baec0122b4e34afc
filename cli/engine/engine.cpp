#include "cli/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/terminal.h"
#include "selfplay/session/level_choice.h"

namespace koridor::cli {

void EngineSettings::set_level(std::string_view name) {
  Strength strength{.visits = -1};  // nobody said
  // Full strength is what the engine has without a level: all visits that a clock leaves time for.
  const Level* const known = name.empty() ? nullptr : &find_level(name);
  const bool full = known == nullptr || is_full(*known);
  if (!full) strength = known->strength;
  if (full || name == own.level) {
    if (own.visits > 0) strength.visits = own.visits;
    if (own.temperature >= 0) strength.temperature = own.temperature;
  }
  level = name;
  limited = !full;
  policy_only = strength.visits == 0;
  visits = std::max(strength.visits, 0);
  temperature = strength.temperature;
}

Engine::Engine(const EngineSettings& settings, Output& output)
    : settings_(settings),
      output_(output),
      session_(make_session(settings.game, settings.thinker)),
      clocks_(session_->players(), settings.clock),
      random_(settings.seed),
      thread_([this] { run(); }) {
  forget_turns();
}

Engine::~Engine() {
  interrupt();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::unique_ptr<Session> Engine::make_session(const AnyGame& game, const ThinkerSettings& thinker) const {
  return std::make_unique<Session>(game, SessionSettings{.thinker = thinker, .notation = settings_.notation});
}

void Engine::set_game(const AnyGame& game) {
  session_ = make_session(game, settings_.thinker);
  settings_.game = game;
  clocks_.restart(session_->players());
  forget_turns();
}

void Engine::forget_turns() {
  adjudicator_.reset();
  rules_.resign = settings_.resign;
  if (!rules_.resign || session_->players() != 2) return;
  std::visit([&](const auto& game) { adjudicator_.emplace(rules_, game); }, session_->game());
  adjudicator_->new_game(random_.chance(rules_.resign->play_on));
}

void Engine::renew(ThinkerSettings thinker) {
  std::unique_ptr<Session> renewed = make_session(settings_.game, thinker);
  renewed->start_from(session_->start());
  for (const SessionMove& move : session_->played()) renewed->play(move.action);
  session_ = std::move(renewed);
  settings_.thinker = std::move(thinker);
}

void Engine::search(const SessionLimits& limits, SearchListener listener) {
  stop();
  {
    const std::lock_guard lock(mutex_);
    stop_.store(false);
    limits_ = limits;
    limits_.stop = &stop_;
    if (limits.clock != nullptr) {
      clock_ = *limits.clock;
      limits_.clock = &clock_;
    }
    listener_ = std::move(listener);
    searching_.store(true);
  }
  changed_.notify_all();
}

void Engine::stop() {
  interrupt();
  wait();
}

void Engine::wait() {
  constexpr auto kLook = std::chrono::milliseconds(50);  // between two looks at the input
  const auto found = [this] { return !searching_.load(); };
  std::unique_lock lock(mutex_);
  if (ponders_) stop_.store(true);
  ++waiting_;
  std::optional<Stopwatch> since_end;
  while (!changed_.wait_for(lock, kLook, found)) {
    if (!input_ended_ || stop_.load()) {
      changed_.wait(lock, found);
      break;
    }
    lock.unlock();  // the search may say something meanwhile
    if (!since_end && input_ended_()) since_end.emplace();
    const double grace = settings_.grace.value_or(EngineSettings::kUsualGrace);
    if (output_.gone() || (since_end && since_end->seconds() >= grace)) interrupt();
    lock.lock();
  }
  --waiting_;
}

void Engine::ponder() {
  ponder_asked_ = settings_.ponder && !settings_.limited;  // a level forgets what is found
}

void Engine::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return searching_.load() || ended_; });
      if (!searching_.load()) return;
    }
    do {
      search_now();
    } while (goes_on_pondering());
    changed_.notify_all();
  }
}

// Ends the search, or turns it into pondering where that was asked for and nobody waits.
bool Engine::goes_on_pondering() {
  const std::lock_guard lock(mutex_);
  listener_ = {};
  ponders_ = std::exchange(ponder_asked_, false) && waiting_ == 0 && !stop_.load() && !ended_;
  if (ponders_) limits_ = {.infinite = true, .stop = &stop_};
  searching_.store(ponders_);
  return ponders_;
}

void Engine::search_now() {
  const Analysis* result = nullptr;
  std::string error;
  try {
    session_->listen({.progress = listener_.progress});
    result = &session_->search(limits_);
  } catch (const std::exception& failure) {
    error = message_line(error_text(failure));
  }
  session_->listen({});
  try {
    if (listener_.done) listener_.done(result, error);
  } catch (const std::exception& failure) {  // such as an answer too large for the memory
    print_message("koridor", error_text(failure));
  }
}

SessionLimits Engine::move_limits(int seat) const {
  SessionLimits limits{
      .visits = settings_.visits, .seconds = settings_.seconds, .fresh = settings_.limited, .margin = settings_.margin};
  if (settings_.policy_only) {
    limits.visits = 1;
    return limits;
  }
  if (const GameClock& clock = clocks_.of(seat); !clock.unlimited()) limits.clock = &clock;
  if (limits.visits == 0 && limits.seconds <= 0 && limits.clock == nullptr) {
    limits.visits = EngineSettings::kUsualVisits;
  }
  return limits;
}

bool Engine::resigns(int seat, int ply, const Analysis& analysis) {
  return adjudicator_ && adjudicator_->judge(seat, ply, analysis.values[static_cast<std::size_t>(seat)], std::nullopt);
}

Action Engine::choose(const Analysis& analysis) {
  const Strength strength{.visits = settings_.policy_only ? 0 : 1, .temperature = settings_.temperature};
  return chosen_by(strength, analysis, random_);
}

}  // namespace koridor::cli
