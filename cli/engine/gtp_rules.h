// Rules of Go by the names and in the JSON form of kata-set-rules and kgs-rules.
#pragma once

#include <string>
#include <string_view>

#include "core/go/rules.h"

namespace koridor::cli {

// `rules` with those that the text says: "chinese", "japanese", "aga", a ruleset of ours ("leaflet-strict"), or
// {"ko":"SIMPLE","scoring":"AREA","suicide":false,...}. Size, komi and handicap stay. Throws UserError for rules that
// we do not have, such as a button, a tax on groups or a bonus for handicap stones.
go::Rules with_named_rules(const go::Rules& rules, std::string_view text);

// With one of the JSON form's fields set: "ko", "SIMPLE".
go::Rules with_rule(const go::Rules& rules, const std::string& field, const std::string& value);

// One line of JSON.
std::string rules_text(const go::Rules& rules);

}  // namespace koridor::cli
