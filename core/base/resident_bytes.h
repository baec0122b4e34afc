// How much memory this process has.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace koridor {

// Its pages in memory, in bytes; 0 where the kernel does not say.
inline std::uint64_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace koridor
