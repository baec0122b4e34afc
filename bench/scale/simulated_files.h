// The shared file system of the simulation.
#pragma once

#include <algorithm>

#include "bench/scale/simulation.h"

namespace koridor::bench {

// Serves operations and bytes in the order in which they are asked for.
class SimulatedFiles {
 public:
  explicit SimulatedFiles(const ScaleRates& rates) : rates_(rates) {}

  // Beats and looks ask for so many operations from now on; returns how many they get. Each process waits for its last
  // one before it asks again; it is assumed that they so take no more than half of what there is.
  double set_background(double operations_per_second) {
    return background_ = std::min(operations_per_second, rates_.operations_per_second / 2);
  }

  // When a request is served that is made at `now`.
  double serve(double now, double operations, double bytes) {
    const double rate = rates_.operations_per_second - background_;
    operations_free_ = std::max(operations_free_, now) + operations / rate;
    bytes_free_ = std::max(bytes_free_, now) + bytes / rates_.bytes_per_second;
    operations_ += operations;
    busy_ += std::max(operations / rates_.operations_per_second, bytes / rates_.bytes_per_second);
    return std::max(operations_free_, bytes_free_) + operations * rates_.operation_seconds;
  }

  double operations() const { return operations_; }
  double busy() const { return busy_; }

 private:
  const ScaleRates& rates_;
  double background_ = 0;
  double operations_free_ = 0, bytes_free_ = 0;  // when the queues are empty
  double operations_ = 0, busy_ = 0;
};

}  // namespace koridor::bench
