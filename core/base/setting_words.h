// Settings as one word of a command line: "elo0=0,elo1=10,alpha=0.05".
#pragma once

#include <string>
#include <string_view>

#include "core/base/setting.h"

namespace koridor {

// Sets what "key=value,key=value" says; keys that are left out stay. An empty text sets nothing. `where` names the text
// in errors ("--sprt"). Throws UserError for a key that is not in the list or is given twice, and for a value that is
// no number of its range or none of its words. The list holds numbers and words only (std::logic_error).
void read_setting_words(const SettingList& list, std::string_view text, std::string_view where);

// The list as such a text.
std::string setting_words(const SettingList& list);

}  // namespace koridor
