#include "cli/engine/go_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/go/free_play.h"
#include "core/reading.h"

namespace koridor::cli {

GoBoard::GoBoard(const go::GoGame& game) : game_(game), start_(game_), position_(game_), base_(game_) {}

bool GoBoard::empty() const {
  const auto none = [](const go::PointWords& words) {
    return std::ranges::all_of(words, [](auto w) { return w == 0; });
  };
  return none(position_.state.stones[0]) && none(position_.state.stones[1]);
}

void GoBoard::start_from(const go::State& state) {
  start_.state = state;
  start_.history.clear();
  position_ = base_ = start_;
  moves_.clear();
  since_base_.clear();
}

bool GoBoard::set_up(const Points& black, const Points& white, int colour) {
  const auto state = game_.setup_state(black, white, colour);
  if (state) start_from(*state);
  return state.has_value();
}

std::optional<std::string> GoBoard::play(int colour, Action action) {
  Position next = position_;
  const bool changed = go::hand_to(game_, next, colour);
  if (const auto objection = objection_to(game_, next.state, next.history, action)) return objection->message;
  if (changed) {
    base_ = next;
    since_base_.clear();
  }
  since_base_.push_back(action);
  next.apply(game_, action);
  position_ = std::move(next);
  moves_.push_back({colour, action});
  return std::nullopt;
}

bool GoBoard::undo(int moves) {
  if (moves < 0 || moves > std::ssize(moves_)) return false;
  std::vector<GoMove> kept(moves_.begin(), moves_.end() - moves);
  start_from(go::State(start_.state));
  for (const GoMove& move : kept) play(move.colour, move.action);
  return true;
}

void GoBoard::hand_to(int colour) {
  if (!go::hand_to(game_, position_, colour)) return;
  base_ = position_;
  since_base_.clear();
}

GoBoard GoBoard::under(const go::Rules& rules) const {
  GoBoard other{go::GoGame(rules)};
  other.start_from(start_.state);
  for (const GoMove& move : moves_) {
    if (const auto refusal = other.play(move.colour, move.action)) {
      throw UserError(fmt::format("move {} is illegal under these rules: {}", other.moves_.size() + 1, *refusal));
    }
  }
  return other;
}

void SessionGuide::lead(Session& session, const GoBoard& board) {
  const bool same = base_ && base_->state == board.base().state &&
                    std::ranges::equal(base_->history.keys(), board.base().history.keys());
  if (!same) {
    base_ = board.base();
    session.start_from(board.base());
  }
  const std::span<const SessionMove> played = session.played();
  const std::span<const Action> wanted = board.since_base();
  const auto [differs, next] = std::ranges::mismatch(played, wanted, {}, &SessionMove::action);
  session.go_to(static_cast<int>(differs - played.begin()));
  for (auto action = next; action != wanted.end(); ++action) session.play(*action);
}

}  // namespace koridor::cli
