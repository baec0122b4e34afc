// What the network is trained on. A target says which head learns it, by how much it counts, and what the truth is for a
// ply of a finished game. It writes that in the game's own terms (seats, squares, actions); the replay window turns it
// into the mover's view and applies symmetries, and the trainer applies the loss that belongs to the head.
//
// A new target is a class like those beside this file, and its line in targets.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/game.h"
#include "core/registry.h"
#include "models/network/head.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// A ply with a full search, and the game it was played in. Rows of `shard` are those of its datasets.
struct PlyView {
  const AnyGame& game;
  const EncodingShape& shape;
  const ShardData& shard;
  std::size_t number;  // the game's row
  std::size_t first;   // row of the game's first ply
  std::size_t end;     // one past its last
  std::size_t ply;     // row of this ply

  int player() const { return shard.ply_player[ply]; }
};

// A share of a distribution over actions; the window divides by the sum.
struct ActionShare {
  std::uint16_t action;
  std::uint16_t share;
};

class Target {
 public:
  virtual ~Target() = default;

  // The head that learns it.
  virtual Head head() const = 0;
  // Whether games of this shape have it.
  virtual bool applies([[maybe_unused]] const EncodingShape& shape) const { return true; }

  // The weight of its loss where the configuration says nothing; at 0 the network has no such head. The key is
  // training.<name>_weight, and the comment is the key's.
  virtual double default_weight() const = 0;
  virtual const char* comment() const = 0;

  // Whether it is the same for all plies of a game; then it is written once, for the last ply.
  virtual bool of_game() const { return false; }
  // Whether illegal actions are left out of the softmax (actions only).
  virtual bool legal_only() const { return false; }

  // The truth of all extents but actions, in [0, 1]; `out` has head_size() entries:
  //   outcome   [count, players + 1]: players by seat, then the draw
  //   players   [count, players]: by seat
  //   squares   [count, rows * columns]: as player 0 sees it; for the other player the window takes 1 less that
  //   scalar    [count]
  virtual void write([[maybe_unused]] const PlyView& ply, [[maybe_unused]] std::span<float> out) const {}
  // The truth of actions, appended to `out`; nothing where there is none (the ply then teaches this head nothing).
  virtual void write([[maybe_unused]] const PlyView& ply, [[maybe_unused]] std::vector<ActionShare>& out) const {}
};

}  // namespace koridor
