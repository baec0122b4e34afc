// The replay window: the newest shards, held in memory, from which training samples are drawn. It may hold games on
// several boards that share a network; a batch is of one board.
//
// Only plies with a full search are samples; "positions" counts these. A sample is the position as the network sees it
// under a random symmetry, with its targets:
//   policy     the search's policy, dense, in the order of game.policy_index under the same symmetry
//   legal      0 where the action is legal, kIllegal elsewhere: added to the logits, so that the softmax of the loss is
//              the one search uses
//   value      who won: 1 at the winner's place counted from the mover, or 1 at the last entry for a draw
//   auxiliary  game.auxiliary of the game's last position, players counted from the mover
//   ownership  of each square in the game's last position: 1 the mover's, 0 the other's, 0.5 nobody's; in games that
//   have
//              it (encoding().ownership_planes), else empty
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/registry.h"
#include "selfplay/shards/shard.h"
#include "train/run/config.h"

namespace koridor {

// What illegal actions' logits get added: finite, so that 0 * log(probability) stays 0.
inline constexpr float kIllegal = -1e9f;

// `size` samples, row-major.
struct TrainingBatch {
  int size = 0;
  EncodingShape shape;
  std::vector<float> planes;     // [size, planes, rows, columns]
  std::vector<float> scalars;    // [size, scalars]
  std::vector<float> policy;     // [size, policy_size], each row sums to 1
  std::vector<float> legal;      // [size, policy_size], 0 or kIllegal
  std::vector<float> value;      // [size, players + 1], each row sums to 1
  std::vector<float> auxiliary;  // [size, players], in [0, 1]
  std::vector<float> ownership;  // [size, ownership_planes, rows, columns], in [0, 1]

  void resize(int new_size, const EncodingShape& new_shape);
};

// KataGo's growing window (Wu 2019): N = c (1 + b ((n/c)^a - 1) / a) positions for n positions so far; all of them
// while n <= c.
double window_positions(const TrainingConfig& config, double positions_so_far);

class ReplayWindow {
 public:
  // Shards of `games` are taken (which share a network: see shared_signature), and of their variants that differ in the
  // repetition rule alone (self-play mixes them).
  // `config_hash`: shards of another configuration are refused; empty: any.
  ReplayWindow(const std::vector<AnyGame>& games, const Features& features, const TrainingConfig& config,
               std::string config_hash);

  // Reads a shard into the window and returns its number of positions. Throws UserError that names `path` where it
  // cannot be read, is of another game or configuration, or holds positions or policies against the rules; the window
  // is then as before.
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
  // A ply with a full search.
  struct Entry {
    std::uint32_t game;
    std::uint32_t policy_first;  // its policy's place below
    std::uint16_t policy_count;
  };
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
  struct Shard {
    std::string path;
    const Variant* variant;
    std::vector<Entry> entries{};
    std::vector<std::uint8_t> states{};  // [entries, packed_size]
    std::vector<std::uint64_t> legal{};  // [entries, mask_words of the board]
    std::vector<std::uint16_t> policy_action{};
    std::vector<std::uint16_t> policy_probability{};  // as in ShardData
    std::vector<float> outcome{};                     // [games, players]
    std::vector<float> auxiliary{};                   // [games, players]
    std::vector<float> ownership{};                   // [games, ownership_planes, rows, columns], player 0's view
  };

  template <Game G>
  static void index(const G& game, const Board& board, const ShardData& data, Shard& shard);
  template <Game G>
  void write_sample(const G& game, const Shard& shard, std::size_t entry, int symmetry, int row,
                    TrainingBatch& batch) const;
  const Board& draw_board(Random& random) const;
  void rebuild_starts();

  const Variant& variant(const std::string& path, const std::string& name);

  std::vector<Board> boards_;
  std::map<std::string, Variant> variants_;  // by canonical name; Shard::variant points into it
  Features features_;
  TrainingConfig config_;
  std::string config_hash_;
  std::deque<Shard> shards_;
  std::uint64_t positions_so_far_ = 0;
};

}  // namespace koridor
