#include "selfplay/matches/match.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "core/base/threads.h"
#include "selfplay/matches/agent.h"
#include "selfplay/matches/player_batch.h"

namespace koridor {
namespace {

// Streams of random numbers: a match has no generations, so their place tells openings and games apart.
constexpr std::uint64_t kOpeningStream = 1;
constexpr std::uint64_t kGameStream = 2;

// What all threads of a match share; results are written under the lock, once a game.
struct Shared {
  const MatchPlayer& a;
  const MatchPlayer& b;
  const MatchOptions& options;
  const std::atomic<bool>& stop;
  int games;   // in all
  int groups;  // games of one opening
  PlayerBatchOptions batches;
  std::array<EvaluatorFactory, 2> evaluators;  // of A and B
  Failure failure{};
  std::atomic<int> next{0};

  std::mutex mutex{};
  MatchResult result{};
  double points = 0;
  std::uint64_t plies = 0;
  int done = 0;
};

void keep_result(Shared& shared, const MatchGame& game) {
  const std::lock_guard lock(shared.mutex);
  SeatScore& score = shared.result.by_seat[static_cast<std::size_t>(game.seat)];
  score.games += 1;
  const bool drawn = game.outcome.kind == Outcome::Kind::draw;
  const bool won = !drawn && game.outcome.winner == game.seat;
  score.wins += won ? 1 : 0;
  score.draws += drawn ? 1 : 0;
  score.losses += !won && !drawn ? 1 : 0;
  shared.points += game.outcome.values[static_cast<std::size_t>(game.seat)];
  shared.plies += game.actions.size();
  shared.done += 1;
  if (shared.options.on_game) shared.options.on_game(game);
  if (shared.options.progress) shared.options.progress(shared.done, shared.games);
}

// A game in progress between two agents.
template <Game G>
class MatchSlot {
 public:
  MatchSlot(const G& game, Shared& shared)
      : game_(&game),
        shared_(&shared),
        agents_{Agent<G>(game, shared.a), Agent<G>(game, shared.b)},
        opening_search_(game, 2),
        position_(game) {}

  bool playing() const { return playing_; }

  void start(int number) {
    record_.number = number;
    record_.seat = shared_->options.seat >= 0 ? shared_->options.seat : number % game_->players();
    draw_opening(number / shared_->groups);
    random_ = Random::for_game(shared_->options.seed, kGameStream, static_cast<std::uint64_t>(number));
    for (Agent<G>& agent : agents_) agent.new_game(position_);
    playing_ = true;
    begin_turn();
  }

  // Plays on: the side (0: A, 1: B) that wants leaf() evaluated, or -1 when the game is over or all is to stop.
  int advance() {
    while (!shared_->stop.load(std::memory_order_relaxed)) {
      if (agents_[side_].step() == SearchStep::evaluate) return static_cast<int>(side_);
      const int searched = static_cast<int>(record_.actions.size()) - record_.opening_plies;
      const bool random = searched < shared_->options.temperature_plies;
      apply(agents_[side_].action(random ? shared_->options.temperature : 0.0));
      record_.outcome = game_->outcome(position_.state, position_.history);
      if (record_.outcome.over()) {
        keep_result(*shared_, record_);
        playing_ = false;
        return -1;
      }
      begin_turn();
    }
    return -1;
  }

  const typename G::State& leaf() const { return agents_[side_].leaf(); }
  void supply(const Prediction& prediction) { agents_[side_].supply(prediction); }

 private:
  void begin_turn() {
    side_ = game_->player_to_move(position_.state) == record_.seat ? 0 : 1;
    agents_[side_].begin(random_);
  }

  void apply(Action action) {
    record_.actions.push_back(action);
    position_.apply(*game_, action);
    for (Agent<G>& agent : agents_) agent.play(action);
  }

  // Random plies until somebody has an interesting position to play; after many vain tries any that is not over.
  void draw_opening(int group) {
    constexpr int kTries = 100;
    Random random = Random::for_game(shared_->options.seed, kOpeningStream, static_cast<std::uint64_t>(group));
    const double mean = shared_->options.opening_plies;
    const int plies = static_cast<int>(mean) + (random.chance(mean - std::floor(mean)) ? 1 : 0);
    for (int trial = 0;; ++trial) {
      position_.state = game_->initial_state();
      position_.history.clear();
      record_.actions.clear();
      // Openings longer than the game can be are cut short in the end.
      const bool playable = play_random(std::max(0, trial < kTries ? plies : plies - (trial - kTries)), random);
      if (plies == 0 || (playable && trial >= kTries)) break;
      if (!playable) continue;
      opening_search_.choose(position_, random);
      if (!AlphaBeta<G>::decided(opening_search_.score())) break;
    }
    record_.opening_plies = static_cast<int>(record_.actions.size());
  }

  // False where that ends the game.
  bool play_random(int plies, Random& random) {
    for (int ply = 0; ply < plies; ++ply) {
      ActionMask legal;
      game_->legal_actions(position_.state, position_.history, legal);
      const Action action = legal.nth(random.below(legal.count()));
      record_.actions.push_back(action);
      position_.apply(*game_, action);
      if (game_->outcome(position_.state, position_.history).over()) return false;
    }
    return true;
  }

  const G* game_;
  Shared* shared_;
  std::array<Agent<G>, 2> agents_;  // A, B
  AlphaBeta<G> opening_search_;
  Position<G> position_;
  MatchGame record_;
  Random random_;
  std::size_t side_ = 0;  // whose turn it is
  bool playing_ = false;
};

// One thread's games and the two players' batches.
template <Game G>
class MatchWorker {
 public:
  MatchWorker(const G& game, Shared& shared) : shared_(shared) {
    sides_[0].batch = make_player_batch(game, shared.a, shared.evaluators[0], shared.batches);
    sides_[1].batch = make_player_batch(game, shared.b, shared.evaluators[1], shared.batches);

    // No more slots than games a thread can get.
    const int slots = std::clamp(shared.options.slots, 1, std::max(shared.games, 1));
    for (int i = 0; i < slots; ++i) slots_.push_back(std::make_unique<MatchSlot<G>>(game, shared));
  }

  void play() {
    while (!shared_.stop.load(std::memory_order_relaxed) && !shared_.failure.failed()) {
      gather();
      if (sides_[0].waiting.empty() && sides_[1].waiting.empty()) break;
      for (Side& side : sides_) {
        if (side.waiting.empty()) continue;
        side.batch->evaluate();
        for (int row = 0; row < side.batch->size(); ++row) {
          side.waiting[static_cast<std::size_t>(row)]->supply(side.batch->prediction(row));
        }
      }
    }
  }

 private:
  struct Side {
    std::unique_ptr<EvaluationBatch<G>> batch;  // none for players without a network
    std::vector<MatchSlot<G>*> waiting;
  };

  void gather() {
    for (Side& side : sides_) {
      side.waiting.clear();
      if (side.batch) side.batch->clear();
    }
    for (const auto& slot : slots_) {
      const int wanting = advance(*slot);
      if (wanting < 0) continue;
      Side& side = sides_[static_cast<std::size_t>(wanting)];
      side.batch->add(slot->leaf(), 0);
      side.waiting.push_back(slot.get());
    }
  }

  // As MatchSlot::advance, starting new games; -1 when there are none left.
  int advance(MatchSlot<G>& slot) {
    while (!shared_.stop.load(std::memory_order_relaxed)) {
      if (slot.playing()) {
        const int side = slot.advance();
        if (side >= 0) return side;
      }
      const int number = shared_.next.fetch_add(1, std::memory_order_relaxed);
      if (number >= shared_.games) break;
      slot.start(number);
    }
    return -1;
  }

  Shared& shared_;
  std::array<Side, 2> sides_;
  std::vector<std::unique_ptr<MatchSlot<G>>> slots_;
};

template <Game G>
void play_on_all_threads(const G& game, Shared& shared) {
  on_all_threads(shared.options.threads, shared.failure, [&](int) { MatchWorker<G>(game, shared).play(); });
  shared.failure.rethrow();
}

}  // namespace

SeatScore MatchResult::total() const {
  SeatScore sum;
  for (const SeatScore& seat : by_seat) {
    sum.games += seat.games;
    sum.wins += seat.wins;
    sum.draws += seat.draws;
    sum.losses += seat.losses;
  }
  return sum;
}

Interval wilson_interval(double score, double games) {
  if (games <= 0) return {0.0, 1.0};
  constexpr double kNormal95 = 1.959963984540054;
  constexpr double kSquare = kNormal95 * kNormal95;
  const double centre = (score + kSquare / (2 * games)) / (1 + kSquare / games);
  const double half =
      kNormal95 / (1 + kSquare / games) * std::sqrt(score * (1 - score) / games + kSquare / (4 * games * games));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

MatchResult play_match(const AnyGame& any, const MatchPlayer& first, const MatchPlayer& second,
                       const MatchOptions& options, const std::atomic<bool>& stop) {
  MatchPlayer a = first;
  prepare_player(a, any, stop);
  MatchPlayer b = second;
  if (b.spec.kind == PlayerKind::solver) b.solver = a.solver;
  prepare_player(b, any, stop);
  return std::visit(
      [&](const auto& game) {
        const int group = options.seat >= 0 ? 1 : game.players();
        const int games = (options.games + group - 1) / group * group;
        const PlayerBatchOptions batches{.evaluation = options.evaluation, .rows = options.slots};
        const int threads = thread_count(options.threads);
        Shared shared{
            .a = a,
            .b = b,
            .options = options,
            .stop = stop,
            .games = games,
            .groups = group,
            .batches = batches,
            .evaluators = {make_player_evaluators(a, batches, threads), make_player_evaluators(b, batches, threads)}};
        play_on_all_threads(game, shared);
        MatchResult result = shared.result;
        const double done = shared.done;
        result.score = done > 0 ? shared.points / done : 0;
        result.mean_plies = done > 0 ? static_cast<double>(shared.plies) / done : 0;
        const Interval interval = wilson_interval(result.score, done);
        result.low = interval.low;
        result.high = interval.high;
        result.stopped = shared.done < games;
        return result;
      },
      any);
}

}  // namespace koridor
