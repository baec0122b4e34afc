// How positions are to be evaluated: the one description that configurations, matches, command lines and benches hold,
// and its words.
#pragma once

#include <string>

#include "core/base/setting.h"

namespace koridor {

// The backend that this build prefers: the first of backends() (backends.h).
const std::string& default_backend();

struct Evaluation {
  std::string backend = default_backend();
  std::string precision = "auto";  // models/network/precision.h
  std::string device = "auto";     // models/network/device.h; of backends that do not compute on the thread that asks
  int cache_mebibytes = 32;        // predictions that each thread remembers for each model; 0: none
};

// The keys backend, precision, device and cache_mebibytes, in the list's section.
void describe_settings(Evaluation& evaluation, SettingList& list);

}  // namespace koridor
