#include "core/base/cores.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <thread>

#include "core/base/cpu_quota.h"

namespace koridor {

int core_count() {
#ifdef __linux__
  static const int quota = cpu_quota();
#else
  constexpr int quota = 0;
#endif
#ifdef _OPENMP
  // It keeps to the process's affinity, as it was before OpenMP itself bound this thread to a core (OMP_PROC_BIND).
  const int cores = omp_get_num_procs();
#else
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
#endif
  return std::max(1, quota > 0 ? std::min(cores, quota) : cores);
}

int thread_count(int threads) {
  if (threads > 0) return threads;
#ifdef _OPENMP
  return std::max(1, std::min(core_count(), omp_get_thread_limit()));
#else
  return core_count();
#endif
}

}  // namespace koridor
