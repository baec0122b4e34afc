// Settings as text: read from TOML and from the command line, and written.
#pragma once

#include <set>
#include <string>

#include "core/base/setting.h"

namespace koridor {

// Sets the values of a TOML text. Throws UserError that names `where`, line and key where the text is not TOML, a key
// is not in the list (with the nearest that is), or a value has the wrong type or is out of range.
// Returns the names of the keys that it sets.
std::set<std::string> apply_toml(const SettingList& list, const std::string& text, const std::string& where);

// Sets the value of "section.key=value", which is written as in TOML; a string needs no quotes.
// Throws UserError likewise.
std::string apply_assignment(const SettingList& list, const std::string& assignment, const std::string& where);

// The present value as TOML; a number is the shortest text that reads back to the same number.
std::string value_text(const Setting& setting);

// The allowed values in words: "an integer from 1 to 40".
std::string expected_text(const Setting& setting);

}  // namespace koridor
