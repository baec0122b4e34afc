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

// The scalars of all families that are the same in all positions of a game, and matter little beside the position.
constexpr std::array<std::string_view, 8> kRuleScalars = {
    "rows", "columns", "superko", "situational_superko", "suicide", "territory", "must_save_atari", "limited_stones"};

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
  bool first = true;
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
            if (std::exchange(first, false)) {
              const std::vector<std::string> names = game.encoding_names(info.features).scalars;
              for (std::size_t i = 0; i < names.size(); ++i) {
                if (std::ranges::find(kRuleScalars, names[i]) != kRuleScalars.end()) rules.push_back({i, scalars[i]});
              }
            }
            std::erase_if(rules, [&](const LearnedRule& rule) { return scalars[rule.scalar] != rule.value; });
          },
          parse_game(name));
    } catch (const UserError&) {
      return {};
    }
  }
  return rules;
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
