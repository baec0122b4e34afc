// The number formats in which networks are computed, and their words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koridor {

class Evaluator;

// `automatic` is the fastest one that the machine has instructions for and the model allows.
enum class Precision { automatic, f32, bf16, int8 };

// "auto", "f32", "bf16", "int8".
std::string name_of(Precision precision);
const std::vector<std::string>& precision_names();

// Returns nothing if the word names no precision.
std::optional<Precision> find_precision(std::string_view name);
// Throws UserError with the nearest word.
Precision parse_precision(std::string_view name);

// Whether the evaluator computes in this precision, not `automatic`: where a model's int8 fails its check, another one
// serves it.
bool computes_in(const Evaluator& evaluator, Precision precision);

}  // namespace koridor
