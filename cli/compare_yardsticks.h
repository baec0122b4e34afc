// The yardsticks of `koridor compare`: what is measured of each point beside Elo. Each is a LabMeasure, which the
// tables, the verdicts and the picture show without knowing what it is.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/run/lab_results.h"
#include "train/run/laboratory.h"

namespace koridor::cli {

// Measures what is not in the runs' files yet and keeps it there. Nothing when stopped. `show` gets live progress and
// `say` what stays: why a board has no yardstick, on every start.
std::optional<std::vector<LabMeasure>> measure_yardsticks(const Laboratory& laboratory,
                                                          const std::function<void(const std::string&)>& show,
                                                          const std::function<void(const std::string&)>& say,
                                                          const std::atomic<bool>& stop);

}  // namespace koridor::cli
