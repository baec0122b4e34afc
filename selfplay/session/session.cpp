#include "selfplay/session/session.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "selfplay/session/table.h"

namespace koridor {
namespace {

std::unique_ptr<Table> make_table(const AnyGame& any, const ThinkerSettings& settings) {
  return std::visit(
      [&]<Game G>(const G& game) -> std::unique_ptr<Table> { return std::make_unique<GameTable<G>>(game, settings); },
      any);
}

std::vector<Action> actions_of(std::span<const SessionMove> moves) {
  std::vector<Action> actions;
  for (const SessionMove& move : moves) actions.push_back(move.action);
  return actions;
}

Refusal refusal_of(const Objection& objection) {
  using Reason = Refusal::Reason;
  const Reason reason = objection.kind == Objection::Kind::game_over    ? Reason::game_over
                        : objection.kind == Objection::Kind::unreadable ? Reason::no_action
                                                                        : Reason::illegal;
  return {.reason = reason, .kind = objection.kind, .message = objection.message};
}

}  // namespace

Session::Session(const AnyGame& game, const SessionSettings& settings)
    : game_(game), settings_(settings), table_(make_table(game, settings.thinker)) {
  for (int seat = 0; seat < table_->players(); ++seat) seat_names_.push_back(fmt::format("player {}", seat + 1));
}

Session::~Session() = default;

std::string Session::variant() const {
  return table_->variant();
}
std::string Session::family() const {
  return table_->family();
}
int Session::players() const {
  return table_->players();
}
int Session::seat_to_move() const {
  return table_->seat_to_move();
}
Outcome Session::outcome() const {
  return table_->outcome();
}
std::string Session::board(bool colour) const {
  return board(BoardView{.colour = colour});
}
std::string Session::board(BoardView view) const {
  view.notation = settings_.notation;
  return table_->board(view);
}
std::string Session::seat_title(int seat) const {
  return table_->seat_title(seat);
}
int Session::turns_to_bottom(int seat) const {
  return table_->turns_to_bottom(seat);
}
std::string Session::text(Action action) const {
  return table_->text(action, settings_.notation);
}
ActionHelp Session::help() const {
  return table_->help(settings_.notation);
}
bool Session::can_search() const {
  return table_->thinks();
}

std::vector<Action> Session::legal() const {
  std::vector<Action> actions;
  table_->legal().for_each([&](Action action) { actions.push_back(action); });
  return actions;
}

std::vector<std::string> Session::legal_texts() const {
  std::vector<std::string> texts;
  table_->legal().for_each([&](Action action) { texts.push_back(text(action)); });
  return texts;
}

std::vector<std::string> Session::move_texts() const {
  return table_->texts(actions_of(moves_), settings_.notation);
}

std::vector<Action> Session::played_actions() const {
  return actions_of(played());
}

std::optional<Refusal> Session::read(std::string_view text, Action& action) const {
  const Reading reading = table_->read(text, settings_.notation);
  if (reading.action) {
    action = *reading.action;
    return std::nullopt;
  }
  Refusal refusal = refusal_of(*reading.objection);
  refusal.nearest = reading.nearest;
  if (reading.nearest != kNoAction) refusal.nearest_text = this->text(reading.nearest);
  return refusal;
}

std::optional<Refusal> Session::play(std::string_view text) {
  Action action = kNoAction;
  if (auto refusal = read(text, action)) return refusal;
  append(action);
  return std::nullopt;
}

std::optional<Refusal> Session::play(Action action) {
  if (const auto objection = table_->objection(action, settings_.notation)) return refusal_of(*objection);
  append(action);
  return std::nullopt;
}

// What was found is of this position alone.
void Session::leave_position() {
  analysis_.reset();
  searching_ = false;
}

void Session::append(Action action) {
  moves_.resize(static_cast<std::size_t>(ply_));
  moves_.push_back({action, seat_to_move()});
  table_->play(action);
  ++ply_;
  leave_position();
  if (listener_.action) listener_.action(ply_ - 1, action);
  if (const Outcome now = outcome(); now.over() && listener_.end) listener_.end(now);
}

void Session::reset(int ply) {
  table_->reset(actions_of(std::span(moves_).first(static_cast<std::size_t>(ply))));
  ply_ = ply;
  leave_position();
}

bool Session::go_to(int ply) {
  if (ply < 0 || ply > static_cast<int>(moves_.size())) return false;
  if (ply == ply_) return true;
  if (ply < ply_) {
    reset(ply);
    return true;
  }
  for (; ply_ < ply; ++ply_) table_->play(moves_[static_cast<std::size_t>(ply_)].action);
  leave_position();
  return true;
}

AnyPosition Session::position() const {
  return table_->position();
}

AnyPosition Session::start() const {
  return table_->start();
}

void Session::start_from(const AnyPosition& position) {
  moves_.clear();
  ply_ = 0;
  leave_position();
  table_->start_from(position);
}

void Session::restart() {
  std::visit([this]<Game G>(const G& game) { start_from(Position<G>(game)); }, game_);
}

void Session::set_up(std::span<const std::string> moves) {
  const std::vector<SessionMove> before = std::exchange(moves_, {});
  const int ply_before = ply_;
  reset(0);
  for (const std::string& move : moves) {
    Action action = kNoAction;
    if (const auto refusal = read(move, action)) {
      const int number = ply_ + 1;
      moves_ = before;
      reset(ply_before);
      throw UserError(fmt::format("move {}: {}", number, refusal->text()));
    }
    moves_.push_back({action, seat_to_move()});
    table_->play(action);
    ++ply_;
  }
}

void Session::require_search(const SessionLimits& limits) const {
  if (outcome().over()) throw UserError("the game is over: there is nothing to search");
  if (limits.infinite && limits.stop == nullptr) throw UserError("a search without end needs a stop");
  const bool clocked = limits.clock != nullptr && !limits.clock->unlimited();
  if (limits.visits < 1 && limits.nodes < 1 && limits.seconds <= 0 && !clocked && limits.stop == nullptr) {
    throw UserError("a search without a limit: give it visits, nodes, seconds, a clock or a stop");
  }
}

void Session::begin_search(const SessionLimits& limits) {
  require_search(limits);
  leave_position();
  table_->begin_thinking(limits);
  searching_ = true;
}

bool Session::search_on(double seconds) {
  if (!searching_) throw std::logic_error("no search has begun in this position");
  searching_ = false;  // a search that throws is over
  const bool over = table_->think_on(seconds);
  analysis_.emplace(table_->found(settings_.notation));
  searching_ = !over;
  return over;
}

const Analysis& Session::search(const SessionLimits& limits) {
  require_search(limits);
  searching_ = false;
  const auto report = [this](const Analysis& so_far) {
    if (listener_.progress) listener_.progress(so_far);
  };
  const double interval = limits.report_seconds > 0 ? limits.report_seconds : settings_.report_seconds;
  return analysis_.emplace(table_->think(limits, settings_.notation, interval, report));
}

}  // namespace koridor
