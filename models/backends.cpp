#include "models/backends.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"

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

EvaluatorFactory make_evaluator_factory(std::shared_ptr<const Model> model, const Evaluation& evaluation,
                                        const std::string& where, const ThreadBatches& batches) {
  const Backend& backend = find_backend(evaluation.backend);
  const Precision precision = precision_of(backend, evaluation.precision);
  const Device device = parse_device(evaluation.device);
  if (model != nullptr) {
    validate(*model, where);
  } else if (backend.needs_model) {
    throw UserError(fmt::format("the backend {} needs a model", backend.name));
  }
  EvaluatorFactory make = backend.make({model, precision, device, batches});
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

void calibrate_for_backends(Model& model, const EncodingShape& shape, const Batch& positions) {
  const auto found = std::ranges::find_if(backends(), [](const Backend& backend) { return backend.calibrate; });
  if (found != backends().end()) found->calibrate(model, shape, positions);
}

void forget_past_evaluators() {
  for (const Backend& backend : backends()) {
    if (backend.forget != nullptr) backend.forget();
  }
  ::malloc_trim(0);
}

}  // namespace koridor
