// Shards. First byte even: the rest is a file, as it stands. Odd: a sound shard of a few random games, in which every 6
// bytes of the rest change one entry of one field or a field's length, is checked and verified against the rules.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "selfplay/game_end.h"
#include "selfplay/shard.h"
#include "selfplay/verify.h"
#include "tests/fuzz/fuzz_tools.h"

namespace koridor::fuzz {
namespace {

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

ShardData sound_shard(const AnyGame& any) {
  ShardData data;
  data.info = describe_game(any);
  Random random(1);
  for (int i = 0; i < 2; ++i) std::visit([&](const auto& game) { add_game(game, data, random); }, any);
  require(verify_shard(data).empty());
  return data;
}

// The one place that knows how a change is written: field, place, value.
void change(ShardData& data, const std::uint8_t* bytes) {
  const std::size_t place = bytes[1] | static_cast<std::size_t>(bytes[2]) << 8;
  const std::uint32_t value =
      bytes[3] | static_cast<std::uint32_t>(bytes[4]) << 8 | static_cast<std::uint32_t>(bytes[5]) << 16;
  const auto set = [&](auto& field) {
    using Value = typename std::decay_t<decltype(field)>::value_type;
    if (bytes[0] >= 128) {
      field.resize(place % 1024);
    } else if (!field.empty()) {
      Value& entry = field[place % field.size()];
      if constexpr (std::is_floating_point_v<Value>) {
        entry = static_cast<Value>(value) / 65536.0f - 1.0f;
      } else {
        entry = static_cast<Value>(value);
      }
    }
  };
  switch (bytes[0] % 18) {
    case 0:
      return set(data.game_number);
    case 1:
      return set(data.game_first_ply);
    case 2:
      return set(data.game_plies);
    case 3:
      return set(data.game_end);
    case 4:
      return set(data.game_outcome);
    case 5:
      return set(data.game_auxiliary);
    case 6:
      return set(data.ply_state);
    case 7:
      return set(data.ply_action);
    case 8:
      return set(data.ply_player);
    case 9:
      return set(data.ply_kind);
    case 10:
      return set(data.ply_value);
    case 11:
      return set(data.policy_first);
    case 12:
      return set(data.policy_count);
    case 13:
      return set(data.policy_action);
    case 14:
      return set(data.policy_probability);
    case 15:
      return set(data.info.game);
    case 16:
      data.info.players = static_cast<int>(value % 5);
      return;
    default:
      data.info.state_bytes = static_cast<int>(value % 300);
      return;
  }
}

void try_file(const std::uint8_t* data, std::size_t size) {
  const std::string path = std::filesystem::temp_directory_path() / ("koridor-fuzz-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    verify_shard(read_shard(path));
  } catch (const UserError& error) {
    require(*error.what() != '\0');
  }
  std::filesystem::remove(path);
}

void try_contents(const std::uint8_t* data, std::size_t size) {
  static const std::vector<ShardData> kSound = {sound_shard(parse_game("quoridor:3x3,walls=2,repetition=3")),
                                                sound_shard(parse_game("blockade:4x4,walls=1")),
                                                sound_shard(parse_game("go:3x3"))};
  ShardData changed = kSound[data[0] / 2 % kSound.size()];
  for (std::size_t at = 1; at + 6 <= size; at += 6) change(changed, data + at);
  verify_shard(changed);
}

}  // namespace
}  // namespace koridor::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 2 == 0) {
    koridor::fuzz::try_file(data + 1, size - 1);
  } else {
    koridor::fuzz::try_contents(data, size);
  }
  return 0;
}
