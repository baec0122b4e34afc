// How many cores' worth of processor time a container or a service may use.
#pragma once

#include <filesystem>

namespace koridor {

// The quota of this process's control group and of those above it, in cores, rounded up: `docker run --cpus=1.5` and
// systemd's CPUQuota=150% say 2. 0: no quota, or none that can be read. Who starts more threads than that is stopped
// for the rest of each period. Both versions of Linux's control groups: cpu.max ("150000 100000" microseconds, or
// "max"), or cpu.cfs_quota_us and cpu.cfs_period_us. `groups` is the list of the process's groups, `root` where they
// are mounted.
int cpu_quota(const std::filesystem::path& groups = "/proc/self/cgroup",
              const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace koridor
