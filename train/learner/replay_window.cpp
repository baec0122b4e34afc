#include "train/learner/replay_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/error.h"

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
  ownership.resize(rows * shape.ownership_planes * shape.area());
}

double window_positions(const TrainingConfig& config, double positions_so_far) {
  const double c = config.window_base;
  if (positions_so_far <= c) return c;
  const double a = config.window_exponent;
  return c * (1.0 + config.window_scale * (std::pow(positions_so_far / c, a) - 1.0) / a);
}

ReplayWindow::ReplayWindow(const std::vector<AnyGame>& games, const Features& features, const TrainingConfig& config,
                           std::string config_hash)
    : features_(features), config_(config), config_hash_(std::move(config_hash)) {
  for (const AnyGame& game : games) {
    std::visit(
        [&](const auto& known) {
          boards_.push_back({known, known.encoding(features_), (known.num_actions() + 63) / 64});
        },
        game);
  }
}

std::size_t ReplayWindow::positions() const {
  std::size_t total = 0;
  for (const Board& board : boards_) total += board.positions();
  return total;
}

std::size_t ReplayWindow::add(const std::string& path) {
  return add(path, read_shard(path));
}

std::size_t ReplayWindow::add(const std::string& path, ShardData data) {
  if (!config_hash_.empty() && data.info.config_hash != config_hash_) {
    throw UserError(fmt::format("{}: of another configuration (hash {}, this run has {})", path, data.info.config_hash,
                                config_hash_));
  }
  const Variant& of = variant(path, data.info.game);
  Shard shard{path, &of};
  std::visit([&](const auto& game) { index(game, boards_[of.board], data, shard); }, of.game);
  const std::size_t count = shard.entries.size();
  shards_.push_back(std::move(shard));
  positions_so_far_ += count;
  rebuild_starts();
  return count;
}

// The game called `name`, if its positions are samples here.
const ReplayWindow::Variant& ReplayWindow::variant(const std::string& path, const std::string& name) {
  const auto found = variants_.find(name);
  if (found != variants_.end()) return found->second;
  const AnyGame game = parse_game(name);
  const auto id = [](const std::string& of) { return of.substr(0, of.find(':')); };
  std::vector<std::string> trained;
  for (std::size_t board = 0; board < boards_.size(); ++board) {
    const AnyGame& known = boards_[board].game;
    trained.push_back(game_name(known));
    if (id(name) == id(trained.back()) && rules_but_repetition(game) == rules_but_repetition(known)) {
      return variants_.emplace(name, Variant{game, board}).first->second;
    }
  }
  throw UserError(fmt::format("{}: games of {}, but {} is trained here", path, name, fmt::join(trained, " and ")));
}

// Keeps of a shard's data what sampling needs, and checks all that it relies on.
template <Game G>
void ReplayWindow::index(const G& game, const Board& board, const ShardData& data, Shard& shard) {
  if (data.info.players != game.players() || data.info.state_bytes != game.packed_size()) {
    throw UserError(fmt::format("{}: {} players and {} bytes a state, but {} has {} and {}", shard.path,
                                data.info.players, data.info.state_bytes, game.name(), game.players(),
                                game.packed_size()));
  }
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const auto area = static_cast<std::size_t>(board.shape.area());
  shard.outcome = data.game_outcome;
  shard.auxiliary = data.game_auxiliary;
  History history(game.max_plies() + 1);
  ActionMask mask;
  for (std::uint32_t number = 0; number < data.games(); ++number) {
    const std::uint32_t first = data.game_first_ply[number];
    const std::uint32_t end = first + data.game_plies[number];
    history.clear();
    for (std::uint32_t ply = first; ply < end; ++ply) {
      const auto packed = std::span(data.ply_state).subspan(ply * bytes, bytes);
      auto state = game.unpack(packed);
      if (!state || game.outcome(*state, history).over()) {
        throw UserError(fmt::format("{}: ply {} is no position of {}", shard.path, ply, game.name()));
      }
      const bool sample = static_cast<PlyKind>(data.ply_kind[ply]) == PlyKind::full && data.policy_count[ply] > 0;
      constexpr bool kOwnership = requires(std::span<float> out) {
        game.ownership(*state, 0, out);
      };
      const bool owned = kOwnership && ply + 1 == end;  // the last position tells whose the squares are
      if (sample || owned) game.legal_actions(*state, history, mask);
      if (sample) {
        shard.entries.push_back(
            {number, static_cast<std::uint32_t>(shard.policy_action.size()), data.policy_count[ply]});
        shard.states.insert(shard.states.end(), packed.begin(), packed.end());
        for (int i = 0; i < board.mask_words; ++i) shard.legal.push_back(mask.word(i));
        const std::uint32_t policy = data.policy_first[ply];
        std::uint32_t total = 0;
        for (std::uint32_t i = policy; i < policy + data.policy_count[ply]; ++i) {
          if (!mask.test(Action{data.policy_action[i]})) {
            throw UserError(fmt::format("{}: the policy of ply {} has an illegal action", shard.path, ply));
          }
          total += data.policy_probability[i];
          shard.policy_action.push_back(data.policy_action[i]);
          shard.policy_probability.push_back(data.policy_probability[i]);
        }
        if (total == 0) throw UserError(fmt::format("{}: the policy of ply {} is empty", shard.path, ply));
      }
      if constexpr (kOwnership) {
        if (owned) {
          if (!mask.test(Action{data.ply_action[ply]})) {
            throw UserError(fmt::format("{}: the last action of game {} is illegal", shard.path, number));
          }
          game.apply(*state, Action{data.ply_action[ply]});
          shard.ownership.resize(shard.ownership.size() + area);
          game.ownership(*state, 0, std::span(shard.ownership).last(area));
          continue;
        }
      }
      remember(game, *state, history);
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
  for (Board& board : boards_) {
    board.shards.clear();
    board.starts.clear();
  }
  for (const Shard& shard : shards_) {
    Board& board = boards_[shard.variant->board];
    board.starts.push_back(board.positions() + shard.entries.size());
    board.shards.push_back(&shard);
  }
}

std::vector<std::string> ReplayWindow::files() const {
  std::vector<std::string> paths;
  for (const Shard& shard : shards_) paths.push_back(shard.path);
  return paths;
}

const ReplayWindow::Board& ReplayWindow::draw_board(Random& random) const {
  if (boards_.size() == 1) return boards_[0];
  auto drawn = static_cast<std::size_t>(random.below(static_cast<int>(positions())));
  for (const Board& board : boards_) {
    if (drawn < board.positions()) return board;
    drawn -= board.positions();
  }
  return boards_.back();
}

void ReplayWindow::sample(int size, Random& random, TrainingBatch& batch) const {
  const Board& board = draw_board(random);
  batch.resize(size, board.shape);
  for (int row = 0; row < size; ++row) {
    const auto drawn = static_cast<std::size_t>(random.below(static_cast<int>(board.positions())));
    const auto found = std::upper_bound(board.starts.begin(), board.starts.end(), drawn) - board.starts.begin();
    const Shard& shard = *board.shards[static_cast<std::size_t>(found)];
    const std::size_t entry = drawn - (board.starts[static_cast<std::size_t>(found)] - shard.entries.size());
    std::visit(
        [&](const auto& game) { write_sample(game, shard, entry, random.below(game.num_symmetries()), row, batch); },
        shard.variant->game);
  }
}

template <Game G>
void ReplayWindow::write_sample(const G& game, const Shard& shard, std::size_t entry, int symmetry, int row,
                                TrainingBatch& batch) const {
  const EncodingShape& shape = batch.shape;
  const int mask_words = boards_[shard.variant->board].mask_words;
  const auto [number, first, count] = shard.entries[entry];
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const auto state = *game.unpack(std::span(shard.states).subspan(entry * bytes, bytes));  // checked by index()
  game.encode(state, features_, symmetry, batch.planes.data() + std::size_t(row) * shape.plane_floats(),
              batch.scalars.data() + std::size_t(row) * shape.scalars);

  const std::size_t policy_size = shape.policy_size();
  const std::span legal = std::span(batch.legal).subspan(row * policy_size, policy_size);
  std::ranges::fill(legal, kIllegal);
  for (int word = 0; word < mask_words; ++word) {
    std::uint64_t rest = shard.legal[entry * mask_words + word];
    for (; rest != 0; rest &= rest - 1) {
      const Action action{static_cast<std::uint16_t>(word * 64 + std::countr_zero(rest))};
      legal[game.policy_index(state, symmetry, action)] = 0.0f;
    }
  }

  const std::span policy = std::span(batch.policy).subspan(row * policy_size, policy_size);
  std::ranges::fill(policy, 0.0f);
  std::uint32_t total = 0;
  for (std::uint32_t i = first; i < first + count; ++i) total += shard.policy_probability[i];
  for (std::uint32_t i = first; i < first + count; ++i) {
    policy[game.policy_index(state, symmetry, Action{shard.policy_action[i]})] +=
        static_cast<float>(shard.policy_probability[i]) / static_cast<float>(total);
  }

  const int players = shape.players;
  const int mover = game.player_to_move(state);
  const float* outcome = shard.outcome.data() + std::size_t(number) * players;
  const float* auxiliary = shard.auxiliary.data() + std::size_t(number) * players;
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

  if (shape.ownership_planes == 0) return;
  const auto area = static_cast<std::size_t>(shape.area());
  const float* owners = shard.ownership.data() + number * area;
  float* ownership = batch.ownership.data() + std::size_t(row) * area;
  for (std::size_t square = 0; square < area; ++square) {
    const Action action{static_cast<std::uint16_t>(square)};
    ownership[game.policy_index(state, symmetry, action)] = mover == 0 ? owners[square] : 1.0f - owners[square];
  }
}

}  // namespace koridor
