// What a command of the command line puts out for programs.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command.h"

namespace koridor::test {

// The standard output of a command that must succeed.
inline std::string output_of(const std::string& arguments, const std::string& input = "") {
  const CommandResult result = koridor(arguments + " 2>/dev/null", input);
  EXPECT_EQ(result.status, 0) << arguments << "\n" << koridor(arguments, input).output;
  return result.output;
}

// What it puts out with --json: an object of tables, and the units of their columns.
inline nlohmann::ordered_json json_of(const std::string& arguments, const std::string& input = "") {
  const std::string output = output_of(arguments + " --json", input);
  const auto document = nlohmann::ordered_json::parse(output, nullptr, false);
  EXPECT_TRUE(document.is_object() && document.contains("units")) << arguments << "\n" << output;
  return document;
}

}  // namespace koridor::test
