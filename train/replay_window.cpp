#include "train/replay_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace koridor {
namespace {

std::string game_name(const AnyGame& game) {
  return std::visit([](const auto& known) { return std::string(known.name()); }, game);
}

std::vector<std::pair<std::string, std::string>> rules_but_repetition(const AnyGame& game) {
  auto rules = rule_parameters(game);
  std::erase_if(rules, [](const auto& rule) { return rule.first == "repetition"; });
  return rules;
}

}  // namespace

void TrainingBatch::resize(int new_size, const EncodingShape& new_shape) {
  size = new_size;
  shape = new_shape;
  const auto rows = static_cast<std::size_t>(size);
  planes.resize(rows * shape.plane_floats());
  scalars.resize(rows * shape.scalars);
  policy.resize(rows * shape.policy_size());
  legal.resize(rows * shape.policy_size());
  value.resize(rows * shape.value_size());
  auxiliary.resize(rows * shape.players);
}

double window_positions(const TrainingConfig& config, double positions_so_far) {
  const double c = config.window_base;
  if (positions_so_far <= c) return c;
  const double a = config.window_exponent;
  return c * (1.0 + config.window_scale * (std::pow(positions_so_far / c, a) - 1.0) / a);
}

ReplayWindow::ReplayWindow(const AnyGame& game, const Features& features, const TrainingConfig& config,
                           std::string config_hash)
    : game_(game), features_(features), config_(config), config_hash_(std::move(config_hash)) {
  std::visit(
      [this](const auto& g) {
        shape_ = g.encoding(features_);
        mask_words_ = (g.num_actions() + 63) / 64;
      },
      game_);
}

std::size_t ReplayWindow::add(const std::string& path) {
  return add(path, read_shard(path));
}

std::size_t ReplayWindow::add(const std::string& path, ShardData data) {
  if (!config_hash_.empty() && data.info.config_hash != config_hash_) {
    throw UserError(fmt::format("{}: of another configuration (hash {}, this run has {})", path, data.info.config_hash,
                                config_hash_));
  }
  const AnyGame& game = variant(path, data.info.game);
  Shard shard{path, &game, std::move(data), {}, {}};
  std::visit([&](const auto& known) { index(known, shard); }, game);
  const std::size_t count = shard.entries.size();
  shards_.push_back(std::move(shard));
  positions_so_far_ += count;
  rebuild_starts();
  return count;
}

// The game called `name`, if its positions are samples here.
const AnyGame& ReplayWindow::variant(const std::string& path, const std::string& name) {
  const auto found = variants_.find(name);
  if (found != variants_.end()) return found->second;
  const AnyGame game = parse_game(name);
  const bool same_id = name.substr(0, name.find(':')) == game_name(game_).substr(0, game_name(game_).find(':'));
  if (!same_id || rules_but_repetition(game) != rules_but_repetition(game_)) {
    throw UserError(fmt::format("{}: games of {}, but {} is trained here", path, name, game_name(game_)));
  }
  return variants_.emplace(name, game).first->second;
}

// Finds the shard's samples and their legal actions, and checks all that sampling relies on.
template <Game G>
void ReplayWindow::index(const G& game, Shard& shard) const {
  const ShardData& data = shard.data;
  if (data.info.players != game.players() || data.info.state_bytes != game.packed_size()) {
    throw UserError(fmt::format("{}: {} players and {} bytes a state, but {} has {} and {}", shard.path,
                                data.info.players, data.info.state_bytes, game.name(), game.players(),
                                game.packed_size()));
  }
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const History no_history;
  ActionMask mask;
  for (std::uint32_t number = 0; number < data.games(); ++number) {
    const std::uint32_t first = data.game_first_ply[number];
    for (std::uint32_t ply = first; ply < first + data.game_plies[number]; ++ply) {
      if (static_cast<PlyKind>(data.ply_kind[ply]) != PlyKind::full || data.policy_count[ply] == 0) continue;
      const auto state = game.unpack(std::span(data.ply_state).subspan(ply * bytes, bytes));
      if (!state || game.outcome(*state, no_history).over()) {
        throw UserError(fmt::format("{}: ply {} is no position of {}", shard.path, ply, game.name()));
      }
      game.legal_actions(*state, no_history, mask);
      const std::uint32_t policy = data.policy_first[ply];
      std::uint32_t total = 0;
      for (std::uint32_t i = policy; i < policy + data.policy_count[ply]; ++i) {
        if (!mask.test(Action{data.policy_action[i]})) {
          throw UserError(fmt::format("{}: the policy of ply {} has an illegal action", shard.path, ply));
        }
        total += data.policy_probability[i];
      }
      if (total == 0) throw UserError(fmt::format("{}: the policy of ply {} is empty", shard.path, ply));
      shard.entries.push_back({ply, number});
      for (int i = 0; i < mask_words_; ++i) shard.legal.push_back(mask.word(i));
    }
  }
}

void ReplayWindow::trim() {
  const double wanted = window_positions(config_, static_cast<double>(positions_so_far_));
  bool dropped = false;
  std::size_t left = positions();
  while (shards_.size() > 1 && static_cast<double>(left - shards_.front().entries.size()) >= wanted) {
    left -= shards_.front().entries.size();
    shards_.pop_front();
    dropped = true;
  }
  if (dropped) rebuild_starts();
}

void ReplayWindow::rebuild_starts() {
  starts_.clear();
  std::size_t total = 0;
  for (const Shard& shard : shards_) starts_.push_back(total += shard.entries.size());
}

std::vector<std::string> ReplayWindow::files() const {
  std::vector<std::string> paths;
  for (const Shard& shard : shards_) paths.push_back(shard.path);
  return paths;
}

void ReplayWindow::sample(int size, Random& random, TrainingBatch& batch) const {
  batch.resize(size, shape_);
  for (int row = 0; row < size; ++row) {
    const auto drawn = static_cast<std::size_t>(random.below(static_cast<int>(positions())));
    const auto found = std::upper_bound(starts_.begin(), starts_.end(), drawn) - starts_.begin();
    const Shard& shard = shards_[static_cast<std::size_t>(found)];
    const std::size_t entry = drawn - (starts_[found] - shard.entries.size());
    std::visit(
        [&](const auto& game) { write_sample(game, shard, entry, random.below(game.num_symmetries()), row, batch); },
        *shard.game);
  }
}

template <Game G>
void ReplayWindow::write_sample(const G& game, const Shard& shard, std::size_t entry, int symmetry, int row,
                                TrainingBatch& batch) const {
  const ShardData& data = shard.data;
  const auto [ply, number] = shard.entries[entry];
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const auto state = *game.unpack(std::span(data.ply_state).subspan(ply * bytes, bytes));  // checked by index()
  game.encode(state, features_, symmetry, batch.planes.data() + std::size_t(row) * shape_.plane_floats(),
              batch.scalars.data() + std::size_t(row) * shape_.scalars);

  const std::size_t policy_size = shape_.policy_size();
  const std::span legal = std::span(batch.legal).subspan(row * policy_size, policy_size);
  std::ranges::fill(legal, kIllegal);
  for (int word = 0; word < mask_words_; ++word) {
    std::uint64_t rest = shard.legal[entry * mask_words_ + word];
    for (; rest != 0; rest &= rest - 1) {
      const Action action{static_cast<std::uint16_t>(word * 64 + std::countr_zero(rest))};
      legal[game.policy_index(state, symmetry, action)] = 0.0f;
    }
  }

  const std::span policy = std::span(batch.policy).subspan(row * policy_size, policy_size);
  std::ranges::fill(policy, 0.0f);
  const std::uint32_t first = data.policy_first[ply];
  std::uint32_t total = 0;
  for (std::uint32_t i = first; i < first + data.policy_count[ply]; ++i) total += data.policy_probability[i];
  for (std::uint32_t i = first; i < first + data.policy_count[ply]; ++i) {
    policy[game.policy_index(state, symmetry, Action{data.policy_action[i]})] +=
        static_cast<float>(data.policy_probability[i]) / static_cast<float>(total);
  }

  const int players = shape_.players;
  const int mover = game.player_to_move(state);
  const float* outcome = data.game_outcome.data() + std::size_t(number) * players;
  const float* auxiliary = data.game_auxiliary.data() + std::size_t(number) * players;
  float* value = batch.value.data() + std::size_t(row) * (players + 1);
  std::fill_n(value, players + 1, 0.0f);
  value[players] = 1.0f;  // a draw, unless somebody won
  for (int i = 0; i < players; ++i) {
    const int player = (mover + i) % players;
    if (outcome[player] > 0.999f) {
      value[i] = 1.0f;
      value[players] = 0.0f;
    }
    batch.auxiliary[std::size_t(row) * players + i] = auxiliary[player];
  }
}

}  // namespace koridor
