// A game of Go as GTP knows it: stones may be set up, either colour may play at any time, and the game goes on after
// its end by the rules.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/go/game.h"
#include "selfplay/session/session.h"

namespace koridor::cli {

struct GoMove {
  int colour;  // 0 black, 1 white
  Action action;
};

class GoBoard {
 public:
  using Position = koridor::Position<go::GoGame>;
  using Points = std::vector<std::pair<int, int>>;  // row and column from the top left

  explicit GoBoard(const go::GoGame& game);

  const go::GoGame& game() const { return game_; }
  const Position& position() const { return position_; }
  const go::State& start() const { return start_.state; }
  std::span<const GoMove> moves() const { return moves_; }
  bool empty() const;

  // Begins anew from this state, or with these stones and this colour to move; false where stones overlap or have no
  // liberty, and nothing has changed then.
  void start_from(const go::State& state);
  bool set_up(const Points& black, const Points& white, int colour);

  // Plays a move of this colour. Returns why it is illegal; nothing has changed then.
  std::optional<std::string> play(int colour, Action action);
  // Takes back so many moves; false where there are fewer.
  bool undo(int moves);
  // Gives this colour the move, and lets a game that is over go on. It is no move.
  void hand_to(int colour);

  // The same moves under other rules, on a board of the same size. Throws UserError where one is illegal.
  GoBoard under(const go::Rules& rules) const;

  // The last position that no rule connects with the one before it, and the actions since: legal one after the other.
  const Position& base() const { return base_; }
  std::span<const Action> since_base() const { return since_base_; }

 private:
  go::GoGame game_;
  Position start_;
  Position position_;
  std::vector<GoMove> moves_;
  Position base_;
  std::vector<Action> since_base_;
};

// Leads a session to where a board is, in as few steps as possible, so that it keeps its search.
class SessionGuide {
 public:
  void lead(Session& session, const GoBoard& board);
  // The session is another one, or is to forget its search.
  void forget() { base_.reset(); }

 private:
  std::optional<GoBoard::Position> base_;  // the one that the session began from
};

}  // namespace koridor::cli
