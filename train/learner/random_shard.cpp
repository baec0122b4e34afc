#include "train/learner/random_shard.h"

#include "core/base/random.h"
#include "core/game_end.h"
#include "selfplay/shards/describe_game.h"

namespace koridor {
namespace {

template <Game G>
void play_random_game(const G& game, Random random, std::uint32_t number, ShardData& shard) {
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const auto first_ply = static_cast<std::uint32_t>(shard.plies());
  Position<G> position(game);
  ActionMask legal;
  for (;;) {
    const Outcome outcome = game.outcome(position.state, position.history);
    if (outcome.over()) {
      shard.game_number.push_back(number);
      shard.game_first_ply.push_back(first_ply);
      shard.game_plies.push_back(static_cast<std::uint16_t>(shard.plies() - first_ply));
      shard.game_end.push_back(static_cast<std::uint8_t>(game_end(game, position.state, outcome)));
      for (int player = 0; player < game.players(); ++player) {
        shard.game_outcome.push_back(outcome.values[player]);
        shard.game_auxiliary.push_back(game.auxiliary(position.state, player));
      }
      return;
    }
    game.legal_actions(position.state, position.history, legal);
    const Action action = legal.nth(random.below(legal.count()));
    const auto raw_action = static_cast<std::uint16_t>(index(action));
    shard.ply_state.resize(shard.ply_state.size() + bytes);
    game.pack(position.state, std::span(shard.ply_state).last(bytes));
    shard.ply_action.push_back(raw_action);
    shard.ply_player.push_back(static_cast<std::uint8_t>(game.player_to_move(position.state)));
    shard.ply_kind.push_back(static_cast<std::uint8_t>(PlyKind::full));
    shard.ply_value.insert(shard.ply_value.end(), game.players(), 1.0f / static_cast<float>(game.players()));
    shard.policy_first.push_back(static_cast<std::uint32_t>(shard.policy_action.size()));
    shard.policy_count.push_back(1);
    shard.policy_action.push_back(raw_action);
    shard.policy_probability.push_back(kProbabilityUnits);
    position.apply(game, action);
  }
}

}  // namespace

ShardData random_shard(const AnyGame& game, int games, std::uint64_t seed, const std::string& config_hash) {
  ShardData shard;
  shard.info = describe_game(game);
  shard.info.seed = seed;
  shard.info.config_hash = config_hash;
  std::visit(
      [&](const auto& known) {
        for (int number = 0; number < games; ++number) {
          play_random_game(known, Random::for_game(seed, 0, number), static_cast<std::uint32_t>(number), shard);
        }
      },
      game);
  return shard;
}

}  // namespace koridor
