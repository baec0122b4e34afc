// The engine behind every protocol: a model, a session of one game, and a thread that searches while the protocol goes on
// reading.
//
//   Engine engine(settings, output);
//   engine.session().play("e2");
//   engine.search(engine.settings().limits, {.progress = show, .done = answer});   // returns at once
//   engine.stop();                                                                 // `answer` was called
//
// An engine belongs to the thread that reads commands. While it searches, the session belongs to the search thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/engine/output.h"
#include "core/base/random.h"
#include "core/registry.h"
#include "selfplay/matches/levels.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

struct EngineSettings {
  AnyGame game;
  ThinkerSettings thinker{};  // its model must not be null
  Notation notation = Notation::standard;
  SessionLimits limits{};    // of a search for a move, where no command says another; its stop is ignored
  double temperature = 0;    // of the draw among the actions; 0: the best one (Strength of selfplay/matches/levels.h)
  bool policy_only = false;  // the action is drawn from the network's policy, without a search (Strength::visits of 0)
  bool ponder = false;       // search on in the opponent's time, where the protocol leaves that to the engine
  double resign = 0;         // give up after three own turns with fewer expected points than this; 0: never
  std::uint64_t seed = 0;    // of the draws
};

// What a search tells, on the search thread. The functions may use the session's search results and, in `done`, the
// session itself; they must not start a search.
struct SearchListener {
  std::function<void(const Analysis&)> progress{};
  // The search has ended: with a result, or where it failed with null and one line that says why. Called once.
  std::function<void(const Analysis* result, const std::string& error)> done{};
  double interval = 0.25;  // seconds between two calls of `progress`
};

class Engine {
 public:
  // Throws UserError where the model does not fit the game, or cannot be evaluated here.
  Engine(const EngineSettings& settings, Output& output);
  ~Engine();  // stops the search
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Output& output() { return output_; }
  // The settings that are asked for anew at each search may be changed while nothing is searched; set_game or renew make
  // the others count.
  EngineSettings& settings() { return settings_; }

  // The game that is played. Nothing may be searched.
  Session& session() { return *session_; }
  // Begins a game: another one, or the same from its start. Throws UserError where the model cannot play it; the game
  // under way goes on then.
  void set_game(const AnyGame& game);
  // Makes changed settings count, in the position that the game has reached.
  void renew();

  // Starts a search of the session's position and returns at once. A search under way is stopped first. `limits.stop`
  // is the engine's.
  void search(const SessionLimits& limits, SearchListener listener);
  bool searching() const { return searching_.load(); }
  // Tells the search to end, and returns at once.
  void interrupt() { stop_.store(true); }
  // Ends the search, and returns when `done` was called.
  void stop();
  // Returns when the search has ended by its limits and `done` was called.
  void wait();

  // The limits of a search for a move by these settings.
  SessionLimits move_limits() const;
  // The action to play after such a search: its best, or drawn where the settings have a temperature.
  Action choose(const Analysis& analysis);

 private:
  std::unique_ptr<Session> make_session(const AnyGame& game) const;
  void run();
  void search_now();

  EngineSettings settings_;
  Output& output_;
  std::unique_ptr<Session> session_;
  Random random_;

  std::mutex mutex_;
  std::condition_variable changed_;
  SessionLimits limits_;
  SearchListener listener_;
  std::atomic<bool> searching_ = false;
  std::atomic<bool> stop_ = false;
  bool ended_ = false;  // the engine is being destroyed
  std::thread thread_;
};

}  // namespace koridor::cli
