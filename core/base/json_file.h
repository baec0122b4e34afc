// JSON files of a run: an object with a checksum (sealed_text.h), read without trust in what is there.
#pragma once

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/base/sealed_text.h"

namespace koridor {

// The object as the text of a file with its checksum.
inline std::string sealed_json_text(const nlohmann::json& object) {
  return seal_object(json_text(object, 2));
}

// Writes an object with at least one member, whole or not at all. Throws UserError where it cannot.
inline void write_json(const std::filesystem::path& path, const nlohmann::json& object) {
  write_file_atomically(path, sealed_json_text(object));
}

// Reads an object. Throws UserError that names the file where it cannot be read, its checksum is wrong or it is no
// JSON object; of a damaged one the error ends with `way_out`, what its user can do. Files of older versions have no
// checksum: what is in them needs a check of its own.
inline nlohmann::json read_json(const std::filesystem::path& path, const std::string& way_out = "") {
  const std::string file = read_file(path);
  try {
    nlohmann::json object = nlohmann::json::parse(unseal_object(file, path.string()).text, nullptr, false);
    if (!object.is_object()) throw UserError(path.string() + ": damaged: it is no JSON object");
    return object;
  } catch (const UserError& error) {
    if (way_out.empty()) throw;
    throw UserError(std::string(error.what()) + "; " + way_out);
  }
}

// The member of an object that is an object itself; an empty one where there is none.
inline nlohmann::json object_in(const nlohmann::json& object, const std::string& name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : nlohmann::json::object();
}

// A member of an object; `otherwise` where there is none or it has another type.
template <class T>
T member(const nlohmann::json& object, const char* name, T otherwise) {
  if (!object.is_object()) return otherwise;
  const auto found = object.find(name);
  if (found == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return found->is_string() ? found->get<std::string>() : otherwise;
  } else if constexpr (std::is_same_v<T, bool>) {
    return found->is_boolean() ? found->get<bool>() : otherwise;
  } else if constexpr (std::is_integral_v<T>) {
    // A number beyond the type's range is as wrong as a text.
    if (!found->is_number_integer()) return otherwise;
    const auto number = found->get<double>();
    const bool fits = number >= static_cast<double>(std::numeric_limits<T>::min()) &&
                      number <= static_cast<double>(std::numeric_limits<T>::max());
    return fits ? found->get<T>() : otherwise;
  } else {
    return found->is_number() ? found->get<T>() : otherwise;
  }
}

}  // namespace koridor
