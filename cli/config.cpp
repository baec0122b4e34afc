// koridor config: every key of a configuration, or what a recipe amounts to.
#include "train/run/config.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "core/base/error.h"

namespace koridor::cli {
namespace {

struct ConfigOptions {
  std::string config;
  std::vector<std::string> settings;
};

void run_config(const ConfigOptions& options) {
  if (options.config.empty() && options.settings.empty()) {
    fmt::print("# Every key of a configuration with its default. A recipe names only what it changes.\n\n{}",
               config_reference());
    return;
  }
  const Config config = options.config.empty() ? parse_config("", "the defaults", options.settings)
                                               : load_config(find_config(options.config), options.settings);
  fmt::print("{}", config_summary(config));
}

}  // namespace

void add_config(CLI::App& app) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* config = app.add_subcommand("config", "Print every configuration key, or what a recipe amounts to");
  config->add_option("config", options->config,
                     "Recipe, e.g. configs/quickstart.toml or quickstart; without: the reference of all keys");
  add_key_settings(*config, options->settings);
  config->callback([options] { run_config(*options); });
}

}  // namespace koridor::cli
