#include "core/go/named_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/words.h"

namespace koridor::go {
namespace {

using nlohmann::json;

struct NamedRules {
  std::string_view name;
  Ko ko;
  Scoring scoring;
  bool suicide;
};

constexpr std::array kNamed = {
    NamedRules{"tromp-taylor", Ko::positional, Scoring::area, true},
    NamedRules{"chinese", Ko::simple, Scoring::area, false},
    NamedRules{"chinese-ogs", Ko::positional, Scoring::area, false},
    NamedRules{"chinese-kgs", Ko::positional, Scoring::area, false},
    NamedRules{"japanese", Ko::simple, Scoring::territory, false},
    NamedRules{"korean", Ko::simple, Scoring::territory, false},
    NamedRules{"aga", Ko::situational, Scoring::area, false},
    NamedRules{"bga", Ko::situational, Scoring::area, false},
    NamedRules{"new-zealand", Ko::situational, Scoring::area, true},
    NamedRules{"new_zealand", Ko::situational, Scoring::area, true},
};

[[noreturn]] void refuse(const std::string& field, const std::string& value, std::string_view right) {
  throw UserError(fmt::format("{}: {} is not among the rules here; it may be {}", field, in_quotes(value), right));
}

// Throws UserError for a list or an object, which may be nested so deeply that nothing should descend into it.
std::string word_of(const std::string& field, const json& value) {
  if (value.is_structured()) {
    throw UserError(fmt::format("{}: a rule is a word, a number, true or false, and no list or object", field));
  }
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

void set_field(Rules& rules, const std::string& field, const std::string& given) {
  const std::string value = upper_case(given);
  const auto only = [&](std::string_view right) {
    if (value != right) refuse(field, given, right);
  };
  if (field == "ko") {
    if (value == "SIMPLE")
      rules.ko = Ko::simple;
    else if (value == "POSITIONAL")
      rules.ko = Ko::positional;
    else if (value == "SITUATIONAL")
      rules.ko = Ko::situational;
    else
      refuse(field, given, "SIMPLE, POSITIONAL or SITUATIONAL");
  } else if (field == "scoring" || field == "score") {
    if (value == "AREA")
      rules.scoring = Scoring::area;
    else if (value == "TERRITORY")
      rules.scoring = Scoring::territory;
    else
      refuse(field, given, "AREA or TERRITORY");
  } else if (field == "suicide") {
    if (value != "TRUE" && value != "FALSE") refuse(field, given, "true or false");
    rules.suicide = value == "TRUE";
  } else if (field == "tax") {
    // Programs write Japanese rules with the tax SEKI. They are taken, although eyes in seki count here.
    if (value != "NONE" && !(value == "SEKI" && rules.scoring == Scoring::territory)) refuse(field, given, "NONE");
  } else if (field == "hasButton") {
    only("FALSE");
  } else if (field == "friendlyPassOk") {
    // How a program ends a game, and no rule of it: both are accepted, and change nothing.
    if (value != "TRUE" && value != "FALSE") refuse(field, given, "true or false");
  } else if (field == "whiteHandicapBonus") {
    only("0");
  } else {
    throw UserError(fmt::format(
        "there is no rule {}; they are ko, scoring, tax, suicide, hasButton, friendlyPassOk, whiteHandicapBonus",
        in_quotes(field)));
  }
}

Rules from_json(Rules rules, std::string_view text) {
  const json fields = json::parse(text, nullptr, false);
  if (!fields.is_object()) throw UserError("the rules are no JSON object");
  // The tax is judged by the scoring.
  for (const bool tax : {false, true}) {
    for (const auto& [field, value] : fields.items()) {
      if ((field == "tax") == tax) set_field(rules, field, word_of(field, value));
    }
  }
  return rules;
}

}  // namespace

Rules with_named_rules(const Rules& rules, std::string_view given) {
  const std::string_view text = trimmed(given);
  if (text.starts_with('{')) return from_json(rules, text);
  const std::string name = lower_case(text);
  Rules result = rules;
  result.must_save_atari = false;
  result.limited_supply = false;
  const auto* const named = std::ranges::find(kNamed, std::string_view(name), &NamedRules::name);
  if (named != kNamed.end()) {
    result.ko = named->ko;
    result.scoring = named->scoring;
    result.suicide = named->suicide;
    return result;
  }
  if (set_word(result, name)) {
    result.half_points_of_komi = rules.half_points_of_komi;
    return result;
  }
  std::vector<std::string> names = ruleset_names();
  for (const NamedRules& known : kNamed) names.emplace_back(known.name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  throw UserError(unknown_word("ruleset", name, names));
}

Rules with_rule(const Rules& rules, const std::string& field, const std::string& value) {
  Rules result = rules;
  set_field(result, field, value);
  return result;
}

std::string rules_text(const Rules& rules) {
  constexpr std::array kKos = {"SIMPLE", "POSITIONAL", "SITUATIONAL"};
  const bool area = rules.scoring == Scoring::area;
  return json{{"ko", kKos.at(static_cast<std::size_t>(rules.ko))},
              {"scoring", area ? "AREA" : "TERRITORY"},
              {"tax", "NONE"},
              {"suicide", rules.suicide},
              {"hasButton", false},
              {"friendlyPassOk", false},
              {"whiteHandicapBonus", "0"}}
      .dump();
}

}  // namespace koridor::go
