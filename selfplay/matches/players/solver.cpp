// Perfect play of games small enough to be solved: a proven best action, ties broken at random.
#include "core/solve/solver.h"

#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "selfplay/matches/players/kind.h"

namespace koridor {
namespace {

constexpr int kMaxMebibytes = 1 << 20;

template <Game G>
class SolverPlayer final : public Player<G> {
 public:
  SolverPlayer(const G& game, const std::shared_ptr<const AnySolver>& solver)
      : game_(&game), solver_(std::get<std::shared_ptr<const Solver<G>>>(*solver)), position_(game) {}

  void new_game(const Position<G>& position, GameClocks) override { position_ = position; }
  void begin(Random& random) override { random_ = &random; }
  PlayerStep step() override {
    try {
      solution_ = solver_->solution(position_);
    } catch (const SolveStopped&) {
      return PlayerStep::waiting;  // who has stopped it looks at that now
    }
    return PlayerStep::done;
  }
  void play(Action action) override { position_.apply(*game_, action); }

  Action action(double) override {
    const std::vector<Action>& best = solution_.best;
    return best[static_cast<std::size_t>(random_->below(static_cast<int>(best.size())))];
  }
  std::optional<Outcome> proven() const override {
    const int mover = game_->player_to_move(position_.state);
    if (solution_.value == Proof::draw) return Outcome::drawn(2);
    return Outcome::won_by(solution_.value == Proof::win ? mover : 1 - mover);
  }

 private:
  const G* game_;
  std::shared_ptr<const Solver<G>> solver_;
  Position<G> position_;
  Solution solution_;
  Random* random_ = nullptr;
};

// Solves the game, unless a solver of it with as much memory and the same `stop` is still in use: the two players of a
// match share one.
std::shared_ptr<const AnySolver> solver_of(const AnyGame& game, SolveLimits limits, const std::atomic<bool>& stop) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::size_t, const void*>, std::weak_ptr<const AnySolver>> in_use;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const AnySolver>& place = in_use[{name_of(game), limits.mebibytes, &stop}];
  std::shared_ptr<const AnySolver> solver = place.lock();
  if (!solver) {
    limits.keep_going = [&stop] { return !stop.load(std::memory_order_relaxed); };
    solver = std::make_shared<const AnySolver>(solve_game(game, limits));
    place = solver;
  }
  return solver;
}

}  // namespace

struct SolverPlayerKind {
  static PlayerKind describe() {
    return {.word = "solver",
            .usage = "solver[:MEBIBYTES]",
            .example = "solver",
            .help = "a proven best action, ties by lot; small games only",
            .load = [](const PlayerRequest& request) {
              SolveLimits limits;
              if (request.detail) {
                limits.mebibytes =
                    static_cast<std::size_t>(number_behind_colon(request, "MiB of memory", kMaxMebibytes));
              }
              return MatchPlayer{.name = {}, .prepare = [limits](const AnyGame& game, const std::atomic<bool>& stop) {
                                   return factory_of<SolverPlayer>(game, solver_of(game, limits, stop));
                                 }};
            }};
  }
};
template PlayerKind describe_kind<SolverPlayerKind>();

}  // namespace koridor
