// The number formats that networks are computed in, and their words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace koridor {

// automatic: the fastest that the machine has instructions for and that the model allows.
enum class Precision { automatic, f32, bf16, int8 };

// "auto", "f32", "bf16", "int8".
std::string name_of(Precision precision);
// All of them.
const std::vector<std::string>& precision_names();

// Nothing where the word names no precision.
std::optional<Precision> find_precision(std::string_view name);
// Throws UserError with the nearest word.
Precision parse_precision(std::string_view name);

}  // namespace koridor
