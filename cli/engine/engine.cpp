#include "cli/engine/engine.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/terminal.h"

namespace koridor::cli {

Engine::Engine(const EngineSettings& settings, Output& output)
    : settings_(settings),
      output_(output),
      session_(make_session(settings.game)),
      random_(settings.seed),
      thread_([this] { run(); }) {}

Engine::~Engine() {
  interrupt();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::unique_ptr<Session> Engine::make_session(const AnyGame& game) const {
  return std::make_unique<Session>(game, SessionSettings{.thinker = settings_.thinker, .notation = settings_.notation});
}

void Engine::set_game(const AnyGame& game) {
  session_ = make_session(game);
  settings_.game = game;
}

void Engine::renew() {
  std::unique_ptr<Session> renewed = make_session(settings_.game);
  for (const SessionMove& move : session_->moves().first(static_cast<std::size_t>(session_->ply()))) {
    renewed->play(move.action);
  }
  session_ = std::move(renewed);
}

void Engine::search(const SessionLimits& limits, SearchListener listener) {
  stop();
  {
    const std::lock_guard lock(mutex_);
    stop_.store(false);
    limits_ = limits;
    limits_.stop = &stop_;
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
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !searching_.load(); });
}

void Engine::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return searching_.load() || ended_; });
      if (!searching_.load()) return;
    }
    search_now();
    {
      const std::lock_guard lock(mutex_);
      listener_ = {};
      searching_.store(false);
    }
    changed_.notify_all();
  }
}

void Engine::search_now() {
  const Analysis* result = nullptr;
  std::string error;
  try {
    session_->listen({.progress = listener_.progress});
    session_->set_report_interval(listener_.interval);
    result = &session_->search(limits_);
  } catch (const std::exception& failure) {
    error = message_line(failure.what());
  }
  session_->listen({});
  if (listener_.done) listener_.done(result, error);
}

SessionLimits Engine::move_limits() const {
  SessionLimits limits = settings_.limits;
  if (settings_.policy_only) {
    limits = {};
    limits.visits = 1;
  }
  return limits;
}

Action Engine::choose(const Analysis& analysis) {
  if (settings_.temperature <= 0 && !settings_.policy_only) return analysis.best;
  const auto share = [&](const Candidate& candidate) {
    return settings_.policy_only ? candidate.prior : candidate.policy;
  };
  const auto best = std::ranges::max_element(analysis.candidates, {}, share);
  if (settings_.temperature <= 0) return best->action;
  std::vector<float> weights;
  for (const Candidate& candidate : analysis.candidates) {
    weights.push_back(std::pow(share(candidate) / share(*best), static_cast<float>(1.0 / settings_.temperature)));
  }
  return analysis.candidates[static_cast<std::size_t>(random_.weighted(weights))].action;
}

}  // namespace koridor::cli
