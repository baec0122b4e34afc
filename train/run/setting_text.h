// Settings as text: reading them from TOML and from the command line, and writing them.
#pragma once

#include <string>

#include "core/base/setting.h"

namespace koridor {

// Sets what a TOML text says. Throws UserError that names `where`, line and key: not TOML, a key that is not in the list
// (with the nearest that is), a value of another type or out of range.
void apply_toml(const SettingList& list, const std::string& text, const std::string& where);

// Sets what "section.key=value" says: the value in TOML, or bare text for a string. Throws UserError likewise.
void apply_assignment(const SettingList& list, const std::string& assignment, const std::string& where);

// The present value as TOML; numbers as the shortest text that reads back to the same number.
std::string value_text(const Setting& setting);

// What a value may be, in words: "an integer from 1 to 40".
std::string expected_text(const Setting& setting);

}  // namespace koridor
