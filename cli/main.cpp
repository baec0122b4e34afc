// koridor: one executable with one subcommand per task.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/base/version.h"
#include "models/backends.h"

namespace {

[[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**, char**) = koridor::check_cpu;

// Checks the subcommand, since CLI11 reports a misspelt one only as missing.
void check_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : app.get_subcommands({})) names.push_back(subcommand->get_name());
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  const std::string near = koridor::nearest(word, names);
  throw koridor::UserError(fmt::format("there is no subcommand \"{}\"; {}", word,
                                       near.empty() ? "see `koridor --help`" : "did you mean \"" + near + "\"?"));
}

std::string version() {
  return fmt::format("{}\nbackends     {}", koridor::version_text("koridor"),
                     fmt::join(koridor::backend_names(), ", "));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace koridor;
  report_full_disks();

  CLI::App app{
      "Koridor teaches itself board games of walls and territory by playing against itself.\n"
      "New here? scripts/quickstart trains an agent in minutes; `koridor games` lists what it plays."};
  app.name("koridor");
  app.require_subcommand(1);
  app.set_version_flag("--version", version, "Version, commit, CPU features and libraries of this build");
  app.set_help_all_flag("--help-all", "Help of every subcommand");
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return fmt::format("koridor: {} (see `{} --help`)\n", error.what(),
                       failed->get_parent() == nullptr ? "koridor" : "koridor " + failed->get_name());
  });
  cli::add_games(app);
  cli::add_perft(app);
  cli::add_config(app);
  cli::add_train(app);
  cli::add_rate(app);
  cli::add_selfplay(app);
  cli::add_learn(app);
  cli::add_match(app);
  cli::add_play(app);
  cli::add_solve(app);
  cli::add_evaluate(app);
  cli::add_inspect(app);
  cli::add_score(app);
  cli::add_bench(app);
  cli::add_man(app);
  cli::add_completions(app);

  try {
    if (argc > 1) check_subcommand(app, argv[1]);
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const UserError& error) {
    fmt::print(stderr, "koridor: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    // LibTorch's messages end in advice and a stack trace.
    const std::string_view text = error.what();
    fmt::print(stderr, "koridor: internal error: {}\n", text.substr(0, text.find('\n')));
    return 1;
  }
}
