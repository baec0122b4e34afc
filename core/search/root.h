// What is special about the root: sequential halving with Gumbel noise, and the choice among proven moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/search/config.h"
#include "core/search/select.h"
#include "core/search/tree.h"

namespace koridor {

// The table of sequential halving (Karnin et al. 2013, as Danihelka et al. 2022 use it) for `considered` actions and
// `simulations` simulations, both >= 1. Entry i: how many visits the action of simulation i has had before it. In each
// of the ceil(log2 considered) phases the surviving actions get equally many visits, then the better half goes on
// (at least two); simulations left over go to the last two in turn. For 4 actions and 16 simulations:
//     0 0 0 0  1 1 1 1 | 2 2 3 3 4 4 5 5
// Written into `table` (no allocation where it has the capacity).
inline void halving_table(int considered, int simulations, std::vector<std::uint32_t>& table) {
  table.clear();
  int phases = 0;
  while ((1 << phases) < considered) ++phases;
  std::uint32_t visits = 0;
  for (int survivors = considered; static_cast<int>(table.size()) < simulations;) {
    const int rounds = considered == 1 ? simulations : std::max(1, simulations / (phases * survivors));
    for (int round = 0; round < rounds; ++round, ++visits) {
      const int room = simulations - static_cast<int>(table.size());
      table.insert(table.end(), static_cast<std::size_t>(std::min(survivors, room)), visits);
    }
    survivors = std::max(std::min(considered, 2), survivors / 2);
  }
}

// Whether every move at a node leads to a proven position: then the choice is a matter of proofs alone, even where the
// node itself is not proven (more than two players).
inline bool decided(const Node& node) {
  return node.proven || (node.expanded() && node.proven_edges == node.edges);
}

// Whether `a` is the better proven child for `mover`: the higher own value, a win as quickly and anything else as
// slowly as possible.
inline bool better_proven(const Node& a, const Node& b, int mover) {
  if (a.value[mover] != b.value[mover]) return a.value[mover] > b.value[mover];
  return a.value[mover] >= 1.0 ? a.plies < b.plies : a.plies > b.plies;
}

// The best proven child of a decided node (of equals, the first).
inline Slot best_proven(const Tree& tree, const Node& node) {
  Slot best = -1;
  for (Slot slot = 0; slot < node.visited; ++slot) {
    const Node& child = tree.node(tree.child(node, slot));
    if (!child.proven) continue;
    if (best < 0 || better_proven(child, tree.node(tree.child(node, best)), node.mover)) best = slot;
  }
  return best;
}

// Gumbel at the root. `prepare` draws the actions to consider: those with the largest
//     g(a) + log P(a) + sigma(completed q(a)),
// g the noise; without kept visits all completed values are equal and this is Gumbel-Top-k. `select` then serves
// simulation after simulation by the halving table: among the considered actions with the visits the table asks for,
// the one with the largest score with the values of the moment. A proven loss leaves; the best action not considered
// yet takes its place, and where nobody has the visits asked for, the next lower number counts.
class SequentialHalving {
 public:
  SequentialHalving(int num_actions, int max_considered, int max_simulations)
      : base_(static_cast<std::size_t>(num_actions)), considered_(static_cast<std::size_t>(num_actions)) {
    candidates_.reserve(static_cast<std::size_t>(std::clamp(max_considered, 1, num_actions)) + 1);
    table_.reserve(static_cast<std::size_t>(max_simulations));
  }

  // noise: [num_actions] by action, 0 where there is none.
  void prepare(const Tree& tree, const SearchConfig& config, int simulations, std::span<const float> noise) {
    const Node& root = tree.root();
    for (Slot slot = 0; slot < root.edges; ++slot) {
      const int action = index(tree.action(root, slot));
      base_[action] = noise[action] + std::log(tree.prior(root, slot));
      considered_[action] = 0;
    }
    candidates_.clear();
    simulation_ = 0;
    const int wanted = std::max(1, std::min(config.gumbel_considered, simulations));
    const CompletedValues values = completed_values(root, tree.edges(root), config);
    while (static_cast<int>(candidates_.size()) < wanted && consider_next(tree, values)) {
    }
    halving_table(std::max(1, static_cast<int>(candidates_.size())), simulations, table_);
  }

  // The root edge of the next simulation; negative where all are lost.
  Slot select(const Tree& tree, const SearchConfig& config) {
    const Node& root = tree.root();
    const CompletedValues values = completed_values(root, tree.edges(root), config);
    for (std::size_t i = 0; i < candidates_.size();) {
      candidates_[i].slot = find(tree, candidates_[i]);
      if (!tree.lost(root, candidates_[i].slot)) {
        ++i;
        continue;
      }
      candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(i));
      consider_next(tree, values);
    }
    const std::size_t chosen = best(tree, values, table_[std::min(simulation_, table_.size() - 1)]);
    ++simulation_;
    if (chosen == candidates_.size()) return -1;
    ++candidates_[chosen].visits;
    return candidates_[chosen].slot;
  }

  // The survivor: the best of those with the most visits. Negative where all candidates are lost.
  Slot winner(const Tree& tree, const SearchConfig& config) const {
    const CompletedValues values = completed_values(tree.root(), tree.edges(tree.root()), config);
    const std::size_t chosen = best(tree, values, std::numeric_limits<std::uint32_t>::max());
    return chosen == candidates_.size() ? -1 : find(tree, candidates_[chosen]);
  }

  std::size_t memory_bytes() const {
    return candidates_.capacity() * sizeof(Candidate) + considered_.capacity() + base_.capacity() * sizeof(float) +
           table_.capacity() * sizeof(std::uint32_t);
  }

 private:
  struct Candidate {
    Action action;
    Slot slot;             // where the action's edge was when last looked for
    std::uint32_t visits;  // in this search
  };

  // Edges change places as others are first visited, seldom those of candidates.
  static Slot find(const Tree& tree, const Candidate& candidate) {
    const Node& root = tree.root();
    return tree.action(root, candidate.slot) == candidate.action ? candidate.slot : tree.find(root, candidate.action);
  }

  float score(const Tree& tree, const CompletedValues& values, Slot slot) const {
    const Node& root = tree.root();
    const float q = slot < root.visited ? tree.edges(root).value[slot] : values.mixed;
    return base_[index(tree.action(root, slot))] + values.scale * q;
  }

  // Adds the best action not considered so far; false where there is none.
  bool consider_next(const Tree& tree, const CompletedValues& values) {
    const Node& root = tree.root();
    Slot chosen = -1;
    float top = 0.0f;
    for (Slot slot = 0; slot < root.edges; ++slot) {
      if (considered_[index(tree.action(root, slot))] != 0 || tree.lost(root, slot)) continue;
      const float here = score(tree, values, slot);
      if (chosen >= 0 && here <= top) continue;
      chosen = slot;
      top = here;
    }
    if (chosen < 0) return false;
    const Action action = tree.action(root, chosen);
    considered_[index(action)] = 1;
    candidates_.push_back({action, chosen, 0});
    return true;
  }

  // Among the candidates that are not lost: those with the most visits not above `asked` (or, if none, the fewest),
  // and of these the best score. candidates_.size() where there is none.
  std::size_t best(const Tree& tree, const CompletedValues& values, std::uint32_t asked) const {
    std::size_t chosen = candidates_.size();
    float top = 0.0f;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Slot slot = find(tree, candidates_[i]);
      if (tree.lost(tree.root(), slot)) continue;
      const std::uint32_t visits = candidates_[i].visits;
      if (chosen < candidates_.size() && nearer(candidates_[chosen].visits, visits, asked)) continue;
      const float here = score(tree, values, slot);
      if (chosen < candidates_.size() && candidates_[chosen].visits == visits && here <= top) continue;
      chosen = i;
      top = here;
    }
    return chosen;
  }

  // Whether so many visits `a` are nearer to what is asked than `b`.
  static bool nearer(std::uint32_t a, std::uint32_t b, std::uint32_t asked) {
    if ((a <= asked) != (b <= asked)) return a <= asked;
    return a <= asked ? a > b : a < b;
  }

  std::vector<Candidate> candidates_;
  std::vector<float> base_;               // [num_actions] by action: noise + log prior
  std::vector<std::uint8_t> considered_;  // [num_actions] by action: whether it is or was a candidate
  std::vector<std::uint32_t> table_;      // [simulations]
  std::size_t simulation_ = 0;
};

}  // namespace koridor
