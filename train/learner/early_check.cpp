// Ends koridor-trainer with one line where it has too little address space. This runs before the constructors of the
// libraries, one of which would never return (core/base/address_space.h).
#include <unistd.h>

#include <cstdio>

#include "core/base/address_space.h"

namespace {

constexpr int kUserErrorStatus = 2;  // as main has it

void check_address_space() {
  char reason[256];
  if (!koridor::too_little_for_libtorch(reason, sizeof(reason))) return;
  char line[300];
  const int length = std::snprintf(line, sizeof(line), "koridor-trainer: %s\n", reason);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  ::_exit(kUserErrorStatus);
}

// The dynamic linker calls what is in this section first of all.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all_constructors)() = check_address_space;

}  // namespace
