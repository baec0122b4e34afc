// An engine protocol as the side speaks it that has an engine play: what is sent when something happens, and what the
// replies mean. A dialect knows nothing of processes and time that passes (external_engine.h does).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/search/clock.h"
#include "selfplay/matches/engines/description.h"

namespace koridor {

// A line to the engine, and how its reply ends.
struct Exchange {
  enum class Reply : std::uint8_t {
    none,   // there is none
    block,  // "= TEXT" or "? TEXT", perhaps of several lines, and an empty line (GTP)
    word,   // lines until one that begins with a certain word (UCI)
  };
  std::string line;
  Reply reply = Reply::none;
  std::string word{};    // the word that ends the reply
  bool needed = true;    // an error ("?") is a fault of the engine
  bool chooses = false;  // the reply holds the engine's action
};

// What the engine is to know as it chooses an action.
struct EngineTurn {
  int seat = 0;
  // Of all seats; empty where nothing is limited.
  GameClocks clocks{};
  double margin = 0;  // seconds of its time that it is not told of
  // Go: it must not pass while it can capture dead stones, as nobody takes them off the board after the game.
  bool to_the_end = false;
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  // What is asked once of each engine, and what the reply says. Asked of the first process only.
  virtual std::vector<Exchange> introduce() const = 0;
  virtual void learn(const Exchange& asked, std::string_view reply, EngineFeatures& features) const = 0;
  // After each start of a process.
  virtual std::vector<Exchange> start(const EngineFeatures& features) const = 0;
  // A game begins with these actions.
  virtual std::vector<Exchange> new_game(std::span<const EngineMove> moves, const TimeControl& time,
                                         const EngineFeatures& features) = 0;
  // Somebody, perhaps the engine itself, has played.
  virtual std::vector<Exchange> play(const EngineMove& move, bool its_own, const EngineFeatures& features) = 0;
  virtual std::vector<Exchange> choose(const EngineTurn& turn, const EngineFeatures& features) const = 0;
  // The action in the reply to an exchange that chooses: a text of the game, or "resign"; empty where there is none.
  virtual std::string choice(std::string_view reply) const = 0;
  // The points that the engine expects, by a line before the reply that says how it thinks.
  virtual std::optional<float> value(std::string_view) const { return std::nullopt; }
};

// Throws UserError where the protocol does not serve the game. Both must outlive the dialect.
std::unique_ptr<Dialect> make_dialect(const EngineDescription& description, const EngineGame& game);

// "gtp".
std::string_view protocol_name(EngineProtocol protocol);

}  // namespace koridor
