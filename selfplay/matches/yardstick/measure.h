// Measuring players on a set of positions:
//
//   const YardstickSet set = read_yardstick_set(path);
//   const ModelFigures figures = measure_model(set, "gen-0040.koridor", visits, match_search(), options, stop);
//
// All results depend on the player, the set and the seed, and not on the number of threads and rows.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.h"
#include "core/search/config.h"
#include "selfplay/matches/player_batch.h"
#include "selfplay/matches/players.h"
#include "selfplay/matches/yardstick/figures.h"
#include "selfplay/matches/yardstick/set.h"

namespace koridor {

struct YardstickOptions {
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
  PlayerBatchOptions batch{};
  std::function<void(int done, int positions)> progress{};  // called by one thread at a time
};

// The player's answer in each position. Where `stop` was set meanwhile, some have no action. Throws UserError where the
// player cannot play the game.
std::vector<YardstickAnswer> ask_player(const AnyGame& game, const MatchPlayer& player,
                                        std::span<const YardstickPosition> positions, const YardstickOptions& options,
                                        const std::atomic<bool>& stop);

// The number of positions in which the player keeps the value.
int count_kept(const AnyGame& game, const MatchPlayer& player, std::span<const YardstickPosition> positions,
               const YardstickOptions& options, const std::atomic<bool>& stop);

// What a player's network says without any search.
struct NetworkAnswers {
  std::vector<YardstickAnswer> by_policy;  // the action with the largest prior; with the raw policy and values
  std::vector<YardstickAnswer> by_value;   // that after which the raw value, or the game's own result, is best
};
// `player.model` must be there.
NetworkAnswers ask_network(const AnyGame& game, const MatchPlayer& player, std::span<const YardstickPosition> positions,
                           const YardstickOptions& options, const std::atomic<bool>& stop);

// A player as it is written for load_player, and the search that it has where its text says nothing else.
struct WrittenPlayer {
  std::string text;
  SearchConfig search{};
};

// load_player, which moreover throws UserError for a player whose search is limited by time.
MatchPlayer load_untimed(const WrittenPlayer& player, int visits);

// The figures of a player on a set: of its network alone where it has one, and of its choices.
struct ModelFigures {
  std::string player;
  std::optional<YardstickFigures> network;  // value and policy are the raw ones
  // By the visits of its searches, whose policy it is; one row with 0 for a player that does not search, and one with
  // the visits that it has where its text says them.
  std::vector<std::pair<int, YardstickFigures>> visits;
};
// `visits` are those of its searches unless it says its own. Throws UserError as load_untimed does and for a player
// that cannot play the set's game. Where `stop` was set meanwhile the figures are worth nothing.
ModelFigures measure_model(const YardstickSet& set, const WrittenPlayer& player, std::span<const int> visits,
                           const YardstickOptions& options, const std::atomic<bool>& stop);

// Adds the judgement of a player that searches `visits` times to a set of draw_open_set: its choice, value and policy.
// Throws UserError for a player that has no opinion.
void refer_to(YardstickSet& set, const WrittenPlayer& player, int visits, const YardstickOptions& options,
              const std::atomic<bool>& stop);

}  // namespace koridor
