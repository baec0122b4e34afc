// The replay window: the newest shards, held in memory, from which training samples are drawn. It may hold games on
// several boards that share a network; a batch is of one board.
//
// Only plies with a full search are samples; "positions" counts these. A sample is the position as the network sees it
// under a random symmetry, the truth of each target (train/targets) in the same view, and
//   legal      0 where the action is legal, kIllegal elsewhere: added to the policy's logits, so that the softmax of the
//              loss is the one search uses
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"
#include "train/run/config.h"
#include "train/targets/targets.h"

namespace koridor {

// What illegal actions' logits get added: finite, so that 0 * log(probability) stays 0.
inline constexpr float kIllegal = -1e9f;

// What one head is to learn of each sample.
struct TargetRows {
  Head head;
  std::vector<float> rows;  // [size, head_size()]: as the mover sees it; actions: each row sums to 1, or is zero
};

// `size` samples, row-major.
struct TrainingBatch {
  int size = 0;
  EncodingShape shape;
  std::vector<float> planes;        // [size, planes, rows, columns]
  std::vector<float> scalars;       // [size, scalars]
  std::vector<float> legal;         // [size, policy_size], 0 or kIllegal
  std::vector<TargetRows> targets;  // in the order of the network's heads

  void resize(int new_size, const EncodingShape& new_shape, std::span<const Objective> objectives);
  // The rows of a target by its head's name. Throws std::out_of_range for one that is not there.
  std::vector<float>& of(std::string_view name);
  const std::vector<float>& of(std::string_view name) const;
};

// A file that is whole but belongs to another run or game.
class ForeignFile : public UserError {
 public:
  using UserError::UserError;
};

// KataGo's growing window (Wu 2019): N = c (1 + b ((n/c)^a - 1) / a) positions for n positions so far; all of them
// while n <= c.
double window_positions(const TrainingConfig& config, double positions_so_far);

class ReplayWindow {
 public:
  // Shards of `games` are taken (which share a network, as the configuration checks), and of their variants that differ
  // in the repetition rule alone (self-play mixes them).
  // `config_hash`: shards of another configuration are refused; empty: any.
  ReplayWindow(const std::vector<AnyGame>& games, const Features& features, const TrainingConfig& config,
               std::string config_hash);

  // Reads a shard into the window and returns its number of positions. Throws UserError that names `path` where it
  // cannot be read or holds positions or policies against the rules, and ForeignFile where it is of another game or
  // configuration; the window is then as before.
  std::size_t add(const std::string& path);
  std::size_t add(const std::string& path, ShardData shard);

  // Drops the oldest shards while what is left is as large as the window should be.
  void trim();

  std::size_t positions() const;
  // All that were ever added, dropped ones included; a continued run sets it again.
  std::uint64_t positions_so_far() const { return positions_so_far_; }
  void set_positions_so_far(std::uint64_t positions) { positions_so_far_ = positions; }
  std::vector<std::string> files() const;  // oldest first

  // Draws a board in proportion to its positions and then `size` of its positions uniformly (with replacement), each
  // with a random symmetry. Window not empty. Threads may call it at once while nobody adds or trims.
  void sample(int size, Random& random, TrainingBatch& batch) const;

 private:
  struct Shard;
  // A ply with a full search: the game's place in the shard.
  using Entry = std::uint32_t;
  struct Board {
    AnyGame game;
    EncodingShape shape;
    int mask_words;  // of 64 actions
    std::vector<const Shard*> shards{};
    std::vector<std::size_t> starts{};  // [shards]: positions up to and with each shard

    std::size_t positions() const { return starts.empty() ? 0 : starts.back(); }
  };
  // A game whose positions are samples, and the board it is played on.
  struct Variant {
    AnyGame game;
    std::size_t board;
  };
  // The truth of one target for all entries: numbers, or shares of actions.
  struct Truth {
    std::vector<float> numbers;                // [entries or games, head_size()]
    std::vector<std::uint32_t> action_starts;  // [entries]: where an entry's shares begin; they end where the next's do
    std::vector<ActionShare> actions;
  };
  struct Shard {
    std::string path;
    const Variant* variant;
    std::vector<Entry> entries{};
    std::vector<std::uint8_t> states{};  // [entries, packed_size]
    std::vector<std::uint64_t> legal{};  // [entries, mask_words of the board]
    std::vector<Truth> truths{};         // [objectives]
  };

  template <Game G>
  void index(const G& game, const Board& board, const ShardData& data, Shard& shard) const;
  // Keeps a ply as a sample: its state, its legal actions and the truths that differ from ply to ply.
  void keep_entry(const PlyView& view, const ActionMask& legal, const Board& board, Shard& shard) const;
  void keep_truth(const Objective& objective, const PlyView& view, Truth& truth) const;
  // A position as its mover sees it.
  template <Game G>
  struct View {
    const typename G::State& state;
    const EncodingShape& shape;
    int symmetry;
    int mover;
  };
  template <Game G>
  void write_sample(const G& game, const Shard& shard, std::size_t entry, int symmetry, int row,
                    TrainingBatch& batch) const;
  // The truth of objective `number` in the view of the sample's mover.
  template <Game G>
  void write_truth(const G& game, const Shard& shard, std::size_t entry, std::size_t number, const View<G>& view,
                   std::span<float> out) const;
  const Board& draw_board(Random& random) const;
  void rebuild_starts();

  const Variant& variant(const std::string& path, const std::string& name);

  std::vector<Board> boards_;
  std::vector<Objective> objectives_;        // of all boards, whose shapes have the same heads
  std::map<std::string, Variant> variants_;  // by canonical name; Shard::variant points into it
  Features features_;
  TrainingConfig config_;
  std::string config_hash_;
  std::deque<Shard> shards_;
  std::uint64_t positions_so_far_ = 0;
};

}  // namespace koridor
