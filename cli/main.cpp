// koridor: one executable with one subcommand per task.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/base/terminal.h"
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

// Numbers that CLI11 takes and nobody means: it reads -1 as the largest whole number of an option without sign, and nan
// lies in every range. Every option of every subcommand is checked by its type.
void refuse_senseless_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("UINT")) {
      option->check([](const std::string& word) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        const bool whole = error == std::errc() && end == word.data() + word.size();
        return whole ? std::string() : fmt::format("{} is no whole number from 0 to {}", word, UINT64_MAX);
      });
    } else if (type.starts_with("FLOAT")) {
      option->check([](const std::string& word) {
        return std::isfinite(std::strtod(word.c_str(), nullptr)) ? std::string() : word + " is no number";
      });
    }
  }
  for (CLI::App* subcommand : app.get_subcommands({})) refuse_senseless_numbers(*subcommand);
}

// What CLI11 says of a command line, and where to read more. It lists unexpected words backwards.
std::string command_line_message(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "koridor";
  for (const CLI::App* subcommand : app.get_subcommands()) command += " " + subcommand->get_name();
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> words = app.remaining(true);
    what = fmt::format("unexpected: {}", fmt::join(words, " "));
  }
  return fmt::format("{} (see `{} --help`)", what, command);
}

// Runs the subcommand that the words name.
int run(CLI::App& app, const std::vector<std::string>& words) {
  using namespace koridor;
  try {
    if (!words.empty()) check_subcommand(app, words.front());
    std::vector<std::string> backwards = cli::spread_assignments(words);
    std::ranges::reverse(backwards);
    app.parse(backwards);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UserError(command_line_message(app, error));
    app.exit(error);  // prints the help that was asked for
  }
  finish_output();
  return 0;
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
  cli::add_games(app);
  cli::add_perft(app);
  cli::add_config(app);
  cli::add_train(app);
  cli::add_rate(app);
  cli::add_plot(app);
  cli::add_selfplay(app);
  cli::add_learn(app);
  cli::add_match(app);
  cli::add_tournament(app);
  cli::add_play(app);
  cli::add_engine(app);
  cli::add_analyze(app);
  cli::add_serve(app);
  cli::add_page(app);
  cli::add_solve(app);
  cli::add_evaluate(app);
  cli::add_inspect(app);
  cli::add_export(app);
  cli::add_score(app);
  cli::add_bench(app);
  cli::add_man(app);
  cli::add_completions(app);

  refuse_senseless_numbers(app);

  try {
    return run(app, {argv + 1, argv + argc});
  } catch (const UserError& error) {
    print_message("koridor", error.what());
    return 2;
  } catch (const std::filesystem::filesystem_error& error) {
    print_message("koridor", error.path1().string() + ": " + error.code().message());
    return 2;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) {
      print_message("koridor", std::string("standard output could not be written: ") + error.what());
      return 2;
    }
    // LibTorch's messages end in advice and a stack trace.
    const std::string text = error.what();
    print_message("koridor", "internal error: " + text.substr(0, text.find('\n')));
    return 1;
  }
}
