// The number of threads a program starts.
#pragma once

namespace koridor {

// The cores that this process may use, at least 1: a job of Slurm, a cpuset or taskset may leave it a few of many, and
// a container the time of a few (cpu_quota.h).
int core_count();

// `threads` itself, or for 0 the number of cores, or fewer where OMP_THREAD_LIMIT says so.
int thread_count(int threads);

}  // namespace koridor
