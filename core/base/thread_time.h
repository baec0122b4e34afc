// The processor time of a thread. What other programs do on the machine does not count in it.
#pragma once

#include <ctime>

namespace koridor {

// Seconds of processor time that this thread has used.
inline double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace koridor
