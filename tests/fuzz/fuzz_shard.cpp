// Shards. First byte even: the rest is a file, as it stands. Odd: a sound shard of a few random games, in which every 6
// bytes of the rest change one entry of one field or a field's length, is checked and verified against the rules.
#include <cstdint>
#include <type_traits>

#include "tests/fuzz/shard_tools.h"

namespace koridor::fuzz {
namespace {

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
  switch (bytes[0] % 24) {
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
    case 17:
      data.info.state_bytes = static_cast<int>(value % 300);
      return;
    case 18:
      return set(data.ply_depth);
    case 19:
      return set(data.ply_largest_depth);
    case 20:
      return set(data.game_simulations);
    case 21:
      return set(data.game_evaluations);
    case 22:
      return set(data.game_model);
    default:
      return set(data.ply_surprise);
  }
}

void try_contents(const std::uint8_t* data, std::size_t size) {
  ShardData changed = sound_shards()[data[0] / 2 % sound_shards().size()];
  for (std::size_t at = 1; at + 6 <= size; at += 6) change(changed, data + at);
  verify_shard(changed);
}

}  // namespace
}  // namespace koridor::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 2 == 0) {
    koridor::fuzz::read_file_of({reinterpret_cast<const char*>(data + 1), size - 1});
  } else {
    koridor::fuzz::try_contents(data, size);
  }
  return 0;
}
