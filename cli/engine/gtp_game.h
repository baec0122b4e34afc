// The game that GTP's commands share, and the groups of these commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/engine/go_board.h"
#include "cli/engine/text_commands.h"
#include "core/colours.h"

namespace koridor::cli {

class GtpGame {
 public:
  explicit GtpGame(Engine& engine);

  Engine& engine() { return engine_; }
  GoBoard& board() { return board_; }
  const GoBoard& board() const { return board_; }
  const go::GoGame& game() const { return board_.game(); }

  // Begins a game by these rules, or goes on by them with the moves played. Throws UserError where the model cannot
  // play it, or a move is illegal by them.
  void begin(const go::Rules& rules);
  void go_on_by(const go::Rules& rules);
  void replace(GoBoard board);

  // Brings the engine's session to the board's position with this colour to move, in a game that is not over.
  void prepare_search(int colour);
  // The search found this move of the colour: plays it on the board and in the session.
  void play_found(int colour, Action action);
  void forget_search() { guide_.forget(); }

  // Words of a command, in GTP's terms. They throw UserError for others.
  int colour(const std::string& text) const;
  Action vertex(const std::string& text) const;  // or the pass
  std::pair<int, int> point(const std::string& text) const;
  std::string name(Action action) const { return game().print_action(board_.position().state, action); }
  // The probability that black will own each point of the position (models/network/go_owners.h).
  std::vector<float> owners() const;
  // The stones on the board that look dead (core/go/count.h); worked out once for a position.
  const std::vector<Action>& dead() const;

 private:
  struct Judged {
    std::string game;
    std::uint64_t key;  // of the position
    std::vector<Action> dead;
  };

  Engine& engine_;
  GoBoard board_;
  SessionGuide guide_;
  mutable std::optional<Judged> judged_;
};

// Each adds a group of commands. The game outlives the protocol's commands.
void add_moves(TextProtocol& protocol, GtpGame& game);      // genmove and its kin, analysis
void add_set_up(TextProtocol& protocol, GtpGame& game);     // handicaps, positions, records
void add_judgement(TextProtocol& protocol, GtpGame& game);  // scores, status of stones, figures for boards of GoGui

}  // namespace koridor::cli
