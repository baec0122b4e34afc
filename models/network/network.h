// The network, as arithmetic: what every backend computes, what the trainer trains and what the model file holds.
// All weights are float32, row-major; convolutions are 3x3 with zero padding 1 unless said; normalisation is folded.
// The network does not know the board's size: C channels, B blocks, any rows x columns.
//
//   pool(y)   = [mean over squares of y; max over squares of y]                                  [2 * channels of y]
//   x         = relu(stem.weight * planes + stem.bias + scalars.weight . scalars)                    [C, rows, columns]
//   block i:  y = relu(blocks.i.first.weight * x + blocks.i.first.bias)
//             if block i pools:  y = relu(y + blocks.i.pool.weight . pool(y) + blocks.i.pool.bias)   (bias a channel)
//             x = relu(x + blocks.i.second.weight * y + blocks.i.second.bias)
//   policy:   p = relu(policy.conv.weight *1x1 x + policy.conv.bias + policy.pool.weight . pool(x))  [Pc, rows,
//   columns]
//             logits = policy.out.weight *1x1 p + policy.out.bias                        [policy_planes, rows, columns]
//             pass   = policy.pass.weight . pool(x) + policy.pass.bias                                              [1]
//   value:    v = relu(value.conv.weight *1x1 x + value.conv.bias)                                   [Vc, rows,
//   columns]
//             h = relu(value.hidden.weight . pool(v) + value.hidden.bias)                                           [H]
//   ownership: o = sigmoid(ownership.out.weight *1x1 v + ownership.out.bias)    (if the signature has it)  [rows,
//   columns]
//             value     = softmax(value.out.weight . h + value.out.bias)                                  [players + 1]
//             auxiliary = sigmoid(auxiliary.out.weight . h + auxiliary.out.bias)                              [players]
//
// Block i pools when (i + 1) % pool_every == 0. Shapes: stem.weight [C, planes, 3, 3], scalars.weight [C, scalars],
// blocks.i.first/second.weight [C, C, 3, 3], blocks.i.pool.weight [C, 2C], policy.conv.weight [Pc, C],
// policy.pool.weight [Pc, 2C], policy.out.weight [policy_planes, Pc], policy.pass.weight [1, 2C],
// value.conv.weight [Vc, C], value.hidden.weight [H, 2Vc], value.out.weight [players + 1, H],
// auxiliary.out.weight [players, H], ownership.out.weight [1, Vc]; each bias has the first dimension of its weight.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/game.h"

namespace koridor {

struct NetworkConfig {
  int blocks = 4;            // B, 1..40
  int channels = 32;         // C, 8..512
  int pool_every = 2;        // every so many blocks one pools; 0: none
  int policy_channels = 16;  // Pc
  int value_channels = 16;   // Vc
  int value_hidden = 32;     // H
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;

  bool pools(int block) const { return pool_every > 0 && (block + 1) % pool_every == 0; }
};

// What of an EncodingShape a network's weights depend on: not the board's size.
struct NetworkSignature {
  int planes = 0;
  int scalars = 0;
  int policy_planes = 0;
  int players = 0;
  int ownership_planes = 0;
  friend bool operator==(const NetworkSignature&, const NetworkSignature&) = default;
};
inline NetworkSignature signature(const EncodingShape& shape) {
  return {shape.planes, shape.scalars, shape.policy_planes, shape.players, shape.ownership_planes};
}

// Every tensor of the network with its shape, in the order of the formula above; the list the exporter, the loader and
// the backends agree on.
std::vector<std::pair<std::string, std::vector<int>>> network_tensors(const NetworkConfig& config,
                                                                      const NetworkSignature& signature);

}  // namespace koridor
