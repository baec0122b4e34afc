// Evaluators: koridor_evaluator_*, koridor_evaluate*.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "core/base/one_thread.h"
#include "core/search/prediction.h"
#include "core/search/softmax.h"
#include "library/evaluation.h"
#include "library/objects.h"
#include "library/structs.h"

namespace koridor::library {
namespace {

std::size_t floats(int rows, int each) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(each);
}

// Throws Failure where one of `count` positions of `each` numbers has one that is not finite: its results would be
// none, and a backend could take the network for the culprit.
void require_finite(const float* numbers, std::size_t count, int each, const char* name) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  const auto size = static_cast<std::size_t>(each);
  for (std::size_t position = 0; position < count; ++position) {
    bool odd = false;
    for (const float number : std::span(numbers + position * size, size)) {
      odd |= (std::bit_cast<std::uint32_t>(number) & kExponent) == kExponent;
    }
    if (!odd) continue;
    throw Failure(KORIDOR_INVALID_ARGUMENT,
                  fmt::format("{}: position {} has a number that is not finite", name, position));
  }
}

// A model that belongs to a Network, for those that share models.
std::shared_ptr<const Model> shared_model(const koridor_model& model) {
  return {model.network, &model.network->model};
}

// The answer for one state in the game's terms. Each result may be null.
template <Game G>
void answer(const G& game, const Position<G>& position, const Prediction& prediction, float* policy, float* values) {
  const Outcome outcome = game.outcome(position.state, position.history);
  const auto actions = static_cast<std::size_t>(game.num_actions());
  if (values != nullptr) {
    const Values by_seat =
        outcome.over() ? outcome.values : seat_values(prediction, game.players(), game.player_to_move(position.state));
    std::copy_n(by_seat.begin(), game.players(), values);
  }
  if (policy == nullptr) return;
  std::fill_n(policy, actions, 0.0f);
  if (outcome.over()) return;
  ActionMask legal;
  game.legal_actions(position.state, position.history, legal);
  std::array<float, ActionMask::kCapacity> logits;
  std::size_t size = 0;
  legal.for_each([&](Action action) {
    logits[size++] = prediction.policy[static_cast<std::size_t>(game.policy_index(position.state, 0, action))];
  });
  softmax(std::span(logits).first(size));
  size = 0;
  legal.for_each([&](Action action) { policy[index(action)] = logits[size++]; });
}

template <Game G>
void evaluate_part(const G& game, koridor_evaluator& known, std::span<koridor_state* const> states, float* policy,
                   float* values) {
  const EncodingShape& shape = known.evaluator->shape();
  const int rows = static_cast<int>(states.size());
  const auto row = [](auto& all, int i, int each) {
    return std::span(all).subspan(floats(i, each), static_cast<std::size_t>(each));
  };
  for (int i = 0; i < rows; ++i) {
    const auto& position = std::get<Position<G>>(states[static_cast<std::size_t>(i)]->position);
    game.encode(position.state, known.features, 0, row(known.planes, i, shape.plane_floats()).data(),
                row(known.scalars, i, shape.scalars).data());
  }
  known.evaluator->evaluate({rows, std::span(known.planes).first(floats(rows, shape.plane_floats())),
                             std::span(known.scalars).first(floats(rows, shape.scalars))},
                            {known.policy, known.value, {}});
  for (int i = 0; i < rows; ++i) {
    const auto& position = std::get<Position<G>>(states[static_cast<std::size_t>(i)]->position);
    const Prediction prediction{row(known.policy, i, shape.policy_size()), row(known.value, i, shape.value_size())};
    answer(game, position, prediction, policy == nullptr ? nullptr : policy + floats(i, game.num_actions()),
           values == nullptr ? nullptr : values + floats(i, game.players()));
  }
}

}  // namespace

Evaluation evaluation_of(const koridor_evaluation& how) {
  Evaluation evaluation;
  if (how.backend != nullptr) evaluation.backend = how.backend;
  if (how.precision != nullptr) evaluation.precision = how.precision;
  if (how.cache_mebibytes != 0) evaluation.cache_mebibytes = std::max(how.cache_mebibytes, 0);
  const Backend& backend = find_backend(evaluation.backend);
  const Precision precision = parse_precision(evaluation.precision);
  if (precision == Precision::automatic || backend.on_this_cpu == nullptr) return evaluation;
  if (std::ranges::find(backend.precisions, precision) == backend.precisions.end()) return evaluation;
  const std::vector<Precision> here = backend.on_this_cpu();
  if (std::ranges::find(here, precision) == here.end()) {
    throw Failure(KORIDOR_UNSUPPORTED, fmt::format("this CPU lacks the instructions for {} of the backend {}",
                                                   evaluation.precision, backend.name));
  }
  return evaluation;
}

void require_model_fits(const Network& network, const Rules& rules) {
  const EncodingShape shape =
      std::visit([&](const auto& game) { return game.encoding(network.model.info.features); }, rules.game);
  try {
    require_fits(network.model.info, rules.family, shape, network.name);
  } catch (const UserError& error) {
    throw Failure(KORIDOR_BAD_MODEL, error.what());
  }
}

}  // namespace koridor::library

using namespace koridor::library;
using koridor::EncodingShape;

koridor_evaluator::koridor_evaluator(std::shared_ptr<const Rules> rules_, koridor::Features features_,
                                     std::unique_ptr<koridor::Evaluator> evaluator_)
    : Handle(kKind),
      rules(std::move(rules_)),
      features(features_),
      evaluator(std::move(evaluator_)),
      description(evaluator->describe()) {
  const EncodingShape& shape = evaluator->shape();
  const int most = evaluator->max_batch();
  planes.resize(floats(most, shape.plane_floats()));
  scalars.resize(floats(most, shape.scalars));
  policy.resize(floats(most, shape.policy_size()));
  value.resize(floats(most, shape.value_size()));
}

koridor_status koridor_evaluator_new(const koridor_model* model, const koridor_game* game,
                                     const koridor_evaluation* how, koridor_evaluator** evaluator) {
  return guarded([&] {
    require(evaluator, "evaluator");
    const koridor_model& network = live(model);
    const koridor_game& rules = live(game);
    const koridor_evaluation asked = read_struct(how, "koridor_evaluation");
    constexpr int kMostRows = 65536;
    if (asked.max_batch < 0 || asked.max_batch > kMostRows) {
      throw Failure(KORIDOR_INVALID_ARGUMENT,
                    fmt::format("max_batch is {}, expected 0 to {}", asked.max_batch, kMostRows));
    }
    const koridor::Evaluation evaluation = evaluation_of(asked);
    require_model_fits(*network.network, *rules.rules);
    const int rows = asked.max_batch > 0 ? asked.max_batch : 64;
    const koridor::Features features = network.network->model.info.features;
    const EncodingShape shape =
        std::visit([&](const auto& known) { return known.encoding(features); }, rules.rules->game);
    const koridor::OneThread one_thread;
    auto made = koridor::make_evaluator_factory(shared_model(network), evaluation, network.network->name,
                                                {.threads = 1, .rows = rows})(shape, rows);
    *evaluator = make<koridor_evaluator>(rules.rules, features, std::move(made));
  });
}

koridor_status koridor_evaluator_free(koridor_evaluator* evaluator) {
  return release(evaluator);
}

const char* koridor_evaluator_describe(const koridor_evaluator* evaluator) {
  const char* text = nullptr;
  guarded([&] { text = live(evaluator).description.c_str(); });
  return text;
}

koridor_status koridor_evaluate(koridor_evaluator* evaluator, size_t count, const float* planes, const float* scalars,
                                float* policy, float* value) {
  return guarded(KORIDOR_BAD_MODEL, [&] {
    koridor_evaluator& known = live(evaluator);
    const Occupation occupation(known.taken, "evaluator");
    if (count == 0) return;
    require(planes, "planes");
    require(scalars, "scalars");
    require(policy, "policy");
    require(value, "value");
    require_finite(planes, count, known.evaluator->shape().plane_floats(), "planes");
    require_finite(scalars, count, known.evaluator->shape().scalars, "scalars");
    const koridor::OneThread one_thread;
    const EncodingShape& shape = known.evaluator->shape();
    const auto most = static_cast<std::size_t>(known.evaluator->max_batch());
    for (std::size_t done = 0; done < count; done += most) {
      const int rows = static_cast<int>(std::min(most, count - done));
      const auto part = [&](auto* all, int each) {
        return std::span(all + done * static_cast<std::size_t>(each), floats(rows, each));
      };
      known.evaluator->evaluate({rows, part(planes, shape.plane_floats()), part(scalars, shape.scalars)},
                                {part(policy, shape.policy_size()), part(value, shape.value_size()), {}});
    }
  });
}

koridor_status koridor_evaluate_states(koridor_evaluator* evaluator, koridor_state* const* states, size_t count,
                                       float* policy, float* values) {
  return guarded(KORIDOR_BAD_MODEL, [&] {
    koridor_evaluator& known = live(evaluator);
    const Occupation occupation(known.taken, "evaluator");
    if (count == 0) return;
    require(states, "states");
    for (std::size_t i = 0; i < count; ++i) require_same_game(*known.rules, *live(states[i]).rules, "a state");
    const koridor::OneThread one_thread;
    const auto most = static_cast<std::size_t>(known.evaluator->max_batch());
    std::visit(
        [&](const auto& game) {
          for (std::size_t done = 0; done < count; done += most) {
            const auto part = std::span(states + done, std::min(most, count - done));
            evaluate_part(game, known, part,
                          policy == nullptr ? nullptr : policy + done * static_cast<std::size_t>(game.num_actions()),
                          values == nullptr ? nullptr : values + done * static_cast<std::size_t>(game.players()));
          }
        },
        known.rules->game);
  });
}
