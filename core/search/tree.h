// The search tree: nodes and edges in growing arrays, backup of values, and proofs.
//
//   nodes_     [ node 0 = root | node 1 | node 2 | ... ]           one for every position visited
//                     |first_edge, edges, visited
//                     v
//   prior_     [ .... e0 e1 e2 | e3 e4 e5 e6 e7 .... ]             one for every legal action of an expanded node
//   action_    [ .... e0 e1 e2 | e3 e4 e5 e6 e7 .... ]
//   visits_    [ .... e0 e1 e2 |  -  -  -  -  - .... ]             set for visited edges only
//   value_     [ .... e0 e1 e2 |  -  -  -  -  - .... ]
//   child_     [ .... e0 e1 e2 |  -  -  -  -  - .... ]
//                     `visited`   `not visited yet`
//                      edges       the first of them is the one with the highest prior
//
// A node's visited edges come first. All unvisited edges share one assumed value, so whatever the selection rule, the
// best of them is the one with the highest prior, and selection looks at the visited edges and one more. `visits_` and
// `value_` repeat what the child knows, so that it looks at nothing but short runs of these arrays.
//
// States are not stored: the search replays the actions from the root. With share_transpositions() nodes of the same
// position tell each other what they have found (transpositions.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/base/growing_array.h"
#include "core/search/node.h"
#include "core/search/softmax.h"
#include "core/search/transpositions.h"
#include "core/types.h"

namespace koridor {

class Tree {
 public:
  // Reserves room; both may be exceeded (then memory grows).
  Tree(std::size_t nodes, std::size_t edges) {
    nodes_.grow(nodes);
    make_room(edges);
  }

  // Before the first clear(): what a node of the same position has found counts as much as so many visits at most; 0:
  // nothing.
  void share_transpositions(int visits) { transpositions_.share(visits, nodes_.size()); }
  const Transpositions& transpositions() const { return transpositions_; }

  static constexpr NodeIndex kRoot = 0;
  const Node& root() const { return nodes_[kRoot]; }
  const Node& node(NodeIndex index) const { return nodes_[index]; }
  std::size_t size() const { return size_; }

  // At most so many nodes from now on (0: as many as 32 bits can count edges of): callers add no child to a full tree.
  void limit_nodes(std::size_t nodes) { most_nodes_ = nodes == 0 ? kNoNode : nodes; }
  // The same in bytes of memory_used() (0: no limit); the edges of pending leaves may come on top.
  void limit_bytes(std::size_t bytes) { most_bytes_ = bytes == 0 ? kAnyBytes : bytes; }
  bool full() const { return size_ >= most_nodes_ || edges_ >= kMostEdges || memory_used() >= most_bytes_; }

  Action action(const Node& node, Slot slot) const { return action_[node.first_edge + slot]; }
  float prior(const Node& node, Slot slot) const { return prior_[node.first_edge + slot]; }
  // kNoNode for an unvisited edge.
  NodeIndex child(const Node& node, Slot slot) const {
    return slot < node.visited ? child_[node.first_edge + slot] : kNoNode;
  }
  EdgeView edges(const Node& node) const {
    const std::size_t first = node.first_edge;
    return {prior_.data() + first, visits_.data() + first, value_.data() + first, node.visited, node.edges};
  }
  bool lost(const Node& node, Slot slot) const {
    return slot < node.visited && value_[node.first_edge + slot] == kLostEdge;
  }
  // Negative where the node has no such edge.
  Slot find(const Node& node, Action action) const {
    const Action* const first = action_.data() + node.first_edge;
    const Action* const place = std::find(first, first + node.edges, action);
    return place == first + node.edges ? -1 : static_cast<Slot>(place - first);
  }

  // Forgets everything but an unexpanded root.
  void clear(int mover) {
    size_ = 0;
    edges_ = 0;
    transpositions_.clear();
    add_node(mover);
  }

  // Gives a node its edges, one for each action, with priors softmax(factor * logit(action)).
  template <class Logit>
  void expand(NodeIndex index, const ActionMask& actions, float factor, Logit&& logit) {
    Node& node = nodes_[index];
    const int count = actions.count();
    const std::size_t first = add_edges(static_cast<std::size_t>(count));
    std::size_t place = first;
    actions.for_each([&](Action action) {
      action_[place] = action;
      prior_[place] = factor * logit(action);
      ++place;
    });
    softmax({prior_.data() + first, static_cast<std::size_t>(count)});
    node.first_edge = static_cast<std::uint32_t>(first);
    node.edges = static_cast<std::uint16_t>(count);
    node.visited = 0;
    node.proven_edges = 0;
    node.visited_prior = 0.0f;
    bring_best_forward(node);
  }

  // Makes the child below an unvisited edge, which has the value `assumed` until its first backup. The edge moves to
  // the end of the visited ones: returns its new slot (the child is the last node).
  Slot add_child(NodeIndex parent_index, Slot slot, int mover, float assumed = 0.0f) {
    const NodeIndex index = add_node(mover);
    Node& parent = nodes_[parent_index];
    const std::size_t place = parent.first_edge + parent.visited;
    swap_unvisited(place, parent.first_edge + static_cast<std::size_t>(slot));
    visits_[place] = 0;
    value_[place] = assumed;
    child_[place] = index;
    parent.visited_prior += prior_[place];
    const Slot new_slot = parent.visited++;
    bring_best_forward(parent);
    return new_slot;
  }

  // Gives an edge that was never visited the value of the node above it.
  void assume_value(const PathStep& step) {
    const Node& parent = nodes_[step.node];
    const std::size_t edge = parent.first_edge + static_cast<std::size_t>(step.slot);
    if (visits_[edge] == 0) value_[edge] = parent.own_value();
  }

  void set_estimate(NodeIndex index, float estimate) { nodes_[index].estimate = estimate; }

  // Says which position a node is of, before its first backup, in a tree that shares transpositions.
  void name_position(NodeIndex index, std::uint64_t key) { transpositions_.name(nodes_.data(), index, key); }

  // A node's exact values are known, and in how many plies the game ends so. The edges of a root may be proven already.
  void set_proven(NodeIndex index, const Values& values, int plies) {
    Node& node = nodes_[index];
    node.value = to_mean(values);
    node.plies = static_cast<std::uint16_t>(plies);
    node.proven = true;
  }

  // Ends a simulation that came along `path` to `leaf`, with its value: `values` where the network gave it, the exact
  // one where the leaf is proven. Proofs go up as far as they reach; above a newly proven node its exact value counts.
  void backup(std::span<const PathStep> path, NodeIndex leaf, const MeanValues& values) {
    if (transpositions_.on()) return backup_shared(path, leaf, values);
    backup_plain(path, leaf, values);
  }

  // Virtual visits (Liu et al. 2020, "Watch the Unobserved"): a simulation that waits for its leaf's evaluation counts
  // as a visit of all nodes and edges on its path, so that others go elsewhere, while no value changes.
  void hold(std::span<const PathStep> path, NodeIndex leaf) {
    for (const PathStep& step : path) {
      Node& node = nodes_[step.node];
      ++node.held;
      ++visits_[node.first_edge + static_cast<std::size_t>(step.slot)];
    }
    ++nodes_[leaf].held;
  }
  void release(std::span<const PathStep> path, NodeIndex leaf) {
    for (const PathStep& step : path) {
      Node& node = nodes_[step.node];
      --node.held;
      --visits_[node.first_edge + static_cast<std::size_t>(step.slot)];
    }
    --nodes_[leaf].held;
  }

  // Sets the priors of a node's edges (root noise): prior(action, present prior).
  template <class Prior>
  void set_priors(NodeIndex index, Prior&& prior) {
    Node& node = nodes_[index];
    node.visited_prior = 0.0f;
    for (Slot slot = 0; slot < node.edges; ++slot) {
      float& entry = prior_[node.first_edge + slot];
      entry = std::max(prior(action(node, slot), entry), kSmallestPrior);
      if (slot < node.visited) node.visited_prior += entry;
    }
    bring_best_forward(node);
  }

  static constexpr std::size_t kAnyBytes = std::numeric_limits<std::size_t>::max();

  // Becomes the subtree of `from` below `new_root`, level by level; at most `limit` nodes (at least the root) and
  // `bytes` of memory_used(). A node whose children find no room any more, or that has fewer than `least` visits, keeps
  // its own statistics and is expanded anew when it is next visited. Where it throws std::bad_alloc, the tree is as
  // after clear().
  void keep(const Tree& from, NodeIndex new_root, std::size_t limit, std::size_t bytes = kAnyBytes,
            std::uint32_t least = 0) {
    clear(from.nodes_[new_root].mover);
    try {
      nodes_[kRoot] = from.nodes_[new_root];
      transpositions_.copy(from.transpositions_, new_root, nodes_.data(), kRoot);
      keep_below_root(from, limit, bytes, least);
    } catch (...) {
      clear(from.nodes_[new_root].mover);
      throw;
    }
  }

  // Becomes `from`, a full tree, without what lies below its least visited nodes: at most half of what that may hold.
  // False, and nothing is done, where the root's children alone take more.
  bool keep_most_visited(const Tree& from) {
    const std::uint32_t least =
        from.visits_that_fit(from.most_nodes_ / 2, std::min(from.most_bytes_, kMostEdges * kEdgeBytes) / 2);
    if (least > from.root().visits) return false;
    keep(from, kRoot, kNoNode, kAnyBytes, least);
    return true;
  }

  // Gives back the memory beside what nodes and edges take, which a search has perhaps written to.
  void release_room() {
    nodes_.shrink(size_);
    transpositions_.shrink(size_);
    for_each_array([&](auto& array) { array.shrink(edges_); });
  }

  // Bytes of a node with so many actions, transpositions included.
  static constexpr std::size_t node_bytes(int edges) {
    return sizeof(Node) + Transpositions::kNodeBytes + kEdgeBytes * static_cast<std::size_t>(edges);
  }
  // What nodes and edges take, without the room beside them.
  std::size_t memory_used() const { return size_ * bytes_of_node() + edges_ * kEdgeBytes; }

  std::size_t memory_bytes() const {
    return nodes_.size() * sizeof(Node) + prior_.size() * kEdgeBytes + transpositions_.memory_bytes();
  }

 private:
  std::size_t bytes_of_node() const { return sizeof(Node) + (transpositions_.on() ? Transpositions::kNodeBytes : 0); }

  // Where nodes share nothing: a node's value is the mean over its simulations.
  void backup_plain(std::span<const PathStep> path, NodeIndex leaf, MeanValues values) {
    bool proof = nodes_[leaf].proven && nodes_[leaf].visits == 0;  // a proof that the parent does not know yet
    add_visit(nodes_[leaf], values);
    NodeIndex child_index = leaf;
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      Node& parent = nodes_[step->node];
      const Node& child = nodes_[child_index];
      if (proof) {
        ++parent.proven_edges;
        proof = prove(parent, child);
        if (proof) values = parent.value;
      }
      add_visit(parent, values);
      show(parent, step->slot, child);
      child_index = step->node;
    }
  }

  // Where nodes share what they know: a node's value is the mean of its own part and of its children's present values.
  void backup_shared(std::span<const PathStep> path, NodeIndex leaf, const MeanValues& values) {
    bool proof = nodes_[leaf].proven && nodes_[leaf].visits == 0;
    ValueBefore before{nodes_[leaf].value, nodes_[leaf].visits};
    ++nodes_[leaf].visits;
    if (!nodes_[leaf].proven) transpositions_.evaluated(nodes_.data(), leaf, values);
    NodeIndex child_index = leaf;
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      Node& parent = nodes_[step->node];
      const Node& child = nodes_[child_index];
      const ValueBefore parent_before{parent.value, parent.visits};
      if (proof) {
        ++parent.proven_edges;
        proof = prove(parent, child);
      }
      ++parent.visits;
      if (!parent.proven) transpositions_.child_visited(nodes_.data(), step->node, child, before);
      show(parent, step->slot, child);
      before = parent_before;
      child_index = step->node;
    }
  }

  // What selection reads at the edge to a child.
  void show(const Node& parent, Slot slot, const Node& child) {
    const std::size_t edge = parent.first_edge + static_cast<std::size_t>(slot);
    const float own = static_cast<float>(child.value[parent.mover]);
    visits_[edge] = child.visits + child.held;
    value_[edge] = child.proven && own <= 0.0f ? kLostEdge : own;
  }

  // Of keep(): copies what is below the root, which is there.
  void keep_below_root(const Tree& from, std::size_t limit, std::size_t bytes, std::uint32_t least) {
    for (std::size_t i = 0; i < size_; ++i) {
      const Node node = nodes_[i];
      if (!node.expanded()) continue;
      if (node.visits < least || size_ + node.visited > limit ||
          memory_used() + node.visited * bytes_of_node() + node.edges * kEdgeBytes > bytes) {
        nodes_[i].edges = nodes_[i].visited = nodes_[i].proven_edges = 0;
        transpositions_.forget_children(nodes_.data(), static_cast<NodeIndex>(i));
        continue;
      }
      const std::size_t source = node.first_edge;
      const std::size_t first = add_edges(node.edges);
      nodes_[i].first_edge = static_cast<std::uint32_t>(first);
      std::copy_n(from.prior_.data() + source, node.edges, prior_.data() + first);
      std::copy_n(from.action_.data() + source, node.edges, action_.data() + first);
      std::copy_n(from.visits_.data() + source, node.visited, visits_.data() + first);
      std::copy_n(from.value_.data() + source, node.visited, value_.data() + first);
      for (int slot = 0; slot < node.visited; ++slot) {
        child_[first + slot] = copy(from, from.child_[source + slot]);
      }
    }
  }

  NodeIndex add_node(int mover) {
    Node node;
    node.mover = static_cast<std::uint8_t>(mover);
    return append(node);
  }
  // Of another tree.
  NodeIndex copy(const Tree& from, NodeIndex source) {
    const NodeIndex index = append(from.nodes_[source]);
    transpositions_.copy(from.transpositions_, source, nodes_.data(), index);
    return index;
  }
  NodeIndex append(const Node& node) {
    if (size_ == nodes_.size()) [[unlikely]]
      make_room_for_nodes();
    nodes_[size_] = node;
    transpositions_.add(static_cast<NodeIndex>(size_));
    return static_cast<NodeIndex>(size_++);
  }

  // The smallest power of two such that the nodes with as many visits, and their children, are at most so many and take
  // at most so many bytes; more than the root's visits where there is none. No node has more visits than its parent.
  std::uint32_t visits_that_fit(std::size_t nodes, std::size_t bytes) const {
    struct Need {
      std::size_t children = 0, edges = 0;
    };
    std::array<Need, 32> needs{};  // of the nodes whose visits have so many bits behind the first
    for (std::size_t i = 0; i < size_; ++i) {
      if (!nodes_[i].expanded() || nodes_[i].visits == 0) continue;
      Need& need = needs[std::bit_width(nodes_[i].visits) - 1];
      need.children += nodes_[i].visited;
      need.edges += nodes_[i].edges;
    }
    std::size_t kept = 1, edges = 0;
    int bits = 32;
    while (bits > 0) {
      kept += needs[bits - 1].children;
      edges += needs[bits - 1].edges;
      if (kept > nodes || kept * bytes_of_node() + edges * kEdgeBytes > bytes) break;
      --bits;
    }
    return bits < 32 ? std::uint32_t{1} << bits : std::numeric_limits<std::uint32_t>::max();
  }

  // Returns the index of the first of so many new edges.
  std::size_t add_edges(std::size_t count) {
    const std::size_t first = edges_;
    // The array that grows last: there may be no memory for it where there was for the others.
    if (first + count > child_.size()) [[unlikely]]
      make_room(std::max(first + count, 2 * first));
    edges_ += count;
    return first;
  }

  // Not inlined: nodes and edges are added in each simulation, room is seldom made.
  [[gnu::noinline]] void make_room_for_nodes() {
    const std::size_t room = std::max<std::size_t>(2 * size_, 16);
    transpositions_.grow(room);
    nodes_.grow(room);
  }
  [[gnu::noinline]] void make_room(std::size_t edges) {
    for_each_array([&](auto& array) { array.grow(edges); });
  }
  // The arrays that have an entry for each edge.
  template <class Visit>
  void for_each_array(const Visit& visit) {
    visit(prior_);
    visit(action_);
    visit(visits_);
    visit(value_);
    visit(child_);
  }

  void swap_unvisited(std::size_t a, std::size_t b) {
    std::swap(prior_[a], prior_[b]);
    std::swap(action_[a], action_[b]);
  }

  // Puts the unvisited edge with the highest prior (of equals, the first) in front of the other unvisited ones.
  // Positive floats are ordered as their bits are, and a maximum of integers is what the compiler makes vector code of.
  // Always inlined: otherwise that depends on how much else there is in the unit (1% of a search).
  [[gnu::always_inline]] void bring_best_forward(const Node& node) {
    const std::size_t begin = node.first_edge + node.visited;
    const std::size_t end = node.first_edge + node.edges;
    if (begin == end) return;
    std::uint32_t top = 0;
    for (std::size_t i = begin; i < end; ++i) top = std::max(top, std::bit_cast<std::uint32_t>(prior_[i]));
    std::size_t best = begin;
    while (best + 1 < end && std::bit_cast<std::uint32_t>(prior_[best]) != top) ++best;
    swap_unvisited(begin, best);
  }

  // A proven node keeps its exact value, and that is what goes up from it.
  static void add_visit(Node& node, MeanValues& values) {
    ++node.visits;
    if (node.proven) {
      values = node.value;
      return;
    }
    const double share = 1.0 / node.visits;
    for (int player = 0; player < kMaxPlayers; ++player) {
      node.value[player] += (values[player] - node.value[player]) * share;
    }
  }

  // Tries to prove `parent`, one of whose children, `child`, has just been proven. A sure win of the mover proves it at
  // once. Otherwise all children must be proven: the mover takes what is best for itself, the longest way to it. Where
  // several children are equally good for the mover but not for the others (more than two players), what follows
  // depends on its whim, and the node stays unproven.
  bool prove(Node& parent, const Node& child) {
    if (child.value[parent.mover] >= 1.0) {
      parent.value = child.value;
      parent.plies = static_cast<std::uint16_t>(child.plies + 1);
      parent.proven = true;
      return true;
    }
    if (parent.proven_edges < parent.edges) return false;
    const Node* best = nullptr;
    int plies = 0;
    for (int slot = 0; slot < parent.edges; ++slot) {
      const Node& other = nodes_[child_[parent.first_edge + slot]];
      if (best == nullptr || other.value[parent.mover] > best->value[parent.mover]) {
        best = &other;
        plies = 0;
      }
      if (other.value[parent.mover] == best->value[parent.mover]) plies = std::max<int>(plies, other.plies);
    }
    for (int slot = 0; slot < parent.edges; ++slot) {
      const Node& other = nodes_[child_[parent.first_edge + slot]];
      if (other.value[parent.mover] == best->value[parent.mover] && other.value != best->value) return false;
    }
    parent.value = best->value;
    parent.plies = static_cast<std::uint16_t>(plies + 1);
    parent.proven = true;
    return true;
  }

  static constexpr std::size_t kEdgeBytes =
      2 * sizeof(float) + sizeof(Action) + sizeof(std::uint32_t) + sizeof(NodeIndex);

  // Leaves room for the edges of all leaves that can be pending.
  static constexpr std::size_t kMostEdges = 0xFFFFFFFF - 4096 * std::size_t{ActionMask::kCapacity};

  std::size_t most_nodes_ = kNoNode;
  std::size_t most_bytes_ = kAnyBytes;
  std::size_t size_ = 0;   // so many entries of `nodes_` are in use,
  std::size_t edges_ = 0;  // and so many of each of the arrays below; the others are room
  GrowingArray<Node> nodes_;
  Transpositions transpositions_;
  GrowingArray<float> prior_;
  GrowingArray<Action> action_;
  GrowingArray<std::uint32_t> visits_;
  GrowingArray<float> value_;
  GrowingArray<NodeIndex> child_;
};

}  // namespace koridor
