// The replay window: the newest shards, held in memory, from which training samples are drawn. It may hold games on
// several boards that share a network; a batch is of one board.
//
// Samples are plies with a full search, and what sample_shares.h makes of plies where settings ask for it; "positions"
// counts them. They are numbered by generation, number of the game, board, and ply, so that what is drawn does not
// depend on which file holds a game. A sample consists of
//   planes, scalars   the position as the network sees it under a random symmetry
//   targets           the truth of each target (train/targets) in the same view
//   legal             0 for a legal action and kIllegal for any other; added to the policy's logits, it makes the loss
//                     use the same softmax as the search
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
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

// Added to the logits of illegal actions. It is finite, so that 0 * log(probability) stays 0.
inline constexpr float kIllegal = -1e9f;

// What one head is to learn from each sample.
struct TargetRows {
  Head head;
  std::vector<float> rows;  // [size, head_size()], in the mover's view; a row of actions sums to 1, or is all 0
};

// The rows [size * index / of, size * (index + 1) / of) of a batch of `size` samples: what one of several trainers
// learns.
struct BatchPart {
  int index = 0;
  int of = 1;
};

// A batch of `size` samples; all arrays are row-major.
struct TrainingBatch {
  int size = 0;
  int whole = 0;  // samples of the batch that these are a part of; `size` where they are all of it
  int board = 0;  // index of its board in the window's games
  EncodingShape shape;
  std::vector<float> planes;        // [size, planes, rows, columns]
  std::vector<float> scalars;       // [size, scalars]
  std::vector<float> legal;         // [size, policy_size], 0 or kIllegal
  std::vector<TargetRows> targets;  // in the order of the network's heads
  float policy_share = 1.0f;        // of the whole batch's samples that have a policy, in (0, 1]; 1 where none has

  void resize(int new_size, const EncodingShape& new_shape, std::span<const Objective> objectives);
  // The rows of a target, by its head's name. Throws std::out_of_range for a name that the batch does not have.
  std::vector<float>& of(std::string_view name);
  const std::vector<float>& of(std::string_view name) const;
};

// Thrown for a file that is whole but belongs to another run or game.
class ForeignFile : public UserError {
 public:
  using UserError::UserError;
};

// The size of KataGo's growing window (Wu 2019) in positions: N = c (1 + b ((n/c)^a - 1) / a) for n positions so far,
// and all of them while n <= c. c, a and b are window_base, window_exponent and window_scale.
double window_positions(const TrainingConfig& config, double positions_so_far);

class ReplayWindow {
 public:
  // The window takes shards of `games`, and of their variants that differ in the repetition rule alone, since self-play
  // mixes them. The games must share a network, as the configuration checks. A shard with a configuration hash other
  // than `config_hash` is refused; an empty `config_hash` allows any.
  ReplayWindow(const std::vector<AnyGame>& games, const Features& features, const TrainingConfig& config,
               std::string config_hash);

  // Reads a shard into the window and returns its number of positions. Throws UserError that names `path` where it
  // cannot be read or holds positions or policies that break the rules, and ForeignFile where it is of another game or
  // configuration; the window is then unchanged.
  std::size_t add(const std::string& path);
  std::size_t add(const std::string& path, ShardData shard);

  // Drops the oldest games as long as the others fill the window's size, and a file when its last game is dropped.
  void trim();

  std::size_t positions() const;
  // All positions that were ever added, dropped ones included. A continued run sets the number again.
  std::uint64_t positions_so_far() const { return positions_so_far_; }
  void set_positions_so_far(std::uint64_t positions) { positions_so_far_ = positions; }
  std::vector<std::string> files() const;  // in the order in which they were added

  // Positions of one board, and a batch of those numbered [first, first + size), the oldest first and as they were
  // played (no symmetry). The numbers must be below positions(board).
  std::size_t positions(int board) const { return boards()[static_cast<std::size_t>(board)].positions(); }
  void read(int board, std::size_t first, int size, TrainingBatch& batch) const;

  // Draws a board in proportion to its positions, and then `size` of its positions uniformly with replacement, each
  // with a random symmetry. The batch gets the given part of them. The window must not be empty. Several threads may
  // call it at once while nobody adds or trims.
  void sample(int size, Random& random, TrainingBatch& batch, BatchPart part = {}) const;

 private:
  struct Shard;
  // A sample: a ply with a full search, or one more of those that sample_shares.h adds; the value is the index of its
  // game in the shard.
  using Entry = std::uint32_t;
  // A game's entries in its shard: [first, first + count).
  struct Slice {
    Shard* shard;
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t number;  // of the game within its generation
  };
  struct Board {
    AnyGame game;
    EncodingShape shape;
    int mask_words;  // words of 64 actions each
    std::vector<Slice> slices{};
    std::vector<std::size_t> ends{};  // [slices]: the positions of each slice and all before it

    std::size_t positions() const { return ends.empty() ? 0 : ends.back(); }
  };
  // A game whose positions are samples, and the board it is played on.
  struct Variant {
    AnyGame game;
    std::size_t board;
  };
  // The truth of one target for all entries: numbers, or shares of actions.
  struct Truth {
    std::vector<float> numbers;                // [entries or games, head_size()]
    std::vector<std::uint32_t> action_starts;  // [entries]: where an entry's shares begin, and those before it end
    std::vector<ActionShare> actions;
  };
  struct Shard {
    std::string path;
    const Variant* variant;
    int generation = 0;
    std::size_t games = 0;  // how many of its games have samples in the window
    std::vector<Entry> entries{};
    std::vector<std::uint8_t> states{};  // [entries, packed_size]
    std::vector<std::uint64_t> legal{};  // [entries, mask_words of the board]
    std::vector<Truth> truths{};         // [objectives]
  };

  template <Game G>
  void index(const G& game, const Board& board, const ShardData& data, Shard& shard) const;
  // Keeps a ply as a sample: its state, its legal actions and the truths that differ from ply to ply.
  void keep_entry(const PlyView& view, const ActionMask& legal, const Board& board, Shard& shard) const;
  void keep_truth(const Objective& objective, const PlyView& view, const std::string& path, Truth& truth) const;
  struct Position {
    const Shard& shard;
    std::size_t entry;
  };
  // A position as its mover sees it.
  template <Game G>
  struct View {
    const typename G::State& state;
    const EncodingShape& shape;
    int symmetry;
    int mover;
  };
  template <Game G>
  void write_sample(const G& game, const Position& position, int symmetry, int row, TrainingBatch& batch) const;
  // Writes the truth of objective `number` in the view of the sample's mover.
  template <Game G>
  void write_truth(const G& game, const Position& position, std::size_t number, const View<G>& view,
                   std::span<float> out) const;
  const Board& draw_board(Random& random) const;
  static bool is_before(const Slice& a, const Slice& b);
  void append_games(Shard& shard, const std::vector<std::uint32_t>& game_numbers);
  // The boards with all games in order. Those of the shards added since the last call are put there now, once for all
  // of them; where several threads call it the first one does so and the others wait.
  const std::vector<Board>& boards() const;
  void put_in_order() const;
  void rebuild_boards() const;
  // The board's position `number`.
  Position position(const Board& board, std::size_t number) const;
  bool has_policy(const Position& position) const;
  void write_position(const Position& position, int symmetry, int row, TrainingBatch& batch) const;

  const Variant& variant(const std::string& path, const ShardData& data);

  mutable std::vector<Board> boards_;
  std::vector<Objective> objectives_;        // the same for all boards
  std::map<std::string, Variant> variants_;  // by canonical name; Shard::variant points into it
  Features features_;
  TrainingConfig config_;
  std::string config_hash_;
  std::list<Shard> shards_;
  // Of all boards, oldest first: the first `in_order_` of them; the others are in the order of being added.
  mutable std::vector<Slice> slices_;
  mutable std::size_t in_order_ = 0;
  mutable std::atomic<bool> all_in_order_ = true;
  mutable std::mutex ordering_;
  std::uint64_t positions_so_far_ = 0;
};

}  // namespace koridor
