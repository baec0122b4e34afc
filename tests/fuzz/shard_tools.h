// Sound shards to start from, and what a shard file must survive.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/game_end.h"
#include "selfplay/shards/describe_game.h"
#include "selfplay/shards/shard.h"
#include "selfplay/shards/verify.h"
#include "tests/fuzz/fuzz_tools.h"

namespace koridor::fuzz {

template <Game G>
void add_game(const G& game, ShardData& data, Random& random) {
  data.game_number.push_back(static_cast<std::uint32_t>(data.games()));
  data.game_first_ply.push_back(static_cast<std::uint32_t>(data.plies()));
  Position position(game);
  const std::size_t players = static_cast<std::size_t>(game.players());
  while (!game.outcome(position.state, position.history).over()) {
    ActionMask legal;
    game.legal_actions(position.state, position.history, legal);
    const Action action = legal.nth(random.below(legal.count()));
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(game.packed_size()));
    game.pack(position.state, bytes);
    data.ply_state.insert(data.ply_state.end(), bytes.begin(), bytes.end());
    data.ply_action.push_back(static_cast<std::uint16_t>(index(action)));
    data.ply_player.push_back(static_cast<std::uint8_t>(game.player_to_move(position.state)));
    data.ply_kind.push_back(static_cast<std::uint8_t>(PlyKind::full));
    data.ply_value.insert(data.ply_value.end(), players, 1.0f / static_cast<float>(players));
    data.policy_first.push_back(static_cast<std::uint32_t>(data.policy_action.size()));
    data.policy_count.push_back(1);
    data.policy_action.push_back(static_cast<std::uint16_t>(index(action)));
    data.policy_probability.push_back(65535);
    position.apply(game, action);
  }
  const Outcome outcome = game.outcome(position.state, position.history);
  data.game_plies.push_back(static_cast<std::uint16_t>(data.plies() - data.game_first_ply.back()));
  data.game_end.push_back(static_cast<std::uint8_t>(game_end(game, position.state, outcome)));
  for (std::size_t player = 0; player < players; ++player) {
    data.game_outcome.push_back(outcome.values[player]);
    data.game_auxiliary.push_back(game.auxiliary(position.state, static_cast<int>(player)));
  }
}

inline ShardData sound_shard(const AnyGame& any) {
  ShardData data;
  data.info = describe_game(any);
  Random random(1);
  for (int i = 0; i < 2; ++i) std::visit([&](const auto& game) { add_game(game, data, random); }, any);
  require(verify_shard(data).empty());
  return data;
}

// Small ones of games of every kind.
inline const std::vector<ShardData>& sound_shards() {
  static const std::vector<ShardData> kSound = {sound_shard(parse_game("quoridor:3x3,walls=2,repetition=3")),
                                                sound_shard(parse_game("blockade:4x4,walls=1")),
                                                sound_shard(parse_game("go:3x3"))};
  return kSound;
}

// Writes the bytes to a file of this process and reads it: one line of UserError, or a shard that can be verified.
inline void read_file_of(std::string_view bytes) {
  const std::string path = std::filesystem::temp_directory_path() / ("koridor-fuzz-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  try {
    verify_shard(read_shard(path));
  } catch (const UserError& error) {
    require(std::string_view(error.what()).starts_with(path));
  }
  std::filesystem::remove(path);
}

}  // namespace koridor::fuzz
