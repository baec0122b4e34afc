// A process that finds little memory, for tests of what happens then.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace koridor {

// So many bytes beside what there is, until the end of this object.
class LittleMemory {
 public:
  explicit LittleMemory(std::size_t bytes) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &usual_);
    const rlimit little{pages * static_cast<std::size_t>(::getpagesize()) + bytes, usual_.rlim_max};
    ::setrlimit(RLIMIT_AS, &little);
  }
  ~LittleMemory() { ::setrlimit(RLIMIT_AS, &usual_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit usual_{};
};

}  // namespace koridor
