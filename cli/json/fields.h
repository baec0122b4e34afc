// JSON of requests and answers: members of the right type and within their bounds, or an error that names them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace koridor {

// Throws UserError, which names them, where the object has a key that is none of `known`, a list with a space between
// two.
inline void require_known_keys(const nlohmann::json& object, std::string_view known) {
  std::vector<std::string> keys;
  std::istringstream words{std::string(known)};
  for (std::string key; words >> key;) keys.push_back(key);
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(keys, key) == keys.end()) throw UserError(unknown_word("key", key, keys));
  }
}

// The member; null where there is none or it is JSON's null.
inline const nlohmann::json* field_of(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// A whole number in [low, high], also where it is written as 5.0; nothing where the value is something else.
inline std::optional<int> whole_number(const nlohmann::json& value, int low, int high) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!(number >= low && number <= high) || number != std::floor(number)) return std::nullopt;
  return static_cast<int>(number);
}

// A whole number in [low, high]; `otherwise` where there is none.
inline int number_field(const nlohmann::json& object, const char* name, int otherwise, int low, int high) {
  const nlohmann::json* const found = field_of(object, name);
  if (found == nullptr) return otherwise;
  if (const std::optional<int> number = whole_number(*found, low, high)) return *number;
  throw UserError(fmt::format("\"{}\" is a whole number from {} to {}", name, low, high));
}

inline double real_field(const nlohmann::json& object, const char* name, double otherwise, double low, double high) {
  const nlohmann::json* const found = field_of(object, name);
  if (found == nullptr) return otherwise;
  const double value = found->is_number() ? found->get<double>() : low - 1;
  if (!(value >= low && value <= high)) {
    throw UserError(fmt::format("\"{}\" is a number from {} to {}", name, low, high));
  }
  return value;
}

inline bool truth_field(const nlohmann::json& object, const char* name, bool otherwise) {
  const nlohmann::json* const found = field_of(object, name);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) throw UserError(fmt::format("\"{}\" is true or false", name));
  return found->get<bool>();
}

// A text of at most `most` bytes.
inline std::string text_field(const nlohmann::json& object, const char* name, std::string otherwise,
                              std::size_t most = 200) {
  const nlohmann::json* const found = field_of(object, name);
  if (found == nullptr) return otherwise;
  if (!found->is_string() || found->get_ref<const std::string&>().size() > most) {
    throw UserError(fmt::format("\"{}\" is a text of at most {} bytes", name, most));
  }
  return found->get<std::string>();
}

// The same of a member that there must be.
inline std::string required_text(const nlohmann::json& object, const char* name, std::size_t most = 200) {
  if (field_of(object, name) == nullptr) throw UserError(fmt::format("\"{}\" is missing", name));
  return text_field(object, name, "", most);
}

// A list of at most `most` texts of at most `longest` bytes each; empty where there is none.
inline std::vector<std::string> texts_field(const nlohmann::json& object, const char* name, std::size_t most,
                                            std::size_t longest) {
  std::vector<std::string> texts;
  const nlohmann::json* const found = field_of(object, name);
  if (found == nullptr) return texts;
  if (!found->is_array() || found->size() > most) {
    throw UserError(fmt::format("\"{}\" is a list of at most {} texts", name, most));
  }
  for (const nlohmann::json& one : *found) {
    if (!one.is_string() || one.get_ref<const std::string&>().size() > longest) {
      throw UserError(fmt::format("\"{}\" holds texts of at most {} bytes", name, longest));
    }
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

}  // namespace koridor
