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
#include <string_view>
#include <thread>
#include <vector>

#include "cli/engine/clocks.h"
#include "cli/engine/output.h"
#include "core/base/random.h"
#include "core/registry.h"
#include "core/wall/protocol_words.h"
#include "selfplay/matches/adjudication.h"
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
  double seconds = 0;            // a move, also beside a clock; 0: no limit
  TimeControl clock{};           // until the protocol says another
  double margin = kUsualMargin;  // seconds of a move's time, at least, that are left for the way of the answer
  double temperature = 0;    // of the draw among the actions; 0: the best one (Strength of selfplay/matches/levels.h)
  std::string level{};       // by whose name these were set (selfplay/matches/levels.h); empty: by none
  bool policy_only = false;  // the action comes from the network's policy, without a search (Strength::visits of 0)
  // It plays at a level below full strength: what was searched before makes it no stronger, and it does not ponder.
  bool limited = false;
  bool ponder = false;                 // search on in the opponent's time, where the protocol leaves that to the engine
  std::optional<ResignRule> resign{};  // when it gives a game of two players up; nothing: never
  std::uint64_t seed = 0;              // of the draws
  // Seconds that a search with an end of its own may go on after the end of the input. Nothing: kUsualGrace, and in the
  // analysis protocol, whose queries are all answered, no bound.
  std::optional<double> grace{};

  // What the command line says of the strength: a level, and visits (0: nothing) and temperature (negative: nothing)
  // that weigh more than this level and full strength do, whenever one of these is set.
  struct Own {
    std::string level{};
    int visits = 0;
    double temperature = -1;
  };
  Own own{};
  // Sets visits, temperature, policy_only and limited to those of the level and of `own`. Empty: no level, so full
  // strength. Throws UserError, which lists the levels, where there is none of this name.
  void set_level(std::string_view name);

  // The options that the user wrote, such as "--first", of those that some protocols have no use for.
  std::vector<std::string> given{};

  static constexpr int kUsualVisits = 400;
  static constexpr double kUsualMargin = 0.02;
  static constexpr double kUsualGrace = 10;
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
  // May be changed while nothing is searched. `game` is changed by set_game, `thinker` by renew; `notation`
  // counts after either.
  EngineSettings& settings() { return settings_; }
  const EngineSettings& settings() const { return settings_; }

  // The game that is played, and its clocks. Nothing may be searched.
  Session& session() { return *session_; }
  EngineClocks& clocks() { return clocks_; }
  // Begins a game: another one, or the same from its start; the clocks start anew. Throws UserError where the model
  // cannot play it; the game under way goes on then.
  void set_game(const AnyGame& game);
  // The session has begun a game: the turns that looked lost belong to another one, and a changed resign rule counts.
  void forget_turns();
  // Thinks by these settings from now on, in the position that the game has reached. Throws UserError where that cannot
  // be, as for more threads than can be started; nothing has changed then.
  void renew(ThinkerSettings thinker);

  // Starts a search of the session's position and returns at once. A search under way is stopped first. `limits.stop`
  // is the engine's, and the clock is copied.
  void search(const SessionLimits& limits, SearchListener listener);
  bool searching() const { return searching_.load(); }
  // Tells the search to end, and returns at once.
  void interrupt() { stop_.store(true); }
  // Ends the search, and returns when `done` was called.
  void stop();
  // Returns when the search has ended by its limits and `done` was called. Pondering is ended; so is a search whose
  // answer nobody will read and, where the input has ended, one that goes on for longer than the grace.
  void wait();
  // Lets wait() ask, on the thread that waits, whether the input has ended. Without it the input never ends.
  void watch_input(std::function<bool()> ended) { input_ended_ = std::move(ended); }

  // To be called by `done` where the opponent thinks from now on: searches the session's position, which is not over,
  // until anybody calls stop, wait or search. Does nothing unless the settings ponder.
  void ponder();

  // The limits of a search for a move of this seat.
  SessionLimits move_limits(int seat) const;
  // The action to play after such a search: its best, or drawn where the settings have a temperature.
  Action choose(const Analysis& analysis);
  // Whether this seat gives up instead, after so many plies of the game. To be asked once for each of its moves.
  bool resigns(int seat, int ply, const Analysis& analysis);

 private:
  std::unique_ptr<Session> make_session(const AnyGame& game, const ThinkerSettings& thinker) const;
  void run();
  void search_now();
  bool goes_on_pondering();

  EngineSettings settings_;
  Output& output_;
  std::function<bool()> input_ended_;
  std::unique_ptr<Session> session_;
  EngineClocks clocks_;
  Random random_;
  Adjudication rules_;  // the resign rule of the settings
  std::optional<Adjudicator> adjudicator_;

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
