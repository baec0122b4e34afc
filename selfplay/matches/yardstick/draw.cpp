#include "selfplay/matches/yardstick/draw.h"

#include <memory>
#include <unordered_set>
#include <variant>

#include "core/base/random.h"
#include "core/search/exact.h"

namespace koridor {
namespace {

// The stream of random numbers that positions are drawn from; slot.h has the other.
constexpr std::uint64_t kPositionStream = 1;

// The index of one of so many, each with equal chance.
std::size_t any_of(std::size_t count, Random& random) {
  return static_cast<std::size_t>(random.below(static_cast<int>(count)));
}

// Plays games until there are `count` different positions. judge(position) judges the present one, and says whether
// `sampled`, its actions aside, is one for the set, which takes a `share` of these; choose(random) plays on.
template <Game G, class Judge>
std::vector<YardstickPosition> sample(const G& game, int count, std::uint64_t seed, double share, Judge judge) {
  constexpr int kVainGames = 1000;  // so many in a row without a new position end the search
  std::vector<YardstickPosition> positions;
  std::unordered_set<std::uint64_t> seen;
  std::vector<Action> actions;
  for (int number = 0, vain = 0; vain < kVainGames; ++number) {
    Random random = Random::for_game(seed, kPositionStream, static_cast<std::uint64_t>(number));
    Position<G> position(game);
    actions.clear();
    ++vain;
    while (!game.outcome(position.state, position.history).over()) {
      YardstickPosition sampled{.actions = actions, .value = 0, .known = {}};
      std::vector<Action> best;
      const bool wanted = judge(position, sampled, best) && (share == 1.0 || random.chance(share));
      if (wanted && seen.insert(game.repetition_key(position.state)).second) {
        positions.push_back(sampled);
        vain = 0;
        if (static_cast<int>(positions.size()) == count) return positions;
      }
      const Action action = random.chance(0.5) ? best[any_of(best.size(), random)]
                                               : sampled.known[any_of(sampled.known.size(), random)].action;
      actions.push_back(action);
      position.apply(game, action);
    }
  }
  return positions;
}

// Of the positions of a game: those of one game are alike, and a share measured on few games would be less sure than
// its interval says. Proven sets have few of each game by their nature.
constexpr double kOpenShare = 1.0 / 16;

}  // namespace

YardstickSet draw_proven_set(const AnyGame& any, const AnySolver& solvers, int count, std::uint64_t seed) {
  YardstickSet set{.game = name_of(any), .seed = seed, .positions = {}};
  std::visit(
      [&]<Game G>(const G& game) {
        const auto& solver = *std::get<std::shared_ptr<const Solver<G>>>(solvers);
        const auto judge = [&](const Position<G>& position, YardstickPosition& sampled, std::vector<Action>& best) {
          Solution solution = solver.solution(position);
          for (const SolvedAction& solved : solution.actions) {
            sampled.known.push_back(
                {.action = solved.action, .points = points_of(solved.value), .distance = solved.distance});
          }
          complete_proven(sampled);
          best = std::move(solution.best);
          return sampled.keeping() < static_cast<int>(sampled.known.size());
        };
        set.positions = sample(game, count, seed, 1.0, judge);
      },
      any);
  return set;
}

YardstickSet draw_open_set(const AnyGame& any, int count, std::uint64_t seed) {
  YardstickSet set{.game = name_of(any), .seed = seed, .proven = false, .positions = {}};
  std::visit(
      [&]<Game G>(const G& game) {
        const auto judge = [&](const Position<G>& position, YardstickPosition& sampled, std::vector<Action>& best) {
          ActionMask legal;
          game.legal_actions(position.state, position.history, legal);
          const int player = game.player_to_move(position.state);
          int most = 0;
          legal.for_each([&](Action action) {
            sampled.known.push_back({.action = action});
            typename G::State next = position.state;
            game.apply(next, action);
            const int estimate = game.heuristic(next, player);
            if (best.empty() || estimate > most) {
              best.clear();
              most = estimate;
            }
            if (estimate == most) best.push_back(action);
          });
          return sampled.known.size() > 1 && winning_action(game, position.state) == kNoAction;
        };
        set.positions = sample(game, count, seed, kOpenShare, judge);
      },
      any);
  return set;
}

}  // namespace koridor
