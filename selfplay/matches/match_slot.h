// A slot of a match: it plays one game after the other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "core/base/random.h"
#include "core/game.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/opening.h"
#include "selfplay/matches/player.h"
#include "selfplay/matches/players.h"
#include "selfplay/matches/scoreboard.h"
#include "selfplay/matches/seat_clocks.h"
#include "selfplay/matches/slots.h"

namespace koridor {

// What all slots of a match share.
struct MatchTable {
  const MatchOptions& options;
  std::array<PlayerFactory, 2> players;  // A, B
  int games;                             // of the whole match
  int group;                             // games per opening
  Scoreboard& scoreboard;
  std::atomic<int> next{0};  // number of the next game to start
};

template <Game G>
class MatchSlot {
 public:
  MatchSlot(const G& game, MatchTable& table) : game_(&game), table_(&table), opening_(game), position_(game) {
    for (std::size_t side = 0; side < players_.size(); ++side) {
      players_[side] = std::get<std::unique_ptr<Player<G>>>(table.players[side]());
    }
  }

  // Goes on by at most one action; starts a new game where the last one is over.
  SlotStep step() {
    if (!playing_ && !start_next()) return SlotStep::idle;
    const PlayerStep step = players_[side_]->step();
    if (step == PlayerStep::evaluate) return SlotStep::evaluate;
    if (step == PlayerStep::waiting) return SlotStep::waiting;
    if (step == PlayerStep::forfeit) {
      forfeit(players_[side_]->forfeit());
      return SlotStep::acted;
    }
    const MatchOptions& options = table_->options;
    const int searched = static_cast<int>(record_.actions.size()) - record_.opening_plies;
    const Action action = players_[side_]->action(searched < options.temperature_plies ? options.temperature : 0.0);
    if (auto late = clocks_.stop(game_->player_to_move(position_.state))) {
      forfeit(*std::move(late));
      return SlotStep::acted;
    }
    apply(action);
    record_.outcome = game_->outcome(position_.state, position_.history);
    if (record_.outcome.over()) {
      finish();
    } else {
      begin_turn();
    }
    return SlotStep::acted;
  }

  std::size_t side() const { return side_; }  // the player to move: 0 A, 1 B
  int leaves() const { return players_[side_]->leaves(); }
  const typename G::State& leaf(int number) const { return players_[side_]->leaf(number); }
  void supply(int leaf, const Prediction& prediction) { players_[side_]->supply(leaf, prediction); }

 private:
  // Streams of random numbers. They take the place of the generation, which a match does not have.
  static constexpr std::uint64_t kOpeningStream = 1;
  static constexpr std::uint64_t kGameStream = 2;

  // Starts the next game; false where none is left.
  bool start_next() {
    const int number = take_number(table_->next, table_->games);
    if (number < 0) return false;
    const MatchOptions& options = table_->options;
    record_.number = number;
    record_.seat = options.seat >= 0 ? options.seat : number % game_->players();
    random_ = Random::for_game(options.seed, kOpeningStream, static_cast<std::uint64_t>(number / table_->group));
    opening_.draw(options.opening_plies, random_);
    position_ = opening_.position();
    record_.reason = {};
    record_.actions = opening_.actions();
    record_.opening_plies = static_cast<int>(record_.actions.size());
    random_ = Random::for_game(options.seed, kGameStream, static_cast<std::uint64_t>(number));
    clocks_.new_game(options.clock, game_->players());
    for (const auto& player : players_) player->new_game(position_, clocks_.clocks());
    playing_ = true;
    begin_turn();
    return true;
  }

  // The player to move loses the game.
  void forfeit(Forfeit why) {
    const int seat = game_->player_to_move(position_.state);
    record_.outcome = forfeited_by(seat, game_->players());
    record_.reason = {.kind = EndReason::Kind::forfeit, .seat = seat, .forfeit = std::move(why)};
    finish();
  }

  void finish() {
    table_->scoreboard.keep(record_);
    playing_ = false;
  }

  void begin_turn() {
    side_ = game_->player_to_move(position_.state) == record_.seat ? 0 : 1;
    clocks_.start();
    players_[side_]->begin(random_);
  }

  void apply(Action action) {
    record_.actions.push_back(action);
    position_.apply(*game_, action);
    for (const auto& player : players_) player->play(action);
  }

  const G* game_;
  MatchTable* table_;
  std::array<std::unique_ptr<Player<G>>, 2> players_;  // A, B
  Opening<G> opening_;
  Position<G> position_;
  SeatClocks clocks_;
  MatchGame record_;
  Random random_;
  std::size_t side_ = 0;
  bool playing_ = false;
};

}  // namespace koridor
