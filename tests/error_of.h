// What an action that must fail says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/error.h"

namespace koridor {

// The text of the UserError that it throws; "no error" where it throws none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

// The same, which has to be one line.
inline std::string line_of_error(const std::function<void()>& action) {
  const std::string line = error_of(action);
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  return line;
}

}  // namespace koridor
