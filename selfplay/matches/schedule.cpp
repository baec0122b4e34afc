#include "selfplay/matches/schedule.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "core/base/stopped.h"
#include "core/base/threads.h"
#include "models/network/fits.h"
#include "selfplay/matches/match_slot.h"
#include "selfplay/matches/player_batch.h"
#include "selfplay/matches/slots.h"

namespace koridor {
namespace {

constexpr int kTurnGroups = 8;  // of a contest, before the next one has its turn

bool time_counts(std::span<const MatchPlayer> players, const MatchOptions& options) {
  return !options.clock.none() || std::ranges::any_of(players, &MatchPlayer::timed);
}

template <Game G>
using Driver = SlotDriver<G, MatchSlot<G>>;

// One thread's batches, one per player, made where they are first asked for.
template <Game G>
typename Driver<G>::BatchMakers batch_makers(const G& game, std::span<const MatchPlayer> players,
                                             const std::vector<EvaluatorFactory>& evaluators,
                                             const PlayerBatchOptions& options) {
  typename Driver<G>::BatchMakers makers;
  for (std::size_t i = 0; i < players.size(); ++i) {
    makers.push_back([&game, &player = players[i], &factory = evaluators[i], &options] {
      return make_player_batch(game, player, factory, options);
    });
  }
  return makers;
}

}  // namespace

Contest one_against_others(int players_of_game, int a, int b, int seat) {
  Contest contest{.players = {a, b}, .seatings = {}};
  for (int place = 0; place < players_of_game; ++place) {
    if (seat >= 0 && place != seat) continue;
    Seating seats{};
    for (int other = 0; other < players_of_game; ++other) {
      seats[static_cast<std::size_t>(other)] = static_cast<std::int16_t>(other == place ? a : b);
    }
    contest.seatings.push_back(seats);
  }
  return contest;
}

Contest all_different(std::span<const int> players, bool permutations) {
  Contest contest{.players = {players.begin(), players.end()}, .seatings = {}};
  const auto seat = [](const std::vector<int>& order) {
    Seating seats{};
    for (std::size_t i = 0; i < order.size(); ++i) seats[i] = static_cast<std::int16_t>(order[i]);
    return seats;
  };
  std::vector<int> order = contest.players;
  if (permutations) {
    std::ranges::sort(order);
    do {
      contest.seatings.push_back(seat(order));
    } while (std::ranges::next_permutation(order).found);
  } else {
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
      contest.seatings.push_back(seat(order));
      std::rotate(order.begin(), order.end() - 1, order.end());
    }
  }
  return contest;
}

ScheduledGame Schedule::game(int number) const {
  const int size = group_size();
  const int round_games = static_cast<int>(contests.size()) * kTurnGroups * size;
  const int first_group = number / round_games * kTurnGroups;
  const int turn_games = std::min(kTurnGroups, groups - first_group) * size;
  const int rest = number % round_games;
  ScheduledGame game{.contest = rest / turn_games, .group = first_group + rest % turn_games / size};
  const Contest& contest = contests[static_cast<std::size_t>(game.contest)];
  game.seats = contest.seatings[static_cast<std::size_t>(rest % size)];
  return game;
}

Schedule match_schedule(int players_of_game, const MatchOptions& options) {
  Schedule schedule{.contests = {one_against_others(players_of_game, 0, 1, options.seat)}, .groups = 0};
  schedule.groups = (options.games + schedule.group_size() - 1) / schedule.group_size();
  return schedule;
}

void play_schedule(const ScheduledGames& scheduled, const std::function<bool(const MatchGame&)>& keep,
                   const std::atomic<bool>& stop) {
  const AnyGame& any = scheduled.game;
  const Schedule& schedule = scheduled.schedule;
  const MatchOptions& options = scheduled.options;
  std::vector<MatchPlayer> all(scheduled.players.begin(), scheduled.players.end());
  if (options.opening_player) all.push_back(*options.opening_player);
  std::visit(
      [&]<Game G>(const G& game) {
        const int games = schedule.games();
        // Where time counts, games do not take it from each other: one a thread, and no more threads than cores.
        const bool timed = time_counts(all, options);
        const int slots = timed ? 1 : std::clamp(options.slots, 1, std::max(games, 1));
        int threads = thread_count(options.threads);
        if (timed) threads = std::min(threads, thread_count(0));
        const PlayerBatchOptions batches{.evaluation = options.evaluation, .rows = slots};
        MatchTable table{.options = options, .schedule = schedule, .keep = keep, .timed = timed};
        table.played.resize(static_cast<std::size_t>(games));
        for (const MatchGame& before : options.played) table.played[static_cast<std::size_t>(before.number)] = true;
        std::vector<EvaluatorFactory> evaluators;
        for (const MatchPlayer& player : all) {
          try {
            table.players.push_back(player.prepare(any, stop));
          } catch (const Stopped&) {
            return;  // no game is played, as where it is stopped before the first one ends
          }
          table.has_model.push_back(player.model ? 1 : 0);
          evaluators.push_back(make_player_evaluators(player, batches, threads));
          if (player.model) require_fits(player.model->info, any, player.name);
        }
        Failure failure;
        on_all_threads(threads, failure, [&](int) {
          std::vector<std::unique_ptr<MatchSlot<G>>> driven;
          for (int i = 0; i < slots; ++i) driven.push_back(std::make_unique<MatchSlot<G>>(game, table));
          Driver<G> driver(batch_makers(game, all, evaluators, batches), std::move(driven));
          driver.run([&] {
            return !stop.load(std::memory_order_relaxed) && !table.over.load(std::memory_order_relaxed) &&
                   !failure.failed();
          });
        });
        failure.rethrow();
      },
      any);
}

}  // namespace koridor
