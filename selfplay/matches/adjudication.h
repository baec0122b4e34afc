// Games that are ended before their rules do: the resign rule, proven results, and the draw rule for long games.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/game.h"
#include "core/types.h"
#include "selfplay/matches/forfeit.h"

namespace koridor {

// A player resigns where it expects at most so many points, so many turns in a row. The game must have two players.
struct ResignRule {
  double value = 0.02;   // points, in [0, 0.5]; 0: it never resigns
  int turns = 3;         // of the player, one after the other
  double play_on = 0.1;  // share of the games in which the rule only takes note, so that its mistakes are counted
};

// A game is drawn where the players expect an even game for so many turns in a row, from some ply on. Turns of players
// that expect nothing (Player::value) do not count: they neither agree nor object.
struct DrawRule {
  int plies = 100;       // from which on the turns are counted
  double within = 0.05;  // points around 1 / players that count as even
  int turns = 8;         // of all players together, one after the other
};

struct Adjudication {
  std::optional<ResignRule> resign{};
  std::optional<DrawRule> draw{};
  bool proven = false;  // a result that a player has proven ends the game

  bool any() const { return resign || draw || proven; }
};

// Read "value=0.02,turns=3,play_on=0.1" (or "0.02", which is the value alone) and "plies=100,within=0.05,turns=8"; what
// is left out is as above, or as in `usual`. `where` names the text in errors. Throw UserError for anything else.
ResignRule read_resign_rule(std::string_view text, std::string_view where, const ResignRule& usual = {});
DrawRule read_draw_rule(std::string_view text, std::string_view where);

// The rules over one game after the other. A player without an opinion (Player::value) never resigns.
class Adjudicator {
 public:
  struct Verdict {
    EndReason reason{};
    Outcome outcome{};
  };

  // The rules must outlive the adjudicator.
  template <Game G>
  Adjudicator(const Adjudication& rules, const G& game) : rules_(&rules), players_(game.players()) {
    if constexpr (requires { game.rules().wall_after_move; }) two_plies_ = game.rules().wall_after_move;
  }

  // `play_on`: the resign rule only takes note.
  void new_game(bool play_on);

  // The player in `seat` has thought about the position after `ply` plies; `value` is what it expects and `proven` the
  // result that it has proven. What ends the game, if anything does. Of a turn of two plies the first counts; after a
  // position that is no later than the last one, as of moves that were taken back, turns are counted anew.
  std::optional<Verdict> judge(int seat, int ply, std::optional<float> value, const std::optional<Outcome>& proven);

  // The seat that would have resigned in a game that was played on; -1 where there is none.
  int would_resign() const { return would_resign_; }

 private:
  bool resigns(int seat, std::optional<float> value);
  bool drawn(int ply, std::optional<float> value);

  const Adjudication* rules_;
  int players_;
  bool two_plies_ = false;  // a turn is a move and then a wall
  bool play_on_ = false;
  int would_resign_ = -1;
  std::array<int, kMaxPlayers> lost_turns_{};  // in a row, by seat
  int even_turns_ = 0;                         // in a row
  int last_seat_ = -1;                         // of the judgement before
  int last_ply_ = -1;
};

}  // namespace koridor
