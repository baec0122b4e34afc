// The parts of the search one by one: softmax, the halving table, the selection rules, the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/registry.h"
#include "core/search/completed_values.h"
#include "core/search/halving.h"
#include "core/search/search.h"
#include "core/search/softmax.h"
#include "core/search/tree.h"
#include "tests/core/search_support.h"
#include "tests/core/toy_games.h"
#include "tests/error_of.h"

namespace koridor {
namespace {

using testing::ElementsAre;

TEST(Softmax, ExponentialIsAccurate) {
  for (double x = 0.0; x > -80.0; x -= 0.0371) {
    const double truth = std::exp(static_cast<double>(static_cast<float>(x)));
    EXPECT_NEAR(exp_negative(static_cast<float>(x)) / truth, 1.0, 3e-7) << x;
  }
  EXPECT_EQ(exp_negative(0.0f), 1.0f);
  EXPECT_GT(exp_negative(-1e30f), 0.0f);
}

TEST(Softmax, EqualsTheDefinitionAtEverySize) {
  Random random(1);
  for (int size = 1; size <= 70; ++size) {
    std::vector<float> logits(size);
    for (float& logit : logits) logit = static_cast<float>(4.0 * random.normal());
    std::vector<double> truth(logits.begin(), logits.end());
    double total = 0.0;
    for (double& entry : truth) total += entry = std::exp(entry);
    softmax(logits);
    for (int i = 0; i < size; ++i) EXPECT_NEAR(logits[i], truth[i] / total, 1e-6);
  }
  std::vector<float> extreme = {300.0f, -300.0f};
  softmax(extreme);
  EXPECT_EQ(extreme[0], 1.0f);
  EXPECT_GT(extreme[1], 0.0f);
}

std::vector<std::uint32_t> table(int considered, int simulations) {
  std::vector<std::uint32_t> result;
  halving_table(considered, simulations, result);
  return result;
}

// At small concentrations all of a sample is on one entry, and on each as often, however small its numbers are.
TEST(Dirichlet, HasAllOfItsMass) {
  Random random(3);
  for (const double concentration : {1e-5, 1e-3, 0.05, 1.0}) {
    std::array<int, 4> largest{};
    for (int trial = 0; trial < 400; ++trial) {
      std::array<float, 4> sample;
      random.dirichlet(concentration, sample);
      EXPECT_NEAR(std::accumulate(sample.begin(), sample.end(), 0.0), 1.0, 1e-5);
      const auto most = std::ranges::max_element(sample);
      EXPECT_GT(*most, concentration < 1e-4 ? 0.99f : 0.25f);
      ++largest[static_cast<std::size_t>(most - sample.begin())];
    }
    for (const int count : largest) EXPECT_NEAR(count, 100, 50) << concentration;
  }
}

TEST(HalvingTable, AsInThePaper) {
  EXPECT_THAT(table(4, 16), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5));
  EXPECT_THAT(table(4, 4), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(table(2, 5), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(table(1, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(table(3, 9), ElementsAre(0, 0, 0, 1, 1, 2, 2, 3, 3));
}

// 16 actions and 200 simulations: phases of 16, 8, 4 and 2 actions with 3, 6, 12 and 25 visits each; what is left goes
// to the last two.
TEST(HalvingTable, Phases) {
  const std::vector<std::uint32_t> result = table(16, 200);
  ASSERT_EQ(result.size(), 200u);
  std::map<std::uint32_t, int> actions;  // how many actions get their visit number v
  for (std::uint32_t visits : result) ++actions[visits];
  for (std::uint32_t v = 0; v < 3; ++v) EXPECT_EQ(actions[v], 16) << v;
  for (std::uint32_t v = 3; v < 9; ++v) EXPECT_EQ(actions[v], 8) << v;
  for (std::uint32_t v = 9; v < 21; ++v) EXPECT_EQ(actions[v], 4) << v;
  for (std::uint32_t v = 21; v < 49; ++v) EXPECT_EQ(actions[v], 2) << v;
}

TEST(HalvingTable, AlwaysTheWholeBudget) {
  for (int considered = 1; considered <= 20; ++considered) {
    for (int simulations = 1; simulations <= 100; ++simulations) {
      const auto result = table(considered, simulations);
      ASSERT_EQ(static_cast<int>(result.size()), simulations);
      EXPECT_TRUE(std::is_sorted(result.begin(), result.end()));
    }
  }
}

// A node with edges made up: random priors, and visits and values for the first of them.
struct MadeUpNode {
  Node node;
  std::vector<float> prior;
  std::vector<std::uint32_t> visits;
  std::vector<float> value;

  MadeUpNode(Random& random, int edges, int visited, double lost) {
    for (int i = 0; i < edges; ++i) prior.push_back(static_cast<float>(2.0 * random.normal()));
    softmax(prior);
    if (visited < edges)
      std::iter_swap(prior.begin() + visited, std::max_element(prior.begin() + visited, prior.end()));
    node.edges = static_cast<std::uint16_t>(edges);
    node.visited = static_cast<std::uint16_t>(visited);
    node.visits = 1;
    for (int i = 0; i < visited; ++i) {
      visits.push_back(static_cast<std::uint32_t>(1 + random.below(9)));
      value.push_back(random.chance(lost) ? kLostEdge : static_cast<float>(random.uniform()));
      node.visits += visits.back();
      node.visited_prior += prior[i];
    }
    node.estimate = static_cast<float>(random.uniform());
    node.value = {random.uniform(), 0.0};
    node.value[1] = 1.0 - node.value[0];
    node.mover = static_cast<std::uint8_t>(random.below(2));
  }
  EdgeView edges() const { return {prior.data(), visits.data(), value.data(), node.visited, node.edges}; }
  double n(int slot) const { return slot < node.visited ? visits[slot] : 0.0; }
  bool lost(int slot) const { return slot < node.visited && value[slot] == kLostEdge; }

  // The paper's formulas, word for word.
  double mixed_value() const {
    double sum = 0.0, prior_sum = 0.0, weighted = 0.0;
    for (int i = 0; i < node.visited; ++i) {
      sum += visits[i];
      prior_sum += prior[i];
      weighted += prior[i] * std::max(0.0f, value[i]);
    }
    if (node.visited == 0) return node.estimate;
    return (node.estimate + sum * weighted / prior_sum) / (1.0 + sum);
  }
  std::vector<double> improved(const GumbelConfig& config) const {
    double most = 0.0;
    for (int i = 0; i < node.visited; ++i) most = std::max(most, n(i));
    std::vector<double> policy;
    double top = -1e300, total = 0.0;
    for (int i = 0; i < node.edges; ++i) {
      const double q = i < node.visited ? value[i] : mixed_value();
      const double counted = most > config.gumbel_visit_cap ? config.gumbel_visit_cap : most;
      const double sigma = (config.gumbel_c_visit + counted) * config.gumbel_c_scale * q;
      policy.push_back(lost(i) ? -1e300 : std::log(prior[i]) + sigma);
      top = std::max(top, policy.back());
    }
    for (double& entry : policy) total += entry = std::exp(entry - top);
    for (double& entry : policy) entry /= total;
    return policy;
  }
};

// The choice of PUCT with c(N) = c, word for word.
int choice_of_puct(const MadeUpNode& made, double c, double fpu_reduction) {
  const Node& node = made.node;
  const double urgency = node.value[node.mover] - fpu_reduction * std::sqrt(node.visited_prior);
  int best = -1;
  double best_score = 0.0;
  for (int i = 0; i < node.edges; ++i) {
    if (made.lost(i)) continue;
    const double q = i < node.visited ? made.value[i] : urgency;
    const double score = q + c * made.prior[i] * std::sqrt(node.visits) / (1.0 + made.n(i));
    if (best < 0 || score > best_score) {
      best = i;
      best_score = score;
    }
  }
  return best;
}

TEST(Select, PuctIsItsFormula) {
  Random random(5);
  const PuctConfig config;
  const Puct puct(config, 20);
  for (int round = 0; round < 500; ++round) {
    const int edges = 2 + random.below(20);
    const MadeUpNode made(random, edges, random.below(edges), 0.2);
    const double n = made.node.visits;
    const double c = config.c_puct + std::log((1.0 + n + config.c_puct_base) / config.c_puct_base);
    EXPECT_EQ(puct.select(made.node, made.edges()), choice_of_puct(made, c, config.fpu_reduction));
  }
}

TEST(Select, GumbelInsideIsPuctWhereItHasAFactor) {
  Random random(8);
  int other_than_improved = 0;
  for (int round = 0; round < 500; ++round) {
    const int edges = 2 + random.below(20);
    const MadeUpNode made(random, edges, 1 + random.below(edges - 1), 0.2);
    GumbelConfig config{.gumbel_inside_c_puct = static_cast<float>(0.1 + 2.0 * random.uniform())};
    const int chosen = Gumbel(config, 20).select(made.node, made.edges());
    EXPECT_EQ(chosen, choice_of_puct(made, config.gumbel_inside_c_puct, PuctConfig{}.fpu_reduction));
    other_than_improved += chosen != Gumbel({}, 20).select(made.node, made.edges());
  }
  EXPECT_GT(other_than_improved, 0);
}

TEST(Select, GumbelIsItsFormula) {
  Random random(6);
  GumbelConfig config;
  for (int round = 0; round < 500; ++round) {
    config.gumbel_c_scale = static_cast<float>(random.uniform());
    config.gumbel_c_visit = static_cast<float>(random.below(60));
    config.gumbel_visit_cap = round % 2 == 0 ? kNoVisitCap : static_cast<float>(1 + random.below(8));
    const int edges = 2 + random.below(20);
    const MadeUpNode made(random, edges, random.below(edges), 0.2);
    const std::vector<double> truth = made.improved(config);
    double sum = 0.0;
    for (int i = 0; i < made.node.visited; ++i) sum += made.n(i);

    const ValueScale scale{config.gumbel_c_visit, config.gumbel_c_scale, config.gumbel_visit_cap};
    EXPECT_NEAR(completed_values(made.node, made.edges(), scale).mixed, made.mixed_value(), 1e-5);
    std::vector<float> policy(edges);
    improved_policy(made.node, made.edges(), scale, policy);
    for (int i = 0; i < edges; ++i) EXPECT_NEAR(policy[i], truth[i], 2e-5);
    EXPECT_NEAR(std::accumulate(policy.begin(), policy.end(), 0.0), 1.0, 1e-5);

    const int chosen = Gumbel(config, 20).select(made.node, made.edges());
    EXPECT_FALSE(made.lost(chosen));
    for (int i = 0; i < edges; ++i) {
      if (made.lost(i)) continue;
      EXPECT_GE(truth[chosen] - made.n(chosen) / (1.0 + sum) + 2e-5, truth[i] - made.n(i) / (1.0 + sum));
    }
  }
}

// Where every edge is lost both rules still choose one.
TEST(Select, AllLost) {
  Random random(7);
  const MadeUpNode made(random, 5, 5, 1.0);
  EXPECT_GE(Puct({}, 5).select(made.node, made.edges()), 0);
  EXPECT_GE(Gumbel({}, 5).select(made.node, made.edges()), 0);
}

TEST(Rules, AreChosenByName) {
  EXPECT_EQ(SearchRules::names(), (std::vector<std::string>{"puct", "gumbel"}));
  for (const std::string& name : SearchRules::names()) {
    const SearchRules::Any rule = SearchRules::make(name, {}, 5);
    EXPECT_EQ(std::visit([](const auto& known) { return std::string(known.kName); }, rule), name);
  }
  EXPECT_EQ(error_of([] { SearchRules::make("gumble", {}, 5); }),
            "unknown search rule 'gumble'; did you mean 'gumbel'? the search rules are puct, gumbel");
}

// In matches each game is searched by the rule that plays it best, where nobody says otherwise.
TEST(Rules, AutoIsThatOfTheGame) {
  const auto search_of = [](const char* variant, const SearchConfig& config) {
    const AnyGame any = parse_game(variant);
    return std::visit([&](const auto& game) { return search_for_game(config, game); }, any);
  };
  for (const char* variant : {"go:5x5", "pinko-pallino", "pinko-pallino:5x5", "blockade", "quoridor", "quoridor-kid"}) {
    EXPECT_EQ(search_of(variant, match_search()).algorithm, "puct") << variant;
  }
  for (const char* variant : {"quoridor:5x5", "quoridor4", "quoridor4:5x5", "quoridor-kid4"}) {
    EXPECT_EQ(search_of(variant, match_search()).algorithm, "gumbel") << variant;
  }
  for (const char* variant : {"pinko-pallino", "quoridor", "quoridor-kid"}) {
    EXPECT_EQ(search_of(variant, match_search()).policy_temperature, 1.8f) << variant;
  }
  for (const char* variant : {"blockade", "go:5x5", "quoridor4"}) {
    EXPECT_EQ(search_of(variant, match_search()).policy_temperature, 1.0f) << variant;
  }
  SearchConfig twice = match_search();
  twice.policy_temperature = 2.0f;
  EXPECT_EQ(search_of("quoridor", twice).policy_temperature, 3.6f);
  twice.algorithm = "puct";
  EXPECT_EQ(search_of("quoridor", twice).policy_temperature, 2.0f);
  EXPECT_EQ(search_of("go:5x5", SearchConfig{}).algorithm, "gumbel");  // self-play's is what its configuration says
  const toy::Subtraction game;
  EXPECT_EQ(search_for_game(match_search(), game).algorithm, "gumbel");  // a game that says nothing
  EXPECT_NO_THROW(Search<toy::Subtraction>(game, match_search()));
}

// Every setting of every rule has a key, and each key sets the configuration it was described for.
TEST(Rules, DescribeTheirSettings) {
  SearchConfig config;
  SettingList list;
  list.begin_section("search");
  describe_settings(config, list);
  std::vector<std::string> names;
  for (const Setting& setting : list.settings()) {
    names.push_back(setting.name);
    EXPECT_FALSE(setting.comment.empty()) << setting.name;
    if (setting.name == "search.algorithm") {
      EXPECT_EQ(setting.choices, (std::vector<std::string>{"puct", "gumbel", "auto"}));
    }
    if (setting.name == "search.gumbel_considered") *std::get<int*>(setting.target) = 5;
    if (setting.name == "search.c_puct") *std::get<float*>(setting.target) = 3.0f;
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "search.algorithm", "search.proven_walls", "search.transposition_visits",
                       "search.opponent_model", "search.c_puct", "search.c_puct_base", "search.fpu_reduction",
                       "search.policy_temperature", "search.lower_bound", "search.root_noise_fraction",
                       "search.root_noise_total", "search.gumbel_considered", "search.gumbel_c_visit",
                       "search.gumbel_c_scale", "search.gumbel_visit_cap", "search.gumbel_inside_c_puct"}));
  EXPECT_EQ(config.gumbel_considered, 5);
  EXPECT_EQ(config.c_puct, 3.0f);
}

ActionMask first_actions(int count) {
  ActionMask mask;
  for (int i = 0; i < count; ++i) mask.set(Action{static_cast<std::uint16_t>(i)});
  return mask;
}

// Visited edges stay in front, the best unvisited one follows them, and no action is lost or doubled.
TEST(Tree, EdgesAreOrderedAsPromised) {
  Random random(8);
  Tree tree(100, 1000);
  tree.clear(0);
  std::vector<float> logits(30);
  for (float& logit : logits) logit = static_cast<float>(random.normal());
  tree.expand(Tree::kRoot, first_actions(30), 1.0f, [&](Action action) { return logits[index(action)]; });
  std::vector<float> prior = logits;
  softmax(prior);
  std::vector<Action> visited;
  for (int step = 0; step < 30; ++step) {
    const Node& root = tree.root();
    ASSERT_EQ(root.visited, step);
    float visited_prior = 0.0f, best_prior = 0.0f;
    std::set<Action> seen;
    for (Slot slot = 0; slot < 30; ++slot) {
      const Action action = tree.action(root, slot);
      EXPECT_TRUE(seen.insert(action).second);
      EXPECT_EQ(tree.prior(root, slot), prior[index(action)]);
      if (slot < step) {
        EXPECT_EQ(action, visited[slot]);
        visited_prior += tree.prior(root, slot);
      } else {
        best_prior = std::max(best_prior, tree.prior(root, slot));
      }
    }
    EXPECT_NEAR(root.visited_prior, visited_prior, 1e-6);
    EXPECT_EQ(tree.prior(root, step), best_prior);
    const Slot slot = step + random.below(30 - step);  // any unvisited edge, as the Gumbel root may choose
    visited.push_back(tree.action(root, slot));
    EXPECT_EQ(tree.add_child(Tree::kRoot, slot, 1), step);
    EXPECT_EQ(tree.child(tree.root(), step), tree.size() - 1);
  }
}

TEST(Tree, BackupIsTheMean) {
  Tree tree(10, 10);
  tree.clear(1);
  tree.expand(Tree::kRoot, first_actions(2), 1.0f, [](Action) { return 0.0f; });
  tree.backup({}, Tree::kRoot, {0.5, 0.5});
  const Slot slot = tree.add_child(Tree::kRoot, 0, 0);
  const std::array<PathStep, 1> path = {PathStep{Tree::kRoot, slot}};
  double sum = 0.5;
  for (int i = 1; i <= 100000; ++i) {
    const double value = i % 10 == 0 ? 1.0 : 0.1;
    sum += value;
    tree.backup(path, 1, {value, 1.0 - value});
  }
  EXPECT_EQ(tree.root().visits, 100001u);
  EXPECT_NEAR(tree.root().value[0], sum / 100001, 1e-9);
  EXPECT_EQ(tree.edges(tree.root()).visits[0], 100000u);
  EXPECT_NEAR(tree.edges(tree.root()).value[0], 0.81, 1e-5);  // for player 1, who moves at the root
}

TEST(Puct, PlaysByLowerBounds) {
  Tree tree(10, 10);
  tree.clear(0);
  tree.expand(Tree::kRoot, first_actions(5), 1.0f, [](Action) { return 0.0f; });
  const auto visit = [&](int visits, double value) {
    const NodeIndex child = static_cast<NodeIndex>(tree.size());
    const Slot slot = tree.add_child(Tree::kRoot, tree.root().visited, 1);
    for (int i = 0; i < visits; ++i) {
      tree.backup(std::array{PathStep{Tree::kRoot, slot}}, child, {value, 1 - value});
    }
    return slot;
  };
  const auto best_of = [&](float lower_bound) {
    PuctConfig config;
    config.lower_bound = lower_bound;
    const Puct rule(config, 5);
    return std::pair(rule.best(tree), rule.choice(tree).certainty);
  };
  EXPECT_EQ(best_of(0.5f).first, 0) << "nothing is visited";
  const Slot often = visit(100, 0.5);
  const Slot good = visit(60, 0.6);
  visit(12, 0.99);  // less than an eighth: too seldom for a bound
  EXPECT_EQ(best_of(0).first, often);
  EXPECT_EQ(best_of(0.5f).first, good);
  EXPECT_EQ(best_of(0.5f).second, 0) << "the most visited action may be played yet";
  EXPECT_EQ(best_of(5).first, often) << "the bound of fewer visits is lower";
  EXPECT_NEAR(best_of(5).second, 0.4, 1e-6);
  const NodeIndex lost = static_cast<NodeIndex>(tree.size());
  const Slot slot = tree.add_child(Tree::kRoot, tree.root().visited, 1);
  tree.set_proven(lost, {0.0f, 1.0f}, 1);
  for (int i = 0; i < 90; ++i) tree.backup(std::array{PathStep{Tree::kRoot, slot}}, lost, {0.0, 1.0});
  EXPECT_EQ(best_of(0.5f).first, good) << "a proven loss is not played";
}

// Memory that was used before stands behind the visited edges.
TEST(SearchReport, TheLineEndsWhereAllVisitedEdgesAreLost) {
  const AnyGame any = parse_game("quoridor:3x3,walls=0");
  const auto& game = std::get<wall::WallGame>(any);
  const Position<wall::WallGame> position(game);
  Position<wall::WallGame> next = position;
  const auto legal = [&](const Position<wall::WallGame>& at) {
    ActionMask actions;
    game.legal_actions(at.state, at.history, actions);
    return actions;
  };
  const auto flat = [](Action) { return 0.0f; };
  Tree tree(20, 100);
  tree.clear(0);
  tree.expand(Tree::kRoot, first_actions(20), 1.0f, flat);
  for (Slot slot = 0; slot < 20; ++slot) {
    const NodeIndex child = static_cast<NodeIndex>(tree.size());
    tree.add_child(Tree::kRoot, slot, 1);
    tree.backup(std::array{PathStep{Tree::kRoot, slot}}, child, {0.5, 0.5});
  }
  tree.clear(0);
  tree.expand(Tree::kRoot, legal(position), 1.0f, flat);
  tree.add_child(Tree::kRoot, 0, 1);
  const PathStep first{Tree::kRoot, 0};
  const Action action = tree.action(tree.root(), 0);
  next.apply(game, action);
  ASSERT_GE(legal(next).count(), 2);
  tree.expand(1, legal(next), 1.0f, flat);
  tree.backup(std::array{first}, 1, {0.5, 0.5});
  tree.add_child(1, 0, 0);
  tree.set_proven(2, {1.0f, 0.0f}, 1);
  tree.backup(std::array{first, PathStep{1, 0}}, 2, {1.0, 0.0});
  ASSERT_TRUE(tree.lost(tree.node(1), 0));
  ASSERT_FALSE(tree.node(1).proven);
  SearchRules::Any rule = SearchRules::make("puct", {}, game.num_actions());
  Knowledge<wall::WallGame> knowledge(game);
  std::vector<Action> line;
  SearchReport(tree, rule).principal_variation(game, position, knowledge, line);
  EXPECT_THAT(line, ElementsAre(action));
}

TEST(Tree, KeepGivesUpTheDeepestNodesFirst) {
  // A root with 3 children of 3 children each, all expanded.
  Tree tree(100, 1000);
  tree.clear(0);
  for (NodeIndex node = 0; node < 13; ++node) {
    tree.expand(node, first_actions(3), 1.0f, [](Action) { return 0.0f; });
    for (int child = 0; node < 4 && child < 3; ++child) tree.add_child(node, child, 0);
  }
  ASSERT_EQ(tree.size(), 13u);
  Tree kept(100, 1000);
  kept.keep(tree, Tree::kRoot, 100);
  EXPECT_EQ(print_tree(kept), print_tree(tree));
  kept.keep(tree, Tree::kRoot, 8);
  EXPECT_EQ(kept.size(), 7u);
  EXPECT_TRUE(kept.node(1).expanded());
  EXPECT_FALSE(kept.node(2).expanded());
  EXPECT_FALSE(kept.node(3).expanded());
  EXPECT_EQ(kept.node(1).visited, 3);
  kept.keep(tree, 2, 100);
  EXPECT_EQ(print_tree(kept), print_tree(tree, 2));
}

}  // namespace
}  // namespace koridor
