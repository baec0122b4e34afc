#include "cli/engine/gtp_game.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/go/count.h"
#include "core/reading.h"
#include "models/network/go_owners.h"

namespace koridor::cli {

GtpGame::GtpGame(Engine& engine) : engine_(engine), board_(std::get<go::GoGame>(engine.settings().game)) {}

void GtpGame::begin(const go::Rules& rules) {
  const go::GoGame wanted(rules);
  if (!(wanted.rules() == game().rules())) {
    engine_.set_game(wanted);
  } else {
    engine_.session().restart();
  }
  guide_.forget();
  board_ = GoBoard(wanted);
  engine_.forget_turns();
  engine_.clocks().restart(2);
}

void GtpGame::go_on_by(const go::Rules& rules) {
  GoBoard board = board_.under(rules);
  const EngineClocks clocks = engine_.clocks();
  engine_.set_game(board.game());
  engine_.clocks() = clocks;
  guide_.forget();
  board_ = std::move(board);
}

void GtpGame::replace(GoBoard board) {
  begin(board.game().rules());
  board_ = std::move(board);
}

void GtpGame::prepare_search(int colour) {
  GoBoard board = board_;
  board.hand_to(colour);
  guide_.lead(engine_.session(), board);
}

void GtpGame::play_found(int colour, Action action) {
  board_.play(colour, action);
  guide_.lead(engine_.session(), board_);
}

int GtpGame::colour(const std::string& text) const {
  if (const auto colour = parse_colour(text)) return static_cast<int>(*colour);
  throw UserError(fmt::format("syntax error: {} is no colour; they are black and white", in_quotes(text)));
}

Action GtpGame::vertex(const std::string& text) const {
  const Interpretation said = game().interpret(board_.position().state, text, Notation::standard);
  if (said.action != kNoAction) return said.action;
  throw UserError(fmt::format("syntax error: {} is no vertex of this board", in_quotes(text)));
}

std::pair<int, int> GtpGame::point(const std::string& text) const {
  const int at = index(vertex(text));
  const int columns = game().rules().columns;
  if (at == game().num_actions() - 1) throw UserError("invalid vertices: a pass is no vertex");
  return {at / columns, at % columns};
}

std::vector<float> GtpGame::owners() const {
  return expected_owners(engine_.settings().thinker.model.get(), game(), board_.position().state);
}

const std::vector<Action>& GtpGame::dead() const {
  const go::State& state = board_.position().state;
  const std::uint64_t key = game().key(state);
  const std::string name = game().name();
  if (!judged_ || judged_->key != key || judged_->game != name) judged_ = {name, key, go::likely_dead(game(), state)};
  return judged_->dead;
}

}  // namespace koridor::cli
