// What the command line says of itself: the words of its subcommands and options as plain data, from which the man page
// and the completions of shells are written.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace koridor::cli {

struct OptionText {
  std::vector<std::string> names;  // "-h", "--help"; of a positional one its only name
  bool positional = false;
  bool required = false;
  bool repeats = false;
  std::string value;                 // what stands for its value in help: "TEXT", "RULE=VALUE"; empty: a flag
  std::string range;                 // "INT in [1 - 10]"; empty: none is stated
  std::vector<std::string> choices;  // its values, if they are few and known: words of a list, or ids of games
  std::string default_text;
  std::string description;  // one line
};

struct CommandText {
  std::string name;  // of a subcommand, or of the program
  std::string description;
  std::string footer;
  std::vector<OptionText> options;
};

struct ProgramText {
  CommandText program;
  std::vector<CommandText> commands;
};

// Everything that is not hidden. Subcommands of subcommands are not known to Koridor.
ProgramText describe(const CommandLine& line);

}  // namespace koridor::cli
