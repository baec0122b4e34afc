// Rules of Go by the names that programs of Go use among themselves, and in the JSON form of kata-set-rules.
#pragma once

#include <string>
#include <string_view>

#include "core/go/rules.h"

namespace koridor::go {

// `rules` with those that the text says: "chinese", "japanese", "aga", a ruleset of ours ("leaflet-strict"), or
// {"ko":"SIMPLE","scoring":"AREA","suicide":false,...}. Size, komi and handicap stay. Throws UserError for rules that
// we do not have, such as a button, a tax on groups or a bonus for handicap stones; but for the tax SEKI of Japanese
// rules, which is taken although eyes in seki count here, and friendlyPassOk, which is no rule of the game.
Rules with_named_rules(const Rules& rules, std::string_view text);

// With one of the JSON form's fields set: "ko", "SIMPLE".
Rules with_rule(const Rules& rules, const std::string& field, const std::string& value);

// One line of JSON.
std::string rules_text(const Rules& rules);

}  // namespace koridor::go
