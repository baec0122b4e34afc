// How positions are to be evaluated: the one description of it for configurations, matches, command lines and benches.
#pragma once

#include <string>

#include "core/base/setting.h"

namespace koridor {

// The first of backends() (backends.h).
const std::string& default_backend();

struct Evaluation {
  std::string backend = default_backend();
  std::string precision = "auto";  // models/network/precision.h
  std::string device = "auto";     // models/network/device.h; of backends that do not compute on the thread that asks
  int cache_mebibytes = 32;        // size of each thread's cache of predictions, for each model; 0: no cache
};

// Adds the keys backend, precision, device and cache_mebibytes to the list's section.
void describe_settings(Evaluation& evaluation, SettingList& list);

}  // namespace koridor
