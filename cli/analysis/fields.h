// Fields of a JSON object with the types that they must have.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/analysis/query.h"
#include "cli/json/fields.h"

namespace koridor::cli {

// Remembers which fields were asked for, so that the others can be named.
class Fields {
 public:
  explicit Fields(const nlohmann::json& object) : object_(object) {}

  // The field, or null where there is none or it is JSON's null.
  const nlohmann::json* find(const std::string& name) {
    asked_.insert(name);
    return field_of(object_, name.c_str());
  }
  const nlohmann::json& require(const std::string& name, const std::string& what) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) throw FieldError(name, "missing: it must be " + what);
    return *value;
  }

  bool truth(const std::string& name) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) throw FieldError(name, "must be true or false");
    return value->get<bool>();
  }
  std::optional<std::string> text(const std::string& name) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) throw FieldError(name, "must be a text");
    return value->get<std::string>();
  }
  std::optional<int> integer(const std::string& name, int low, int high) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    return whole(*value, name, low, high);
  }
  std::optional<double> number(const std::string& name, double low, double high) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : NAN;
    if (!(number >= low && number <= high)) {
      throw FieldError(name, fmt::format("must be a number from {:g} to {:g}", low, high));
    }
    return number;
  }
  std::optional<std::vector<int>> integers(const std::string& name, int low, int high) {
    const nlohmann::json* const value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_array()) throw FieldError(name, "must be a list of whole numbers");
    std::vector<int> numbers;
    for (const nlohmann::json& entry : *value) numbers.push_back(whole(entry, name, low, high));
    return numbers;
  }

  // whole_number; throws FieldError where it is none.
  static int whole(const nlohmann::json& value, const std::string& name, int low, int high) {
    if (const std::optional<int> number = whole_number(value, low, high)) return *number;
    throw FieldError(name, fmt::format("must be a whole number from {} to {}", low, high));
  }

  // The fields that nobody asked for, but for those that are JSON's null, which is nothing.
  std::vector<std::string> unknown() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : object_.items()) {
      if (!value.is_null() && !asked_.contains(name)) names.push_back(name);
    }
    return names;
  }

 private:
  const nlohmann::json& object_;
  std::set<std::string> asked_;
};

}  // namespace koridor::cli
