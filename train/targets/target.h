// What the network is trained on. A target names the head that learns it and the weight of its loss, and writes the
// truth for a ply of a finished game. It writes that in the game's own terms (seats, squares, actions): the replay
// window turns it into the mover's view and applies symmetries, and the trainer applies the loss that belongs
// to the head.
//
// A new target is a class like those in this folder and a line in targets.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/game.h"
#include "core/registry.h"
#include "models/network/head.h"
#include "selfplay/shards/shard.h"

namespace koridor {

// What is set about targets beside their weights.
struct TargetSettings {
  double root_value_share = 0;    // of the value's target: how much of it is the searches' and not the outcome's
  double root_value_horizon = 0;  // over how many plies these are averaged, in units of the board's area
};

// A ply that is learned from, and the game that it was played in.
struct PlyView {
  const AnyGame& game;
  const EncodingShape& shape;
  const ShardData& shard;
  std::size_t number;  // row of the game in the shard's game datasets
  std::size_t end;     // one past the row of the game's last ply in the ply datasets
  std::size_t ply;     // row of this ply
  TargetSettings settings{};
};

// One action's share of a distribution over actions, in any unit: the window divides by the sum.
struct ActionShare {
  std::uint16_t action;
  std::uint16_t share;
};

class Target {
 public:
  virtual ~Target() = default;

  // The head that learns it.
  virtual Head head() const = 0;
  // Whether games of this shape have the target.
  virtual bool applies([[maybe_unused]] const EncodingShape& shape) const { return true; }

  // Whether plies of this game teach the head anything. Where it applies but they do not, the head stays untrained.
  virtual bool learns_from([[maybe_unused]] const AnyGame& game) const { return true; }

  // The default of the key training.<name>_weight, the weight of the loss. At 0 the network has no such head, unless it
  // is a basic one.
  virtual double default_weight() const = 0;
  // The key's comment (core/base/setting.h).
  virtual const char* comment() const = 0;

  // Whether the truth is the same for all plies of a game; it is then written once, for the last ply.
  virtual bool of_game() const { return false; }
  // Whether the softmax leaves out illegal actions (heads of actions only).
  virtual bool legal_only() const { return false; }

  // Writes the truth for a head of any extent but actions, in [0, 1]. `out` has head_size() entries:
  //   outcome   [count, players + 1]: players by seat, then the draw
  //   players   [count, players]: by seat
  //   squares   [count, rows * columns]: x in player 0's view; the window turns it into 1 - x for the other player
  //   scalar    [count]
  virtual void write([[maybe_unused]] const PlyView& ply, [[maybe_unused]] std::span<float> out) const {}
  // Appends the truth for a head of actions to `out`. Where it appends nothing, the ply teaches the head nothing.
  virtual void write([[maybe_unused]] const PlyView& ply, [[maybe_unused]] std::vector<ActionShare>& out) const {}
};

}  // namespace koridor
