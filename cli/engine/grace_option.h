// The option --grace of `engine` and `analyze`.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"

namespace koridor::cli {

// Adds --grace, which sets `grace`; the value must outlive the parsing. `usual` says what holds without it.
inline void add_grace(const Command& command, std::optional<double>& grace, const std::string& usual) {
  command
      .add_option(
          "--grace", grace,
          "Seconds that searches go on after the end of the input, before they are ended with what they have (" +
              usual + ")")
      .range(0.0, 1e6);
}

}  // namespace koridor::cli
