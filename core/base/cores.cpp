#include "core/base/cores.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <thread>

namespace koridor {

int core_count() {
#ifdef _OPENMP
  // It keeps to the process's affinity, as it was before OpenMP itself bound this thread to a core (OMP_PROC_BIND).
  return std::max(1, omp_get_num_procs());
#else
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#endif
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
