// While an object of this class lives, OpenMP regions that start on its thread have one thread. oneDNN and Eigen take
// their number of threads from OpenMP's setting of the calling thread; an evaluator computes on one thread.
#pragma once

#include <omp.h>

namespace koridor {

class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace koridor
