#include "cli/evaluation_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/setting.h"

namespace koridor::cli {

void add_evaluation(const Command& command, Evaluation& evaluation, bool caches) {
  SettingList list;
  list.begin_section("evaluation");
  describe_settings(evaluation, list);
  for (const Setting& setting : list.settings()) {
    std::string help = setting.comment;
    std::ranges::replace(help, '\n', ' ');
    if (auto* const* text = std::get_if<std::string*>(&setting.target)) {
      const Option option = command.add_option("--" + setting.key(), **text, help).show_default();
      if (setting.is_well_formed != nullptr) {
        option.check([setting](const std::string& word) {
          return setting.takes(word) ? "" : fmt::format("'{}' is no {}; it is {}", word, setting.key(), setting.form);
        });
      }
      if (setting.choices.empty()) continue;
      const auto fault = [kind = setting.key(), choices = setting.choices](const std::string& word) {
        return std::ranges::find(choices, word) != choices.end() ? "" : unknown_word(kind, word, choices);
      };
      option.check_words(fault, setting.choices);
    } else if (auto* const* number = std::get_if<int*>(&setting.target); number != nullptr && caches) {
      command.add_option("--cache", **number, help)
          .range(static_cast<int>(setting.low), static_cast<int>(setting.high))
          .type_name("MIB")
          .show_default();
    }
  }
}

}  // namespace koridor::cli
