// For the tests of search: stand-ins for a network (callables from a state to a Prediction), and a tree as text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/game.h"
#include "core/search/search.h"

namespace koridor {

// Every action equally good, every player equally likely to win, no draw.
template <Game G>
class UniformEvaluator {
 public:
  explicit UniformEvaluator(const G& game)
      : policy_(static_cast<std::size_t>(game.encoding({}).policy_size())),
        value_(static_cast<std::size_t>(game.players()) + 1, 1.0f / static_cast<float>(game.players())) {
    value_.back() = 0.0f;
  }
  Prediction operator()(const typename G::State&) {
    ++calls;
    return {policy_, value_};
  }
  int calls = 0;

 private:
  std::vector<float> policy_;
  std::vector<float> value_;
};

// A prediction drawn from the state's key: always the same for the same state.
template <Game G>
class HashEvaluator {
 public:
  explicit HashEvaluator(const G& game, double spread = 2.0)
      : game_(&game),
        spread_(spread),
        policy_(static_cast<std::size_t>(game.encoding({}).policy_size())),
        value_(static_cast<std::size_t>(game.players()) + 1) {}

  Prediction operator()(const typename G::State& state) {
    ++calls;
    Random random(game_->key(state));
    for (float& logit : policy_) logit = static_cast<float>(spread_ * random.normal());
    float total = 0.0f;
    for (float& value : value_) total += value = static_cast<float>(random.positive_uniform());
    for (float& value : value_) value /= total;
    return {policy_, value_};
  }
  int calls = 0;

 private:
  const G* game_;
  double spread_;
  std::vector<float> policy_;
  std::vector<float> value_;
};

// Runs one search from begin to end with `evaluate(state) -> Prediction`.
template <Game G, class Evaluate>
void run_search(Search<G>& search, const SearchLimits& limits, Random& random, Evaluate&& evaluate) {
  search.begin(limits, random);
  while (search.step() == SearchStep::evaluate) search.supply(evaluate(search.leaf()));
}

inline SearchConfig with(const std::string& algorithm) {
  SearchConfig config;
  config.algorithm = algorithm;
  return config;
}

// A subtree as text, a line a node: depth in dots, action, visits, values, how it is proven. Children by action.
inline void print_tree(const Tree& tree, NodeIndex index_of, int depth, Action action, std::string& out) {
  const Node& node = tree.node(index_of);
  out += fmt::format("{:.>{}}{} n={} v={:.4f} {:.4f}", "", depth,
                     action == kNoAction ? "root" : std::to_string(index(action)), node.visits, node.value[0],
                     node.value[1]);
  if (node.proven) out += fmt::format(" proven in {}", node.plies);
  out += '\n';
  std::vector<std::pair<Action, NodeIndex>> children;
  for (Slot slot = 0; slot < node.visited; ++slot) {
    children.emplace_back(tree.action(node, slot), tree.child(node, slot));
  }
  std::sort(children.begin(), children.end());
  for (const auto& [next, child] : children) print_tree(tree, child, depth + 1, next, out);
}
inline std::string print_tree(const Tree& tree, NodeIndex index_of = Tree::kRoot) {
  std::string out;
  print_tree(tree, index_of, 0, kNoAction, out);
  return out;
}

}  // namespace koridor
