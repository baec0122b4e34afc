#include "models/network/learned_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/random_positions.h"
#include "core/registry.h"
#include "models/network/calibration.h"

namespace koridor {
namespace {

// A scalar by which the rules say something that is the same in all positions of a game, or, where it names another,
// one that positions change only under that other's rule: territory has a cleanup, and of limited stones some are left.
struct RuleScalar {
  std::string_view name;
  std::string_view under{};
};

// Those of all families. Komi is not among them, as it is seen by the points that a player is ahead.
constexpr auto kRuleScalars = std::to_array<RuleScalar>({{"rows"},
                                                         {"columns"},
                                                         {"superko"},
                                                         {"situational_superko"},
                                                         {"suicide"},
                                                         {"territory"},
                                                         {"must_save_atari"},
                                                         {"limited_stones"},
                                                         {"cleanup", "territory"},
                                                         {"stones_left.own", "limited_stones"},
                                                         {"stones_left.other", "limited_stones"}});

// The scalars of the starting positions of the games that a model learned, game by game; none where this program does
// not know one of them, or where the model has other inputs.
std::vector<std::vector<float>> scalars_at_start(const ModelInfo& info) {
  std::vector<std::vector<float>> starts;
  for (const std::string& name : learned_games(info)) {
    try {
      const bool fits = std::visit(
          [&](const auto& game) {
            EncodedPositions start = starting_position(game, info.features);
            starts.push_back(std::move(start.scalars));
            return game.family() == info.family && info.signature.same_inputs(signature(start.shape));
          },
          parse_game(name));
      if (!fits) return {};
    } catch (const UserError&) {
      return {};
    }
  }
  return starts;
}

constexpr std::string_view kRepetition = "repetition";  // the scalar by which games of one run may differ

// The value that the scalar has in all positions on which the model was calibrated; nothing unless all
// kCalibrationPositions are there.
std::optional<float> calibrated_value(const Model& model, std::size_t scalar) {
  const auto each = static_cast<std::size_t>(model.info.signature.scalars);
  const std::vector<float>& scalars = model.calibration.scalars;
  if (scalars.size() < kCalibrationPositions * each) return std::nullopt;
  for (std::size_t row = 0; row < scalars.size(); row += each) {
    if (scalars[row + scalar] != scalars[scalar]) return std::nullopt;
  }
  return scalars[scalar];
}

class LearnedRules final : public Evaluator {
 public:
  LearnedRules(std::unique_ptr<Evaluator> evaluator, std::vector<LearnedRule> rules)
      : evaluator_(std::move(evaluator)), rules_(std::move(rules)) {
    const auto floats = static_cast<std::size_t>(max_batch()) * static_cast<std::size_t>(shape().scalars);
    shown_.assign(static_cast<std::size_t>(tickets()), std::vector<float>(floats));
  }

  const EncodingShape& shape() const override { return evaluator_->shape(); }
  int max_batch() const override { return evaluator_->max_batch(); }
  int tickets() const override { return evaluator_->tickets(); }
  std::string describe() const override { return evaluator_->describe(); }

  void evaluate(const Batch& batch, const Predictions& out) override { evaluator_->evaluate(shown(0, batch), out); }
  void submit(int ticket, const Batch& batch, const Predictions& out) override {
    evaluator_->submit(ticket, shown(ticket, batch), out);
  }
  bool try_submit(int ticket, const Batch& batch, const Predictions& out) override {
    return evaluator_->try_submit(ticket, shown(ticket, batch), out);
  }
  void wait(int ticket) override { evaluator_->wait(ticket); }

 private:
  Batch shown(int ticket, const Batch& batch) {
    const auto floats = static_cast<std::size_t>(batch.size) * static_cast<std::size_t>(shape().scalars);
    const std::span<float> scalars = std::span(shown_[static_cast<std::size_t>(ticket)]).first(floats);
    std::ranges::copy(batch.scalars.first(floats), scalars.begin());
    show_learned_rules(rules_, scalars, shape().scalars);
    return {batch.size, batch.planes, scalars};
  }

  std::unique_ptr<Evaluator> evaluator_;
  std::vector<LearnedRule> rules_;
  std::vector<std::vector<float>> shown_;  // one per ticket: [max_batch, scalars]
};

}  // namespace

std::vector<LearnedRule> learned_rules(const Model& model) {
  const ModelInfo& info = model.info;
  const std::vector<std::vector<float>> starts = scalars_at_start(info);
  if (starts.empty()) return {};
  const std::vector<std::string> names = encoding_names(parse_game(info.game), info.features).scalars;
  const auto index_of = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  // The value of a scalar that all games have in common.
  const auto common = [&](std::size_t scalar) -> std::optional<float> {
    if (scalar == names.size()) return std::nullopt;  // of another family
    const float value = starts.front()[scalar];
    const bool is_common = std::ranges::all_of(starts, [&](const auto& start) { return start[scalar] == value; });
    return is_common ? std::optional(value) : std::nullopt;
  };
  std::vector<LearnedRule> rules;
  for (const RuleScalar& rule : kRuleScalars) {
    const std::size_t scalar = index_of(rule.name);
    const std::optional<float> value = common(scalar);
    if (value && (rule.under.empty() || common(index_of(rule.under)) == 0.0f)) rules.push_back({scalar, *value});
  }
  const std::size_t repetition = index_of(kRepetition);
  if (common(repetition)) {
    if (const auto value = calibrated_value(model, repetition)) rules.push_back({repetition, *value});
  }
  return rules;
}

void fold_learned_rules(Model& model) {
  std::vector<float>& bias = model.tensors.at("stem.bias");
  std::vector<float>& weights = model.tensors.at("scalars.weight");  // [channels, scalars]
  const std::size_t scalars = weights.size() / bias.size();
  for (const LearnedRule& rule : learned_rules(model)) {
    for (std::size_t channel = 0; channel < bias.size(); ++channel) {
      float& weight = weights[channel * scalars + rule.scalar];
      bias[channel] += rule.value * std::exchange(weight, 0.0f);
    }
  }
}

void show_learned_rules(std::span<const LearnedRule> rules, std::span<float> scalars, int each) {
  for (std::size_t row = 0; row < scalars.size(); row += static_cast<std::size_t>(each)) {
    for (const LearnedRule& rule : rules) scalars[row + rule.scalar] = rule.value;
  }
}

std::unique_ptr<Evaluator> make_learned_rules(std::unique_ptr<Evaluator> evaluator, std::vector<LearnedRule> rules) {
  if (rules.empty()) return evaluator;
  return std::make_unique<LearnedRules>(std::move(evaluator), std::move(rules));
}

}  // namespace koridor
