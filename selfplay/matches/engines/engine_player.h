// An external engine as a player.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/reading.h"
#include "selfplay/matches/engines/external_engine.h"
#include "selfplay/matches/player.h"

namespace koridor {

// What the players of one engine in a match share.
struct EngineTeam {
  std::shared_ptr<EngineSetup> setup;
  std::mutex mutex{};
  std::unique_ptr<ExternalEngine> spare{};  // already started, for the first player
};

template <Game G>
class EnginePlayer final : public Player<G> {
 public:
  EnginePlayer(const G& game, const std::shared_ptr<EngineTeam>& team)
      : game_(&game), setup_(team->setup), position_(game) {
    const std::lock_guard lock(team->mutex);
    engine_ = std::move(team->spare);
    if (!engine_) engine_ = std::make_unique<ExternalEngine>(setup_);
  }

  void follow(std::span<const Action> actions) override {
    moves_.clear();
    Position<G> walk(*game_);
    for (const Action action : actions) {
      moves_.push_back(named(walk, action));
      walk.apply(*game_, action);
    }
  }
  void new_game(const Position<G>& position, GameClocks clocks) override {
    if (moves_.empty() && !(position.state == game_->initial_state())) {
      throw std::logic_error("an engine must be told of the actions that lead to its position");
    }
    position_ = position;
    clocks_ = clocks;
    begin_game();
  }
  bool ready() override { return engine_->step() != ExternalEngine::Status::busy; }
  void begin(Random&) override {
    chosen_ = kNoAction;
    engine_->choose({.seat = game_->player_to_move(position_.state), .clocks = clocks_, .to_the_end = to_the_end()});
  }
  PlayerStep step() override {
    const ExternalEngine::Status status = engine_->step();
    if (status == ExternalEngine::Status::busy) return PlayerStep::waiting;
    if (status == ExternalEngine::Status::ready) read_choice();
    return chosen_ == kNoAction ? PlayerStep::forfeit : PlayerStep::done;
  }
  Action action(double) override { return chosen_; }
  std::optional<float> value() const override { return engine_->value(); }
  Forfeit forfeit() override { return engine_->fault(); }

  void play(Action action) override {
    moves_.push_back(named(position_, action));
    position_.apply(*game_, action);
    const Action chosen = std::exchange(chosen_, kNoAction);
    if (chosen != kNoAction && chosen != action) {
      begin_game();  // its board has the action that it chose
    } else {
      engine_->play(moves_.back(), chosen == action);
    }
    engine_->step();  // a reply that has come already need not be waited for in the next turn
  }

 private:
  EngineMove named(const Position<G>& position, Action action) const {
    const WallWords& words = setup_->description.words;
    return {game_->player_to_move(position.state),
            words.write(game_->print_action(position.state, action, words.notation()))};
  }

  void begin_game() { engine_->new_game(moves_, clocks_.empty() ? TimeControl{} : clocks_.front().control()); }

  // Where dead stones count as living ones, as in all our Go but the first phase of territory scoring.
  bool to_the_end() const {
    if constexpr (requires { position_.state.phase == go::Phase::main; }) {
      return game_->rules().scoring == go::Scoring::area || position_.state.phase == go::Phase::cleanup;
    } else {
      return false;
    }
  }

  // Reads what the engine chose as an action, or finds its fault.
  void read_choice() {
    const std::string& text = engine_->choice();
    if (lower_case(text) == "resign") {
      engine_->fail(Forfeit::Kind::resign, "");
      return;
    }
    const WallWords& words = setup_->description.words;
    const Reading reading = read_action(*game_, position_.state, position_.history, words.read(text), words.notation());
    if (reading.action) {
      chosen_ = *reading.action;
    } else if (reading.objection->kind == Objection::Kind::unreadable) {
      engine_->fail(Forfeit::Kind::garbage, "its action was " + in_quotes(text));
    } else {
      engine_->fail(Forfeit::Kind::illegal, fmt::format("{}: {}", in_quotes(text), reading.objection->message));
    }
  }

  const G* game_;
  std::shared_ptr<const EngineSetup> setup_;
  std::unique_ptr<ExternalEngine> engine_;
  Position<G> position_;
  GameClocks clocks_{};
  std::vector<EngineMove> moves_;  // of the game
  Action chosen_ = kNoAction;      // by the engine, and not yet played
};

}  // namespace koridor
