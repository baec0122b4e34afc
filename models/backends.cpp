#include "models/backends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>  // defines __GLIBC__
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/random_positions.h"
#include "core/registry.h"
#include "models/network/guard.h"
#include "models/network/learned_rules.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace koridor {
namespace {

Precision precision_of(const Backend& backend, const std::string& name) {
  const Precision precision = parse_precision(name);
  if (precision == Precision::automatic) return precision;
  if (std::ranges::find(backend.precisions, precision) != backend.precisions.end()) return precision;
  std::vector<std::string> names = {name_of(Precision::automatic)};
  for (const Precision known : backend.precisions) names.push_back(name_of(known));
  throw UserError(
      fmt::format("the backend {} does not compute in {}; it has {}", backend.name, name, fmt::join(names, ", ")));
}

// What the words of an Evaluation mean.
struct Choice {
  const Backend& backend;
  Precision precision;
  Device device;
};
Choice choice_of(const Evaluation& evaluation) {
  const Backend& backend = find_backend(evaluation.backend);
  const Choice choice{backend, precision_of(backend, evaluation.precision), parse_device(evaluation.device)};
  if (choice.device.kind == Device::Kind::cuda && backend.on_this_cpu) {
    throw UserError(fmt::format("device {}: the backend {} computes on the CPU; the backend torch is the one for GPUs",
                                evaluation.device, backend.name));
  }
  return choice;
}

// Positions on which a model is tried when it is loaded: enough to see an overflow, few enough for large networks.
constexpr int kTriedPositions = 8;

// The starting position of the model's own game; nothing if that game has another shape or is none of this program's.
std::optional<EncodedPositions> own_starting_position(const Model& model, const EncodingShape& shape) {
  try {
    EncodedPositions start = std::visit([&](const auto& game) { return starting_position(game, model.info.features); },
                                        parse_game(model.info.game));
    if (start.shape == shape) return start;
    return std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

// The positions the model carries, if they are of this shape, else a starting position; nothing if there is none.
std::optional<EncodedPositions> trial_positions(const Model& model, const EncodingShape& shape) {
  if (!model.calibration.empty()) {
    CalibrationPositions own = calibration_positions(model, shape);
    if (own.shape == shape) return EncodedPositions{shape, own.size, std::move(own.planes), std::move(own.scalars)};
  }
  return own_starting_position(model, shape);
}

// Evaluates a few positions, of which the guard throws UserError if the model overflows.
void try_out(Evaluator& guarded, const Model& model) {
  const EncodingShape& shape = guarded.shape();
  const std::optional<EncodedPositions> trial = trial_positions(model, shape);
  if (!trial) return;
  const int size = std::min({trial->size, kTriedPositions, guarded.max_batch()});
  const auto rows = [&](int each) { return static_cast<std::size_t>(size) * static_cast<std::size_t>(each); };
  std::vector<float> policy(rows(shape.policy_size()));
  std::vector<float> value(rows(shape.value_size()));
  guarded.evaluate({size, std::span(trial->planes).first(rows(shape.plane_floats())),
                    std::span(trial->scalars).first(rows(shape.scalars))},
                   {policy, value, {}});
}

// The evaluators of a program's threads: they show the network the rules it learned, hand out only probabilities, and
// the first of each shape is tried.
class GuardedEvaluators {
 public:
  GuardedEvaluators(std::shared_ptr<const Model> model, std::string where, EvaluatorFactory make)
      : shared_(std::make_shared<Shared>(std::move(model), std::move(where), std::move(make))) {}

  std::unique_ptr<Evaluator> operator()(const EncodingShape& shape, int max_batch) const {
    auto evaluator = make_guard(make_learned_rules(shared_->make(shape, max_batch), shared_->rules), shared_->where);
    const std::lock_guard lock(shared_->mutex);
    if (std::ranges::find(shared_->tried, shape) == shared_->tried.end()) {
      try_out(*evaluator, *shared_->model);
      shared_->tried.push_back(shape);
    }
    return evaluator;
  }

 private:
  struct Shared {
    Shared(std::shared_ptr<const Model> model_, std::string where_, EvaluatorFactory make_)
        : model(std::move(model_)), rules(learned_rules(*model)), where(std::move(where_)), make(std::move(make_)) {}

    std::shared_ptr<const Model> model;
    std::vector<LearnedRule> rules;
    std::string where;
    EvaluatorFactory make;
    std::mutex mutex;
    std::vector<EncodingShape> tried;
  };

  std::shared_ptr<Shared> shared_;  // of all copies
};

}  // namespace

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Backend& backend : backends()) names.push_back(backend.name);
  return names;
}

const Backend& find_backend(const std::string& name) {
  const auto found = std::ranges::find(backends(), name, &Backend::name);
  if (found == backends().end()) throw UserError(unknown_word("backend", name, backend_names()));
  return *found;
}

void check_evaluation(const Evaluation& evaluation) {
  choice_of(evaluation);
}

EvaluatorFactory make_evaluator_factory(std::shared_ptr<const Model> model, const Evaluation& evaluation,
                                        const std::string& where, const ThreadBatches& batches) {
  const auto [backend, precision, device] = choice_of(evaluation);
  if (model != nullptr) {
    validate(*model, where);
  } else if (backend.needs_model) {
    throw UserError(fmt::format("the backend {} needs a model", backend.name));
  }
  EvaluatorFactory make = backend.make({model, precision, device, batches, where});
  if (backend.needs_model) make = GuardedEvaluators(model, where, std::move(make));
  return [model, where, make = std::move(make)](const EncodingShape& shape, int max_batch) {
    if (max_batch < 1) throw UserError(fmt::format("max_batch is {}, expected at least 1", max_batch));
    if (model != nullptr) require_fits(model->info, {}, shape, where);
    return make(shape, max_batch);
  };
}

std::unique_ptr<Evaluator> make_evaluator(const Model& model, const EncodingShape& shape, const Evaluation& evaluation,
                                          int max_batch, const std::string& where) {
  const std::shared_ptr<const Model> borrowed(&model, [](const Model*) {});  // outlives the factory
  return make_evaluator_factory(borrowed, evaluation, where, {.threads = 1, .rows = max_batch})(shape, max_batch);
}

void require_probabilities(const Model& model, const EncodingShape& shape, const std::string& where) {
  const auto found = std::ranges::find_if(
      backends(), [](const Backend& backend) { return backend.needs_model && backend.on_this_cpu; });
  if (found == backends().end()) return;
  const Evaluation evaluation{.backend = found->name, .precision = name_of(Precision::f32)};
  make_evaluator(model, shape, evaluation, kTriedPositions, where);
}

void calibrate_for_backends(Model& model, const EncodingShape& shape, const Batch& positions) {
  const auto found = std::ranges::find_if(backends(), [](const Backend& backend) { return backend.calibrate; });
  if (found != backends().end()) found->calibrate(model, shape, positions);
}

void forget_past_evaluators() {
  for (const Backend& backend : backends()) {
    if (backend.forget != nullptr) backend.forget();
  }
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace koridor
