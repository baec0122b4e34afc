// The subcommands of `koridor`, each in the source of its name. A function adds its subcommand and the callback to the
// application; a callback throws UserError for bad input (exit code 2).
#pragma once

#include <CLI/CLI.hpp>

namespace koridor::cli {

void add_analyze(CLI::App& app);
void add_bench(CLI::App& app);
void add_completions(CLI::App& app);
void add_config(CLI::App& app);
void add_engine(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_export(CLI::App& app);
void add_games(CLI::App& app);
void add_inspect(CLI::App& app);
void add_learn(CLI::App& app);
void add_man(CLI::App& app);
void add_match(CLI::App& app);
void add_page(CLI::App& app);
void add_perft(CLI::App& app);
void add_play(CLI::App& app);
void add_plot(CLI::App& app);
void add_rate(CLI::App& app);
void add_score(CLI::App& app);
void add_selfplay(CLI::App& app);
void add_serve(CLI::App& app);
void add_solve(CLI::App& app);
void add_tournament(CLI::App& app);
void add_train(CLI::App& app);

}  // namespace koridor::cli
