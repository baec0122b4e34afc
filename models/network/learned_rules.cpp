#include "models/network/learned_rules.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/registry.h"

namespace koridor {
namespace {

// The scalars of all families by which the rules say something that is the same in all positions of a game. Komi is not
// among them, as it is seen by the points that a player is ahead, nor the repetition rule of wall games, which one run
// may vary.
constexpr std::array<std::string_view, 8> kRuleScalars = {
    "rows", "columns", "superko", "situational_superko", "suicide", "territory", "must_save_atari", "limited_stones"};

// Those that a position may change, but only by one of these rules: territory has a cleanup, and of limited stones some
// are left.
constexpr std::array<std::string_view, 3> kByRule = {"cleanup", "stones_left.own", "stones_left.other"};

bool is_rule(const std::string& scalar) {
  return std::ranges::find(kRuleScalars, scalar) != kRuleScalars.end() ||
         std::ranges::find(kByRule, scalar) != kByRule.end();
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

std::vector<LearnedRule> learned_rules(const ModelInfo& info) {
  std::vector<LearnedRule> rules;
  std::vector<std::string> names;
  for (const std::string& name : learned_games(info)) {
    try {
      std::visit(
          [&](const auto& game) {
            const EncodingShape shape = game.encoding(info.features);
            if (game.family() != info.family || !info.signature.same_inputs(signature(shape))) {
              throw UserError(name + " is another game now");
            }
            std::vector<float> planes(static_cast<std::size_t>(shape.plane_floats()));
            std::vector<float> scalars(static_cast<std::size_t>(shape.scalars));
            game.encode(game.initial_state(), info.features, 0, planes.data(), scalars.data());
            if (names.empty()) {
              names = game.encoding_names(info.features).scalars;
              for (std::size_t i = 0; i < names.size(); ++i) {
                if (is_rule(names[i])) rules.push_back({i, scalars[i]});
              }
            }
            std::erase_if(rules, [&](const LearnedRule& rule) { return scalars[rule.scalar] != rule.value; });
          },
          parse_game(name));
    } catch (const UserError&) {
      return {};
    }
  }
  const auto is_without = [&](std::string_view rule) {
    return std::ranges::any_of(rules, [&](const LearnedRule& l) { return names[l.scalar] == rule && l.value == 0; });
  };
  std::erase_if(rules, [&, supply = is_without("limited_stones"), cleanup = is_without("territory")](const auto& rule) {
    const std::string& name = names[rule.scalar];
    return (name.starts_with("stones_left") && !supply) || (name == "cleanup" && !cleanup);
  });
  return rules;
}

void fold_learned_rules(Model& model) {
  std::vector<float>& bias = model.tensors.at("stem.bias");
  std::vector<float>& weights = model.tensors.at("scalars.weight");  // [channels, scalars]
  const std::size_t scalars = weights.size() / bias.size();
  for (const LearnedRule& rule : learned_rules(model.info)) {
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
