// Runs the same work on several OpenMP threads, each of which evaluates networks on its own.
#pragma once

#include <fmt/format.h>
#include <omp.h>

#include "core/base/cores.h"
#include "core/base/error.h"
#include "core/base/failure.h"
#include "core/base/one_thread.h"

namespace koridor {

// Calls work(thread) on thread_count(threads) threads, numbered from 0, and returns when all have ended. The first
// exception goes to `failure`, which the work on the other threads should watch; the caller throws it on. Where OpenMP
// does not start so many threads, that is a UserError and no work is done.
template <class Work>
void on_all_threads(int threads, Failure& failure, const Work& work) {
  const int wanted = thread_count(threads);
#pragma omp parallel num_threads(wanted)
  {
    try {
      if (omp_get_num_threads() < wanted) {
        throw UserError(
            fmt::format("OpenMP starts {} of {} threads: see OMP_THREAD_LIMIT and OMP_DYNAMIC in the "
                        "environment, or ask for fewer",
                        omp_get_num_threads(), wanted));
      }
      const OneThread one_thread;  // an evaluator's own parallel regions must not start threads of their own
      work(omp_get_thread_num());
    } catch (...) {
      failure.keep();
    }
  }
}

}  // namespace koridor
