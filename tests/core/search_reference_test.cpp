// The search against a second one that is written for clarity only: all edges scanned, all formulas in double, states
// kept in the nodes. Visits must agree node by node.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>

#include "core/search/search.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"

namespace koridor {
namespace {

using toy::Paths;

struct PlainNode {
  Paths::State state;
  std::vector<double> prior;
  double estimate = 0.0;
  int visits = 0;
  std::array<double, kMaxPlayers> total{};
  std::map<int, std::unique_ptr<PlainNode>> children;
};

class PlainSearch {
 public:
  PlainSearch(const Paths& game, const SearchConfig& config) : game_(game), config_(config), evaluate_(game) {
    root_.state = game.initial_state();
    visit(root_);
  }

  void run(int simulations) {
    std::vector<std::uint32_t> table;
    const int considered = std::min({config_.gumbel_considered, simulations, game_.num_actions()});
    halving_table(considered, simulations, table);
    std::vector<int> candidates;
    while (static_cast<int>(candidates.size()) < considered) {
      int best = -1;
      for (int action = 0; action < game_.num_actions(); ++action) {
        if (std::count(candidates.begin(), candidates.end(), action) != 0) continue;
        if (best < 0 || root_.prior[action] > root_.prior[best]) best = action;
      }
      candidates.push_back(best);
    }
    for (int simulation = 0; simulation < simulations; ++simulation) {
      int action = -1;
      if (config_.algorithm == "puct") {
        action = puct(root_);
      } else {
        const std::vector<double> improved = improved_logits(root_);
        for (int candidate : candidates) {
          if (visits(root_, candidate) != static_cast<int>(table[simulation])) continue;
          if (action < 0 || improved[candidate] > improved[action]) action = candidate;
        }
      }
      simulate(root_, action);
    }
  }

  const PlainNode& root() const { return root_; }

 private:
  static int visits(const PlainNode& node, int action) {
    const auto child = node.children.find(action);
    return child == node.children.end() ? 0 : child->second->visits;
  }
  double value(const PlainNode& node, int action) const {
    const PlainNode& child = *node.children.at(action);
    return child.total[game_.player_to_move(node.state)] / child.visits;
  }

  double logit(const Prediction& prediction, int action) const {
    return prediction.policy[action] / (config_.algorithm == "puct" ? config_.policy_temperature : 1.0);
  }

  // Evaluates the node for the first time.
  std::array<double, kMaxPlayers> visit(PlainNode& node) {
    const Prediction prediction = evaluate_(node.state);
    double sum = 0.0;
    for (int action = 0; action < game_.num_actions(); ++action) {
      sum += std::exp(logit(prediction, action));
    }
    node.prior.clear();
    for (int action = 0; action < game_.num_actions(); ++action) {
      node.prior.push_back(std::exp(logit(prediction, action)) / sum);
    }
    std::array<double, kMaxPlayers> values{};
    const int players = game_.players();
    const int mover = game_.player_to_move(node.state);
    for (int i = 0; i < players; ++i) {
      values[(mover + i) % players] = prediction.value[i] + prediction.value[players] / players;
    }
    node.estimate = values[mover];
    add(node, values);
    return values;
  }

  static void add(PlainNode& node, const std::array<double, kMaxPlayers>& values) {
    ++node.visits;
    for (int player = 0; player < kMaxPlayers; ++player) node.total[player] += values[player];
  }

  std::array<double, kMaxPlayers> simulate(PlainNode& node, int action) {
    std::unique_ptr<PlainNode>& child = node.children[action];
    std::array<double, kMaxPlayers> values;
    if (child == nullptr) {
      child = std::make_unique<PlainNode>();
      child->state = node.state;
      game_.apply(child->state, Action{static_cast<std::uint16_t>(action)});
      values = visit(*child);
    } else {
      values = simulate(*child, inside(*child));
    }
    add(node, values);
    return values;
  }

  int inside(const PlainNode& node) const {
    if (config_.algorithm == "puct") return puct(node);
    return config_.gumbel_inside_c_puct > 0.0f ? puct(node, config_.gumbel_inside_c_puct) : gumbel(node);
  }

  int puct(const PlainNode& node) const {
    const double n = node.visits;
    return puct(node, config_.c_puct + std::log((1.0 + n + config_.c_puct_base) / config_.c_puct_base));
  }
  int puct(const PlainNode& node, double c) const {
    const double n = node.visits;
    double visited_prior = 0.0;
    for (const auto& [action, child] : node.children) visited_prior += node.prior[action];
    const double urgency =
        node.total[game_.player_to_move(node.state)] / n - config_.fpu_reduction * std::sqrt(visited_prior);
    std::vector<double> scores;
    for (int action = 0; action < game_.num_actions(); ++action) {
      const int here = visits(node, action);
      const double q = here > 0 ? value(node, action) : urgency;
      scores.push_back(q + c * node.prior[action] * std::sqrt(n) / (1.0 + here));
    }
    return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }

  std::vector<double> improved_logits(const PlainNode& node) const {
    double sum = 0.0, most = 0.0, prior = 0.0, weighted = 0.0;
    for (const auto& [action, child] : node.children) {
      sum += child->visits;
      most = std::max<double>(most, child->visits);
      prior += node.prior[action];
      weighted += node.prior[action] * value(node, action);
    }
    const double mixed = sum == 0.0 ? node.estimate : (node.estimate + sum * weighted / prior) / (1.0 + sum);
    std::vector<double> logits;
    for (int action = 0; action < game_.num_actions(); ++action) {
      const double q = visits(node, action) > 0 ? value(node, action) : mixed;
      logits.push_back(std::log(node.prior[action]) + (config_.gumbel_c_visit + most) * config_.gumbel_c_scale * q);
    }
    return logits;
  }

  int gumbel(const PlainNode& node) const {
    std::vector<double> policy = improved_logits(node);
    double total = 0.0, sum = 0.0;
    const double top = *std::max_element(policy.begin(), policy.end());
    for (double& entry : policy) total += entry = std::exp(entry - top);
    for (const auto& [action, child] : node.children) sum += child->visits;
    for (int action = 0; action < game_.num_actions(); ++action) {
      policy[action] = policy[action] / total - visits(node, action) / (1.0 + sum);
    }
    return static_cast<int>(std::max_element(policy.begin(), policy.end()) - policy.begin());
  }

  Paths game_;
  SearchConfig config_;
  HashEvaluator<Paths> evaluate_;
  PlainNode root_;
};

void expect_equal(const Tree& tree, NodeIndex index_of, const PlainNode& plain) {
  const Node& node = tree.node(index_of);
  ASSERT_EQ(static_cast<int>(node.visits), plain.visits);
  for (int player = 0; player < kMaxPlayers; ++player) {
    EXPECT_NEAR(node.value[player], plain.total[player] / plain.visits, 1e-5);
  }
  ASSERT_EQ(node.visited, plain.children.size());
  for (const auto& [action, child] : plain.children) {
    const Slot slot = tree.find(node, Action{static_cast<std::uint16_t>(action)});
    ASSERT_LT(slot, node.visited);
    expect_equal(tree, tree.child(node, slot), *child);
  }
}

void expect_equal_trees(const SearchConfig& config) {
  for (int players = 2; players <= 4; ++players) {
    for (const int actions : {3, 40}) {
      const Paths game({.players = players, .num_actions = actions, .max_plies = 1000});
      PlainSearch plain(game, config);
      plain.run(300);
      Search<Paths> search(game, config, 300);
      HashEvaluator<Paths> evaluate(game);
      Random random(1);
      run_search(search, {300, false}, random, evaluate);
      EXPECT_EQ(evaluate.calls, 301);
      EXPECT_NO_FATAL_FAILURE(expect_equal(search.tree(), Tree::kRoot, plain.root()))
          << "players " << players << ", actions " << actions << ", " << config.algorithm;
    }
  }
}

TEST(SearchReference, TreesAreEqual) {
  for (const std::string& algorithm : SearchRules::names()) {
    SearchConfig config = with(algorithm);
    config.gumbel_c_scale = 0.1f;
    expect_equal_trees(config);
  }
}

TEST(SearchReference, TreesOfFlatterPriorsAreEqual) {
  SearchConfig config = with("puct");
  config.policy_temperature = 1.4f;
  expect_equal_trees(config);
}

TEST(SearchReference, TreesOfGumbelWithPuctInsideAreEqual) {
  SearchConfig config = with("gumbel");
  config.gumbel_c_scale = 0.1f;
  config.gumbel_inside_c_puct = 0.5f;
  expect_equal_trees(config);
}

}  // namespace
}  // namespace koridor
