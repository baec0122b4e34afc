// While an object of this class lives, OpenMP regions that start on its thread have one thread. oneDNN and Eigen take
// their number of threads from OpenMP's setting of the calling thread; an evaluator computes on one thread.
// Without OpenMP (WebAssembly) there is one thread anyway.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

namespace koridor {

class OneThread {
 public:
#ifdef _OPENMP
  OneThread() : before_(omp_get_max_threads()) {
    omp_set_num_threads(1);
  }
  ~OneThread() {
    omp_set_num_threads(before_);
  }
#else
  OneThread() {}
  ~OneThread() {}
#endif
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

#ifdef _OPENMP
 private:
  int before_;
#endif
};

}  // namespace koridor
