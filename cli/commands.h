// The subcommands of `koridor`, each in the source of its name. A function adds its subcommand to the command line,
// with what it does.
#pragma once

#include "cli/command_line.h"

namespace koridor::cli {

void add_analyze(CommandLine& line);
void add_bench(CommandLine& line);
void add_compare(CommandLine& line);
void add_completions(CommandLine& line);
void add_config(CommandLine& line);
void add_engine(CommandLine& line);
void add_evaluate(CommandLine& line);
void add_export(CommandLine& line);
void add_games(CommandLine& line);
void add_inspect(CommandLine& line);
void add_learn(CommandLine& line);
void add_man(CommandLine& line);
void add_match(CommandLine& line);
void add_openings(CommandLine& line);
void add_page(CommandLine& line);
void add_perft(CommandLine& line);
void add_play(CommandLine& line);
void add_plot(CommandLine& line);
void add_rate(CommandLine& line);
void add_score(CommandLine& line);
void add_selfplay(CommandLine& line);
void add_serve(CommandLine& line);
void add_simulate_scale(CommandLine& line);
void add_solve(CommandLine& line);
void add_status(CommandLine& line);
void add_tournament(CommandLine& line);
void add_train(CommandLine& line);
void add_yardstick(CommandLine& line);
void add_yardstick_set(CommandLine& line);

}  // namespace koridor::cli
