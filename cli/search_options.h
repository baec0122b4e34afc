// The options --algorithm and --search of subcommands that search: keys of a configuration's section [match].
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/search/config.h"

namespace koridor::cli {

// Adds --algorithm, which must outlive the parsing.
void add_algorithm(const Command& command, std::string& algorithm);

// Adds --search, which may be given several times; the list must outlive the parsing.
void add_search_settings(const Command& command, std::vector<std::string>& settings);

// Applies "key=value" settings in order. Throws UserError that names the key and the values that it may have.
void apply_search_settings(SearchConfig& config, std::span<const std::string> settings);

}  // namespace koridor::cli
