// The engine behind every protocol: a model, a session of one game, and a thread that searches while the protocol goes
// on reading.
//
//   Engine engine(settings, output);
//   engine.session().play("e2");
//   engine.search(engine.move_limits(seat), {.progress = show, .done = answer});   // returns at once
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
#include <optional>
#include <string>
#include <thread>

#include "cli/engine/clocks.h"
#include "cli/engine/output.h"
#include "core/base/random.h"
#include "core/registry.h"
#include "core/wall/protocol_words.h"
#include "selfplay/matches/levels.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

struct EngineSettings {
  AnyGame game;
  ThinkerSettings thinker{};               // its model must not be null
  Notation notation = Notation::standard;  // of the session
  // What protocols for wall games go by; nothing: what the protocol has of itself.
  std::optional<Naming> naming{};
  std::optional<Colour> first{};
  // Of a search for a move. visits = 0: no limit where time limits it, else kUsualVisits.
  int visits = 0;
  double seconds = 0;        // a move, also beside a clock; 0: no limit
  TimeControl clock{};       // until the protocol says another
  double temperature = 0;    // of the draw among the actions; 0: the best one (Strength of selfplay/matches/levels.h)
  bool policy_only = false;  // the action comes from the network's policy, without a search (Strength::visits of 0)
  bool ponder = false;       // search on in the opponent's time, where the protocol leaves that to the engine
  double resign = 0;         // give up after three own turns with fewer expected points than this; 0: never
  std::uint64_t seed = 0;    // of the draws

  static constexpr int kUsualVisits = 400;
};

// What a search tells, on the search thread. The functions may use the session, and must not start a search.
struct SearchListener {
  std::function<void(const Analysis&)> progress{};
  // The search has ended: with a result, or where it failed with null and one line that says why. Called once.
  std::function<void(const Analysis* result, const std::string& error)> done{};
};

class Engine {
 public:
  // Throws UserError where the model does not fit the game, or cannot be evaluated here.
  Engine(const EngineSettings& settings, Output& output);
  ~Engine();  // stops the search
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Output& output() { return output_; }
  // May be changed while nothing is searched. `game` is changed by set_game; `thinker` and `notation` count after
  // renew.
  EngineSettings& settings() { return settings_; }
  const EngineSettings& settings() const { return settings_; }

  // The game that is played, and its clocks. Nothing may be searched.
  Session& session() { return *session_; }
  EngineClocks& clocks() { return clocks_; }
  // Begins a game: another one, or the same from its start; the clocks start anew. Throws UserError where the model
  // cannot play it; the game under way goes on then.
  void set_game(const AnyGame& game);
  // Makes changed settings count, in the position that the game has reached.
  void renew();

  // Starts a search of the session's position and returns at once. A search under way is stopped first. `limits.stop`
  // is the engine's, and the clock is copied.
  void search(const SessionLimits& limits, SearchListener listener);
  bool searching() const { return searching_.load(); }
  // Tells the search to end, and returns at once.
  void interrupt() { stop_.store(true); }
  // Ends the search, and returns when `done` was called.
  void stop();
  // Returns when the search has ended by its limits and `done` was called. Pondering is ended.
  void wait();

  // To be called by `done` where the opponent thinks from now on: searches the session's position, which is not over,
  // until anybody calls stop, wait or search. Does nothing unless the settings ponder.
  void ponder();

  // The limits of a search for a move of this seat.
  SessionLimits move_limits(int seat) const;
  // The action to play after such a search: its best, or drawn where the settings have a temperature.
  Action choose(const Analysis& analysis);

 private:
  std::unique_ptr<Session> make_session(const AnyGame& game) const;
  void run();
  void search_now();
  bool goes_on_pondering();

  EngineSettings settings_;
  Output& output_;
  std::unique_ptr<Session> session_;
  EngineClocks clocks_;
  Random random_;

  std::mutex mutex_;
  std::condition_variable changed_;
  SessionLimits limits_;
  GameClock clock_;  // of limits_
  SearchListener listener_;
  std::atomic<bool> searching_ = false;
  std::atomic<bool> stop_ = false;
  bool ponder_asked_ = false;  // by `done`
  bool ponders_ = false;       // the search under way is pondering
  int waiting_ = 0;            // threads that wait for the search's end
  bool ended_ = false;         // the engine is being destroyed
  std::thread thread_;
};

}  // namespace koridor::cli
