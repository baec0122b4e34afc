// JSON as text, and back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/terminal.h"

namespace koridor {

// The value on one line, or in lines with `indent` spaces per level. `Json` is nlohmann::json or ordered_json. A text
// in it may hold the name of a file, whose bytes need not be UTF-8: those that are not become U+FFFD.
template <class Json = nlohmann::json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// The object that a text of another program is. Throws UserError, which says where and why it is none; `what` names the
// text there ("the line").
inline nlohmann::json parse_object(std::string_view text, std::string_view what) {
  const std::string fault = std::string(what) + " is no JSON object";
  try {
    nlohmann::json object = nlohmann::json::parse(text);
    if (!object.is_object()) throw UserError(fault);
    return object;
  } catch (const nlohmann::json::exception& error) {
    // Behind the name and the number that the library gives its errors.
    const std::string said = error.what();
    const std::size_t name = said.starts_with('[') ? said.find("] ") : std::string::npos;
    throw UserError(fault + ": " + message_line(name == std::string::npos ? said : said.substr(name + 2)));
  }
}

}  // namespace koridor
