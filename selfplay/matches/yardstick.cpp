#include "selfplay/matches/yardstick.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <variant>

#include "core/base/threads.h"
#include "selfplay/matches/agent.h"

namespace koridor {
namespace {

// Streams of random numbers.
constexpr std::uint64_t kPositionStream = 1;
constexpr std::uint64_t kChoiceStream = 2;

struct Shared {
  const MatchPlayer& player;
  std::span<const YardstickPosition> positions;
  const YardstickOptions& options;
  const std::atomic<bool>& stop;
  EvaluatorFactory evaluators;
  Failure failure{};
  std::atomic<int> next{0};

  std::mutex mutex{};
  int kept = 0;
  int done = 0;
};

// One position the player thinks about.
template <Game G>
struct YardstickSlot {
  YardstickSlot(const G& game, const MatchPlayer& player) : agent(game, player) {}
  Agent<G> agent;
  Random random;
  int place = -1;  // in the list of positions; -1: idle
};

// One thread's positions, evaluated in one batch.
template <Game G>
class YardstickWorker {
 public:
  YardstickWorker(const G& game, Shared& shared)
      : game_(game),
        shared_(shared),
        batch_(make_player_batch(game, shared.player, shared.evaluators, shared.options.batch)) {
    const int rows = std::clamp(static_cast<int>(shared.positions.size()), 1, shared.options.batch.rows);
    for (int i = 0; i < rows; ++i) slots_.push_back(std::make_unique<YardstickSlot<G>>(game, shared.player));
  }

  void work() {
    while (!shared_.stop.load(std::memory_order_relaxed) && !shared_.failure.failed()) {
      waiting_.clear();
      if (batch_) batch_->clear();
      for (const auto& slot : slots_) {
        if (!advance(*slot)) continue;
        batch_->add(slot->agent.leaf(), 0);
        waiting_.push_back(slot.get());
      }
      if (waiting_.empty()) return;
      batch_->evaluate();
      for (int row = 0; row < batch_->size(); ++row) {
        waiting_[static_cast<std::size_t>(row)]->agent.supply(batch_->prediction(row));
      }
    }
  }

 private:
  // Thinks on, taking new positions; false when there are none left, true when it wants its leaf evaluated.
  bool advance(YardstickSlot<G>& slot) {
    while (!shared_.stop.load(std::memory_order_relaxed)) {
      if (slot.place >= 0) {
        if (slot.agent.step() == SearchStep::evaluate) return true;
        keep(slot.place, slot.agent.action());
        slot.place = -1;
      }
      const int next = shared_.next.fetch_add(1, std::memory_order_relaxed);
      if (next >= static_cast<int>(shared_.positions.size())) return false;
      start(slot, next);
    }
    return false;
  }

  void start(YardstickSlot<G>& slot, int place) {
    Position<G> position(game_);
    for (const Action action : shared_.positions[static_cast<std::size_t>(place)].actions)
      position.apply(game_, action);
    slot.place = place;
    slot.random = Random::for_game(shared_.options.seed, kChoiceStream, static_cast<std::uint64_t>(place));
    slot.agent.new_game(position);
    slot.agent.begin(slot.random);
  }

  void keep(int place, Action action) {
    const std::lock_guard lock(shared_.mutex);
    if (shared_.positions[static_cast<std::size_t>(place)].keeping.test(action)) ++shared_.kept;
    ++shared_.done;
    if (shared_.options.progress) shared_.options.progress(shared_.done, static_cast<int>(shared_.positions.size()));
  }

  const G& game_;
  Shared& shared_;
  std::unique_ptr<EvaluationBatch<G>> batch_;  // none for players without a network
  std::vector<std::unique_ptr<YardstickSlot<G>>> slots_;
  std::vector<YardstickSlot<G>*> waiting_;
};

template <Game G>
std::vector<YardstickPosition> sample(const G& game, const Solver<G>& solver, int count, std::uint64_t seed) {
  constexpr int kVainGames = 1000;  // in a row, before giving up
  std::vector<YardstickPosition> positions;
  std::unordered_set<std::uint64_t> seen;
  std::vector<Action> actions;
  for (int number = 0, vain = 0; vain < kVainGames; ++number) {
    Random random = Random::for_game(seed, kPositionStream, static_cast<std::uint64_t>(number));
    Position<G> position(game);
    actions.clear();
    ++vain;
    while (!game.outcome(position.state, position.history).over()) {
      const Solution solution = solver.solution(position);
      YardstickPosition sampled{actions, {}, static_cast<int>(solution.actions.size())};
      for (const SolvedAction& solved : solution.actions) {
        if (solved.value == solution.value) sampled.keeping.set(solved.action);
      }
      if (sampled.keeping.count() < sampled.legal && seen.insert(game.repetition_key(position.state)).second) {
        positions.push_back(sampled);
        vain = 0;
        if (static_cast<int>(positions.size()) == count) return positions;
      }
      const auto any = [&random](auto size) { return static_cast<std::size_t>(random.below(static_cast<int>(size))); };
      const Action action = random.chance(0.5) ? solution.best[any(solution.best.size())]
                                               : solution.actions[any(solution.actions.size())].action;
      actions.push_back(action);
      position.apply(game, action);
    }
  }
  return positions;
}

}  // namespace

std::vector<YardstickPosition> yardstick_positions(const AnyGame& any, const AnySolver& solver, int count,
                                                   std::uint64_t seed) {
  return std::visit(
      [&]<Game G>(const G& game) {
        return sample(game, *std::get<std::shared_ptr<const Solver<G>>>(solver), count, seed);
      },
      any);
}

double random_share(std::span<const YardstickPosition> positions) {
  double sum = 0;
  for (const YardstickPosition& position : positions)
    sum += static_cast<double>(position.keeping.count()) / position.legal;
  return positions.empty() ? 0 : sum / static_cast<double>(positions.size());
}

int count_kept(const AnyGame& any, const MatchPlayer& player, std::span<const YardstickPosition> positions,
               const YardstickOptions& options, const std::atomic<bool>& stop) {
  MatchPlayer prepared = player;
  prepare_player(prepared, any, stop);
  Shared shared{.player = prepared,
                .positions = positions,
                .options = options,
                .stop = stop,
                .evaluators = make_player_evaluators(prepared, options.batch, thread_count(options.threads))};
  std::visit(
      [&]<Game G>(const G& game) {
        on_all_threads(options.threads, shared.failure, [&](int) { YardstickWorker<G>(game, shared).work(); });
      },
      any);
  shared.failure.rethrow();
  return shared.kept;
}

}  // namespace koridor
