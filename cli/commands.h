// The subcommands of `koridor`. Each function adds its subcommands and their callbacks to the application; a callback
// throws UserError for bad input (exit code 2).
#pragma once

#include <CLI/CLI.hpp>

namespace koridor::cli {

void add_games(CLI::App& app);    // games, perft
void add_score(CLI::App& app);    // score
void add_config(CLI::App& app);   // config
void add_train(CLI::App& app);    // train, rate
void add_workers(CLI::App& app);  // selfplay, learn
void add_match(CLI::App& app);    // match
void add_play(CLI::App& app);     // play
void add_solve(CLI::App& app);    // solve
void add_inspect(CLI::App& app);  // inspect
void add_bench(CLI::App& app);    // bench

}  // namespace koridor::cli
