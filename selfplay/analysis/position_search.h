// The search of one task, and what is reported of it. One thread at a time may use it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/elapsed.h"
#include "core/go/free_play.h"
#include "core/registry.h"
#include "core/search/search.h"
#include "models/network/go_owners.h"
#include "selfplay/analysis/restricted_game.h"
#include "selfplay/analysis/task.h"
#include "selfplay/session/search_words.h"

namespace koridor {

struct PositionSearchSettings {
  SearchConfig search = match_search();
  int leaves = 1;  // that may wait for their evaluation at once
  std::uint64_t seed = 0;
};

template <Game G>
class PositionSearch {
 public:
  using State = typename G::State;
  // So many simulations that need no evaluation may be done in one step.
  static constexpr int kPause = 1000;

  // The search begins now, and ends soon after `stop` became true. `task` and `stop` must outlive the search.
  PositionSearch(std::shared_ptr<const G> game, const AnalysisTask& task, const PositionSearchSettings& settings,
                 const std::atomic<bool>& stop)
      : game_(std::move(game)),
        task_(task),
        position_(position_after(*game_, *task.line, static_cast<std::size_t>(task.plies))),
        outcome_(game_->outcome(position_.state, position_.history)),
        closed_(!goes_on()),
        restricted_(*game_, game_->ply(position_.state), task.only),
        search_(restricted_, settings.search),
        begin_(std::chrono::steady_clock::now()) {
    if (closed_) return;
    Position<Restricted> root(restricted_);
    root.state = position_.state;
    root.history = position_.history;
    search_.reset(root);
    SearchLimits limits;
    limits.visits = task.visits;
    limits.seconds = task.seconds;
    limits.stop = &stop;
    limits.pending = settings.leaves;
    limits.pause = kPause;
    Random random(settings.seed);
    search_.begin(limits, random);
  }
  PositionSearch(const PositionSearch&) = delete;
  PositionSearch& operator=(const PositionSearch&) = delete;

  // Whether nothing can be searched.
  bool closed() const { return closed_; }
  // Whether any action has been visited.
  bool begun() const { return search_.root_visits() > 0; }
  // What the tree takes, and what it may take from now on: a full tree ends the search.
  std::size_t tree_bytes() const { return search_.tree().memory_used(); }
  void limit_tree_bytes(std::size_t bytes) { search_.limit_tree_bytes(bytes); }
  bool full() const { return search_.tree().full(); }
  // As those of Search.
  SearchStep step() { return search_.step(); }
  const State& leaf() const { return search_.leaf(); }
  int ticket() const { return search_.ticket(); }
  void supply(int ticket, const Prediction& prediction) {
    if (!evaluated_) take_root(prediction);
    search_.supply(ticket, prediction);
  }

  // `desk` (desk.h) is asked for what the network alone says of further positions.
  template <class Desk>
  PositionReport report(PositionReport::Kind kind, Desk& desk) {
    PositionReport report{.kind = kind, .over = outcome_.over()};
    if constexpr (std::is_same_v<G, go::GoGame>) {
      const bool counted = game_->ends_by_count(position_.state, outcome_);
      if (counted) report.final_lead = game_->half_points(position_.state) / 2.0;
    }
    report.key = game_->key(position_.state);
    report.symmetric_key = symmetric_key(desk.model().info.features);
    Analysis& analysis = report.analysis;
    analysis.seat = game_->player_to_move(position_.state);
    analysis.seconds = seconds_since(begin_);
    if (closed_) {
      describe_end(report);
    } else {
      describe_search(report);
      report.raw_draw = raw_draw_;
      if (task_.policy) report.policy = raw_policy_;
      score(report, desk);
    }
    own(report, desk);
    return report;
  }

 private:
  using Restricted = RestrictedGame<G>;

  // Whether there is play to search from here, which in Go there is after the end of a game, too.
  bool goes_on() {
    if constexpr (std::is_same_v<G, go::GoGame>) go::play_on(*game_, position_);
    return !game_->outcome(position_.state, position_.history).over();
  }

  void take_root(const Prediction& prediction) {
    evaluated_ = true;
    const int mover = game_->player_to_move(position_.state);
    raw_values_ = seat_values(prediction, game_->players(), mover);
    raw_draw_ = prediction.value[static_cast<std::size_t>(game_->players())];
    if (!task_.policy) return;
    ActionMask legal;
    game_->legal_actions(position_.state, position_.history, legal);
    raw_policy_.assign(static_cast<std::size_t>(game_->num_actions()), -1.0f);
    float top = -std::numeric_limits<float>::infinity();
    const auto logit = [&](Action action) {
      return prediction.policy[static_cast<std::size_t>(game_->policy_index(position_.state, 0, action))];
    };
    legal.for_each([&](Action action) { top = std::max(top, logit(action)); });
    float sum = 0.0f;
    legal.for_each([&](Action action) {
      sum += raw_policy_[static_cast<std::size_t>(index(action))] = std::exp(logit(action) - top);
    });
    legal.for_each([&](Action action) { raw_policy_[static_cast<std::size_t>(index(action))] /= sum; });
  }

  // Nobody can play on: everything is certain.
  void describe_end(PositionReport& report) const {
    report.analysis.values = report.analysis.raw_values = outcome_.values;
    report.analysis.proven = true;
    if (task_.policy) report.policy.assign(static_cast<std::size_t>(game_->num_actions()), -1.0f);
    if constexpr (std::is_same_v<G, go::GoGame>) {
      report.score = report.raw_score = ExpectedScore{.lead = report.final_lead};
    }
  }

  // What the search says, of the candidates that were visited and the best one.
  void describe_search(PositionReport& report) const {
    constexpr int kEveryLine = ActionMask::kCapacity;
    Analysis analysis = analysis_of(restricted_, search_, task_.notation, kEveryLine);
    analysis.raw_values = raw_values_;
    analysis.seconds = report.analysis.seconds;
    std::erase_if(analysis.candidates, [&](const Candidate& candidate) {
      return candidate.visits == 0 && candidate.action != analysis.best;
    });
    for (Candidate& candidate : analysis.candidates) {
      if (candidate.visits == 0) candidate.values = analysis.values;
      report.candidates.push_back({.line_visits = visits_along(candidate.action)});
      const auto length = std::min(candidate.line.size(), static_cast<std::size_t>(task_.line_length));
      candidate.line.resize(length);
      report.candidates.back().line_visits.resize(length);
    }
    report.full = report.kind == PositionReport::Kind::last && full() && !analysis.proven && !search_.stopped() &&
                  (task_.visits == 0 || analysis.visits < task_.visits);
    report.analysis = std::move(analysis);
  }

  // Of the positions after each action of the line that begins with `first`.
  std::vector<int> visits_along(Action first) const {
    std::vector<Action> line;
    search_.principal_variation(first, line);
    const Tree& tree = search_.tree();
    std::vector<int> visits;
    NodeIndex node = Tree::kRoot;
    for (const Action action : line) {
      const Slot slot = node == kNoNode ? -1 : tree.find(tree.node(node), action);
      node = slot < 0 ? kNoNode : tree.child(tree.node(node), slot);
      visits.push_back(node == kNoNode ? 0 : static_cast<int>(tree.node(node).visits));
    }
    return visits;
  }

  Position<G> after(Action action) const {
    Position<G> position = position_;
    position.apply(*game_, action);
    return position;
  }

  // Sets the expected scores. A position's is asked for once, however often it is reported.
  template <class Desk>
  void score(PositionReport& report, Desk& desk) {
    if constexpr (std::is_same_v<G, go::GoGame>) {
      std::vector<Action> unknown;
      std::vector<Position<G>> positions;
      if (!raw_score_) positions.push_back(position_);
      for (const Candidate& candidate : report.analysis.candidates) {
        if (scores_.contains(candidate.action)) continue;
        unknown.push_back(candidate.action);
        positions.push_back(after(candidate.action));
      }
      std::vector<ExpectedScore> found = desk.scores(positions);
      if (!raw_score_) {
        raw_score_ = found.front();
        found.erase(found.begin());
      }
      for (std::size_t i = 0; i < unknown.size(); ++i) scores_[unknown[i]] = found[i];
      report.raw_score = raw_score_;
      ExpectedScore sum;
      double share = 0;
      for (std::size_t i = 0; i < report.candidates.size(); ++i) {
        const Candidate& candidate = report.analysis.candidates[i];
        const ExpectedScore& score = scores_.at(candidate.action);
        report.candidates[i].score = score;
        sum.lead += candidate.policy * score.lead;
        sum.deviation += candidate.policy * score.deviation;
        share += candidate.policy;
      }
      report.score = share > 0 ? ExpectedScore{sum.lead / share, sum.deviation / share} : *raw_score_;
    }
  }

  // Sets the owners that were asked for, each computed once. Where the game is over they are those of its result.
  template <class Desk>
  void own(PositionReport& report, Desk& desk) {
    if (task_.ownership) report.analysis.ownership = owners(kNoAction, position_, desk);
    if (!task_.move_ownership) return;
    for (std::size_t i = 0; i < report.candidates.size(); ++i) {
      const Action action = report.analysis.candidates[i].action;
      report.candidates[i].ownership = owners(action, after(action), desk);
    }
  }

  template <class Desk>
  const std::vector<float>& owners(Action action, const Position<G>& position, Desk& desk) {
    if (const auto found = owners_.find(action); found != owners_.end()) return found->second;
    std::vector<float>& result = owners_[action];
    if constexpr (std::is_same_v<G, go::GoGame>) {
      if (action == kNoAction && outcome_.over()) {
        result.resize(static_cast<std::size_t>(game_->encoding(desk.model().info.features).area()));
        game_->ownership(position.state, 0, result);
      } else {
        result = expected_owners(&desk.model(), *game_, position.state);
      }
      for (float& owner : result) owner = 2.0f * owner - 1.0f;
    }
    return result;
  }

  // The least of the hashes of what a network sees of the position in its symmetries.
  std::uint64_t symmetric_key(const Features& features) const {
    const EncodingShape shape = game_->encoding(features);
    std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
    std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
    std::uint64_t least = ~std::uint64_t{0};
    for (int symmetry = 0; symmetry < game_->num_symmetries(); ++symmetry) {
      game_->encode(position_.state, features, symmetry, planes.data(), scalars.data());
      std::uint64_t hash = 0;
      for (const auto* floats : {&planes, &scalars}) {
        for (const float number : *floats) hash = mix64(hash ^ std::bit_cast<std::uint32_t>(number));
      }
      least = std::min(least, hash);
    }
    return least;
  }

  std::shared_ptr<const G> game_;
  const AnalysisTask& task_;
  Position<G> position_;
  Outcome outcome_;
  bool closed_;
  Restricted restricted_;
  Search<Restricted> search_;
  std::chrono::steady_clock::time_point begin_;

  bool evaluated_ = false;
  Values raw_values_{};
  double raw_draw_ = 0;
  std::vector<float> raw_policy_;
  std::optional<ExpectedScore> raw_score_;
  std::map<Action, ExpectedScore> scores_;
  std::map<Action, std::vector<float>> owners_;  // of the position after the action; kNoAction: of the position itself
};

}  // namespace koridor
