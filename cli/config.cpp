// koridor config: every key of a configuration, or what a recipe amounts to.
#include "train/run/config.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/programs.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "train/run/config_table.h"
#include "train/run/run_config.h"
#include "train/run/run_directory.h"
#include "train/run/run_identity.h"
#include "train/run/start_check.h"

namespace koridor::cli {
namespace {

struct ConfigOptions {
  std::string config;
  std::string run;
  std::vector<std::string> settings;
  TableOptions tables;
};

void run_config(const Command& command, const ConfigOptions& options) {
  if (command.given("config") && options.config.empty()) {
    throw UserError("config: the recipe's name is empty; without one it prints the reference of all keys");
  }
  TableWriter out = table_writer(options.tables);
  const bool reference = options.config.empty() && options.settings.empty();
  const Config config = options.config.empty() ? parse_config("", "the defaults", options.settings)
                                               : load_config(find_config(options.config), options.settings);
  refuse_model_names(config);
  const bool goes_on = command.given("--run");
  if (goes_on && options.run.empty()) throw UserError("--run: the directory's name is empty");
  const RunDirectory run(options.run);
  std::error_code ignored;
  // A run that was begun by an earlier build goes on with what a new one would be refused for.
  if (!goes_on || !std::filesystem::exists(run.model(0), ignored)) check_training(config.training);
  check_rating(config);
  if (goes_on) require_goes_on(run, find_run_config(run, config).config, config);
  if (!out.is_text()) {
    out.show(config_table(config));
  } else if (reference) {
    out.say("# Every key of a configuration with its default. A recipe names only what it changes.\n\n");
    out.say(config_reference());
  } else {
    out.say(config_summary(config));
  }
  out.finish();
}

}  // namespace

void add_config(CommandLine& line) {
  auto options = std::make_shared<ConfigOptions>();
  const Command config = line.add_command("config", "Print every configuration key, or what a recipe amounts to");
  config.add_option("config", options->config,
                    "Recipe, e.g. configs/quickstart.toml or quickstart; without: the reference of all keys");
  config
      .add_option("--run", options->run,
                  "Also say whether the run in this directory, if there is one, can go on with the configuration")
      .type_name("DIR");
  add_key_settings(config, options->settings);
  add_tables(config, options->tables, {"keys"});
  config.runs([options, config] { run_config(config, *options); });
}

}  // namespace koridor::cli
