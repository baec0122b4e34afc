#include "cli/engine/gtp_game.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/go/count.h"
#include "core/reading.h"
#include "models/network/square_head.h"

namespace koridor::cli {

namespace {

// The sides of the board that a model of Go learned on; 0 where the model does not say.
std::pair<int, int> learned_sides(const Model& model) {
  try {
    const AnyGame game = parse_game(model.info.game);
    if (const auto* known = std::get_if<go::GoGame>(&game)) return {known->rules().columns, known->rules().rows};
  } catch (const UserError&) {  // a game of a later build
  }
  return {0, 0};
}

}  // namespace

GtpGame::GtpGame(Engine& engine)
    : engine_(engine),
      learned_sides_(learned_sides(*engine.settings().thinker.model)),
      board_(std::get<go::GoGame>(engine.settings().game)) {}

void GtpGame::begin(const go::Rules& rules) {
  const go::GoGame wanted(rules);
  if (!(wanted.rules() == game().rules())) {
    engine_.set_game(wanted);
  } else {
    engine_.session().restart();
  }
  guide_.forget();
  board_ = GoBoard(wanted);
  lost_turns = {};
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
  if (const auto colour = colour_of(text)) return *colour;
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
  const Model& model = *engine_.settings().thinker.model;
  // On boards of another size a head says what it has never learned.
  if (learned_sides_ == std::pair(game().rules().columns, game().rules().rows)) {
    std::vector<float> owners = predicted_owners(model, game(), board_.position().state);
    if (!owners.empty()) return owners;
  }
  constexpr int kPlayouts = 400;
  Random random(1);
  return go::owners_by_playouts(game(), board_.position(), kPlayouts, random);
}

std::vector<Action> GtpGame::dead() const {
  return go::likely_dead(game(), board_.position().state, owners());
}

}  // namespace koridor::cli
