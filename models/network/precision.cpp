#include "models/network/precision.h"

#include <algorithm>

#include "core/base/error.h"
#include "models/network/evaluator.h"

namespace koridor {

// In the order of the enumeration.
const std::vector<std::string>& precision_names() {
  static const std::vector<std::string> names = {"auto", "f32", "bf16", "int8"};
  return names;
}

std::string name_of(Precision precision) {
  return precision_names()[static_cast<std::size_t>(precision)];
}

std::optional<Precision> find_precision(std::string_view name) {
  const auto found = std::ranges::find(precision_names(), name);
  if (found == precision_names().end()) return std::nullopt;
  return static_cast<Precision>(found - precision_names().begin());
}

Precision parse_precision(std::string_view name) {
  if (const auto precision = find_precision(name)) return *precision;
  throw UserError(unknown_word("precision", name, precision_names()));
}

bool computes_in(const Evaluator& evaluator, Precision precision) {
  return evaluator.describe().find(name_of(precision)) != std::string::npos;
}

}  // namespace koridor
