#include "selfplay/matches/yardstick/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "selfplay/matches/slots.h"
#include "selfplay/matches/yardstick/slot.h"

namespace koridor {
namespace {

// The points of the player `seats` behind the mover in the order of turns, by an evaluator's value.
float points_of(std::span<const float> value, int seats) {
  return value[static_cast<std::size_t>(seats)] + value.back() / static_cast<float>(value.size() - 1);
}

// The softmax over the legal actions.
template <Game G>
std::vector<PolicyEntry> policy_of(const G& game, const typename G::State& state, const YardstickPosition& sampled,
                                   std::span<const float> logits) {
  std::vector<PolicyEntry> policy;
  float most = -INFINITY;
  for (const KnownAction& known : sampled.known) {
    const float logit = logits[static_cast<std::size_t>(game.policy_index(state, 0, known.action))];
    policy.push_back({known.action, logit});
    most = std::max(most, logit);
  }
  float sum = 0;
  for (PolicyEntry& entry : policy) sum += entry.probability = std::exp(entry.probability - most);
  for (PolicyEntry& entry : policy) entry.probability /= sum;
  return policy;
}

// Asks the network about a position and everything that can follow it, in batches of as many as there is room for. The
// answers are by the policy and by the value (NetworkAnswers).
template <Game G>
std::pair<YardstickAnswer, YardstickAnswer> ask_about(const G& game, EvaluationBatch<G>& batch, int room,
                                                      const YardstickPosition& sampled) {
  YardstickAnswer by_policy;
  YardstickAnswer by_value;
  Position<G> position(game);
  for (const Action action : sampled.actions) position.apply(game, action);
  const int mover = game.player_to_move(position.state);
  batch.clear();
  batch.add(position.state, 0);
  batch.evaluate();
  const Prediction own = batch.prediction(0);
  by_policy.value = points_of(own.value, 0);
  by_policy.policy = policy_of(game, position.state, sampled, own.policy);
  by_policy.action = std::ranges::max_element(by_policy.policy, {}, &PolicyEntry::probability)->action;

  float most = -1;
  const auto compare = [&](Action action, float points) {
    if (points <= most) return;
    most = points;
    by_value.action = action;
  };
  std::vector<std::pair<Action, int>> asked;  // and how many seats the mover is behind the next one to move
  const auto evaluate = [&] {
    batch.evaluate();
    for (int row = 0; row < batch.size(); ++row) {
      const auto [action, seats] = asked[static_cast<std::size_t>(row)];
      const float points = points_of(batch.prediction(row).value, seats);
      compare(action, points);
      by_policy.expected.push_back({action, points});
    }
    asked.clear();
    batch.clear();
  };
  batch.clear();
  for (const KnownAction& known : sampled.known) {
    Position<G> next = position;
    next.apply(game, known.action);
    const Outcome outcome = game.outcome(next.state, next.history);
    if (outcome.over()) {
      compare(known.action, outcome.values[static_cast<std::size_t>(mover)]);
      continue;
    }
    const int seats = (mover - game.player_to_move(next.state) + game.players()) % game.players();
    asked.emplace_back(known.action, seats);
    batch.add(next.state, 0);
    if (batch.size() == room) evaluate();
  }
  if (batch.size() > 0) evaluate();
  by_value.expected = by_policy.expected;
  return {by_policy, by_value};
}

}  // namespace

std::vector<YardstickAnswer> ask_player(const AnyGame& any, const MatchPlayer& player,
                                        std::span<const YardstickPosition> positions, const YardstickOptions& options,
                                        const std::atomic<bool>& stop) {
  YardstickTable table{.positions = positions,
                       .options = options,
                       .players = player.prepare(any, stop),
                       .answers = std::vector<YardstickAnswer>(positions.size())};
  // As in matches: where time counts, one position a thread, and no more threads than cores.
  const int rows = player.timed ? 1 : std::clamp(static_cast<int>(positions.size()), 1, options.batch.rows);
  int threads = thread_count(options.threads);
  if (player.timed) threads = std::min(threads, thread_count(0));
  const EvaluatorFactory evaluators = make_player_evaluators(player, options.batch, threads);
  Failure failure;
  std::visit(
      [&]<Game G>(const G& game) {
        on_all_threads(threads, failure, [&](int) {
          typename SlotDriver<G, YardstickSlot<G>>::BatchMakers batches;
          batches.push_back([&] { return make_player_batch(game, player, evaluators, options.batch); });
          std::vector<std::unique_ptr<YardstickSlot<G>>> slots;
          for (int i = 0; i < rows; ++i) slots.push_back(std::make_unique<YardstickSlot<G>>(game, table));
          SlotDriver<G, YardstickSlot<G>> driver(std::move(batches), std::move(slots));
          driver.run([&] { return !stop.load(std::memory_order_relaxed) && !failure.failed(); });
        });
      },
      any);
  failure.rethrow();
  return std::move(table.answers);
}

int count_kept(const AnyGame& game, const MatchPlayer& player, std::span<const YardstickPosition> positions,
               const YardstickOptions& options, const std::atomic<bool>& stop) {
  const std::vector<YardstickAnswer> answers = ask_player(game, player, positions, options, stop);
  int kept = 0;
  for (std::size_t place = 0; place < answers.size(); ++place) {
    const KnownAction* chosen = positions[place].find(answers[place].action);
    kept += chosen != nullptr && chosen->keeps ? 1 : 0;
  }
  return kept;
}

NetworkAnswers ask_network(const AnyGame& any, const MatchPlayer& player, std::span<const YardstickPosition> positions,
                           const YardstickOptions& options, const std::atomic<bool>& stop) {
  NetworkAnswers answers{std::vector<YardstickAnswer>(positions.size()),
                         std::vector<YardstickAnswer>(positions.size())};
  const EvaluatorFactory evaluators = make_player_evaluators(player, options.batch, thread_count(options.threads));
  std::atomic<int> next{0};
  Failure failure;
  std::visit(
      [&]<Game G>(const G& game) {
        on_all_threads(options.threads, failure, [&](int) {
          const auto batch = make_player_batch(game, player, evaluators, options.batch);
          const int room = options.batch.rows * player.leaves;
          const int count = static_cast<int>(positions.size());
          for (int place = 0; (place = take_number(next, count)) >= 0;) {
            if (stop.load(std::memory_order_relaxed) || failure.failed()) return;
            const auto i = static_cast<std::size_t>(place);
            std::tie(answers.by_policy[i], answers.by_value[i]) = ask_about(game, *batch, room, positions[i]);
          }
        });
      },
      any);
  failure.rethrow();
  return answers;
}

MatchPlayer load_untimed(const WrittenPlayer& written, int visits) {
  MatchPlayer player = load_player(written.text, visits, written.search);
  if (player.strength.seconds <= 0) return player;
  throw UserError(fmt::format(
      "{}: a search by time would depend on the machine; leave out seconds, and say by --visits how long it "
      "is",
      written.text));
}

ModelFigures measure_model(const YardstickSet& set, const WrittenPlayer& written, std::span<const int> visits,
                           const YardstickOptions& options, const std::atomic<bool>& stop) {
  const AnyGame game = parse_game(set.game);
  ModelFigures figures{.player = written.text, .network = {}, .visits = {}};
  for (const int count : visits) {
    const MatchPlayer player = load_untimed(written, count);
    const int searched = player.strength.visits;
    if (!figures.visits.empty() && figures.visits.back().first == searched) break;  // it is the same player again
    if (player.model && !figures.network) {
      figures.network = figures_of(set, ask_network(game, player, set.positions, options, stop).by_policy);
    }
    figures.visits.emplace_back(searched, figures_of(set, ask_player(game, player, set.positions, options, stop)));
  }
  return figures;
}

void refer_to(YardstickSet& set, const WrittenPlayer& written, int visits, const YardstickOptions& options,
              const std::atomic<bool>& stop) {
  const AnyGame game = parse_game(set.game);
  const MatchPlayer player = load_untimed(written, visits);
  const std::vector<YardstickAnswer> answers = ask_player(game, player, set.positions, options, stop);
  if (stop.load(std::memory_order_relaxed)) return;
  set.reference = {written.text, player.model ? player.model->info.checksum : std::string(), 0};
  for (std::size_t place = 0; place < answers.size(); ++place) {
    const YardstickAnswer& answer = answers[place];
    if (!answer.value || answer.policy.empty()) {
      throw UserError(
          fmt::format("{} cannot be a reference: it says neither a value nor a policy; name a model", written.text));
    }
    int searched = 0;
    for (const ActionStatistics& action : answer.searched) searched += action.visits;
    // Where the rules know the values, a search shows more actions than it has visits.
    set.reference.visits = std::max(set.reference.visits, std::min(searched, player.strength.visits));
    set.positions[place].value = *answer.value;
    for (KnownAction& known : set.positions[place].known) {
      const auto entry = std::ranges::lower_bound(answer.policy, known.action, {}, &PolicyEntry::action);
      known.target = entry == answer.policy.end() || entry->action != known.action ? 0 : entry->probability;
      known.keeps = known.action == answer.action;
    }
  }
}

}  // namespace koridor
