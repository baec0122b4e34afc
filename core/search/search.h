// One game's tree search, single-threaded, that hands out the positions it wants evaluated instead of evaluating them:
// a thread drives many searches and evaluates their leaves in one batch.
//
//   search.begin(budget, random);
//   while (search.step() == Step::evaluate) { evaluate(search.leaf()); search.supply(prediction); }
//   Action action = search.best_action();
//   search.play(action);             // keeps the subtree below it
//
// The parts are separate: tree.h (arena, backup, proofs), select.h (PUCT and Gumbel selection), root.h (root noise,
// sequential halving, policy targets). PUCT and Gumbel are two compositions of them.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/game.h"
#include "core/random.h"
#include "core/search/config.h"

namespace koridor {

// What the network says of a leaf, in the network's own order (the mover's view).
struct Prediction {
  std::span<const float> policy;  // [policy_size] logits
  std::span<const float> value;   // [players + 1] probabilities: i: the i-th player from the mover wins; last: draw
};

struct PolicyEntry {
  Action action;
  float probability;  // in [0, 1]; a policy's entries sum to 1
};

}  // namespace koridor
