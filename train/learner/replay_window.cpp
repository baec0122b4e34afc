#include "train/learner/replay_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "selfplay/shards/verify.h"
#include "train/run/sample_shares.h"

namespace koridor {

void TrainingBatch::resize(int new_size, const EncodingShape& new_shape, std::span<const Objective> objectives) {
  size = whole = new_size;
  shape = new_shape;
  const auto rows = static_cast<std::size_t>(size);
  planes.resize(rows * shape.plane_floats());
  scalars.resize(rows * shape.scalars);
  legal.resize(rows * shape.policy_size());
  targets.resize(objectives.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i].head = objectives[i].head;
    targets[i].rows.resize(rows * static_cast<std::size_t>(head_size(objectives[i].head, shape)));
  }
}

const std::vector<float>& TrainingBatch::of(std::string_view name) const {
  for (const TargetRows& target : targets) {
    if (target.head.name == name) return target.rows;
  }
  throw std::out_of_range("a batch without the target " + std::string(name));
}
std::vector<float>& TrainingBatch::of(std::string_view name) {
  return const_cast<std::vector<float>&>(std::as_const(*this).of(name));
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
  objectives_ = objectives_of(config_.weights, boards_.front().shape);
}

std::size_t ReplayWindow::positions() const {
  std::size_t total = 0;
  for (const Board& board : boards()) total += board.positions();
  return total;
}

std::size_t ReplayWindow::add(const std::string& path) {
  return add(path, read_shard(path));
}

std::size_t ReplayWindow::add(const std::string& path, ShardData data) {
  if (!config_hash_.empty() && data.info.config_hash != config_hash_) {
    throw ForeignFile(fmt::format("{}: of another configuration (hash {}, this run has {})", path,
                                  data.info.config_hash, config_hash_));
  }
  const Variant& of = variant(path, data);
  Shard shard{path, &of, data.info.generation};
  std::visit([&](const auto& game) { index(game, boards_[of.board], data, shard); }, of.game);
  const std::size_t count = shard.entries.size();
  shards_.push_back(std::move(shard));
  positions_so_far_ += count;
  append_games(shards_.back(), data.game_number);
  return count;
}

bool ReplayWindow::is_before(const Slice& a, const Slice& b) {
  // The board comes last: where a part of a generation is dropped, every board loses the same share of its games.
  const auto key = [](const Slice& slice) {
    return std::tuple(slice.shard->generation, slice.number, slice.shard->variant->board);
  };
  return key(a) < key(b);
}

// Adds a shard's games to `slices_`, behind those that are there.
void ReplayWindow::append_games(Shard& shard, const std::vector<std::uint32_t>& game_numbers) {
  all_in_order_ = false;
  for (std::uint32_t entry = 0; entry < shard.entries.size(); ++entry) {
    if (entry > 0 && shard.entries[entry] == shard.entries[entry - 1]) {
      ++slices_.back().count;
    } else {
      slices_.push_back({&shard, entry, 1, game_numbers[shard.entries[entry]]});
      ++shard.games;
    }
  }
}

const std::vector<ReplayWindow::Board>& ReplayWindow::boards() const {
  if (!all_in_order_) {
    const std::lock_guard lock(ordering_);
    if (!all_in_order_) put_in_order();
  }
  return boards_;
}

void ReplayWindow::put_in_order() const {
  const auto added = slices_.begin() + static_cast<std::ptrdiff_t>(in_order_);
  std::stable_sort(added, slices_.end(), is_before);
  std::inplace_merge(slices_.begin(), added, slices_.end(), is_before);
  rebuild_boards();
  all_in_order_ = true;
}

// The shard's game, if its positions are samples here.
const ReplayWindow::Variant& ReplayWindow::variant(const std::string& path, const ShardData& data) {
  const std::string& name = data.info.game;
  const auto found = variants_.find(name);
  if (found != variants_.end()) return found->second;
  const AnyGame game = game_of(data, path);
  // Two boards may differ in repetition alone.
  auto board = std::ranges::find(boards_, name_of(game), [](const Board& known) { return name_of(known.game); });
  if (board == boards_.end()) {
    board =
        std::ranges::find_if(boards_, [&](const Board& known) { return same_but_for_repetition(game, known.game); });
  }
  if (board != boards_.end()) {
    const auto number = static_cast<std::size_t>(board - boards_.begin());
    return variants_.emplace(name, Variant{game, number}).first->second;
  }
  std::vector<std::string> trained;
  for (const Board& known : boards_) trained.push_back(name_of(known.game));
  throw ForeignFile(fmt::format("{}: games of {}, but {} is trained here", path, name, fmt::join(trained, " and ")));
}

namespace {

// Throws UserError unless the ply's policy has legal actions only.
void check_policy(const ShardData& data, std::size_t ply, const ActionMask& legal, const std::string& path) {
  std::uint32_t total = 0;
  const std::uint32_t first = data.policy_first[ply];
  for (std::uint32_t i = first; i < first + data.policy_count[ply]; ++i) {
    if (!legal.test(Action{data.policy_action[i]})) {
      throw UserError(fmt::format("{}: the policy of ply {} has an illegal action", path, ply));
    }
    total += data.policy_probability[i];
  }
  if (total == 0) throw UserError(fmt::format("{}: the policy of ply {} is empty", path, ply));
}

// Throws UserError where the shares of a target's actions are none: an action that the game has not, or nothing at all.
void check_shares(std::span<const ActionShare> shares, const PlyView& view, const std::string& path) {
  const int actions = std::visit([](const auto& game) { return game.num_actions(); }, view.game);
  std::uint32_t total = 0;
  for (const auto& [action, share] : shares) {
    if (action >= actions) {
      throw UserError(fmt::format("{}: an action beside ply {} that the game does not have", path, view.ply));
    }
    total += share;
  }
  if (!shares.empty() && total == 0)
    throw UserError(fmt::format("{}: a policy beside ply {} is empty", path, view.ply));
}

}  // namespace

// Keeps what sampling needs of a shard's data, and checks all that it relies on.
template <Game G>
void ReplayWindow::index(const G& game, const Board& board, const ShardData& data, Shard& shard) const {
  if (data.info.players != game.players() || data.info.state_bytes != game.packed_size()) {
    throw UserError(fmt::format("{}: {} players and {} bytes a state, but {} has {} and {}", shard.path,
                                data.info.players, data.info.state_bytes, game.name(), game.players(),
                                game.packed_size()));
  }
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const AnyGame any = game;
  shard.truths.resize(objectives_.size());
  History history(game.max_plies() + 1);
  ActionMask mask;
  for (std::size_t number = 0; number < data.games(); ++number) {
    const std::size_t first = data.game_first_ply[number];
    const std::size_t end = first + data.game_plies[number];
    history.clear();
    SampleShares shares(data, number, config_);
    for (std::size_t ply = first; ply < end; ++ply) {
      const auto state = game.unpack(std::span(data.ply_state).subspan(ply * bytes, bytes));
      if (!state || game.outcome(*state, history).over()) {
        throw UserError(fmt::format("{}: ply {} is no position of {}", shard.path, ply, game.name()));
      }
      const PlyView view{any, board.shape, data, number, end, ply, config_.targets};
      const int samples = shares.samples(ply);
      const bool last = ply + 1 == end;
      if (samples > 0 || last) game.legal_actions(*state, history, mask);
      if (samples > 0 && data.policy_count[ply] > 0) check_policy(data, ply, mask, shard.path);
      for (int i = 0; i < samples; ++i) keep_entry(view, mask, board, shard);
      if (last) {
        if (!mask.test(Action{data.ply_action[ply]})) {
          throw UserError(fmt::format("{}: the last action of game {} is illegal", shard.path, number));
        }
        for (std::size_t i = 0; i < objectives_.size(); ++i) {
          if (objectives_[i].target->of_game()) keep_truth(objectives_[i], view, shard.path, shard.truths[i]);
        }
      }
      remember(game, *state, history);
    }
  }
  // A window of many shards would else hold a third more than it needs.
  shard.entries.shrink_to_fit();
  shard.states.shrink_to_fit();
  shard.legal.shrink_to_fit();
  for (Truth& truth : shard.truths) {
    truth.numbers.shrink_to_fit();
    truth.action_starts.shrink_to_fit();
    truth.actions.shrink_to_fit();
  }
}

void ReplayWindow::keep_entry(const PlyView& view, const ActionMask& legal, const Board& board, Shard& shard) const {
  const auto bytes = static_cast<std::size_t>(view.shard.info.state_bytes);
  const auto packed = std::span(view.shard.ply_state).subspan(view.ply * bytes, bytes);
  shard.entries.push_back(static_cast<Entry>(view.number));
  shard.states.insert(shard.states.end(), packed.begin(), packed.end());
  for (int i = 0; i < board.mask_words; ++i) shard.legal.push_back(legal.word(i));
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    if (!objectives_[i].target->of_game()) keep_truth(objectives_[i], view, shard.path, shard.truths[i]);
  }
}

void ReplayWindow::keep_truth(const Objective& objective, const PlyView& view, const std::string& path,
                              Truth& truth) const {
  if (objective.head.extent == Extent::actions) {
    const std::size_t first = truth.actions.size();
    truth.action_starts.push_back(static_cast<std::uint32_t>(first));
    objective.target->write(view, truth.actions);
    check_shares(std::span(truth.actions).subspan(first), view, path);
    return;
  }
  const auto size = static_cast<std::size_t>(head_size(objective.head, view.shape));
  truth.numbers.resize(truth.numbers.size() + size);
  objective.target->write(view, std::span(truth.numbers).last(size));
}

void ReplayWindow::trim() {
  const double wanted = window_positions(config_, static_cast<double>(positions_so_far_));
  std::size_t left = positions();  // puts the games in order
  std::size_t dropped = 0;
  while (dropped + 1 < slices_.size() && static_cast<double>(left - slices_[dropped].count) >= wanted) {
    left -= slices_[dropped].count;
    --slices_[dropped].shard->games;
    ++dropped;
  }
  if (dropped == 0) return;
  slices_.erase(slices_.begin(), slices_.begin() + static_cast<std::ptrdiff_t>(dropped));
  std::erase_if(shards_, [](const Shard& shard) { return shard.games == 0; });
  rebuild_boards();
}

void ReplayWindow::rebuild_boards() const {
  for (Board& board : boards_) {
    board.slices.clear();
    board.ends.clear();
  }
  for (const Slice& slice : slices_) {
    Board& board = boards_[slice.shard->variant->board];
    board.ends.push_back(board.positions() + slice.count);
    board.slices.push_back(slice);
  }
  in_order_ = slices_.size();
}

std::vector<std::string> ReplayWindow::files() const {
  std::vector<std::string> paths;
  for (const Shard& shard : shards_) paths.push_back(shard.path);
  return paths;
}

const ReplayWindow::Board& ReplayWindow::draw_board(Random& random) const {
  const std::vector<Board>& all = boards();
  if (all.size() == 1) return all[0];
  auto drawn = static_cast<std::size_t>(random.below(static_cast<int>(positions())));
  for (const Board& board : all) {
    if (drawn < board.positions()) return board;
    drawn -= board.positions();
  }
  return all.back();
}

namespace {

// The share of `size` samples that have a policy; 1 where none has.
float policy_share(int with_policy, int size) {
  return with_policy == 0 ? 1.0f : static_cast<float>(with_policy) / static_cast<float>(size);
}

}  // namespace

void ReplayWindow::sample(int size, Random& random, TrainingBatch& batch, BatchPart part) const {
  const Board& board = draw_board(random);
  const int first = size * part.index / part.of;
  batch.resize(size * (part.index + 1) / part.of - first, board.shape, objectives_);
  batch.whole = size;
  batch.board = static_cast<int>(&board - boards_.data());
  int with_policy = 0;
  for (int row = 0; row < size; ++row) {
    // Every sample is drawn and counted, whichever rows are asked for.
    const auto drawn = static_cast<std::size_t>(random.below(static_cast<int>(board.positions())));
    const Position found = position(board, drawn);
    const int symmetries =
        std::visit([](const auto& game) { return game.num_symmetries(); }, found.shard.variant->game);
    const int symmetry = random.below(symmetries);
    with_policy += config_.cheap_share > 0 && has_policy(found) ? 1 : 0;
    if (row >= first && row < first + batch.size) write_position(found, symmetry, row - first, batch);
  }
  batch.policy_share = policy_share(with_policy, size);
}

void ReplayWindow::read(int board, std::size_t first, int size, TrainingBatch& batch) const {
  const Board& of = boards()[static_cast<std::size_t>(board)];
  batch.resize(size, of.shape, objectives_);
  batch.board = board;
  int with_policy = 0;
  for (int row = 0; row < size; ++row) {
    const Position found = position(of, first + static_cast<std::size_t>(row));
    with_policy += config_.cheap_share > 0 && has_policy(found) ? 1 : 0;
    write_position(found, 0, row, batch);
  }
  batch.policy_share = policy_share(with_policy, size);
}

ReplayWindow::Position ReplayWindow::position(const Board& board, std::size_t number) const {
  const auto found = std::upper_bound(board.ends.begin(), board.ends.end(), number) - board.ends.begin();
  const Slice& slice = board.slices[static_cast<std::size_t>(found)];
  return {*slice.shard, slice.first + slice.count - (board.ends[static_cast<std::size_t>(found)] - number)};
}

// The policy is the first objective; what keep_truth() kept of it is not all 0.
bool ReplayWindow::has_policy(const Position& position) const {
  const auto& [numbers, starts, actions] = position.shard.truths.front();
  const std::size_t next = position.entry + 1;
  return starts[position.entry] < (next < starts.size() ? starts[next] : actions.size());
}

void ReplayWindow::write_position(const Position& position, int symmetry, int row, TrainingBatch& batch) const {
  std::visit([&](const auto& game) { write_sample(game, position, symmetry, row, batch); },
             position.shard.variant->game);
}

template <Game G>
void ReplayWindow::write_sample(const G& game, const Position& position, int symmetry, int row,
                                TrainingBatch& batch) const {
  const auto& [shard, entry] = position;
  const EncodingShape& shape = batch.shape;
  const auto bytes = static_cast<std::size_t>(game.packed_size());
  const auto state = *game.unpack(std::span(shard.states).subspan(entry * bytes, bytes));  // checked by index()
  game.encode(state, features_, symmetry, batch.planes.data() + std::size_t(row) * shape.plane_floats(),
              batch.scalars.data() + std::size_t(row) * shape.scalars);

  const std::size_t policy_size = shape.policy_size();
  const std::span legal = std::span(batch.legal).subspan(row * policy_size, policy_size);
  std::ranges::fill(legal, kIllegal);
  const int mask_words = boards_[shard.variant->board].mask_words;
  for (int word = 0; word < mask_words; ++word) {
    std::uint64_t rest = shard.legal[entry * mask_words + word];
    for (; rest != 0; rest &= rest - 1) {
      const Action action{static_cast<std::uint16_t>(word * 64 + std::countr_zero(rest))};
      legal[game.policy_index(state, symmetry, action)] = 0.0f;
    }
  }

  const View<G> view{state, shape, symmetry, game.player_to_move(state)};
  for (std::size_t i = 0; i < objectives_.size(); ++i) {
    const auto size = static_cast<std::size_t>(head_size(objectives_[i].head, shape));
    write_truth(game, position, i, view, std::span(batch.targets[i].rows).subspan(row * size, size));
  }
}

template <Game G>
void ReplayWindow::write_truth(const G& game, const Position& position, std::size_t number, const View<G>& view,
                               std::span<float> out) const {
  const auto& [shard, entry] = position;
  const auto& [target, head, weight] = objectives_[number];
  const Truth& truth = shard.truths[number];
  const auto place = [&](Action action) { return game.policy_index(view.state, view.symmetry, action); };
  const std::size_t row = target->of_game() ? shard.entries[entry] : entry;
  if (head.extent == Extent::actions) {
    const std::size_t first = truth.action_starts[row];
    const std::size_t end = row + 1 < truth.action_starts.size() ? truth.action_starts[row + 1] : truth.actions.size();
    const std::span shares = std::span(truth.actions).subspan(first, end - first);
    std::uint32_t total = 0;
    for (const ActionShare& share : shares) total += share.share;
    std::ranges::fill(out, 0.0f);
    for (const auto& [action, share] : shares) {
      out[place(Action{action})] += static_cast<float>(share) / static_cast<float>(total);
    }
    return;
  }
  const std::span numbers = std::span(truth.numbers).subspan(row * out.size(), out.size());
  const std::size_t each = out.size() / static_cast<std::size_t>(head.count);
  const auto players = static_cast<std::size_t>(view.shape.players);
  for (std::size_t first = 0; first < out.size(); first += each) {
    switch (head.extent) {
      case Extent::actions:
        break;
      case Extent::outcome:
        out[first + players] = numbers[first + players];
        [[fallthrough]];
      case Extent::players:
        for (std::size_t i = 0; i < players; ++i) out[first + i] = numbers[first + (view.mover + i) % players];
        break;
      case Extent::squares:
        for (std::uint16_t square = 0; square < each; ++square) {
          const float owned = numbers[first + square];
          out[first + place(Action{square})] = view.mover == 0 ? owned : 1.0f - owned;
        }
        break;
      case Extent::scalar:
        out[first] = numbers[first];
        break;
    }
  }
}

}  // namespace koridor
