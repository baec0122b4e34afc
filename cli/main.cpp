// koridor: one executable, one subcommand a task.
#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "cli/commands.h"
#include "core/error.h"

int main(int argc, char** argv) {
  using namespace koridor;
  // A full disk or a file size limit is an error to report, a closed pipe an end: not a signal to die of.
  std::signal(SIGXFSZ, SIG_IGN);

  CLI::App app{
      "Koridor teaches itself board games of walls and territory by playing against itself.\n"
      "New here? scripts/quickstart trains an agent in minutes; `koridor games` lists what it plays."};
  app.name("koridor");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of every subcommand");
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return fmt::format("koridor: {} (see `{} --help`)\n", error.what(),
                       failed->get_parent() == nullptr ? "koridor" : "koridor " + failed->get_name());
  });
  cli::add_games(app);
  cli::add_train(app);
  cli::add_workers(app);
  cli::add_match(app);
  cli::add_play(app);
  cli::add_inspect(app);
  // cli::add_bench(app);

  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const UserError& error) {
    fmt::print(stderr, "koridor: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "koridor: internal error: {}\n", error.what());
    return 1;
  }
}
