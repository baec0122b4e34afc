// A slot of a match: it plays one game after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/game.h"
#include "selfplay/matches/adjudication.h"
#include "selfplay/matches/match.h"
#include "selfplay/matches/opening.h"
#include "selfplay/matches/player.h"
#include "selfplay/matches/players.h"
#include "selfplay/matches/schedule.h"
#include "selfplay/matches/seat_clocks.h"
#include "selfplay/matches/slots.h"

namespace koridor {

// What all slots of a match share.
struct MatchTable {
  const MatchOptions& options;
  const Schedule& schedule;
  const std::function<bool(const MatchGame&)>& keep;  // as play_schedule has it
  bool timed = false;                                 // nobody may be kept waiting: each thread has one slot
  std::vector<PlayerFactory> players{};               // behind them the opening player, where there is one
  std::vector<char> has_model{};                      // by player: it asks for predictions
  std::vector<char> played{};                         // by the game's number: it is not to be played
  std::atomic<int> next{0};                           // number of the next game to start
  std::atomic<bool> over{false};                      // no more games are wanted
  std::mutex mutex{};
};

template <Game G>
class MatchSlot {
 public:
  MatchSlot(const G& game, MatchTable& table)
      : game_(&game),
        table_(&table),
        players_(table.players.size()),
        warm_(table.players.size()),
        opening_(game),
        position_(game),
        adjudicator_(table.options.adjudication, game) {}

  // Goes on by at most one action; starts a new game where the last one is over.
  SlotStep step() {
    if (stage_ == Stage::idle && !start_next()) return SlotStep::idle;
    if (stage_ == Stage::seating) return seat_next();
    const PlayerStep step = players_[side_]->step();
    if (step == PlayerStep::evaluate) return SlotStep::evaluate;
    if (step == PlayerStep::waiting) return SlotStep::waiting;
    if (step == PlayerStep::paused) return SlotStep::paused;
    if (step == PlayerStep::forfeit) {
      forfeit(players_[side_]->forfeit());
    } else if (stage_ == Stage::opening) {
      play_opening();
    } else {
      play();
    }
    return SlotStep::acted;
  }

  std::size_t side() const { return side_; }  // the index of the player that thinks or is being seated
  int leaves() const { return stage_ == Stage::seating ? 1 : players_[side_]->leaves(); }
  const typename G::State& leaf(int number) const {
    return stage_ == Stage::seating ? position_.state : players_[side_]->leaf(number);
  }
  void supply(int leaf, const Prediction& prediction) {
    if (stage_ != Stage::seating) return players_[side_]->supply(leaf, prediction);
    warm_[side_] = true;
  }

 private:
  enum class Stage { idle, opening, seating, game };

  // Streams of random numbers. They take the place of the generation, which a match does not have.
  static constexpr std::uint64_t kOpeningStream = 1;
  static constexpr std::uint64_t kGameStream = 2;
  static constexpr std::uint64_t kResignStream = 3;

  // Starts the next game; false where none is left.
  bool start_next() {
    int number = -1;
    do {
      number = take_number(table_->next, table_->schedule.games());
      if (number < 0) return false;
    } while (table_->played[static_cast<std::size_t>(number)] != 0);
    const ScheduledGame game = table_->schedule.game(number);
    record_ = {.number = number, .contest = game.contest, .group = game.group, .seats = game.seats};
    const Contest& contest = table_->schedule.contests[static_cast<std::size_t>(game.contest)];
    while (record_.seats[static_cast<std::size_t>(record_.seat)] != contest.players.front()) ++record_.seat;
    random_ = Random::for_game(table_->options.seed, kOpeningStream, static_cast<std::uint64_t>(game.group));
    seat_players(contest);
    begin_opening();
    return true;
  }

  // Makes the players of the contest that are not there yet, and lets the others go.
  void seat_players(const Contest& contest) {
    const bool opener = table_->options.opening_player.has_value();
    for (std::size_t i = 0; i < players_.size(); ++i) {
      const bool seated = std::ranges::find(contest.players, static_cast<int>(i)) != contest.players.end() ||
                          (opener && i + 1 == players_.size());
      if (!seated) players_[i].reset();
      if (seated && !players_[i]) players_[i] = std::get<std::unique_ptr<Player<G>>>(table_->players[i]());
    }
  }

  void begin_opening() {
    const MatchOptions& options = table_->options;
    if (options.opening_player) {
      const double mean = options.opening_plies;
      opening_left_ = static_cast<int>(mean) + (random_.chance(mean - std::floor(mean)) ? 1 : 0);
      opening_wanted_ = opening_left_;
      opening_trials_ = 0;
      restart_opening();
      return;
    }
    if (options.openings) {
      const auto& book = *options.openings;
      start_position();
      const std::size_t place = options.first_opening + static_cast<std::size_t>(record_.group);
      for (const Action action : book[place % book.size()]) extend(action);
    } else {
      opening_.draw(options.opening_plies, random_);
      position_ = opening_.position();
      record_.actions = opening_.actions();
    }
    begin_game();
  }

  void start_position() {
    position_.state = game_->initial_state();
    position_.history.clear();
    record_.actions.clear();
  }

  // The opening player begins an opening. After vain tries it gets shorter.
  void restart_opening() {
    constexpr int kTries = 20;
    opening_left_ = std::max(0, opening_wanted_ - std::max(0, opening_trials_++ - kTries));
    start_position();
    if (opening_left_ == 0) return begin_game();
    stage_ = Stage::opening;
    side_ = players_.size() - 1;
    players_[side_]->follow(record_.actions);
    players_[side_]->new_game(position_, {});
    players_[side_]->begin(random_);
  }

  void play_opening() {
    Player<G>& player = *players_[side_];
    const Action action = player.action(0);
    player.play(action);
    extend(action);
    if (game_->outcome(position_.state, position_.history).over()) return restart_opening();
    if (--opening_left_ > 0) return player.begin(random_);
    opening_.decided(position_, random_) ? restart_opening() : begin_game();
  }

  // The position after the opening is there.
  void begin_game() {
    const MatchOptions& options = table_->options;
    record_.opening_plies = static_cast<int>(record_.actions.size());
    const auto number = static_cast<std::uint64_t>(record_.number);
    double play_on = 0;
    if (options.adjudication.resign) play_on = options.adjudication.resign->play_on;
    adjudicator_.new_game(Random::for_game(options.seed, kResignStream, number).chance(play_on));
    random_ = Random::for_game(options.seed, kGameStream, number);
    clocks_.new_game(options.clock, game_->players());
    stage_ = Stage::seating;
    side_ = 0;
    told_ = false;
  }

  // Before the clock runs, one player after the other is told of the game and waited for, so that no slot has more than
  // one process that is being started; where time counts, its network is made and asked once. Then the first turn
  // begins.
  SlotStep seat_next() {
    for (; side_ < players_.size(); ++side_, told_ = false) {
      if (!is_seated(side_)) continue;
      Player<G>& player = *players_[side_];
      if (!std::exchange(told_, true)) {
        player.follow(record_.actions);
        player.new_game(position_, clocks_.clocks());
      }
      if (!player.ready()) return SlotStep::waiting;
      if (table_->timed && table_->has_model[side_] != 0 && warm_[side_] == 0) return SlotStep::evaluate;
    }
    stage_ = Stage::game;
    begin_turn();
    return SlotStep::acted;
  }

  bool is_seated(std::size_t player) const {
    const auto end = record_.seats.begin() + game_->players();
    return std::find(record_.seats.begin(), end, static_cast<std::int16_t>(player)) != end;
  }

  void begin_turn() {
    const int seat = game_->player_to_move(position_.state);
    side_ = static_cast<std::size_t>(record_.seats[static_cast<std::size_t>(seat)]);
    clocks_.start();
    players_[side_]->begin(random_);
  }

  std::optional<Adjudicator::Verdict> judge() {
    if (!table_->options.adjudication.any()) return std::nullopt;
    const int seat = game_->player_to_move(position_.state);
    const Player<G>& player = *players_[side_];
    return adjudicator_.judge(seat, static_cast<int>(record_.actions.size()), player.value(), player.proven());
  }

  void play() {
    const MatchOptions& options = table_->options;
    const int searched = static_cast<int>(record_.actions.size()) - record_.opening_plies;
    const Action action = players_[side_]->action(searched < options.temperature_plies ? options.temperature : 0.0);
    // The clock goes first: nobody is saved from it by a proven win.
    if (auto late = clocks_.stop(game_->player_to_move(position_.state))) return forfeit(*std::move(late));
    if (const auto verdict = judge()) return finish(verdict->outcome, verdict->reason);
    extend(action);
    for (std::size_t i = 0; i < players_.size(); ++i) {
      if (is_seated(i)) players_[i]->play(action);
    }
    const Outcome outcome = game_->outcome(position_.state, position_.history);
    if (outcome.over()) {
      finish(outcome, {});
    } else {
      begin_turn();
    }
  }

  void extend(Action action) {
    record_.actions.push_back(action);
    position_.apply(*game_, action);
  }

  // The player to move loses the game.
  void forfeit(Forfeit why) {
    if (stage_ == Stage::opening) {
      throw UserError(table_->options.opening_player->name + " was to play the openings: " + why.text());
    }
    const int seat = game_->player_to_move(position_.state);
    finish(forfeited_by(seat, game_->players()),
           {.kind = EndReason::Kind::forfeit, .seat = seat, .forfeit = std::move(why)});
  }

  void finish(const Outcome& outcome, const EndReason& reason) {
    record_.outcome = outcome;
    record_.reason = reason;
    record_.would_resign = adjudicator_.would_resign();
    stage_ = Stage::idle;
    const std::lock_guard lock(table_->mutex);
    if (!table_->over && !table_->keep(record_)) table_->over = true;
  }

  const G* game_;
  MatchTable* table_;
  std::vector<std::unique_ptr<Player<G>>> players_;  // null where a player has no seat in the present contest
  std::vector<char> warm_;                           // by player: this thread's network has been asked
  Opening<G> opening_;
  Position<G> position_;
  SeatClocks clocks_;
  Adjudicator adjudicator_;
  MatchGame record_;
  Random random_;
  std::size_t side_ = 0;  // the player that thinks, or is being seated
  bool told_ = false;     // it knows of the game
  Stage stage_ = Stage::idle;
  int opening_wanted_ = 0;  // plies of the opening player
  int opening_left_ = 0;
  int opening_trials_ = 0;
};

}  // namespace koridor
