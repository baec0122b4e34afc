// An external engine that plays games: its process, the protocol it speaks, and what it has done wrong. No call waits
// for it.
//
//   ExternalEngine engine(setup);
//   engine.new_game(moves, time);
//   engine.choose({.seat = 0});
//   while (engine.step() == ExternalEngine::Status::busy) { do something else }
//   engine.choice();                        // or engine.fault(), where step() said `failed`
//   engine.play(move, true);
//
// After a fault only new_game() may follow, which starts the engine again where its process is of no use any more.
#pragma once

#include <chrono>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "selfplay/matches/engines/dialect.h"
#include "selfplay/matches/engines/engine_process.h"
#include "selfplay/matches/forfeit.h"

namespace koridor {

// What all processes of an engine in one game share.
struct EngineSetup {
  EngineDescription description;
  EngineGame game;
  EngineFeatures features{};
};

class ExternalEngine {
 public:
  enum class Status : std::uint8_t {
    busy,    // a reply is missing
    ready,   // all replies have come
    failed,  // fault() says why
  };

  // Starts nothing yet. Throws UserError where the protocol does not serve the game.
  explicit ExternalEngine(std::shared_ptr<const EngineSetup> setup);
  ~ExternalEngine();
  ExternalEngine(const ExternalEngine&) = delete;
  ExternalEngine& operator=(const ExternalEngine&) = delete;

  // Asks who it is; to be called first of all, if at all. The answers go to `features`, which must outlive this.
  void introduce(EngineFeatures& features);
  // A game begins with these actions. An engine that still chooses an action is started anew, and so is one that is
  // found to have ended, or to be of no use, before it has answered anything of this game: that is no fault in it.
  void new_game(std::span<const EngineMove> moves, const TimeControl& time);
  void play(const EngineMove& move, bool its_own);
  // Asks for an action. The turn's clocks are read now.
  void choose(const EngineTurn& turn);

  Status step();
  // After `ready`: the text of the action that it chose, or "resign"; empty where it has said nothing.
  const std::string& choice() const { return choice_; }
  // The points that it expects, where it has said so.
  std::optional<float> value() const { return value_; }
  const Forfeit& fault() const { return *fault_; }
  // The caller has found a fault, such as a choice that is none.
  void fail(Forfeit::Kind kind, std::string detail);

 private:
  using Time = std::chrono::steady_clock::time_point;

  // An exchange, and the game that it is for: 0 where it belongs to the start of the process.
  struct Due : Exchange {
    int game = 0;
  };

  void add(std::vector<Exchange> exchanges, int game);
  void start();
  void end_process();
  // Starts it anew, and asks all of the present game once more.
  void start_again();
  // Sends what is to be sent before the next reply.
  void send();
  void receive(std::string_view line);
  void receive_block(std::string_view line);
  void receive_word(std::string_view line);
  void finish_reply();
  void watch_time();
  void note(char direction, std::string_view line);

  std::shared_ptr<const EngineSetup> setup_;
  std::unique_ptr<Dialect> dialect_;
  std::optional<EngineProcess> process_;
  EngineFeatures* features_ = nullptr;  // where replies are learnt
  std::deque<Due> exchanges_;           // the first of them may have been sent
  int game_ = 0;                        // the games so far
  bool leftover_ = false;               // the process has played another game, and answered nothing of this one
  std::vector<Exchange> again_;         // where it is left over: all that it was asked of this game
  bool sent_ = false;
  Time asked_{};  // when it was sent
  Time turn_{};   // when the last turn began
  bool in_reply_ = false;
  bool refused_ = false;  // the reply began with "?"
  std::string reply_;
  double limit_ = 0;  // seconds for the action that is being chosen; infinite where no clock runs
  double told_ = 0;   // of them that it has been told of
  double late_ = 0;   // seconds that its last answers came after those, which fade
  std::string choice_;
  std::optional<float> value_;
  std::optional<Forfeit> fault_;
  std::ofstream log_;
};

}  // namespace koridor
