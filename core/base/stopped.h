// What ends a command that was stopped.
#pragma once

#include <stdexcept>

namespace koridor {

// Somebody stopped the program before it had what was asked of it. what() is one line that says so, and what was not
// done or is kept. The command line prints it behind "koridor: " and exits with kStoppedExit.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline constexpr int kStoppedExit = 130;  // 128 + SIGINT, as shells have it

}  // namespace koridor
