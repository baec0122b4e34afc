#include "selfplay/shards/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <variant>

#include "core/base/error.h"
#include "core/game_end.h"
#include "core/registry.h"
#include "selfplay/shards/describe_game.h"

namespace koridor {
namespace {

constexpr float kTolerance = 1e-4f;

// A fault of a game, thrown while it is played again.
struct Fault {
  std::string text;
};

template <Game G>
class Replay {
 public:
  Replay(const G& game, const ShardData& data)
      : game_(game), data_(data), packed_(static_cast<std::size_t>(game.packed_size())) {}

  // Throws Fault.
  void check_game(std::size_t which) {
    Position<G> position(game_);
    const std::size_t first = data_.game_first_ply[which];
    const std::size_t end = first + data_.game_plies[which];
    bool opening = true;
    std::array<std::set<PlyKind>, kMaxPlayers> kinds;  // by seat
    for (std::size_t row = first; row < end; ++row) {
      try {
        if (game_.outcome(position.state, position.history).over()) throw Fault{"the game was over before"};
        check_ply(position, row);
        const bool is_opening = data_.kind(row) == PlyKind::opening;
        if (is_opening && !opening) throw Fault{"an opening ply after the opening"};
        opening = is_opening;
        check_seat(kinds[data_.ply_player[row]], row);
        position.apply(game_, Action{data_.ply_action[row]});
      } catch (const Fault& fault) {
        throw Fault{fmt::format("ply {}: {}", row - first + 1, fault.text)};
      }
    }
    check_end(position, which);
  }

 private:
  void check_ply(const Position<G>& position, std::size_t row) {
    const auto bytes = packed_.size();
    game_.pack(position.state, packed_);
    const auto stored = std::span(data_.ply_state).subspan(row * bytes, bytes);
    if (!std::ranges::equal(stored, packed_)) throw Fault{"the stored position is not the one the actions lead to"};
    if (data_.ply_player[row] != game_.player_to_move(position.state)) {
      throw Fault{fmt::format("player {} is not to move", data_.ply_player[row])};
    }
    ActionMask legal;
    game_.legal_actions(position.state, position.history, legal);
    const Action action{data_.ply_action[row]};
    if (!legal.test(action)) throw Fault{fmt::format("the action {} is not legal", index(action))};
    check_policy(legal, row);
    check_values(row);
  }

  // `kinds`: those of the seat's plies before, to which this ply's is added.
  void check_seat(std::set<PlyKind>& kinds, std::size_t row) const {
    kinds.insert(data_.kind(row));
    const bool network = std::ranges::any_of(kinds, is_searched);
    if (network && kinds.contains(PlyKind::opponent)) {
      throw Fault{fmt::format("player {} is the network and an opponent in one game", data_.ply_player[row])};
    }
  }

  void check_policy(const ActionMask& legal, std::size_t row) const {
    const std::size_t count = data_.policy_count[row];
    if (!is_searched(data_.kind(row)) && count != 0) throw Fault{"a policy of a ply without a search"};
    if (data_.kind(row) == PlyKind::full && count == 0) throw Fault{"a full search without a policy"};
    if (count == 0) return;
    ActionMask seen;
    int total = 0;
    for (std::size_t i = data_.policy_first[row]; i < data_.policy_first[row] + count; ++i) {
      const Action action{data_.policy_action[i]};
      if (!legal.test(action)) throw Fault{fmt::format("the policy names the action {}, not legal", index(action))};
      if (seen.test(action)) throw Fault{fmt::format("the policy names the action {} twice", index(action))};
      seen.set(action);
      total += data_.policy_probability[i];
    }
    // Rounding errors are at most half a unit per entry.
    if (std::abs(total - kProbabilityUnits) > 1 + static_cast<int>(count) / 2) {
      throw Fault{fmt::format("the policy sums to {:.4f}", static_cast<double>(total) / kProbabilityUnits)};
    }
  }

  void check_values(std::size_t row) const {
    const auto players = static_cast<std::size_t>(data_.info.players);
    const auto values = std::span(data_.ply_value).subspan(row * players, players);
    float total = 0.0f;
    for (const float value : values) total += value;
    const float expected = is_searched(data_.kind(row)) ? 1.0f : 0.0f;
    if (!(std::abs(total - expected) <= kTolerance)) throw Fault{fmt::format("the values sum to {}", total)};
  }

  // A game of a match that no rule ended.
  void check_decided(const Outcome& outcome, std::size_t which) const {
    if (outcome.over()) throw Fault{"the game was over by its rules, and is called decided"};
    const auto players = static_cast<std::size_t>(data_.info.players);
    float total = 0.0f;
    for (const float points : std::span(data_.game_outcome).subspan(which * players, players)) total += points;
    if (!(std::abs(total - 1.0f) <= kTolerance)) throw Fault{fmt::format("the outcome sums to {}", total)};
  }

  void check_end(const Position<G>& position, std::size_t which) const {
    const Outcome outcome = game_.outcome(position.state, position.history);
    const auto stored_end = static_cast<GameEnd>(data_.game_end[which]);
    if (stored_end == GameEnd::decided) return check_decided(outcome, which);
    if (!outcome.over()) throw Fault{"the game is not over after its last ply"};
    // Files of version 1, which say no depths, say `goal` of every game that was won.
    const bool as_before = data_.ply_depth.empty() && stored_end == GameEnd::goal && outcome.kind == Outcome::Kind::win;
    if (!as_before && stored_end != game_end(game_, position.state, outcome)) {
      throw Fault{fmt::format("it did not end by {}", data_.game_end[which])};
    }
    const auto players = static_cast<std::size_t>(data_.info.players);
    for (std::size_t player = 0; player < players; ++player) {
      const float stored = data_.game_outcome[which * players + player];
      if (std::abs(stored - outcome.values[player]) > kTolerance) {
        throw Fault{fmt::format("player {} got {}, not {}", player, outcome.values[player], stored)};
      }
      const float auxiliary = game_.auxiliary(position.state, static_cast<int>(player));
      if (std::abs(data_.game_auxiliary[which * players + player] - auxiliary) > kTolerance) {
        throw Fault{fmt::format("player {}'s auxiliary value is {}, not {}", player, auxiliary,
                                data_.game_auxiliary[which * players + player])};
      }
    }
  }

  const G& game_;
  const ShardData& data_;
  std::vector<std::uint8_t> packed_;
};

// Of what the shard says beside what its game is.
std::optional<std::string> fault_of_sizes(const ShardInfo& said, const ShardInfo& expected) {
  if (expected.players == said.players && expected.state_bytes == said.state_bytes) return std::nullopt;
  return fmt::format("{} has {} players and {} bytes a position, not {} and {}", said.game, expected.players,
                     expected.state_bytes, said.players, said.state_bytes);
}

}  // namespace

AnyGame game_of(const ShardData& data, const std::string& where) {
  try {
    return parse_game(data.info.game);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", where, error.what()));
  }
}

void require_sizes_of_game(const ShardData& data, const std::string& where) {
  const auto fault = fault_of_sizes(data.info, describe_game(game_of(data, where)));
  if (fault) throw UserError(fmt::format("{}: {}", where, *fault));
}

void require_legal_plies(const ShardData& data, const std::string& where) {
  std::visit(
      [&]<Game G>(const G& game) {
        for (std::size_t which = 0; which < data.games(); ++which) {
          Position<G> position(game);
          for (std::size_t ply = 0; ply < data.game_plies[which]; ++ply) {
            const Action action{data.ply_action[data.game_first_ply[which] + ply]};
            if (!legal_actions_of(game, position).test(action)) {
              throw UserError(fmt::format("{}: ply {} of game {} is not legal; see --verify", where, ply + 1,
                                          data.game_number[which]));
            }
            position.apply(game, action);
          }
        }
      },
      game_of(data, where));
}

std::vector<std::string> verify_shard(const ShardData& data) {
  std::vector<std::string> lines;
  std::optional<AnyGame> any;
  try {
    any = parse_game(data.info.game);
    check_shard(data, "rows");
  } catch (const UserError& error) {
    return {error.what()};
  }
  const ShardInfo expected = describe_game(*any);
  // Files from before a rule existed do not name it; the rules that they name must hold.
  const bool rules_hold = std::ranges::all_of(data.info.rules, [&](const auto& rule) {
    const auto found = expected.rules.find(rule.first);
    return found != expected.rules.end() && found->second == rule.second;
  });
  if (!rules_hold) lines.push_back("the rule parameters are not those of " + data.info.game);
  if (const auto fault = fault_of_sizes(data.info, expected)) {
    lines.push_back(*fault);
    return lines;
  }
  if (expected.action_order != data.info.action_order) lines.push_back("the actions are in another order");

  std::set<std::uint32_t> numbers;
  std::visit(
      [&](const auto& game) {
        Replay replay(game, data);
        for (std::size_t which = 0; which < data.games(); ++which) {
          try {
            if (!numbers.insert(data.game_number[which]).second) throw Fault{"another game has this number"};
            replay.check_game(which);
          } catch (const Fault& fault) {
            lines.push_back(fmt::format("game {}: {}", data.game_number[which], fault.text));
          }
        }
      },
      *any);
  return lines;
}

}  // namespace koridor
