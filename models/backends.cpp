#include "models/backends.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "core/error.h"
#include "models/eigen.h"
#include "models/onednn.h"

namespace koridor {
namespace {

constexpr std::array<std::pair<const char*, Backend>, 3> kBackends = {
    {{"uniform", Backend::uniform}, {"eigen", Backend::eigen}, {"onednn", Backend::onednn}}};
constexpr std::array<std::pair<const char*, Precision>, 3> kPrecisions = {
    {{"auto", Precision::automatic}, {"f32", Precision::f32}, {"bf16", Precision::bf16}}};

template <class Names>
auto parse(const Names& names, const std::string& name, const char* what) {
  std::vector<std::string> choices;
  for (const auto& [text, value] : names) {
    if (name == text) return value;
    choices.push_back(text);
  }
  const std::string near = nearest(name, choices);
  throw UserError(fmt::format("unknown {} \"{}\"{}; there are {}", what, name,
                              near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(choices, ", ")));
}

}  // namespace

Backend parse_backend(const std::string& name) {
  return parse(kBackends, name, "backend");
}
Precision parse_precision(const std::string& name) {
  return parse(kPrecisions, name, "precision");
}

std::unique_ptr<Evaluator> make_evaluator(const Model& model, const EncodingShape& shape,
                                          const EvaluatorOptions& options, const std::string& where) {
  require_fits(model.info, {}, shape, where);
  validate(model, where);
  if (options.max_batch < 1) throw UserError(fmt::format("max_batch is {}, expected at least 1", options.max_batch));
  switch (options.backend) {
    case Backend::uniform:
      return make_uniform(shape, options.max_batch);
    case Backend::eigen:
      if (options.precision == Precision::bf16) {
        throw UserError("the backend eigen computes in f32 only: use precision f32 or auto");
      }
      return make_eigen(model, shape, options.max_batch);
    case Backend::onednn:
      return make_onednn(model, shape, options.precision, options.max_batch);
  }
  throw UserError("unknown backend");
}

}  // namespace koridor
