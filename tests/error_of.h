// What an action that must fail says.
#pragma once

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

}  // namespace koridor
