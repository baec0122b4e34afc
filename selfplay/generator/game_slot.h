// One game of self-play in progress: it plays until it needs the network, names the position, takes the prediction and
// plays on. A slot belongs to one thread; a thread drives many slots.
//
//   slot.start(game, {.number = number}, Random::for_game(seed, generation, number));
//   while (slot.advance()) { evaluate(slot.leaf()); slot.supply(prediction); }
//   use(slot.record());
//
// A game starts with some plies sampled from the raw policy, for variety. Every later ply is searched: a random share
// of them in full, with root noise, which makes a policy target, and the others cheaply, without noise (playout-cap
// randomisation: Wu 2019, section 3.1). The tree is kept from ply to ply. Where an opponent has a seat (opponents.h),
// it chooses that seat's plies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/game_end.h"
#include "core/search/search.h"
#include "selfplay/generator/config.h"
#include "selfplay/generator/opponents.h"
#include "selfplay/shards/game_record.h"

namespace koridor {

// What a thread's slots have played so far.
struct PlyCounts {
  std::uint64_t plies = 0;
  std::uint64_t full = 0;         // plies with a full search: the positions to learn from
  std::uint64_t searched = 0;     // plies with any search
  std::uint64_t simulations = 0;  // of these searches; what opponents look at is in the games' records alone
};

// What the record of a game says of it from the start.
struct GameStart {
  int variant = 0;  // the number of its rules
  std::uint32_t number = 0;
  std::uint32_t generation = 0;
  std::uint32_t model = 0;  // that plays it
};

template <Game G>
class GameSlot {
 public:
  using State = typename G::State;

  // `game` names the board; start() may be given other rules on the same board. All of them must outlive the slot.
  GameSlot(const G& game, const SelfplayConfig& config, const SearchConfig& search, Opponents<G>& opponents,
           PlyCounts& counts)
      : config_(config),
        opponents_(opponents),
        counts_(counts),
        game_(&game),
        search_(game, search, std::max(config.visits, config.cheap_visits)),
        position_(game),
        record_(std::make_unique<GameRecord>()) {
    const EncodingShape shape = game.encoding(Features{});
    mean_opening_ = config.opening_plies * shape.area();
    half_life_ = config.temperature_half_life > 0 ? config.temperature_half_life : std::max(shape.rows, shape.columns);
    choices_.reserve(static_cast<std::size_t>(game.num_actions()));
    weights_.reserve(static_cast<std::size_t>(game.num_actions()));
    policy_.reserve(static_cast<std::size_t>(game.num_actions()));
  }

  // Whether a game was started whose record has not been taken yet.
  bool playing() const { return phase_ != Phase::idle; }

  // Starts a game by the rules `game`, which must outlive it. Beside the predictions, only `random`, the game's own
  // stream, decides how the game goes.
  void start(const G& game, const GameStart& start, const Random& random) {
    game_ = &game;
    random_ = random;
    record_->clear(start.number, start.variant);
    record_->generation = start.generation;
    record_->model = start.model;
    visits_ = visits_in(config_, start.generation);
    position_.state = game.initial_state();
    position_.history.clear();
    opening_left_ = static_cast<int>(random_.exponential(mean_opening_));
    seats_ = opponents_.draw(game.players(), random_);
    search_.meet_opponents(seats_.has_opponents());
    phase_ = Phase::opening;
  }

  // Plays on. Returns true when leaf() must be evaluated, and false when the game is over() or an opponent was stopped.
  bool advance() {
    for (;;) {
      switch (phase_) {
        case Phase::idle:
        case Phase::over:
          return false;
        case Phase::opening:
          if (opening_left_ > 0) return true;
          search_.reset(*game_, position_);
          begin_ply();
          break;
        case Phase::opponent:
          if (!play_opponent()) return false;
          break;
        case Phase::searching:
          if (search_.step() == Search<G>::Step::evaluate) return true;
          end_search();
          break;
      }
    }
  }

  // Whether the game has ended, so that its record can be taken.
  bool over() const { return phase_ == Phase::over; }

  // The variant that leaf() is a position of: the one that start() was given.
  int variant() const { return record_->variant; }
  const State& leaf() const { return phase_ == Phase::opening ? position_.state : search_.leaf(); }

  void supply(const Prediction& prediction) {
    ++record_->evaluations;
    if (phase_ == Phase::searching) {
      search_.supply(prediction);
      return;
    }
    --opening_left_;
    const Action action = sample_raw_policy(prediction.policy);
    record_unsearched_ply(position_.state, action, PlyKind::opening);
    position_.apply(*game_, action);
    finish_if_over(position_);
  }

  // The address space reserved for one slot. Pages that no search has written to yet take no memory.
  std::size_t memory_bytes() const {
    return sizeof(*this) - sizeof(search_) + search_.memory_bytes() + (record_ ? record_->memory_bytes() : 0) +
           choices_.capacity() * sizeof(Action) + weights_.capacity() * sizeof(float) +
           policy_.capacity() * sizeof(PolicyEntry);
  }

  const GameRecord& record() const { return *record_; }

  // Hands the finished game over; the slot needs another record before it starts again.
  std::unique_ptr<GameRecord> take_record() {
    phase_ = Phase::idle;
    return std::move(record_);
  }
  void give_record(std::unique_ptr<GameRecord> empty) { record_ = std::move(empty); }

 private:
  enum class Phase : std::uint8_t { idle, opening, searching, opponent, over };

  Action sample_raw_policy(std::span<const float> logits) {
    ActionMask legal;
    game_->legal_actions(position_.state, position_.history, legal);
    choices_.clear();
    weights_.clear();
    float largest = -INFINITY;
    legal.for_each([&](Action action) {
      const float logit = logits[static_cast<std::size_t>(game_->policy_index(position_.state, 0, action))];
      choices_.push_back(action);
      weights_.push_back(logit);
      largest = std::max(largest, logit);
    });
    const float scale = 1.0f / static_cast<float>(config_.opening_temperature);
    for (float& weight : weights_) weight = std::exp((weight - largest) * scale);
    return choices_[static_cast<std::size_t>(random_.weighted(weights_))];
  }

  void begin_ply() {
    if (seats_[game_->player_to_move(search_.position().state)] == Seats::kNetwork) {
      begin_search();
    } else {
      phase_ = Phase::opponent;
    }
  }

  // False where the opponent was stopped before it knew its action.
  bool play_opponent() {
    const Position<G>& position = search_.position();
    const int who = seats_[game_->player_to_move(position.state)];
    const auto choice = opponents_.choose(who, *game_, record_->variant, position, random_);
    if (choice.action == kNoAction) return false;
    count_looked_at(choice.nodes);
    record_unsearched_ply(position.state, choice.action, PlyKind::opponent);
    play(choice.action);
    return true;
  }

  // Positions that classical players looked at, or a model of them, count as simulations of the game.
  void count_looked_at(std::uint64_t nodes) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    record_->simulations = static_cast<std::uint32_t>(std::min(record_->simulations + nodes, kMost));
  }

  void play(Action action) {
    search_.play(action);
    if (!finish_if_over(search_.position())) begin_ply();
  }

  void begin_search() {
    phase_ = Phase::searching;
    full_ = random_.chance(config_.full_share);
    // Training on positions that the rules know is spared, all but a share: raw policies are used too.
    if (full_ && config_.known_share < 1 && search_.known()) full_ = random_.chance(config_.known_share);
    search_.begin({.visits = full_ ? visits_.full : visits_.cheap, .explore = full_}, random_);
  }

  void end_search() {
    const State& state = search_.position().state;
    const double decay = std::exp2(-game_->ply(state) / half_life_);
    const double temperature = config_.temperature_end + (config_.temperature - config_.temperature_end) * decay;
    const Action action = search_.sample_action(temperature, random_);
    counts_.searched += 1;
    counts_.simulations += static_cast<std::uint64_t>(search_.simulations());
    count_looked_at(static_cast<std::uint64_t>(search_.simulations()) + search_.modelled_nodes());
    record_ply(state, action, full_ ? PlyKind::full : PlyKind::cheap, search_.root_value());
    record_->add_search(search_.mean_depth(), search_.largest_depth(), full_ ? search_.surprise() : 0.0);
    if (full_) {
      search_.policy_target(policy_);
      record_->add_policy(policy_);
    } else {
      record_->policy_counts.push_back(0);
    }
    play(action);
  }

  void record_unsearched_ply(const State& state, Action action, PlyKind kind) {
    record_ply(state, action, kind, Values{});
    record_->add_search(0, 0, 0);
    record_->policy_counts.push_back(0);
  }

  void record_ply(const State& state, Action action, PlyKind kind, const Values& values) {
    const auto bytes = static_cast<std::size_t>(game_->packed_size());
    record_->states.resize(record_->states.size() + bytes);
    game_->pack(state, std::span(record_->states).last(bytes));
    record_->actions.push_back(static_cast<std::uint16_t>(index(action)));
    record_->players.push_back(static_cast<std::uint8_t>(game_->player_to_move(state)));
    record_->kinds.push_back(kind);
    record_->values.push_back(values);
    counts_.plies += 1;
    counts_.full += kind == PlyKind::full ? 1 : 0;
  }

  bool finish_if_over(const Position<G>& position) {
    const Outcome outcome = game_->outcome(position.state, position.history);
    if (!outcome.over()) return false;
    record_->end = game_end(*game_, position.state, outcome);
    record_->outcome = outcome.values;
    record_->auxiliary = {};
    for (int player = 0; player < game_->players(); ++player) {
      record_->auxiliary[static_cast<std::size_t>(player)] = game_->auxiliary(position.state, player);
    }
    phase_ = Phase::over;
    return true;
  }

  const SelfplayConfig& config_;
  Opponents<G>& opponents_;
  PlyCounts& counts_;
  const G* game_;
  Search<G> search_;
  Position<G> position_;  // of the opening; the search keeps its own
  Random random_;
  Seats seats_;
  Phase phase_ = Phase::idle;
  SearchVisits visits_;
  bool full_ = false;
  int opening_left_ = 0;
  double mean_opening_ = 0;
  double half_life_ = 1;
  std::unique_ptr<GameRecord> record_;
  std::vector<Action> choices_;
  std::vector<float> weights_;
  std::vector<PolicyEntry> policy_;
};

}  // namespace koridor
