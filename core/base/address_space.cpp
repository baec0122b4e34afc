#include "core/base/address_space.h"

#include <sched.h>
#include <sys/resource.h>

#include <cstdio>

namespace koridor {

bool too_little_for_libtorch(char* line, unsigned long size) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // More cores than a cpu_set_t has room for make the call fail; each of those that it has room for counts then.
  const int count = ::sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : CPU_SETSIZE;
  const unsigned long long needed = kLibTorchBase + kLibTorchPerCore * static_cast<unsigned long long>(count);
  struct Limit {
    decltype(RLIMIT_AS) resource;
    const char* option;
  };
  for (const Limit limit : {Limit{RLIMIT_AS, "-v"}, Limit{RLIMIT_DATA, "-d"}}) {
    rlimit set{};
    if (::getrlimit(limit.resource, &set) != 0 || set.rlim_cur == RLIM_INFINITY || set.rlim_cur >= needed) continue;
    std::snprintf(line, size,
                  "LibTorch needs %llu MiB of address space on %d cores, and `ulimit %s` allows %llu; "
                  "raise it with `ulimit %s unlimited`",
                  needed >> 20, count, limit.option, static_cast<unsigned long long>(set.rlim_cur) >> 20, limit.option);
    return true;
  }
  return false;
}

std::string libtorch_shortage() {
  char line[256];
  return too_little_for_libtorch(line, sizeof(line)) ? line : "";
}

}  // namespace koridor
