// A node of the search tree, and how its edges and the paths to it are named.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"

namespace koridor {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xFFFFFFFF;

// An edge's place in its node's list, in [0, node.edges). It changes when edges are visited for the first time.
using Slot = int;

// Marks in `value` an edge to a position proven to give the mover nothing: selection leaves it alone while there is
// another. Its value is 0.
inline constexpr float kLostEdge = -1.0f;

// A mean over many simulations, one entry per player; double, for long searches.
using MeanValues = std::array<double, kMaxPlayers>;

inline MeanValues to_mean(const Values& values) {
  return {values[0], values[1], values[2], values[3]};
}
inline Values to_values(const MeanValues& mean) {
  Values values;
  for (int player = 0; player < kMaxPlayers; ++player) values[player] = static_cast<float>(mean[player]);
  return values;
}

struct Node {
  MeanValues value{};              // mean over the simulations through the node, or with transpositions the mean of its
                                   // own part and of its children's (transpositions.h); the exact outcome once proven
  std::uint32_t visits = 0;        // finished simulations through the node; the first is its own evaluation
  std::uint32_t first_edge = 0;    // index of its first edge
  std::uint16_t edges = 0;         // number of legal actions; 0 until expanded
  std::uint16_t visited = 0;       // so many edges, the first ones, lead to a node
  std::uint16_t proven_edges = 0;  // so many of them to a proven one
  std::uint16_t plies = 0;         // of a proven node: plies to the end, at most so many to a win that was found
  float estimate = 0.0f;           // the network's value of the position for its mover
  float visited_prior = 0.0f;      // sum of the visited edges' priors
  std::uint8_t mover = 0;          // the player to move
  bool proven = false;
  std::uint16_t held = 0;  // virtual visits: simulations through the node that wait for an evaluation

  bool expanded() const { return edges != 0; }
  float own_value() const { return static_cast<float>(value[mover]); }
};
static_assert(sizeof(Node) == 64);

// A node's edges as selection reads them.
struct EdgeView {
  const float* prior = nullptr;           // [edges]: in (0, 1], sum 1
  const std::uint32_t* visits = nullptr;  // [visited]: virtual ones included
  const float* value = nullptr;           // [visited]: mean value for the mover in [0, 1], or kLostEdge
  int visited = 0;
  int edges = 0;
};

// One step on the way from the root to a leaf.
struct PathStep {
  NodeIndex node;
  Slot slot;
};

}  // namespace koridor
