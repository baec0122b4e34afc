// The search rules there are. A rule is a class in a file of its own (puct.h is the model) and its place in the list
// SearchRules below; configurations, the command line and Search take rules from this list alone.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/setting.h"
#include "core/search/gumbel.h"
#include "core/search/puct.h"

namespace koridor {

template <class... Rules>
struct SearchRuleList {
  // One of the rules. Search visits it a few times a simulation, never at each node.
  using Any = std::variant<Rules...>;

  // Every rule's settings.
  struct Configs : Rules::Config... {};

  static std::vector<std::string> names() { return {Rules::kName...}; }

  static void describe(Configs& configs, SettingList& list) {
    (describe_settings(static_cast<typename Rules::Config&>(configs), list), ...);
  }

  // Throws UserError for a name that is none of the rules'.
  static Any make(const std::string& name, const Configs& configs, int num_actions) {
    std::vector<Any> made;  // at most one
    ((name == Rules::kName ? void(made.emplace_back(std::in_place_type<Rules>, configs, num_actions)) : void()), ...);
    if (made.empty()) throw UserError(unknown_word("search rule", name, names()));
    return std::move(made.front());
  }
};

using SearchRules = SearchRuleList<Puct, Gumbel>;

// In place of a rule's name: the search by which matches between trained networks were won (train/METHODS.md).
inline constexpr const char* kRuleOfGame = "auto";

}  // namespace koridor
