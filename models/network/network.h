// The network as arithmetic: what every backend computes, the trainer trains and the model file holds.
//
// All weights are float32, row-major, with normalisation folded in. Below, * is a 3x3 convolution with zero padding 1,
// *1x1 a 1x1 convolution, and . a matrix times a vector; a vector [C] is added to every square of a map. The network
// has C channels and B blocks and computes on boards of any rows x columns.
//
//   pool(y)  = [mean over squares of y; max over squares of y]                                   [2 * channels of y]
//
//   x        = relu(stem.weight * planes + stem.bias + scalars.weight . scalars)                 [C, rows, columns]
//   block i:
//     y      = relu(blocks.i.first.weight * x + blocks.i.first.bias)
//     y      = relu(y + blocks.i.pool.weight . pool(y) + blocks.i.pool.bias)                     (if block i pools)
//     x      = relu(x + blocks.i.second.weight * y + blocks.i.second.bias)
//
//   p        = relu(policy.conv.weight *1x1 x + policy.conv.bias + policy.pool.weight . pool(x)) [Pc, rows, columns]
//   v        = relu(value.conv.weight *1x1 x + value.conv.bias)                                  [Vc, rows, columns]
//   h        = relu(value.hidden.weight . pool(v) + value.hidden.bias)                           [H]
//
// Every head (head.h) is one layer behind p, v or h, by its extent:
//   actions                    squares = NAME.out.weight *1x1 p + NAME.out.bias
//                              pass    = NAME.pass.weight . pool(x) + NAME.pass.bias
//                              logits  = [squares; pass]
//   squares                    logits  = NAME.out.weight *1x1 v + NAME.out.bias
//   outcome, players, scalar   logits  = NAME.out.weight . h + NAME.out.bias
// Its numbers are the softmax or the sigmoid of these; each copy of the extent (Head::count) has a softmax of its own.
// Every network has policy (actions, softmax), value (outcome, softmax) and auxiliary (players, sigmoid); an evaluator
// returns the policy's logits and the numbers of the others.
//
// Block i pools if (i + 1) % pool_every == 0. Each bias has the first dimension of its weight. The weights' shapes:
//
//   stem.weight             [C, planes, 3, 3]           policy.conv.weight   [Pc, C]
//   scalars.weight          [C, scalars]                policy.pool.weight   [Pc, 2C]
//   blocks.i.first.weight   [C, C, 3, 3]                value.conv.weight    [Vc, C]
//   blocks.i.pool.weight    [C, 2C]                     value.hidden.weight  [H, 2Vc]
//   blocks.i.second.weight  [C, C, 3, 3]                NAME.pass.weight     [1, 2C]
//   NAME.out.weight         actions  [policy_planes, Pc]
//                           squares  [count, Vc]
//                           outcome  [count * (players + 1), H]
//                           players  [count * players, H]
//                           scalar   [count, H]
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/setting.h"
#include "core/game.h"
#include "models/network/head.h"

namespace koridor {

struct NetworkConfig {
  int blocks = 4;            // B
  int channels = 32;         // C
  int pool_every = 2;        // every block whose number, from 1, is a multiple of this pools; 0: none pools
  int policy_channels = 16;  // Pc
  int value_channels = 16;   // Vc
  int value_hidden = 32;     // H
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;

  bool pools(int block) const { return pool_every > 0 && (block + 1) % pool_every == 0; }
};
// `to` with those numbers of `from` that keep a network of this size from growing into one of the size `to`: those that
// are larger in `from`, and pool_every where a block of `from` pools in one of both.
NetworkConfig obstacles_to_growth(const NetworkConfig& from, const NetworkConfig& to);
// Whether a network of the size `to` can hold one of the size `from` as a part.
bool grows_into(const NetworkConfig& from, const NetworkConfig& to);
// Adds the keys of [network] with their ranges. The model file has the same names and ranges.
void describe_settings(NetworkConfig& config, SettingList& list);

// What a network's weights depend on besides its size: inputs and outputs, but not the board's size.
struct NetworkSignature {
  int planes = 0;
  int scalars = 0;
  int policy_planes = 0;
  int players = 0;
  std::vector<Head> heads = basic_heads();
  friend bool operator==(const NetworkSignature&, const NetworkSignature&) = default;

  // Whether both take the same positions, whatever their heads.
  bool same_inputs(const NetworkSignature& other) const {
    return planes == other.planes && scalars == other.scalars && policy_planes == other.policy_planes &&
           players == other.players;
  }
};
// The signature with the heads that every network has.
inline NetworkSignature signature(const EncodingShape& shape) {
  return {shape.planes, shape.scalars, shape.policy_planes, shape.players};
}

// Every tensor of the network with its shape: stem, scalars, of each block first, pool (where it has one) and second,
// policy.conv, policy.pool, policy.out, policy.pass, value.conv, value.hidden, and what the heads other than the policy
// have of their own, in the order of `signature.heads`; of each the weight, and then the bias where it has one.
// Exporter, loader and backends use this list.
std::vector<std::pair<std::string, std::vector<int>>> network_tensors(const NetworkConfig& config,
                                                                      const NetworkSignature& signature);

// Products of a weight and a number that an evaluator computes for one position on a board of `area` squares. The heads
// that only train are not among them.
std::uint64_t multiply_adds(const NetworkConfig& config, const NetworkSignature& signature, int area);

}  // namespace koridor
