// Who sits where in a game at the terminal.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/play/options.h"
#include "selfplay/matches/players.h"
#include "selfplay/session/seat_player.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

inline constexpr const char* kPerson = "human";

// The players that the options name, each loaded once.
class NamedPlayers {
 public:
  // Throws UserError for a text that is no player.
  explicit NamedPlayers(const PlayOptions& options);

  // What sits in each of the first `players` seats: "human" or the text of a player. Throws UserError where the options
  // name a seat that the game does not have.
  std::vector<std::string> seat_texts(int players, const std::string& game) const;
  const MatchPlayer& load(const std::string& text);
  // A player with a model, for the game and the hints: --model, or else the first in a seat; null where there is none.
  const MatchPlayer* first_with_model();

 private:
  const PlayOptions& options_;
  SearchConfig search_;
  std::string model_text_;  // --model with its level
  std::map<std::string, MatchPlayer> loaded_;
};

// The seats of a session.
class Seats {
 public:
  // Names the session's seats. Throws UserError where a player cannot play the game.
  Seats(Session& session, NamedPlayers& players, std::vector<std::string> texts, const PlayOptions& options,
        const std::atomic<bool>& stop);

  bool is_person(int seat) const { return players_[static_cast<std::size_t>(seat)] == nullptr; }
  int persons() const;
  // The options that seat the same players: "--seat1 human --seat2 greedy".
  std::string options() const;
  // The only person's seat; nothing where there are several or none.
  std::optional<int> only_person() const;

  // Somebody has played the action, or the session has gone to another position.
  void play(Action action);
  void follow_session(GameClocks clocks);
  // Returns when a clock may run; false where `stop` was set before.
  bool get_ready(const std::atomic<bool>& stop);
  // As SeatPlayer::think, for the seat that is to move, which is no person's.
  std::optional<SeatChoice> think(const std::atomic<bool>& stop, const std::function<void(double)>& progress);

 private:
  Session& session_;
  std::vector<std::string> texts_;
  std::vector<std::unique_ptr<SeatPlayer>> players_;  // null for a person
};

}  // namespace koridor::cli
