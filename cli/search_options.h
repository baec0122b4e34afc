// The option --search of subcommands that search: keys of a configuration's [match] section, one at a time.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/search/config.h"

namespace koridor::cli {

// Adds --search, which may be given several times; the list must outlive the parsing.
void add_search_settings(CLI::App& command, std::vector<std::string>& settings);

// Applies "key=value" settings in order. Throws UserError that names the key and what it may be.
void apply_search_settings(SearchConfig& config, std::span<const std::string> settings);

}  // namespace koridor::cli
