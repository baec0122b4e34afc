// koridor: one executable with one subcommand per task.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "core/base/cpu_features.h"
#include "core/base/notice.h"
#include "core/base/signals.h"
#include "core/base/terminal.h"
#include "core/base/version.h"
#include "models/backends.h"

namespace {

[[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**, char**) = koridor::check_cpu;

std::string version() {
  return fmt::format("{}\nbackends     {}", koridor::version_text("koridor"),
                     fmt::join(koridor::backend_names(), ", "));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace koridor;
  open_standard_files();
  report_full_disks();
  keep_ended_children();
  say_when_interrupted();
  read_notices([](std::string_view text) { print_message("koridor", text); });

  cli::CommandLine line(
      "koridor",
      "Koridor teaches itself board games of walls and territory by playing against itself.\n"
      "New here? `koridor train quickstart` trains an agent in minutes; `koridor games` lists what it plays.");
  line.add_version(version, "Version, commit, CPU features and libraries of this build");
  line.add_help_of_all("Help of every subcommand");
  cli::add_games(line);
  cli::add_perft(line);
  cli::add_config(line);
  cli::add_train(line);
  cli::add_status(line);
  cli::add_rate(line);
  cli::add_plot(line);
  cli::add_compare(line);
  cli::add_selfplay(line);
  cli::add_learn(line);
  cli::add_match(line);
  cli::add_tournament(line);
  cli::add_play(line);
  cli::add_engine(line);
  cli::add_analyze(line);
  cli::add_serve(line);
  cli::add_page(line);
  cli::add_solve(line);
  cli::add_yardstick(line);
  cli::add_yardstick_set(line);
  cli::add_openings(line);
  cli::add_evaluate(line);
  cli::add_inspect(line);
  cli::add_export(line);
  cli::add_score(line);
  cli::add_bench(line);
  cli::add_simulate_scale(line);
  cli::add_man(line);
  cli::add_completions(line);

  try {
    line.run({argv + 1, argv + argc});
    finish_output();
    return 0;
  } catch (const std::exception&) {
    return report_failure("koridor");
  }
}
