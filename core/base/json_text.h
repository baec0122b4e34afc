// JSON as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace koridor {

// The value on one line, or in lines with `indent` spaces per level. `Json` is nlohmann::json or ordered_json. A text
// in it may hold the name of a file, whose bytes need not be UTF-8: those that are not become U+FFFD.
template <class Json = nlohmann::json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace koridor
