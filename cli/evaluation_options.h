// The options --backend, --precision, --device and --cache of several subcommands.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/setting.h"
#include "models/evaluation.h"

namespace koridor::cli {

// Adds the options with the names, comments and checks of the configuration's keys; `evaluation` must outlive the
// parsing. --cache is left out where `caches` is false, for a command that evaluates one position at a time.
inline void add_evaluation(CLI::App& command, Evaluation& evaluation, bool caches) {
  SettingList list;
  list.begin_section("evaluation");
  describe_settings(evaluation, list);
  for (const Setting& setting : list.settings()) {
    std::string help = setting.comment;
    std::ranges::replace(help, '\n', ' ');
    if (auto* const* text = std::get_if<std::string*>(&setting.target)) {
      CLI::Option* option = command.add_option("--" + setting.key(), **text, help)->capture_default_str();
      if (setting.is_well_formed != nullptr) {
        option->check([setting](const std::string& word) {
          return setting.takes(word) ? "" : fmt::format("'{}' is no {}; it is {}", word, setting.key(), setting.form);
        });
      }
      if (setting.choices.empty()) continue;
      const auto check = [kind = setting.key(), choices = setting.choices](const std::string& word) {
        return std::ranges::find(choices, word) != choices.end() ? "" : unknown_word(kind, word, choices);
      };
      // The words as CLI11 writes those of IsMember: help shows them, and shells complete them.
      option->check(CLI::Validator(check, fmt::format("{{{}}}", fmt::join(setting.choices, ","))));
    } else if (auto* const* number = std::get_if<int*>(&setting.target); number != nullptr && caches) {
      command.add_option("--cache", **number, help)
          ->check(CLI::Range(static_cast<int>(setting.low), static_cast<int>(setting.high)))
          ->type_name("MIB")
          ->capture_default_str();
    }
  }
}

}  // namespace koridor::cli
