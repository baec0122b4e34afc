// The options --algorithm and --search of subcommands that search: keys of a configuration's section [match].
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/search/config.h"
#include "core/search/rules.h"
#include "train/run/setting_text.h"

namespace koridor::cli {

// Adds --algorithm, which must outlive the parsing.
inline void add_algorithm(CLI::App& command, std::string& algorithm) {
  command.add_option("--algorithm", algorithm, "Search of models")
      ->check(CLI::IsMember(SearchRules::names()))
      ->capture_default_str();
}

// Adds --search, which may be given several times; the list must outlive the parsing.
inline void add_search_settings(CLI::App& command, std::vector<std::string>& settings) {
  command
      .add_option("--search", settings,
                  "key=value, as in --search gumbel_considered=16: the keys of a configuration's section [match]")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

// Applies "key=value" settings in order. Throws UserError that names the key and the values that it may have.
inline void apply_search_settings(SearchConfig& config, std::span<const std::string> settings) {
  SettingList list;
  list.begin_section("match");
  describe_settings(config, list);
  for (const std::string& given : settings) apply_assignment(list, "match." + given, "--search " + given);
}

}  // namespace koridor::cli
